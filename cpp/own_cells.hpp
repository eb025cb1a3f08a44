#pragma once
// Where the words of documents stand in the classes of those documents.
#include <algorithm>
#include <span>

#include "parallel.hpp"
#include "postings.hpp"

namespace tallytext {

/// Postings whose classes ascend within a term.
struct OrderedPostings {
  std::span<const int64_t> starts;
  std::span<const ClassId> classes;

  /// The cell of (term, label), or -1.
  int64_t find(TermId term, ClassId label) const {
    if (term < 0 || static_cast<std::size_t>(term) + 1 >= starts.size()) return -1;
    const ClassId* const first = classes.data() + starts[static_cast<std::size_t>(term)];
    const ClassId* const last = classes.data() + starts[static_cast<std::size_t>(term) + 1];
    const ClassId* const found = last - first > few ? std::lower_bound(first, last, label)
                                                    : first + how_many_below(first, last, label);
    return found != last && *found == label ? found - classes.data() : -1;
  }

  static constexpr std::ptrdiff_t few = 64;

  /// Compares them all: where a search would branch cannot be predicted.
  static std::ptrdiff_t how_many_below(const ClassId* first, const ClassId* last, ClassId label) {
    int32_t below = 0;
    for (; first != last; ++first) below += *first < label;
    return below;
  }

  /// Asks for what find() will read: first where the term begins, then its classes.
  void prefetch(TermId far, TermId near) const {
    const auto holds = [this](TermId term) {
      return term >= 0 && static_cast<std::size_t>(term) + 1 < starts.size();
    };
    if (holds(far)) __builtin_prefetch(&starts[static_cast<std::size_t>(far)]);
    if (holds(near)) __builtin_prefetch(classes.data() + starts[static_cast<std::size_t>(near)]);
  }
};

/// For each document, for each of its labels, for each of its terms: the cell of term and label, or -1.
/// entry_starts[d] is where document d begins in `cells`.
inline void find_own_cells(std::span<const int64_t> starts, std::span<const TermId> terms,
                           std::span<const int64_t> label_starts, std::span<const ClassId> labels,
                           std::span<const int64_t> entry_starts, const OrderedPostings& postings,
                           std::size_t n_threads, int64_t* cells) {
  const auto length = [&](std::size_t d) { return entry_starts[d + 1] - entry_starts[d]; };
  const std::vector<Range> parts = shares(starts.size() - 1, n_threads, length);
  in_parallel(parts.size(), [&](std::size_t part) {
    for (std::size_t d = parts[part].begin; d < parts[part].end; ++d) {
      int64_t* cell = cells + entry_starts[d];
      for (int64_t l = label_starts[d]; l < label_starts[d + 1]; ++l) {
        for (int64_t i = starts[d]; i < starts[d + 1]; ++i) {
          const auto at = [&](int64_t ahead) {
            const auto k = static_cast<std::size_t>(i + ahead);
            return k < terms.size() ? terms[k] : TermId{-1};
          };
          postings.prefetch(at(16), at(6));
          *cell++ = postings.find(terms[static_cast<std::size_t>(i)], labels[static_cast<std::size_t>(l)]);
        }
      }
    }
  });
}

}  // namespace tallytext
