#pragma once
// The tally: exact sums per (term, class), per term, per class and in total, modified only by a Change.
#include <optional>
#include <span>

#include "cells.hpp"
#include "change.hpp"
#include "compiler.hpp"

namespace tallytext {

/// Sums per (term, class), per term, per class and in total. A term or class with count zero is equivalent to
/// one that was never seen.
///
/// Each document counts once in the sums over documents, which bound all others, so only these are checked
/// for overflow.
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
  /// Changes with each change of the sums, so that cached values derived from them can be invalidated.
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

  /// Makes room for terms and classes below these numbers, with sums of zero; nothing changes if there is not
  /// enough memory.
  void resize(std::size_t n_terms, std::size_t n_classes) {
    if (n_terms > this->n_terms()) {
      make_room(term_totals_, n_terms * width_);
      cells_.resize(n_terms);
      term_totals_.resize(n_terms * width_);
    }
    if (n_classes > this->n_classes()) {
      make_room(class_terms_, n_classes);
      make_room(class_totals_, n_classes * width_);
      make_room(class_scales_, n_classes * n_planes());
      make_room(class_documents_, n_classes);
      class_terms_.resize(n_classes);
      class_totals_.resize(n_classes * width_);
      class_scales_.resize(n_classes * n_planes());
      class_documents_.resize(n_classes);
    }
  }

  /// Throws std::overflow_error if a sum would exceed its range; nothing is changed then.
  void check_overflow(const Change& change) const {
    checked_add(n_documents_, change.n_documents);
    for (std::size_t j = 0; j < width_; ++j) checked_add(totals_[j], change.totals[j]);
    for (std::size_t k = 0; k < n_planes(); ++k) checked_add(scales_[k], change.scales[k]);
  }

