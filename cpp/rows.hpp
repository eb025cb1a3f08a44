#pragma once
// Documents as rows: the terms of each with their counts, or the terms of each in order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "vocabulary.hpp"

namespace tallytext {

struct TermCount {
  TermId term;
  int32_t count;
};

/// Rows of terms with their counts, a term once a row, in order of first appearance until they are sorted.
class CountRows {
 public:
  void reserve(std::size_t n) { entries.reserve(n); }
  void prefetch(TermId id) const { __builtin_prefetch(marks_.data() + id, 1); }

  void operator()(TermId id) {
    const auto term = static_cast<std::size_t>(id);
    if (term >= marks_.size()) marks_.resize(std::max(term + 1, 2 * marks_.size()), Mark{});
    Mark& mark = marks_[term];
    if (mark.row == row_) {
      ++entries[begin_ + mark.at].count;
      return;
    }
    mark = {row_, static_cast<uint32_t>(entries.size() - begin_)};
    entries.push_back({id, 1});
  }

  void end_document() {
    ends.push_back(entries.size());
    begin_ = entries.size();
    if (++row_ == 0) marks_.assign(marks_.size(), Mark{}), row_ = 1;
  }

  void forget_marks() { marks_ = {}; }

  Buffer<TermCount> entries;
  std::vector<uint64_t> ends;  // where each row ends

 private:
  struct Mark {
    uint32_t row = 0;  // the row that saw the term last, counted from 1
    uint32_t at = 0;   // where in that row it is
  };
  Buffer<Mark> marks_ = Buffer<Mark>(1024, Mark{});
  uint32_t row_ = 1;
  std::size_t begin_ = 0;
};

/// Rows of terms as they come, repeats and all.
class TermRows {
 public:
  void reserve(std::size_t n) { terms.reserve(n); }
  void prefetch(TermId) const {}
  void operator()(TermId id) { terms.push_back(id); }
  void end_document() { ends.push_back(terms.size()); }
  void forget_marks() {}

  Buffer<TermId> terms;
  std::vector<uint64_t> ends;
};

/// Sorts one row by term: a radix sort, nine bits at a time, as many times as the ids have digits.
class RowSorter {
 public:
  explicit RowSorter(std::size_t n_terms) : n_bits_(static_cast<int>(std::bit_width(n_terms))) {}

  /// Sorts `n` entries in place and writes them out.
  void operator()(TermCount* entries, std::size_t n, TermId* terms, int32_t* counts) {
    if (other_.size() < n) other_.resize(n);
    TermCount *from = entries, *to = other_.data();
    for (int shift = 0; shift < n_bits_ && n > 1; shift += digit_bits) {
      pass(shift, from, to, n);
      std::swap(from, to);
    }
    for (std::size_t i = 0; i < n; ++i) {
      terms[i] = from[i].term;
      counts[i] = from[i].count;
    }
  }

 private:
  static constexpr int digit_bits = 9;

  static void pass(int shift, const TermCount* from, TermCount* to, std::size_t n) {
    auto digit = [shift](const TermCount& e) {
      return static_cast<uint32_t>(e.term) >> shift & ((1u << digit_bits) - 1);
    };
    std::array<uint32_t, 1 << digit_bits> at{};
    for (std::size_t i = 0; i < n; ++i) ++at[digit(from[i])];
    uint32_t sum = 0;
    for (uint32_t& a : at) a = std::exchange(sum, sum + a);
    for (std::size_t i = 0; i < n; ++i) to[at[digit(from[i])]++] = from[i];
  }

  int n_bits_;
  std::vector<TermCount> other_;
};

}  // namespace tallytext
