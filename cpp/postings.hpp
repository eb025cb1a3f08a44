#pragma once
// Postings: for each term its classes and the sums there; batches of documents as rows of counts.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "vocabulary.hpp"

namespace tallytext {

// For each term the classes that it occurs in, and its sums there.

using ClassId = int32_t;
constexpr std::size_t most_classes = std::size_t{1} << 24;

/// Sums are stored as blocks of `width` integers: occurrences, documents, then one per plane.
enum Column : std::size_t { occurrences = 0, documents = 1, first_plane = 2 };
constexpr std::size_t most_planes = 1000;

/// into[j] += sign * what[j]. The caller makes sure that nothing overflows.
inline void add_block(int64_t* into, const int64_t* what, std::size_t width, int64_t sign = 1) {
  for (std::size_t j = 0; j < width; ++j) into[j] += sign * what[j];
}

/// True if documents can have these sums: not negative, at least one occurrence per document, and all zero
/// without an occurrence.
inline bool can_be(std::span<const int64_t> block) {
  const bool negative = std::any_of(block.begin(), block.end(), [](int64_t v) { return v < 0; });
  if (negative || block[documents] > block[occurrences]) return false;
  if (block[occurrences] > 0) return block[documents] > 0;
  return std::all_of(block.begin(), block.end(), [](int64_t v) { return v == 0; });
}

/// Posting lists of some terms, in ascending order of terms and of classes within a term.
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

/// Posting lists of the terms 0, 1, 2 ... Immutable, so copies of a tally can share it.
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
    if (holds(term)) load_soon(&starts[static_cast<std::size_t>(term)]);
  }
  void prefetch_cells(TermId term) const {
    if (begin(term) == end(term)) return;
    load_soon(&classes[begin(term)]);
    load_soon(block(begin(term)));
  }
};

/// Writes base + sign * more, without cells that become zero. Runs of unchanged terms are copied as a whole.
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

  /// Copies the rows from the first unwritten one up to, not including, `last`.
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

  /// Cells that are new to the base are copied.
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

// The ids that occur in a batch, numbered without gaps.

/// The distinct ids of a batch, ascending, and the rank of each. The cost of a small batch does not depend on
/// the number of all ids, and a large batch is not sorted.
class Ranks {
 public:
  explicit Ranks(std::span<const int32_t> ids) {
    const int32_t top = ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
    static_cast<std::size_t>(top + 1) > 8 * ids.size() + 64 ? by_sorting(ids) : by_marking(ids, top);
  }

  std::vector<int32_t> distinct;
  std::vector<int32_t> rank;  // of each id of the batch, in its order

 private:
  void by_sorting(std::span<const int32_t> ids) {
    std::vector<uint64_t> order(ids.size());  // an id and its position
    for (std::size_t i = 0; i < ids.size(); ++i) order[i] = static_cast<uint64_t>(ids[i]) << 32 | i;
    std::sort(order.begin(), order.end());
    rank.resize(ids.size());
    for (const uint64_t entry : order) {
      const auto id = static_cast<int32_t>(entry >> 32);
      if (distinct.empty() || distinct.back() != id) distinct.push_back(id);
      rank[entry & UINT32_MAX] = static_cast<int32_t>(distinct.size() - 1);
    }
  }

  void by_marking(std::span<const int32_t> ids, int32_t top) {
    std::vector<int32_t> place(static_cast<std::size_t>(top + 1), -1);
    for (const int32_t id : ids) place[static_cast<std::size_t>(id)] = 0;
    for (int32_t id = 0; id <= top; ++id) {
      if (place[static_cast<std::size_t>(id)] < 0) continue;
      place[static_cast<std::size_t>(id)] = static_cast<int32_t>(distinct.size());
      distinct.push_back(id);
    }
    rank.resize(ids.size());
    std::transform(ids.begin(), ids.end(), rank.begin(),
                   [&place](int32_t id) { return place[static_cast<std::size_t>(id)]; });
  }
};

// A batch of documents as rows of counts.

/// Rows of counts with their labels. The terms of a row are distinct, and so are the labels of a document.
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

/// True if no row holds a term twice; each term stores its last row.
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

/// The same by sorting, for few rows over many terms.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms) {
  std::vector<TermId> sorted;
  for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
    sorted.assign(terms.begin() + starts[d], terms.begin() + starts[d + 1]);
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  }
  return true;
}

/// True if no row holds a term twice.
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

// The cells of the words of documents in the classes of these documents.

/// Postings with ascending classes within a term.
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

  /// Compares all classes: the branches of a binary search would be unpredictable.
  static std::ptrdiff_t how_many_below(const ClassId* first, const ClassId* last, ClassId label) {
    int32_t below = 0;
    for (; first != last; ++first) below += *first < label;
    return below;
  }

  /// Prefetches for find(): first the start of the term, then its classes.
  void prefetch(TermId far, TermId near) const {
    const auto holds = [this](TermId term) {
      return term >= 0 && static_cast<std::size_t>(term) + 1 < starts.size();
    };
    if (holds(far)) load_soon(&starts[static_cast<std::size_t>(far)]);
    if (holds(near)) load_soon(classes.data() + starts[static_cast<std::size_t>(near)]);
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