  /// this += sign * change. The change must have been checked, and there must be room for its terms and
  /// classes. Only the cells need memory, so that they come first: if there is not enough, nothing changes.
  void apply(const Change& change, int64_t sign) {
    for (const TermId term : change.cells.terms) load_soon(term_block(term));
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

// Checks whether a change can be subtracted from a tally: the remaining sums must be possible for some set of
// documents. It checks the terms of the change and all classes. It does not check that no term is in more
// documents than remain in its class: this needs all cells, which is too slow for forgetting one document.

/// The first impossible sum, with the sums that would remain.
struct Refusal {
  TermId term = -1;           // -1: of a class, or of the whole
  ClassId label = -1;         // -1: of a term, or of the whole
  std::vector<int64_t> left;  // a block; for a class or the whole: documents, then scales
};

class Check {
 public:
  Check(const Tally& tally, const Change& change)
      : tally_(tally), change_(change), left_(tally.width()), posting_(tally.width()) {}

  std::optional<Refusal> run() {
    for (std::size_t i = 0; i < change_.cells.terms.size(); ++i) {
      if (auto refusal = check_term(i)) return refusal;
    }
    for (std::size_t i = 0; i < change_.classes.size(); ++i) {
      if (auto refusal = check_class(i)) return refusal;
    }
    if (auto refusal = check_whole()) return refusal;
    if (auto refusal = check_other_terms()) return refusal;
    return check_sums();
  }

 private:
  std::optional<Refusal> check_term(std::size_t i) {
    const TermId term = change_.cells.terms[i];
    const auto first = static_cast<std::size_t>(change_.cells.starts[i]),
               last = static_cast<std::size_t>(change_.cells.starts[i + 1]);
    for (std::size_t at = first; at < last; ++at) {
      const ClassId label = change_.cells.classes[at];
      if (!cell_can_be(term, label, at)) return Refusal{term, label, left_};
    }
    std::copy_n(tally_.term_block(term), tally_.width(), left_.begin());
    add_block(left_.data(), &change_.term_totals[i * tally_.width()], tally_.width(), -1);
    return can_be(left_) && cells_fit(term, first, last) ? std::nullopt
                                                         : std::optional(Refusal{term, -1, left_});
  }

  /// When the last multi-label document is removed, the cells of every term must add up to its total.
  std::optional<Refusal> check_other_terms() {
    if (tally_.n_several() == 0 || several_left() > 0) return std::nullopt;
    std::size_t next = 0;
    for (std::size_t t = 0; t < tally_.n_terms(); ++t) {
      const auto term = static_cast<TermId>(t);
      if (next < change_.cells.terms.size() && change_.cells.terms[next] == term) {
        ++next;
        continue;
      }
      std::copy_n(tally_.term_block(term), tally_.width(), left_.begin());
      if (!cells_fit(term, 0, 0)) return Refusal{term, -1, left_};
    }
    return std::nullopt;
  }

  /// True if the remaining cells of a term are consistent with its total in left_: each of them, and their
  /// sum if no document is multi-label.
  bool cells_fit(TermId term, std::size_t first, std::size_t last) {
    posting_.classes.clear();
    posting_.values.clear();
    tally_.cells().append_posting(term, posting_);
    const bool together = several_left() == 0;
    std::vector<int64_t> rest = left_;
    for (std::size_t cell = 0; cell < posting_.n_cells(); ++cell) {
      int64_t* block = posting_.block(cell);
      if (first < last && change_.cells.classes[first] == posting_.classes[cell]) {
        add_block(block, change_.cells.block(first++), tally_.width(), -1);
      }
      for (std::size_t j = 0; j < rest.size(); ++j) {
        if (block[j] > rest[j]) return false;
        if (together) rest[j] -= block[j];
      }
    }
    return true;
  }

  bool cell_can_be(TermId term, ClassId label, std::size_t at) {
    std::fill(left_.begin(), left_.end(), 0);
    tally_.cells().add_cell(term, label, left_.data());
    add_block(left_.data(), change_.cells.block(at), tally_.width(), -1);
    return can_be(left_);
  }

  std::optional<Refusal> check_class(std::size_t i) const {
    Refusal refusal{-1, change_.classes[i], {}};
    class_left(static_cast<std::size_t>(change_.classes[i]), refusal.left);
    const int64_t tokens =
        tally_.class_block(change_.classes[i])[occurrences] - change_.class_totals[i * tally_.width()];
    const bool too_many = refusal.left[0] > documents_left();
    return too_many || counts_cannot_be(refusal.left, tokens) ? std::optional(refusal) : std::nullopt;
  }

  std::optional<Refusal> check_whole() const {
    const Refusal refusal{-1, -1, whole_left()};
    const int64_t several = several_left(), unlabelled = tally_.n_unlabelled() - change_.n_unlabelled;
    const bool labels = several < 0 || unlabelled < 0 || several + unlabelled > refusal.left[0];
    const int64_t tokens = tally_.totals()[occurrences] - change_.totals[occurrences];
    return labels || counts_cannot_be(refusal.left, tokens) ? std::optional(refusal) : std::nullopt;
  }

  /// Compares the classes with the total: each of them, and their sum if no document is multi-label.
  std::optional<Refusal> check_sums() const {
    const bool together = several_left() == 0;
    std::vector<int64_t> rest = whole_left(), sums = tally_.totals();
    add_block(sums.data(), change_.totals.data(), sums.size(), -1);
    std::vector<int64_t> left;
    for (std::size_t c = 0; c < tally_.n_classes(); ++c) {
      class_left(c, left);
      for (std::size_t j = 0; j < rest.size(); ++j) {
        if (left[j] > rest[j]) return Refusal{-1, static_cast<ClassId>(c), left};
        if (together) rest[j] -= left[j];
      }
      if (together) take_class(c, sums);
    }
    if (!together) return std::nullopt;
    const bool all_in_classes = rest[0] == 0;
    rest[0] -= tally_.n_unlabelled() - change_.n_unlabelled;
    const auto something = [](int64_t v) { return v != 0; };
    const bool left_over =
        std::any_of(rest.begin(), rest.end(), something) || std::any_of(sums.begin(), sums.end(), something);
    const bool contradict = rest[0] < 0 || (all_in_classes && left_over);
    return contradict ? std::optional(Refusal{-1, -1, whole_left()}) : std::nullopt;
  }

  /// sums -= the remaining sums of a class.
  void take_class(std::size_t c, std::vector<int64_t>& sums) const {
    add_block(sums.data(), tally_.class_block(static_cast<ClassId>(c)), sums.size(), -1);
    const std::size_t i = change_.class_at(static_cast<ClassId>(c));
    if (moves(i, c)) add_block(sums.data(), &change_.class_totals[i * sums.size()], sums.size());
  }

  bool moves(std::size_t i, std::size_t c) const {
    return i < change_.classes.size() && static_cast<std::size_t>(change_.classes[i]) == c;
  }

  int64_t documents_left() const { return tally_.n_documents() - change_.n_documents; }
  int64_t several_left() const { return tally_.n_several() - change_.n_several; }

  /// Documents, then scales.
  std::vector<int64_t> whole_left() const {
    std::vector<int64_t> left{documents_left()};
    for (std::size_t j = 0; j < tally_.n_planes(); ++j) {
      left.push_back(tally_.scales()[j] - change_.scales[j]);
    }
    return left;
  }

  /// Documents, then scales.
  void class_left(std::size_t c, std::vector<int64_t>& left) const {
    const std::size_t k = tally_.n_planes(), i = change_.class_at(static_cast<ClassId>(c));
    const bool less = moves(i, c);
    left.assign(1, tally_.class_documents()[c] - (less ? change_.class_documents[i] : 0));
    for (std::size_t j = 0; j < k; ++j) {
      left.push_back(tally_.class_scales()[c * k + j] - (less ? change_.class_scales[i * k + j] : 0));
    }
  }

  static bool counts_cannot_be(const std::vector<int64_t>& left, int64_t tokens) {
    const bool remains =
        tokens != 0 || std::any_of(left.begin(), left.end(), [](int64_t v) { return v != 0; });
    return std::any_of(left.begin(), left.end(), [](int64_t v) { return v < 0; }) ||
           (left[0] == 0 && remains);
  }

  const Tally& tally_;
  const Change& change_;
  std::vector<int64_t> left_;
  Postings posting_;  // the current posting list
};

// A tally as a change, with terms and classes renumbered, merged or removed. Sums, differences, comparisons
// and derived tallies use it.

/// term_map[t] and class_map[c] are the new ids, -1 to remove. Terms stay distinct; classes can be merged.
/// With `leave`, the documents of a removed class also leave the totals, which is exact if no document is
/// multi-label.
class Reshape {
 public:
  Reshape(const Tally& tally, std::span<const TermId> term_map, std::span<const ClassId> class_map,
          bool leave)
      : tally_(tally),
        term_map_(term_map),
        class_map_(class_map),
        leave_(leave),
        change_(tally.width()),
        old_(tally.width()) {}

  Change run() {
    change_.scales = tally_.scales();
    change_.n_documents = tally_.n_documents();
    change_.n_several = tally_.n_several();
    change_.n_unlabelled = tally_.n_unlabelled();
    move_classes();
    for (const TermId term : terms_in_new_order()) move_term(term);
    change_.add_up();
    return std::move(change_);
  }

 private:
  std::vector<TermId> terms_in_new_order() const {
    std::vector<TermId> terms;
    for (std::size_t t = 0; t < tally_.n_terms(); ++t) {
      const auto term = static_cast<TermId>(t);
      if (term_map_[t] >= 0 && tally_.term_block(term)[occurrences] > 0) terms.push_back(term);
    }
    const auto before = [this](TermId a, TermId b) { return new_id(a) < new_id(b); };
    if (!std::is_sorted(terms.begin(), terms.end(), before)) std::sort(terms.begin(), terms.end(), before);
    const auto same = [this](TermId a, TermId b) { return new_id(a) == new_id(b); };
    if (std::adjacent_find(terms.begin(), terms.end(), same) != terms.end()) {
      throw std::invalid_argument("two terms are mapped to one");
    }
    return terms;
  }
  TermId new_id(TermId term) const { return term_map_[static_cast<std::size_t>(term)]; }

  void move_classes() {
    for (std::size_t c = 0; c < tally_.n_classes(); ++c) {
      if (class_map_[c] >= 0 && tally_.class_documents()[c] > 0) change_.classes.push_back(class_map_[c]);
    }
    std::sort(change_.classes.begin(), change_.classes.end());
    change_.classes.erase(std::unique(change_.classes.begin(), change_.classes.end()), change_.classes.end());
    change_.resize_classes();
    for (std::size_t c = 0; c < tally_.n_classes(); ++c) move_class(c);
  }

  void move_class(std::size_t c) {
    const int64_t n = tally_.class_documents()[c];
    const std::size_t k = change_.n_planes();
    const int64_t* scales = tally_.class_scales().data() + c * k;
    if (n == 0) return;
    if (class_map_[c] >= 0) {
      const std::size_t at = change_.class_at(class_map_[c]);
      change_.class_documents[at] += n;
      add_block(change_.class_scales.data() + at * k, scales, k);
    } else if (leave_) {
      change_.n_documents -= n;
      add_block(change_.scales.data(), scales, k, -1);
    }
  }

  void move_term(TermId term) {
    const std::size_t width = tally_.width();
    total_.assign(tally_.term_block(term), tally_.term_block(term) + width);
    old_.classes.clear();
    old_.values.clear();
    tally_.cells().append_posting(term, old_);
    kept_.clear();
    for (std::size_t i = 0; i < old_.n_cells(); ++i) {
      const ClassId label = class_map_[static_cast<std::size_t>(old_.classes[i])];
      if (label >= 0) kept_.emplace_back(label, i);
      if (label < 0 && leave_) add_block(total_.data(), old_.block(i), width, -1);
    }
    if (total_[occurrences] == 0) return;
    append_kept();
    change_.term_totals.insert(change_.term_totals.end(), total_.begin(), total_.end());
    change_.cells.close(new_id(term));
  }

  void append_kept() {
    std::sort(kept_.begin(), kept_.end());
    Postings& cells = change_.cells;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const int64_t* block = old_.block(kept_[i].second);
      const bool joins = i > 0 && kept_[i - 1].first == kept_[i].first;
      joins ? add_block(cells.block(cells.n_cells() - 1), block, tally_.width())
            : cells.append(kept_[i].first, block);
    }
  }

  const Tally& tally_;
  std::span<const TermId> term_map_;
  std::span<const ClassId> class_map_;
  bool leave_;
  Change change_;
  Postings old_;  // the current posting list
  std::vector<int64_t> total_;
  std::vector<std::pair<ClassId, std::size_t>> kept_;  // the remaining classes and their positions
};

/// A tally as a change with these of its planes, in this order.
class PlaneSelection {
 public:
  PlaneSelection(const Tally& tally, std::span<const std::size_t> planes)
      : tally_(tally),
        planes_(planes),
        columns_{occurrences, documents},
        change_(first_plane + planes.size()) {
    for (const std::size_t plane : planes) columns_.push_back(first_plane + plane);
  }

