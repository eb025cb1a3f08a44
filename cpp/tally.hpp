#pragma once
// THE statistic: sums per (term, class), per term, per class and in all, which only ever move by a Change.
#include "cells.hpp"
#include "change.hpp"

namespace tallytext {

/// A term or class whose count is zero is as if never seen.
///
/// Sums over documents bound all others (a document counts once in them), so overflow is looked for
/// there and nowhere else.
class Tally {
 public:
  Tally(std::size_t n_planes, std::size_t smallest_delta)
      : width_(first_plane + n_planes), cells_(width_, smallest_delta), totals_(width_), scales_(n_planes) {}

  std::size_t width() const { return width_; }
  std::size_t n_planes() const { return width_ - first_plane; }
  std::size_t n_terms() const { return cells_.n_terms(); }
  std::size_t n_classes() const { return class_documents_.size(); }
  std::size_t n_cells() const { return cells_.n_cells(); }
  std::size_t n_delta() const { return cells_.n_delta(); }
  int64_t n_live_terms() const { return n_live_terms_; }
  int64_t n_documents() const { return n_documents_; }
  int64_t n_several() const { return n_several_; }
  int64_t n_unlabelled() const { return n_unlabelled_; }
  /// Moves with each change, so that what was derived from the sums can tell whether they still are these.
  int64_t version() const { return version_; }
  const Cells& cells() const { return cells_; }
  const std::vector<int64_t>& totals() const { return totals_; }
  const std::vector<int64_t>& scales() const { return scales_; }
  const std::vector<int64_t>& class_documents() const { return class_documents_; }
  const std::vector<int64_t>& class_terms() const { return class_terms_; }
  const std::vector<int64_t>& class_totals() const { return class_totals_; }
  const std::vector<int64_t>& class_scales() const { return class_scales_; }
  const std::vector<int64_t>& term_totals() const { return term_totals_; }
  const int64_t* term_block(TermId term) const {
    return &term_totals_[static_cast<std::size_t>(term) * width_];
  }
  const int64_t* class_block(ClassId label) const {
    return &class_totals_[static_cast<std::size_t>(label) * width_];
  }

  /// n_r over the live terms.
  std::map<int64_t, int64_t> terms_of_count() const {
    std::map<int64_t, int64_t> found = terms_of_count_.few();
    for (std::size_t i = occurrences; i < term_totals_.size(); i += width_) {
      if (term_totals_[i] >= CountsOfCounts::limit) ++found[term_totals_[i]];
    }
    return found;
  }

  /// n_r over the live terms for r below n.
  std::vector<int64_t> small_counts(std::size_t n) const { return terms_of_count_.first(n); }

  /// Makes room for terms and classes below these numbers; they hold nothing yet.
  void resize(std::size_t n_terms, std::size_t n_classes) {
    if (n_terms > this->n_terms()) {
      term_totals_.resize(n_terms * width_);
      cells_.resize(n_terms);
    }
    if (n_classes > this->n_classes()) {
      class_terms_.resize(n_classes);
      class_totals_.resize(n_classes * width_);
      class_scales_.resize(n_classes * n_planes());
      class_documents_.resize(n_classes);
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
    for (const TermId term : change.cells.terms) __builtin_prefetch(term_block(term));
    cells_.add(change.cells, sign,
               [this](ClassId label, int step) { class_terms_[static_cast<std::size_t>(label)] += step; });
    move_terms(change, sign);
    move_classes(change, sign);
    move_totals(change, sign);
    ++version_;
  }

 private:
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
    const std::size_t k = n_planes();
    for (std::size_t i = 0; i < change.classes.size(); ++i) {
      const auto label = static_cast<std::size_t>(change.classes[i]);
      class_documents_[label] += sign * change.class_documents[i];
      add_block(&class_totals_[label * width_], &change.class_totals[i * width_], width_, sign);
      add_block(class_scales_.data() + label * k, change.class_scales.data() + i * k, k, sign);
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
  Cells cells_;
  std::vector<int64_t> term_totals_;  // per term: a block
  std::vector<int64_t> class_documents_;
  std::vector<int64_t> class_terms_;   // per class: its live cells
  std::vector<int64_t> class_totals_;  // per class: a block
  std::vector<int64_t> class_scales_;  // per class: n_planes
  std::vector<int64_t> totals_;        // a block
  std::vector<int64_t> scales_;        // n_planes
  int64_t n_documents_ = 0, n_several_ = 0, n_unlabelled_ = 0, n_live_terms_ = 0, version_ = 0;
  CountsOfCounts terms_of_count_;
};

}  // namespace tallytext
