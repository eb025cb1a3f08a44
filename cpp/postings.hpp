#pragma once
// For each term the classes it occurs in, and what was summed there.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "memory.hpp"
#include "vocabulary.hpp"

namespace tallytext {

using ClassId = int32_t;

/// Every sum is kept as a block of `width` integers: occurrences, documents, then one per plane.
enum Column : std::size_t { occurrences = 0, documents = 1, first_plane = 2 };

/// into[j] += sign * what[j]. The caller knows that nothing overflows.
inline void add_block(int64_t* into, const int64_t* what, std::size_t width, int64_t sign = 1) {
  for (std::size_t j = 0; j < width; ++j) into[j] += sign * what[j];
}

/// Whether some documents could add up to this: no less than zero, at least one occurrence per document,
/// and nothing at all without an occurrence.
inline bool can_be(std::span<const int64_t> block) {
  const bool negative = std::any_of(block.begin(), block.end(), [](int64_t v) { return v < 0; });
  if (negative || block[documents] > block[occurrences]) return false;
  if (block[occurrences] > 0) return block[documents] > 0;
  return std::all_of(block.begin(), block.end(), [](int64_t v) { return v == 0; });
}

/// Posting lists of some terms. Terms ascend, and so do the classes of each.
struct Postings {
  explicit Postings(std::size_t width) : width(width) {}

  std::size_t width;
  std::vector<TermId> terms;
  std::vector<int64_t> starts{0};  // starts[i] .. starts[i + 1] are the cells of terms[i]
  Buffer<ClassId> classes;
  Buffer<int64_t> values;  // a block for each cell

  std::size_t n_cells() const { return classes.size(); }
  const int64_t* block(std::size_t cell) const { return &values[cell * width]; }
  int64_t* block(std::size_t cell) { return &values[cell * width]; }

  void reserve(std::size_t n_terms, std::size_t n_cells) {
    terms.reserve(n_terms);
    starts.reserve(n_terms + 1);
    classes.reserve(n_cells);
    values.reserve(n_cells * width);
  }
  void append(ClassId label, const int64_t* what) {
    classes.push_back(label);
    values.append(what, width);
  }
  void close(TermId term) {
    terms.push_back(term);
    starts.push_back(static_cast<int64_t>(n_cells()));
  }

  /// Calls visit(term, cell) for every cell, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto last = static_cast<std::size_t>(starts[i + 1]);
      for (auto cell = static_cast<std::size_t>(starts[i]); cell < last; ++cell) visit(terms[i], cell);
    }
  }
};

/// Posting lists of the terms 0, 1, 2 ... Never changed, so copies of a tally can share it.
struct Base {
  explicit Base(std::size_t width) : width(width) {}

  std::size_t width;
  std::vector<int64_t> starts{0};
  Buffer<ClassId> classes;
  Buffer<int64_t> values;

  std::size_t n_terms() const { return starts.size() - 1; }
  std::size_t n_cells() const { return classes.size(); }
  const int64_t* block(std::size_t cell) const { return &values[cell * width]; }
  bool holds(TermId term) const { return static_cast<std::size_t>(term) < n_terms(); }
  std::size_t begin(TermId term) const {
    return holds(term) ? static_cast<std::size_t>(starts[static_cast<std::size_t>(term)]) : 0;
  }
  std::size_t end(TermId term) const {
    return holds(term) ? static_cast<std::size_t>(starts[static_cast<std::size_t>(term) + 1]) : 0;
  }

  /// The cell of (term, label), or -1.
  int64_t find(TermId term, ClassId label) const {
    const ClassId* last = classes.begin() + end(term);
    const ClassId* at = std::lower_bound(classes.begin() + begin(term), last, label);
    return at != last && *at == label ? at - classes.begin() : -1;
  }

  int64_t occurrences_in(TermId term, ClassId label) const {
    const int64_t cell = find(term, label);
    return cell < 0 ? 0 : block(static_cast<std::size_t>(cell))[occurrences];
  }

  void prefetch_row(TermId term) const {
    if (holds(term)) __builtin_prefetch(&starts[static_cast<std::size_t>(term)]);
  }
  void prefetch_cells(TermId term) const {
    if (begin(term) == end(term)) return;
    __builtin_prefetch(&classes[begin(term)]);
    __builtin_prefetch(block(begin(term)));
  }
};

/// Writes base + sign * more; cells that come to zero are left out. Runs of terms that do not change are
/// copied as a whole.
class Merge {
 public:
  Merge(const Base& base, const Postings& more, int64_t sign)
      : base_(base), more_(more), sign_(sign), out_(base.width) {}

  Base run(std::size_t n_terms) {
    out_.starts.reserve(n_terms + 1);
    out_.classes.reserve(base_.n_cells() + more_.n_cells());
    out_.values.reserve((base_.n_cells() + more_.n_cells()) * base_.width);
    for (std::size_t i = 0; i < more_.terms.size(); ++i) {
      copy_until(static_cast<std::size_t>(more_.terms[i]));
      merge_row(i);
    }
    copy_until(n_terms);
    return std::move(out_);
  }

 private:
  static constexpr ClassId no_class = std::numeric_limits<ClassId>::max();

  /// Copies the rows from the first that is not written yet up to, not including, `last`.
  void copy_until(std::size_t last) {
    const std::size_t first = out_.n_terms(), stored = std::min(last, base_.n_terms());
    if (first < stored) {
      const auto begin = static_cast<std::size_t>(base_.starts[first]),
                 n = static_cast<std::size_t>(base_.starts[stored]) - begin;
      const int64_t shift = static_cast<int64_t>(out_.n_cells()) - base_.starts[first];
      out_.classes.append(base_.classes.begin() + begin, n);
      out_.values.append(base_.values.begin() + begin * base_.width, n * base_.width);
      for (std::size_t t = first; t < stored; ++t) out_.starts.push_back(base_.starts[t + 1] + shift);
    }
    out_.starts.resize(last + 1, static_cast<int64_t>(out_.n_cells()));
  }

  void merge_row(std::size_t i) {
    const TermId term = more_.terms[i];
    std::size_t a = base_.begin(term), b = static_cast<std::size_t>(more_.starts[i]);
    const std::size_t a_end = base_.end(term), b_end = static_cast<std::size_t>(more_.starts[i + 1]);
    if (a == a_end && sign_ > 0) return copy_row(b, b_end);
    while (a < a_end || b < b_end) {
      const ClassId left = a < a_end ? base_.classes[a] : no_class;
      const ClassId right = b < b_end ? more_.classes[b] : no_class;
      const ClassId label = std::min(left, right);
      const std::size_t at = out_.values.size();
      out_.values.extend(base_.width);
      std::fill(out_.values.begin() + at, out_.values.end(), 0);
      if (left == label) add_block(&out_.values[at], base_.block(a++), base_.width);
      if (right == label) add_block(&out_.values[at], more_.block(b++), base_.width, sign_);
      out_.values[at] == 0 ? out_.values.resize(at) : out_.classes.push_back(label);
    }
    out_.starts.push_back(static_cast<int64_t>(out_.n_cells()));
  }

  /// What is new to the base is taken as it is.
  void copy_row(std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      const int64_t* block = more_.block(b);
      if (block[occurrences] == 0) continue;
      out_.classes.push_back(more_.classes[b]);
      out_.values.append(block, base_.width);
    }
    out_.starts.push_back(static_cast<int64_t>(out_.n_cells()));
  }

  const Base& base_;
  const Postings& more_;
  const int64_t sign_;
  Base out_;
};

}  // namespace tallytext