  Change run() {
    change_.n_documents = tally_.n_documents();
    change_.n_several = tally_.n_several();
    change_.n_unlabelled = tally_.n_unlabelled();
    for (std::size_t j = 0; j < columns_.size(); ++j) change_.totals[j] = tally_.totals()[columns_[j]];
    for (std::size_t k = 0; k < planes_.size(); ++k) change_.scales[k] = tally_.scales()[planes_[k]];
    for (std::size_t c = 0; c < tally_.n_classes(); ++c) keep_class(c);
    keep_terms();
    return std::move(change_);
  }

 private:
  void keep_class(std::size_t c) {
    if (tally_.class_documents()[c] == 0) return;
    change_.classes.push_back(static_cast<ClassId>(c));
    change_.class_documents.push_back(tally_.class_documents()[c]);
    const int64_t* block = tally_.class_block(static_cast<ClassId>(c));
    for (const std::size_t j : columns_) change_.class_totals.push_back(block[j]);
    const int64_t* scales = tally_.class_scales().data() + c * tally_.n_planes();
    for (const std::size_t k : planes_) change_.class_scales.push_back(scales[k]);
  }

  void keep_terms() {
    change_.cells.classes.reserve(tally_.n_cells());
    change_.cells.values.reserve(tally_.n_cells() * columns_.size());
    std::vector<int32_t> rows;
    for (TermId term = 0; term < static_cast<TermId>(tally_.n_terms()); ++term) {
      const int64_t* block = tally_.term_block(term);
      if (block[occurrences] == 0) continue;
      for (const std::size_t j : columns_) change_.term_totals.push_back(block[j]);
      tally_.cells().visit_posting(
          term, rows, [this](ClassId label, const int64_t* base, const int64_t* delta) {
            change_.cells.classes.push_back(label);
            for (const std::size_t j : columns_) {
              change_.cells.values.push_back((base ? base[j] : 0) + (delta ? delta[j] : 0));
            }
          });
      change_.cells.close(term);
    }
  }

