#pragma once
// For each term the classes it occurs in, and what was summed there.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "vocabulary.hpp"

namespace tallytext {

using ClassId = int32_t;

/// Every sum is kept as a block of `width` integers: occurrences, documents, then one per plane.
enum Column : std::size_t { occurrences = 0, documents = 1, first_plane = 2 };

/// into[j] += sign * what[j]. The caller knows that nothing overflows.
inline void add_block(int64_t* into, const int64_t* what, std::size_t width, int64_t sign = 1) {
  for (std::size_t j = 0; j < width; ++j) into[j] += sign * what[j];
}

/// Posting lists of some terms. Terms ascend, and so do the classes of each.
struct Postings {
  explicit Postings(std::size_t width) : width(width) {}

  std::size_t width;
  std::vector<TermId> terms;
  std::vector<int64_t> starts{0};  // starts[i] .. starts[i + 1] are the cells of terms[i]
  std::vector<ClassId> classes;
  std::vector<int64_t> values;  // a block for each cell

  std::size_t n_cells() const { return classes.size(); }
  const int64_t* block(std::size_t cell) const { return &values[cell * width]; }
  int64_t* block(std::size_t cell) { return &values[cell * width]; }

  void append(ClassId label, const int64_t* what) {
    classes.push_back(label);
    values.insert(values.end(), what, what + width);
  }
  void close(TermId term) {
    terms.push_back(term);
    starts.push_back(static_cast<int64_t>(n_cells()));
  }
};

/// Posting lists of the terms 0, 1, 2 ... Never changed, so copies of a tally can share it.
struct Base {
  explicit Base(std::size_t width) : width(width) {}

  std::size_t width;
  std::vector<int64_t> starts{0};
  std::vector<ClassId> classes;
  std::vector<int64_t> values;

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
    const auto last = classes.begin() + static_cast<std::ptrdiff_t>(end(term));
    const auto at = std::lower_bound(classes.begin() + static_cast<std::ptrdiff_t>(begin(term)), last, label);
    return at != last && *at == label ? at - classes.begin() : -1;
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

/// Writes base + sign * more, row by row; cells that come to zero are left out.
class Merge {
 public:
  Merge(const Base& base, const Postings& more, int64_t sign)
      : base_(base), more_(more), sign_(sign), out_(base.width) {}

  Base run(std::size_t n_terms) {
    out_.starts.reserve(n_terms + 1);
    out_.classes.reserve(base_.n_cells() + more_.n_cells());
    out_.values.reserve((base_.n_cells() + more_.n_cells()) * base_.width);
    std::size_t next = 0;
    for (std::size_t t = 0; t < n_terms; ++t) {
      const auto term = static_cast<TermId>(t);
      const bool touched = next < more_.terms.size() && more_.terms[next] == term;
      touched ? merge_row(term, next++) : copy_row(term);
      out_.starts.push_back(static_cast<int64_t>(out_.n_cells()));
    }
    return std::move(out_);
  }

 private:
  static constexpr ClassId no_class = std::numeric_limits<ClassId>::max();

  void copy_row(TermId term) {
    const std::size_t first = base_.begin(term), last = base_.end(term);
    if (first == last) return;
    const auto at = [](auto& v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
    out_.classes.insert(out_.classes.end(), at(base_.classes, first), at(base_.classes, last));
    out_.values.insert(out_.values.end(), at(base_.values, first * base_.width),
                       at(base_.values, last * base_.width));
  }

  void merge_row(TermId term, std::size_t i) {
    std::size_t a = base_.begin(term), b = static_cast<std::size_t>(more_.starts[i]);
    const std::size_t a_end = base_.end(term), b_end = static_cast<std::size_t>(more_.starts[i + 1]);
    while (a < a_end || b < b_end) {
      const ClassId left = a < a_end ? base_.classes[a] : no_class;
      const ClassId right = b < b_end ? more_.classes[b] : no_class;
      const ClassId label = std::min(left, right);
      const std::size_t at = out_.values.size();
      out_.values.resize(at + base_.width);
      if (left == label) add_block(&out_.values[at], base_.block(a++), base_.width);
      if (right == label) add_block(&out_.values[at], more_.block(b++), base_.width, sign_);
      out_.values[at] == 0 ? out_.values.resize(at) : out_.classes.push_back(label);
    }
  }

  const Base& base_;
  const Postings& more_;
  const int64_t sign_;
  Base out_;
};

}  // namespace tallytext
