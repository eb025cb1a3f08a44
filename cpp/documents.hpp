#pragma once
// A batch of documents as rows of counts.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

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

/// Whether no row holds a term twice. A few rows are sorted for it; for many, each term remembers its last.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms, std::size_t width) {
  const bool many = terms.size() * 8 > width;
  std::vector<int64_t> last(many ? width : 0, -1);
  std::vector<TermId> sorted;
  for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
    const auto row = terms.subspan(static_cast<std::size_t>(starts[d]),
                                   static_cast<std::size_t>(starts[d + 1] - starts[d]));
    if (many) {
      for (const TermId term : row) {
        if (std::exchange(last[static_cast<std::size_t>(term)], static_cast<int64_t>(d)) ==
            static_cast<int64_t>(d))
          return false;
      }
    } else {
      sorted.assign(row.begin(), row.end());
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    }
  }
  return true;
}

}  // namespace tallytext
