#pragma once
// From documents to a change, by counting sort: documents grouped by class, scattered by term.
#include "change.hpp"
#include "documents.hpp"
#include "ranks.hpp"

namespace tallytext {

class Counting {
 public:
  Counting(const Documents& docs, std::span<const Recipe> recipes)
      : docs_(docs),
        blocks_(recipes),
        terms_(docs.terms),
        classes_(docs.labels),
        change_(first_plane + recipes.size()),
        several_(any_has_several(docs)) {}

  Change run() {
    change_.cells.terms = terms_.distinct;
    change_.classes = classes_.distinct;
    change_.term_totals.resize(terms_.distinct.size() * change_.width());
    change_.resize_classes();
    group_by_class();
    begin_cells();
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      if (docs_.labels_of(d).empty()) read(d);
    }
    for_each_pair([this](std::size_t c, std::size_t d) { add_to_class(c, d); });
    if (!several_) sum_cells();
    return std::move(change_);
  }

 private:
  static bool any_has_several(const Documents& docs) {
    for (std::size_t d = 0; d < docs.size(); ++d) {
      if (docs.labels_of(d).size() > 1) return true;
    }
    return false;
  }

  struct Cursor {
    int64_t cell = 0;    // the one at hand; while cells are counted, their number
    int32_t label = -1;  // rank of the class it is of
  };

  /// Reads a document and, the first time, adds what does not depend on its classes. Totals come first: a
  /// document counts once in them, so when they do not overflow nothing else can.
  void read(std::size_t d, std::size_t c = 0) {
    const std::size_t n = docs_.labels_of(d).size();
    blocks_.read(docs_.counts.subspan(docs_.begin(d), docs_.length(d)), docs_.weight(d), n);
    sums_.assign(change_.width(), 0);
    blocks_.add_all_to(sums_.data());
    if (n > 1 && c != first_class(d)) return;
    for (std::size_t j = 0; j < sums_.size(); ++j) {
      change_.totals[j] = checked_add(change_.totals[j], sums_[j]);
    }
    for (std::size_t k = 0; k < change_.n_planes(); ++k) {
      change_.scales[k] = checked_add(change_.scales[k], blocks_.scales()[k]);
    }
    change_.n_documents += 1;
    change_.n_several += n > 1;
    change_.n_unlabelled += n == 0;
    if (n == 0 || several_) add_to_terms(d);
  }

  std::size_t first_class(std::size_t d) const {
    std::size_t first = class_at(d, 0);
    for (std::size_t i = 1; i < docs_.labels_of(d).size(); ++i) first = std::min(first, class_at(d, i));
    return first;
  }

  void add_to_terms(std::size_t d) {
    for (std::size_t i = 0; i < docs_.length(d); ++i) {
      blocks_.add_to(&change_.term_totals[term_at(d, i) * change_.width()], i);
    }
  }

  /// Where every document has one label at most, the cells of a term add up to what is in classes.
  void sum_cells() {
    for (std::size_t t = 0; t < change_.cells.terms.size(); ++t) {
      const auto last = static_cast<std::size_t>(change_.cells.starts[t + 1]);
      for (auto cell = static_cast<std::size_t>(change_.cells.starts[t]); cell < last; ++cell) {
        add_block(&change_.term_totals[t * change_.width()], change_.cells.block(cell), change_.width());
      }
    }
  }

  void group_by_class() {
    class_starts_.assign(change_.classes.size() + 1, 0);
    for (const int32_t at : classes_.rank) ++class_starts_[static_cast<std::size_t>(at) + 1];
    std::partial_sum(class_starts_.begin(), class_starts_.end(), class_starts_.begin());
    by_class_.resize(docs_.labels.size());
    std::vector<std::size_t> cursor(class_starts_.begin(), class_starts_.end() - 1);
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      for (std::size_t i = 0; i < docs_.labels_of(d).size(); ++i) by_class_[cursor[class_at(d, i)]++] = d;
    }
  }

  /// Calls visit(class, document) class by class.
  template <class Visit>
  void for_each_pair(Visit visit) {
    for (std::size_t c = 0; c < change_.classes.size(); ++c) {
      for (std::size_t i = class_starts_[c]; i < class_starts_[c + 1]; ++i) visit(c, by_class_[i]);
    }
  }

  /// Finds where the cells of each term begin, in order of class.
  void begin_cells() {
    auto& cells = change_.cells;
    cursors_.assign(cells.terms.size(), {});
    for_each_pair([this](std::size_t c, std::size_t d) {
      for (std::size_t i = 0; i < docs_.length(d); ++i) {
        Cursor& cursor = cursors_[term_at(d, i)];
        cursor.cell += cursor.label != static_cast<int32_t>(c);
        cursor.label = static_cast<int32_t>(c);
      }
    });
    cells.starts.resize(cells.terms.size() + 1);
    for (std::size_t t = 0; t < cursors_.size(); ++t) {
      cells.starts[t + 1] = cells.starts[t] + cursors_[t].cell;
      cursors_[t] = {cells.starts[t] - 1, -1};
    }
    cells.classes.resize(static_cast<std::size_t>(cells.starts.back()));
    cells.values.resize(cells.classes.size() * change_.width());
  }

  /// Terms lie all over memory, so their cells are asked for before they are needed.
  void add_to_class(std::size_t c, std::size_t d) {
    constexpr std::size_t ahead = 8;
    auto& cells = change_.cells;
    read(d, c);
    change_.class_documents[c] += 1;
    add_block(&change_.class_totals[c * change_.width()], sums_.data(), change_.width());
    add_block(change_.class_scales.data() + c * change_.n_planes(), blocks_.scales().data(),
              change_.n_planes());
    const std::size_t n = docs_.length(d);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n) __builtin_prefetch(cells.values.data() + next_cell(d, i + ahead), 1);
      Cursor& cursor = cursors_[term_at(d, i)];
      if (cursor.label != static_cast<int32_t>(c)) {
        cursor = {cursor.cell + 1, static_cast<int32_t>(c)};
        cells.classes[static_cast<std::size_t>(cursor.cell)] = change_.classes[c];
      }
      blocks_.add_to(cells.block(static_cast<std::size_t>(cursor.cell)), i);
    }
  }

  /// Where the next block of a term is likely to go.
  std::size_t next_cell(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(cursors_[term_at(d, i)].cell + 1) * change_.width();
  }

  std::size_t term_at(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(terms_.rank[docs_.begin(d) + i]);
  }
  std::size_t class_at(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(classes_.rank[static_cast<std::size_t>(docs_.label_starts[d]) + i]);
  }

  const Documents& docs_;
  DocumentBlocks blocks_;
  Ranks terms_, classes_;
  Change change_;
  bool several_;  // whether a document has two labels or more
  std::vector<std::size_t> class_starts_, by_class_;
  std::vector<Cursor> cursors_;  // per term
  std::vector<int64_t> sums_;    // of the document at hand
};

}  // namespace tallytext