  const Tally& tally_;
  std::span<const std::size_t> planes_;
  std::vector<std::size_t> columns_;
  Change change_;
};

/// True if a tally has exactly the sums of the change.
inline bool holds_exactly(const Tally& tally, const Change& change) {
  const auto live = [](int64_t n) { return n > 0; };
  const auto n_classes = std::count_if(tally.class_documents().begin(), tally.class_documents().end(), live);
  if (tally.n_documents() != change.n_documents || tally.n_several() != change.n_several ||
      tally.n_unlabelled() != change.n_unlabelled || tally.totals() != change.totals ||
      tally.scales() != change.scales || tally.n_cells() != change.cells.n_cells() ||
      n_classes != static_cast<std::ptrdiff_t>(change.classes.size()) ||
      tally.n_live_terms() != static_cast<int64_t>(change.cells.terms.size())) {
    return false;
  }
  const std::size_t k = change.n_planes();
  for (std::size_t i = 0; i < change.classes.size(); ++i) {
    const auto c = static_cast<std::size_t>(change.classes[i]);
    const auto scales = tally.class_scales().begin() + static_cast<std::ptrdiff_t>(c * k);
    if (tally.class_documents()[c] != change.class_documents[i]) return false;
    if (!std::equal(scales, scales + static_cast<std::ptrdiff_t>(k),
                    change.class_scales.begin() + static_cast<std::ptrdiff_t>(i * k)))
      return false;
  }
  Postings mine(tally.width());
  for (std::size_t i = 0; i < change.cells.terms.size(); ++i) {
    const TermId term = change.cells.terms[i];
    if (!std::equal(tally.term_block(term), tally.term_block(term) + tally.width(),
                    &change.term_totals[i * tally.width()]))
      return false;
    tally.cells().append_posting(term, mine);
    if (mine.n_cells() != static_cast<std::size_t>(change.cells.starts[i + 1])) return false;
  }
  return mine.classes == change.cells.classes && mine.values == change.cells.values;
}

}  // namespace tallytext
