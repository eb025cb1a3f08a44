#pragma once
// A batch of documents as rows of counts.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "postings.hpp"

namespace tallytext {

/// Rows of counts with their labels. No term comes twice in a row, no label twice in a document.
struct Documents {
  std::span<const int64_t> starts;
  std::span<const TermId> terms;
  std::span<const int64_t> counts;
  std::span<const int64_t> label_starts;
  std::span<const ClassId> labels;
  std::span<const double> weights;  // empty: all 1

  std::size_t size() const { return starts.size() - 1; }
  std::size_t begin(std::size_t d) const { return static_cast<std::size_t>(starts[d]); }
  std::size_t length(std::size_t d) const { return static_cast<std::size_t>(starts[d + 1] - starts[d]); }
  std::span<const ClassId> labels_of(std::size_t d) const {
    return labels.subspan(static_cast<std::size_t>(label_starts[d]),
                          static_cast<std::size_t>(label_starts[d + 1] - label_starts[d]));
  }
  double weight(std::size_t d) const { return weights.empty() ? 1.0 : weights[d]; }
};

/// Whether none of some rows holds a term twice, by each term remembering its last row.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms, std::size_t width,
                          Range rows) {
  std::vector<int64_t> last(width, -1);
  for (std::size_t d = rows.begin; d < rows.end; ++d) {
    const auto row = static_cast<int64_t>(d);
    for (int64_t i = starts[d]; i < starts[d + 1]; ++i) {
      const auto term = static_cast<std::size_t>(terms[static_cast<std::size_t>(i)]);
      if (std::exchange(last[term], row) == row) return false;
    }
  }
  return true;
}

/// The same by sorting, for rows that are few beside the terms there are.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms) {
  std::vector<TermId> sorted;
  for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
    sorted.assign(terms.begin() + starts[d], terms.begin() + starts[d + 1]);
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  }
  return true;
}

/// Whether no row holds a term twice.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms, std::size_t width,
                          std::size_t n_threads) {
  if (terms.size() * 8 <= width) return no_term_twice(starts, terms);
  constexpr std::size_t worth_a_thread = 1 << 18;
  const auto length = [&](std::size_t d) { return starts[d + 1] - starts[d]; };
  const auto parts =
      shares(starts.size() - 1, std::min(n_threads, 1 + terms.size() / worth_a_thread), length);
  std::vector<char> good(parts.size());
  in_parallel(parts.size(), [&](std::size_t p) { good[p] = no_term_twice(starts, terms, width, parts[p]); });
  return std::find(good.begin(), good.end(), 0) == good.end();
}

}  // namespace tallytext
