#pragma once
// THE statistic: sums per (term, class), per term, per class and in all, which only ever move by a Change.
#include <memory>
#include <span>

#include "change.hpp"
#include "counts_of_counts.hpp"
#include "delta.hpp"

namespace tallytext {

/// The posting list of a term is its row of the base, corrected by its chain in the delta. Totals move
/// with each change. A term or class whose count is zero is as if never seen.
///
/// Sums over documents bound all others (a document counts once in them), so overflow is looked for
/// there and nowhere else.
class Tally {
 public:
  Tally(std::size_t n_planes, std::size_t smallest_delta)
      : width_(first_plane + n_planes),
        smallest_delta_(smallest_delta),
        base_(std::make_shared<const Base>(width_)),
        delta_(width_),
        totals_(width_),
        scales_(n_planes) {}

  std::size_t width() const { return width_; }
  std::size_t n_planes() const { return width_ - first_plane; }
  std::size_t n_terms() const { return links_.size(); }
  std::size_t n_classes() const { return class_documents_.size(); }
  std::size_t n_delta() const { return delta_.size(); }
  int64_t n_live_terms() const { return n_live_terms_; }
  int64_t n_documents() const { return n_documents_; }
  int64_t n_several() const { return n_several_; }
  int64_t n_unlabelled() const { return n_unlabelled_; }
  std::size_t n_cells() const { return n_cells_; }
  const std::vector<int64_t>& totals() const { return totals_; }
  const std::vector<int64_t>& scales() const { return scales_; }
  const std::vector<int64_t>& class_documents() const { return class_documents_; }
  const std::vector<int64_t>& class_terms() const { return class_terms_; }
  const std::vector<int64_t>& class_scales() const { return class_scales_; }
  const std::vector<int64_t>& class_totals() const { return class_totals_; }
  const std::vector<int64_t>& term_totals() const { return term_totals_; }
  const int64_t* term_block(TermId term) const {
    return &term_totals_[static_cast<std::size_t>(term) * width_];
  }
  const int64_t* class_block(ClassId label) const {
    return &class_totals_[static_cast<std::size_t>(label) * width_];
  }
  int64_t n_classes_of(TermId term) const { return links_[static_cast<std::size_t>(term)].n_classes; }
  const CountsOfCounts& cells_of_count() const { return cells_of_count_; }
  const CountsOfCounts& terms_of_count() const { return terms_of_count_; }

  /// Adds what is in the cell (term, label) to `block`.
  void add_cell(TermId term, ClassId label, int64_t* block) const {
    const int64_t cell = base_->find(term, label);
    if (cell >= 0) add_block(block, base_->block(static_cast<std::size_t>(cell)), width_);
    const int32_t row = delta_.find(term, label);
    if (row != Delta::none) add_block(block, delta_.block(row), width_);
  }

  /// Appends the live cells of a term, classes ascending, to `out`; the caller closes the term.
  void append_posting(TermId term, Postings& out) const {
    std::vector<int32_t> rows;
    delta_.chain(links_[static_cast<std::size_t>(term)].chain, rows);
    std::size_t cell = base_->begin(term), next = 0;
    const std::size_t end = base_->end(term);
    std::vector<int64_t> block(width_);
    while (cell < end || next < rows.size()) {
      const bool in_delta =
          next < rows.size() && (cell == end || delta_.row(rows[next]).label <= base_->classes[cell]);
      const bool in_base = cell < end && (!in_delta || delta_.row(rows[next]).label == base_->classes[cell]);
      const ClassId label = in_base ? base_->classes[cell] : delta_.row(rows[next]).label;
      std::fill(block.begin(), block.end(), 0);
      if (in_base) add_block(block.data(), base_->block(cell++), width_);
      if (in_delta) add_block(block.data(), delta_.block(rows[next++]), width_);
      if (block[occurrences] > 0) out.append(label, block.data());
    }
  }

  /// Makes room for terms and classes below these numbers; they hold nothing yet.
  void resize(std::size_t n_terms, std::size_t n_classes) {
    if (n_terms > this->n_terms()) {
      links_.resize(n_terms);
      term_totals_.resize(n_terms * width_);
    }
    if (n_classes > this->n_classes()) {
      class_documents_.resize(n_classes);
      class_terms_.resize(n_classes);
      class_totals_.resize(n_classes * width_);
      class_scales_.resize(n_classes * n_planes());
    }
  }

  /// Throws std::overflow_error when a sum would leave its range; nothing has changed then.
  void check_overflow(const Change& change) const {
    checked_add(n_documents_, change.n_documents);
    for (std::size_t j = 0; j < width_; ++j) checked_add(totals_[j], change.totals[j]);
    for (std::size_t k = 0; k < n_planes(); ++k) checked_add(scales_[k], change.scales[k]);
  }

