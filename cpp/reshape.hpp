#pragma once
// A tally as a change, its terms and classes renamed, joined or left out: what sums, differences,
// comparisons and derived tallies are made of.
#include <span>

#include "tally.hpp"

namespace tallytext {

/// term_map[t] and class_map[c] are the new ids, -1 for what is left out. Terms stay distinct; classes
/// may fall together. `leave`: the documents of a class left out leave the totals too, which is exact
/// when no document has several labels.
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
  Postings old_;  // the posting list at hand
  std::vector<int64_t> total_;
  std::vector<std::pair<ClassId, std::size_t>> kept_;  // of its classes, those that stay, and where they are
};

/// A tally as a change that has these of its planes, in this order.
class PlanesKept {
 public:
  PlanesKept(const Tally& tally, std::span<const std::size_t> planes)
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

/// Whether a tally holds exactly what the change holds.
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
