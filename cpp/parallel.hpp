#pragma once
// Contiguous shares of work, one per thread. Results never depend on the number of threads.
#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace tallytext {

struct Range {
  std::size_t begin, end;
};

/// At most `n_shares` contiguous ranges of [0, n), of about equal weight; weight(i) is that of item i.
template <class Weight>
std::vector<Range> shares(std::size_t n, std::size_t n_shares, Weight weight) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += static_cast<double>(weight(i)) + 1;
  const double unit = total / static_cast<double>(n_shares);
  std::vector<Range> ranges;
  double sum = 0;
  for (std::size_t i = 0, begin = 0; i < n; ++i) {
    sum += static_cast<double>(weight(i)) + 1;
    const bool is_full = sum >= unit * static_cast<double>(ranges.size() + 1) && ranges.size() + 1 < n_shares;
    if (!is_full && i + 1 < n) continue;
    ranges.push_back({begin, i + 1});
    begin = i + 1;
  }
  return ranges;
}

/// Runs work(0) … work(n - 1), each on its own thread, the last one on this thread. The first exception is
/// rethrown.
template <class Work>
void in_parallel(std::size_t n, Work work) {
  std::vector<std::exception_ptr> errors(n);
  auto guarded = [&](std::size_t i) noexcept {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    try {
      threads.emplace_back(guarded, i);
    } catch (const std::system_error&) {  // no more threads available: run it here
      guarded(i);
    }
  }
  if (n) guarded(n - 1);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Runs work(worker, 0) … work(worker, n - 1) on the next free thread, each thread with its own worker. For
/// items with unknown costs.
template <class Hire, class Work>
void in_turns(std::size_t n, std::size_t n_threads, Hire hire, Work work) {
  constexpr std::size_t turn = 16;
  std::atomic<std::size_t> next{0};
  in_parallel(std::min(n_threads, (n + turn - 1) / turn), [&](std::size_t) {
    auto worker = hire();
    for (std::size_t first; (first = next.fetch_add(turn)) < n;) {
      for (std::size_t i = first; i < std::min(n, first + turn); ++i) work(worker, i);
    }
  });
}

}  // namespace tallytext
