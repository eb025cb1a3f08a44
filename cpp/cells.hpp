#pragma once
// The sums per (term, class): an immutable base and a delta of what has changed since.
#include <memory>

#include "counts_of_counts.hpp"
#include "delta.hpp"
#include "postings.hpp"

namespace tallytext {

/// The posting list of a term is its row of the base, corrected by its chain in the delta. When the delta
/// exceeds an eighth of the base, one linear merge writes a new base.
class Cells {
 public:
  Cells(std::size_t width, std::size_t smallest_delta)
      : width_(width),
        smallest_delta_(smallest_delta),
        base_(std::make_shared<const Base>(width)),
        delta_(width) {}

  std::size_t n_terms() const { return links_.size(); }
  std::size_t n_cells() const { return n_cells_; }
  std::size_t n_delta() const { return delta_.size(); }
  int64_t n_classes_of(TermId term) const { return links_[static_cast<std::size_t>(term)].n_classes; }
  const Base& base() const { return *base_; }
  bool has_changed(TermId term) const {  // since the base was written
    return links_[static_cast<std::size_t>(term)].chain != Delta::none;
  }

  /// n_r over the live cells.
  std::map<int64_t, int64_t> counts_of_counts() const {
    std::map<int64_t, int64_t> found = counts_of_counts_.few();
    const auto step = [&found](int64_t r, int64_t by) {
      if (r >= CountsOfCounts::limit) found[r] += by;
    };
    for (std::size_t cell = 0; cell < base_->n_cells(); ++cell) step(base_->block(cell)[occurrences], +1);
    for (int32_t i = 0; i < static_cast<int32_t>(delta_.size()); ++i) {
      step(delta_.row(i).in_base, -1);
      step(delta_.row(i).in_base + delta_.block(i)[occurrences], +1);
    }
    std::erase_if(found, [](const auto& item) { return item.second == 0; });
    return found;
  }

  /// n_r over the live cells for r below n.
  std::vector<int64_t> small_counts(std::size_t n) const { return counts_of_counts_.first(n); }

  void resize(std::size_t n_terms) { links_.resize(n_terms); }

  /// Adds what is in the cell (term, label) to `block`.
  void add_cell(TermId term, ClassId label, int64_t* block) const {
    const int64_t cell = base_->find(term, label);
    if (cell >= 0) add_block(block, base_->block(static_cast<std::size_t>(cell)), width_);
    const int32_t row = delta_.find(term, label);
    if (row != Delta::none) add_block(block, delta_.block(row), width_);
  }

  /// Calls visit(class, in the base, in the delta) for the live cells of a term, classes ascending: a cell
  /// is the sum of two blocks, one of which may be missing. `rows` is room to work in.
  template <class Visit>
  void visit_posting(TermId term, std::vector<int32_t>& rows, Visit visit) const {
    std::size_t cell = base_->begin(term);
    const std::size_t end = base_->end(term);
    delta_.chain(links_[static_cast<std::size_t>(term)].chain, rows);
    for (const int32_t i : rows) {
      const Delta::Row& row = delta_.row(i);
      for (; cell < end && base_->classes[cell] < row.label; ++cell)
        visit(base_->classes[cell], base_->block(cell), nullptr);
      const bool stored = cell < end && base_->classes[cell] == row.label;
      const int64_t* base = stored ? base_->block(cell++) : nullptr;
      if (row.in_base + delta_.block(i)[occurrences] > 0) visit(row.label, base, delta_.block(i));
    }
    for (; cell < end; ++cell) visit(base_->classes[cell], base_->block(cell), nullptr);
  }

  /// Appends the live cells of a term, classes ascending, to `out`; the caller closes the term.
  void append_posting(TermId term, Postings& out) const {
    std::vector<int32_t> rows;
    visit_posting(term, rows, [&](ClassId label, const int64_t* base, const int64_t* delta) {
      out.append(label, base ? base : delta);
      if (base && delta) add_block(out.block(out.n_cells() - 1), delta, width_);
    });
  }

  void prefetch_term(TermId term) const {
    base_->prefetch_row(term);
    __builtin_prefetch(&links_[static_cast<std::size_t>(term)]);
  }