  /// this += sign * change. The change has been checked, its terms and classes have their room.
  void apply(const Change& change, int64_t sign) {
    if (change.cells.n_cells() > delta_limit()) {
      compact();
      auto base = std::make_shared<const Base>(Merge(*base_, change.cells, sign).run(n_terms()));
      for_each_cell(change, [&](TermId term, ClassId label, const int64_t* what) {
        const int64_t before = base_->occurrences_in(term, label);
        move_cell(term, label, before, before + sign * what[occurrences]);
      });
      base_ = std::move(base);
    } else {
      add_to_delta(change, sign);
      if (delta_.size() > delta_limit()) compact();
    }
    move_terms(change, sign);
    move_classes(change, sign);
    move_totals(change, sign);
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

  template <class Visit>
  static void for_each_cell(const Change& change, Visit visit) {
    const Postings& cells = change.cells;
    for (std::size_t i = 0; i < cells.terms.size(); ++i) {
      for (auto at = static_cast<std::size_t>(cells.starts[i]);
           at < static_cast<std::size_t>(cells.starts[i + 1]); ++at) {
        visit(cells.terms[i], cells.classes[at], cells.block(at));
      }
    }
  }

  /// A document's cells lie all over memory, so each is asked for well before it is needed: first where
  /// it is to be looked up, then the cell itself.
  void add_to_delta(const Change& change, int64_t sign) {
    constexpr std::size_t ahead = 8;
    const Postings& cells = change.cells;
    std::vector<TermId> terms;
    terms.reserve(cells.n_cells());
    for_each_cell(change, [&](TermId term, ClassId, const int64_t*) { terms.push_back(term); });
    delta_.reserve(terms.size());
    for (std::size_t i = 0; i < terms.size() + 2 * ahead; ++i) {
      if (i < terms.size()) prefetch_places(terms[i], cells.classes[i]);
      if (const std::size_t at = i - ahead; at < terms.size()) prefetch_cell(terms[at], cells.classes[at]);
      if (const std::size_t at = i - 2 * ahead; at < terms.size()) {
        add_to_delta(terms[at], cells.classes[at], cells.block(at), sign);
      }
    }
  }

  void prefetch_places(TermId term, ClassId label) const {
    delta_.prefetch(term, label);
    base_->prefetch_row(term);
    __builtin_prefetch(&links_[static_cast<std::size_t>(term)]);
    __builtin_prefetch(term_block(term));
  }

  void prefetch_cell(TermId term, ClassId label) const {
    const int32_t row = delta_.find(term, label);
    row == Delta::none ? base_->prefetch_cells(term) : delta_.prefetch_row(row);
  }

  void add_to_delta(TermId term, ClassId label, const int64_t* what, int64_t sign) {
    int32_t row = delta_.find(term, label);
    if (row == Delta::none) {
      row = delta_.insert(term, label, base_->occurrences_in(term, label),
                          links_[static_cast<std::size_t>(term)].chain);
    }
    const int64_t in_base = delta_.row(row).in_base;
    int64_t* block = delta_.block(row);
    const int64_t before = in_base + block[occurrences];
    add_block(block, what, width_, sign);
    move_cell(term, label, before, in_base + block[occurrences]);
  }

  void move_cell(TermId term, ClassId label, int64_t before, int64_t after) {
    cells_of_count_.move(before, after);
    const int step = (after > 0) - (before > 0);
    class_terms_[static_cast<std::size_t>(label)] += step;
    links_[static_cast<std::size_t>(term)].n_classes += step;
    n_cells_ += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(step));
  }

  void move_terms(const Change& change, int64_t sign) {
    for (std::size_t i = 0; i < change.cells.terms.size(); ++i) {
      int64_t* block = &term_totals_[static_cast<std::size_t>(change.cells.terms[i]) * width_];
      const int64_t before = block[occurrences];
      add_block(block, &change.term_totals[i * width_], width_, sign);
      terms_of_count_.move(before, block[occurrences]);
      n_live_terms_ += (block[occurrences] > 0) - (before > 0);
    }
  }

  void move_classes(const Change& change, int64_t sign) {
    for (std::size_t i = 0; i < change.classes.size(); ++i) {
      const auto label = static_cast<std::size_t>(change.classes[i]);
      class_documents_[label] += sign * change.class_documents[i];
      add_block(&class_totals_[label * width_], &change.class_totals[i * width_], width_, sign);
      for (std::size_t k = 0; k < n_planes(); ++k) {
        class_scales_[label * n_planes() + k] += sign * change.class_scales[i * n_planes() + k];
      }
    }
  }

  void move_totals(const Change& change, int64_t sign) {
    add_block(totals_.data(), change.totals.data(), width_, sign);
    add_block(scales_.data(), change.scales.data(), n_planes(), sign);
    n_documents_ += sign * change.n_documents;
    n_several_ += sign * change.n_several;
    n_unlabelled_ += sign * change.n_unlabelled;
  }

  std::size_t width_;
  std::size_t smallest_delta_;
  std::shared_ptr<const Base> base_;
  Delta delta_;
  std::vector<Links> links_;          // per term
  std::vector<int64_t> term_totals_;  // per term: a block
  std::vector<int64_t> class_documents_;
  std::vector<int64_t> class_terms_;   // per class: its live cells
  std::vector<int64_t> class_totals_;  // per class: a block
  std::vector<int64_t> class_scales_;  // per class: n_planes
  std::vector<int64_t> totals_;        // a block
  std::vector<int64_t> scales_;        // n_planes
  int64_t n_documents_ = 0, n_several_ = 0, n_unlabelled_ = 0, n_live_terms_ = 0;
  std::size_t n_cells_ = 0;
  CountsOfCounts cells_of_count_, terms_of_count_;
};

}  // namespace tallytext
