#pragma once
// What is to be put into a tally or taken out of it: some documents, or another tally.
#include <span>

#include "postings.hpp"
#include "recipe.hpp"

namespace tallytext {

/// Sums over documents. All are non-negative; the tally that applies them chooses the sign.
struct Change {
  explicit Change(std::size_t width) : cells(width), totals(width), scales(width - first_plane) {}

  std::size_t width() const { return cells.width; }
  std::size_t n_planes() const { return scales.size(); }

  Postings cells;                    // every term of the change, also those without a class
  std::vector<int64_t> term_totals;  // a block for each of cells.terms, each document once
  std::vector<ClassId> classes;      // ascending
  std::vector<int64_t> class_documents;
  std::vector<int64_t> class_totals;  // a block for each class
  std::vector<int64_t> class_scales;  // n_planes for each class
  std::vector<int64_t> totals;        // one block
  std::vector<int64_t> scales;        // n_planes
  int64_t n_documents = 0;
  int64_t n_several = 0;     // documents with two labels or more
  int64_t n_unlabelled = 0;  // documents with none

  void resize_classes() {
    class_documents.resize(classes.size());
    class_totals.resize(classes.size() * width());
    class_scales.resize(classes.size() * n_planes());
  }
  std::size_t class_at(ClassId label) const {
    const auto same = static_cast<std::size_t>(label);  // where it is if no class is left out
    if (same < classes.size() && classes[same] == label) return same;
    return static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), label) -
                                    classes.begin());
  }

  /// Sums the terms into totals and the cells, which they bound, into class_totals.
  void add_up() {
    for (std::size_t at = 0; at < term_totals.size(); at += width()) {
      for (std::size_t j = 0; j < width(); ++j) totals[j] = checked_add(totals[j], term_totals[at + j]);
    }
    for (std::size_t i = 0; i < cells.n_cells(); ++i) {
      add_block(&class_totals[class_at(cells.classes[i]) * width()], cells.block(i), width());
    }
  }
};

}  // namespace tallytext