  /// Adds sign * cells and calls moved(class, step) for each cell that comes to life (+1) or dies (-1).
  template <class Moved>
  void add(const Postings& cells, int64_t sign, Moved moved) {
    if (cells.n_cells() > delta_limit()) {
      add_to_base(cells, sign, moved);
    } else {
      add_to_delta(cells, sign, moved);
      if (delta_.size() > delta_limit()) compact();
    }
  }

 private:
  struct Links {
    int32_t chain = Delta::none;  // its first row in the delta
    int32_t n_classes = 0;        // its live cells
  };

  std::size_t delta_limit() const {
    return std::clamp<std::size_t>(base_->n_cells() / 8, smallest_delta_, std::size_t{1} << 30);
  }

  /// All differences by term and class. The chains are in the order of terms already.
  Postings differences() const {
    Postings out(width_);
    std::vector<int32_t> rows;
    for (std::size_t t = 0; t < n_terms(); ++t) {
      if (links_[t].chain == Delta::none) continue;
      delta_.chain(links_[t].chain, rows);
      for (const int32_t i : rows) out.append(delta_.row(i).label, delta_.block(i));
      out.close(static_cast<TermId>(t));
    }
    return out;
  }

  void compact() {
    if (delta_.size() == 0) return;
    base_ = std::make_shared<const Base>(Merge(*base_, differences(), 1).run(n_terms()));
    for (Links& links : links_) links.chain = Delta::none;
    delta_.clear();
  }

  template <class Moved>
  void add_to_base(const Postings& cells, int64_t sign, Moved moved) {
    compact();
    auto base = std::make_shared<const Base>(Merge(*base_, cells, sign).run(n_terms()));
    cells.for_each([&](TermId term, std::size_t at) {
      const int64_t before = base_->occurrences_in(term, cells.classes[at]);
      const int64_t after = before + sign * cells.block(at)[occurrences];
      moved(cells.classes[at], move(term, before, after));
    });
    base_ = std::move(base);
  }

  /// A document's cells lie all over memory, so each is asked for well before it is needed: first where
  /// it is to be looked up, then the cell itself.
  template <class Moved>
  void add_to_delta(const Postings& cells, int64_t sign, Moved moved) {
    constexpr std::size_t ahead = 8;
    std::vector<TermId> terms;
    terms.reserve(cells.n_cells());
    cells.for_each([&](TermId term, std::size_t) { terms.push_back(term); });
    delta_.reserve(terms.size());
    for (std::size_t i = 0; i < terms.size() + 2 * ahead; ++i) {
      if (i < terms.size()) prefetch_places(terms[i], cells.classes[i]);
      if (const std::size_t at = i - ahead; at < terms.size()) prefetch_cell(terms[at], cells.classes[at]);
      if (const std::size_t at = i - 2 * ahead; at < terms.size()) {
        moved(cells.classes[at], add_one(terms[at], cells.classes[at], cells.block(at), sign));
      }
    }
  }

  void prefetch_places(TermId term, ClassId label) const {
    delta_.prefetch(term, label);
    prefetch_term(term);
  }

  void prefetch_cell(TermId term, ClassId label) const {
    const int32_t row = delta_.find(term, label);
    row == Delta::none ? base_->prefetch_cells(term) : delta_.prefetch_row(row);
  }

  int add_one(TermId term, ClassId label, const int64_t* what, int64_t sign) {
    int32_t row = delta_.find(term, label);
    if (row == Delta::none) {
      row = delta_.insert(term, label, base_->occurrences_in(term, label),
                          links_[static_cast<std::size_t>(term)].chain);
    }
    const int64_t in_base = delta_.row(row).in_base;
    int64_t* block = delta_.block(row);
    const int64_t before = in_base + block[occurrences];
    add_block(block, what, width_, sign);
    return move(term, before, in_base + block[occurrences]);
  }

  /// A cell of `term` went from `before` to `after` occurrences; returns by how much its life changed.
  int move(TermId term, int64_t before, int64_t after) {
    counts_of_counts_.move(before, after);
    const int step = (after > 0) - (before > 0);
    links_[static_cast<std::size_t>(term)].n_classes += step;
    n_cells_ += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(step));
    return step;
  }

  std::size_t width_;
  std::size_t smallest_delta_;
  std::shared_ptr<const Base> base_;
  Delta delta_;
  std::vector<Links> links_;  // per term
  std::size_t n_cells_ = 0;   // live ones
  CountsOfCounts counts_of_counts_;
};

}  // namespace tallytext
