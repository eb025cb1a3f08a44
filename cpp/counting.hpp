#pragma once
// From documents to a change, by counting sort: documents grouped by class, scattered by term.
#include <span>
#include <utility>

#include "change.hpp"

namespace tallytext {

/// Rows of counts with their labels. No term comes twice in a row, no label twice in a document.
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

/// The distinct ids of a batch, ascending, and the rank of each: a small batch must not pay for all ids
/// there are, and a large one must not pay for sorting.
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
    std::vector<uint64_t> order(ids.size());  // an id, and where it was
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

/// Whether no row holds a term twice. A few rows are sorted for it; for many, each term remembers its last.
inline bool no_term_twice(std::span<const int64_t> starts, std::span<const TermId> terms, std::size_t width) {
  const bool many = terms.size() * 8 > width;
  std::vector<int64_t> last(many ? width : 0, -1);
  std::vector<TermId> sorted;
  for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
    const auto row = terms.subspan(static_cast<std::size_t>(starts[d]),
                                   static_cast<std::size_t>(starts[d + 1] - starts[d]));
    if (many) {
      for (const TermId term : row) {
        if (std::exchange(last[static_cast<std::size_t>(term)], static_cast<int64_t>(d)) ==
            static_cast<int64_t>(d))
          return false;
      }
    } else {
      sorted.assign(row.begin(), row.end());
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    }
  }
  return true;
}

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
    blocks_.read(docs_.counts.subspan(docs_.begin(d), docs_.length(d)), docs_.weight(d));
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
