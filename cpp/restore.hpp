#pragma once
// A change from arrays that may come from a file: nothing is trusted. What is required is what every tally
// keeps, whatever was forgotten: see check.hpp.
//
// The arrays may be a mapped file that someone writes to at this moment, so each number is copied first and
// the copy is checked.
#include <numeric>
#include <span>
#include <stdexcept>

#include "change.hpp"

namespace tallytext {

struct StoredTally {
  std::size_t width;
  std::span<const int64_t> starts;           // per term, and the end
  std::span<const ClassId> classes;          // per cell
  std::span<const int64_t> cells;            // a block per cell
  std::span<const int64_t> term_totals;      // a block per term
  std::span<const int64_t> class_documents;  // per class
  std::span<const int64_t> class_scales;     // n_planes per class
  std::span<const int64_t> whole;            // documents, with several labels, with none; n_planes scales

  std::size_t n_terms() const { return starts.size() - 1; }
  std::size_t n_planes() const { return width - first_plane; }
};

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

class Restore {
 public:
  explicit Restore(const StoredTally& stored) : in_(stored), change_(stored.width) {}

  Change run() {
    check_shapes();
    read_whole();
    read_classes();
    reserve();
    read_terms();
    change_.add_up();
    return std::move(change_);
  }

 private:
  void check_shapes() const {
    require(in_.width >= first_plane && in_.width < 1024, "the number of planes is out of range");
    require(!in_.starts.empty() && in_.starts.front() == 0,
            "the starts of the posting lists do not begin at 0");
    require(in_.n_terms() <= static_cast<std::size_t>(INT32_MAX), "there are too many terms");
    require(in_.class_documents.size() <= static_cast<std::size_t>(INT32_MAX), "there are too many classes");
    require(in_.cells.size() == in_.classes.size() * in_.width, "the sums of the cells are of another size");
    require(in_.term_totals.size() == in_.n_terms() * in_.width, "the sums of the terms are of another size");
    require(in_.class_scales.size() == in_.class_documents.size() * in_.n_planes(),
            "the scales of the classes are of another size");
    require(in_.whole.size() == 3 + in_.n_planes(), "the sums over all documents are of another size");
  }

  void read_whole() {
    const std::vector<int64_t> whole(in_.whole.begin(), in_.whole.end());
    require(std::all_of(whole.begin(), whole.end(), [](int64_t v) { return v >= 0; }), "a sum is negative");
    change_.n_documents = whole[0];
    change_.n_several = whole[1];
    change_.n_unlabelled = whole[2];
    std::copy(whole.begin() + 3, whole.end(), change_.scales.begin());
    require(change_.n_several <= change_.n_documents &&
                change_.n_unlabelled <= change_.n_documents - change_.n_several,
            "more documents have several labels or none than there are");
  }

  void read_classes() {
    change_.classes.resize(in_.class_documents.size());
    std::iota(change_.classes.begin(), change_.classes.end(), 0);
    change_.resize_classes();
    std::copy(in_.class_documents.begin(), in_.class_documents.end(), change_.class_documents.begin());
    std::copy(in_.class_scales.begin(), in_.class_scales.end(), change_.class_scales.begin());
    for (const int64_t n : change_.class_documents) {
      require(n > 0 && n <= change_.n_documents, "a class has no documents, or more than there are");
    }
    for (std::size_t i = 0; i < change_.class_scales.size(); ++i) {
      const int64_t scale = change_.class_scales[i];
      require(scale >= 0 && scale <= change_.scales[i % in_.n_planes()],
              "the scales of a class exceed those of all documents");
    }
    if (change_.n_several == 0) add_up_classes();
  }

  /// Without several labels, a document is of one class or of none: it never had a label, or its class was
  /// left out.
  void add_up_classes() {
    int64_t rest = change_.n_documents;
    for (const int64_t n : change_.class_documents) {
      require((rest -= n) >= 0, "the documents of the classes do not add up");
    }
    require(rest >= change_.n_unlabelled, "the documents of the classes do not add up");
    all_in_classes_ = rest == 0;
    std::vector<int64_t> scales = change_.scales;
    for (std::size_t i = 0; i < change_.class_scales.size(); ++i) {
      require((scales[i % scales.size()] -= change_.class_scales[i]) >= 0, "the scales do not add up");
    }
    require(!all_in_classes_ || is_zero(scales), "the scales do not add up");
  }

  /// All that is read is there already, so a small file cannot ask for much memory.
  void reserve() {
    change_.cells.reserve(in_.n_terms(), in_.classes.size());
    change_.term_totals.reserve(in_.term_totals.size());
  }

  void read_terms() {
    std::size_t first = 0;
    for (std::size_t t = 0; t < in_.n_terms(); ++t) {
      const int64_t start = in_.starts[t + 1];
      require(start >= static_cast<int64_t>(first), "the starts of the posting lists do not ascend");
      const auto last = static_cast<std::size_t>(start);
      require(last <= in_.classes.size(), "the posting lists do not end with the cells");
      read_term(t, first, last);
      first = last;
    }
    require(first == in_.classes.size(), "the posting lists do not end with the cells");
  }

  void read_term(std::size_t t, std::size_t first, std::size_t last) {
    const auto stored = in_.term_totals.subspan(t * in_.width, in_.width);
    total_.assign(stored.begin(), stored.end());
    require(can_be(total_), "the sums of a term contradict each other");
    require(change_.n_documents > 0 || total_[occurrences] == 0, "there is a term, but no document");
    rest_ = total_;
    ClassId before = -1;
    for (std::size_t i = first; i < last; ++i) before = read_cell(i, before);
    require(!all_in_classes_ || is_zero(rest_), "the cells of a term do not add up");
    if (total_[occurrences] == 0) return;
    change_.term_totals.insert(change_.term_totals.end(), total_.begin(), total_.end());
    change_.cells.close(static_cast<TermId>(t));
  }

  /// Returns the class of the cell, which must come after that of the cell before.
  ClassId read_cell(std::size_t i, ClassId before) {
    const ClassId label = in_.classes[i];
    require(label >= 0 && static_cast<std::size_t>(label) < change_.classes.size(), "a cell names no class");
    require(before < label, "the classes of a term do not ascend");
    change_.cells.append(label, in_.cells.data() + i * in_.width);
    const std::span<const int64_t> cell(change_.cells.block(change_.cells.n_cells() - 1), in_.width);
    require(can_be(cell) && cell[occurrences] > 0, "the sums of a cell contradict each other");
    for (std::size_t j = 0; j < in_.width; ++j) require(cell[j] <= total_[j], "a cell exceeds its term");
    if (change_.n_several == 0) subtract(cell);
    return label;
  }

  void subtract(std::span<const int64_t> cell) {
    for (std::size_t j = 0; j < rest_.size(); ++j) {
      require((rest_[j] -= cell[j]) >= 0, "the cells of a term do not add up");
    }
  }

  static bool is_zero(const std::vector<int64_t>& sums) {
    return std::all_of(sums.begin(), sums.end(), [](int64_t v) { return v == 0; });
  }

  const StoredTally& in_;
  Change change_;
  bool all_in_classes_ = false;  // each document in exactly one class
  std::vector<int64_t> total_;   // the sums of the term at hand
  std::vector<int64_t> rest_;    // and what its cells leave of them
};

}  // namespace tallytext
