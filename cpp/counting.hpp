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
        change_(first_plane + recipes.size()) {}

  Change run() {
    change_.cells.terms = terms_.distinct;
    change_.classes = classes_.distinct;
    change_.term_totals.resize(terms_.distinct.size() * change_.width());
    change_.resize_classes();
    // Totals first: a document counts once in them, so when they do not overflow nothing else can.
    for (std::size_t d = 0; d < docs_.size(); ++d) add_document(d);
    group_by_class();
    size_cells();
    fill_cells();
    return std::move(change_);
  }

 private:
  void add_document(std::size_t d) {
    read(d);
    for (std::size_t i = 0; i < docs_.length(d); ++i) {
      const int64_t* block = blocks_.block(i);
      for (std::size_t j = 0; j < change_.width(); ++j) {
        change_.totals[j] = checked_add(change_.totals[j], block[j]);
      }
      add_block(&change_.term_totals[term_at(d, i) * change_.width()], block, change_.width());
    }
    for (std::size_t k = 0; k < change_.n_planes(); ++k) {
      change_.scales[k] = checked_add(change_.scales[k], blocks_.scales()[k]);
    }
    add_labels(d);
  }

  void add_labels(std::size_t d) {
    const std::size_t n = docs_.labels_of(d).size();
    change_.n_documents += 1;
    change_.n_several += n > 1;
    change_.n_unlabelled += n == 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = class_at(d, i);
      change_.class_documents[at] += 1;
      for (std::size_t k = 0; k < change_.n_planes(); ++k) {
        change_.class_scales[at * change_.n_planes() + k] += blocks_.scales()[k];
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

  void size_cells() {
    auto& starts = change_.cells.starts;
    starts.assign(change_.cells.terms.size() + 1, 0);
    std::vector<int32_t> last(change_.cells.terms.size(), -1);
    for_each_pair([&](std::size_t c, std::size_t d) {
      for (std::size_t i = 0; i < docs_.length(d); ++i) {
        const std::size_t t = term_at(d, i);
        starts[t + 1] += last[t] != static_cast<int32_t>(c);
        last[t] = static_cast<int32_t>(c);
      }
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    change_.cells.classes.assign(static_cast<std::size_t>(starts.back()), -1);
    change_.cells.values.assign(static_cast<std::size_t>(starts.back()) * change_.width(), 0);
  }

  void fill_cells() {
    auto& cells = change_.cells;
    std::vector<int64_t> next(cells.starts.begin(), cells.starts.end() - 1);  // first cell not begun
    for_each_pair([&](std::size_t c, std::size_t d) {
      const ClassId label = change_.classes[c];
      read(d);
      for (std::size_t i = 0; i < docs_.length(d); ++i) {
        const std::size_t t = term_at(d, i);
        const bool begun =
            next[t] > cells.starts[t] && cells.classes[static_cast<std::size_t>(next[t] - 1)] == label;
        const auto cell = static_cast<std::size_t>(begun ? next[t] - 1 : next[t]++);
        cells.classes[cell] = label;
        add_block(cells.block(cell), blocks_.block(i), change_.width());
        add_block(&change_.class_totals[c * change_.width()], blocks_.block(i), change_.width());
      }
    });
  }

  void read(std::size_t d) {
    blocks_.read(docs_.counts.subspan(docs_.begin(d), docs_.length(d)), docs_.weight(d),
                 docs_.labels_of(d).size());
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
  std::vector<std::size_t> class_starts_, by_class_;
};

}  // namespace tallytext
