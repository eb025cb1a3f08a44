#pragma once
// A change from arrays that may come from a file: nothing is trusted. What is required is what every tally
// keeps, whatever was forgotten: see check.hpp.
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
    for (std::size_t t = 0; t < in_.n_terms(); ++t) read_term(t);
    change_.add_up();
    return std::move(change_);
  }

 private:
  void check_shapes() const {
    require(in_.width >= first_plane && in_.width < 1024, "the number of planes is out of range");
    require(!in_.starts.empty() && in_.starts.front() == 0,
            "the starts of the posting lists do not begin at 0");
    require(std::is_sorted(in_.starts.begin(), in_.starts.end()),
            "the starts of the posting lists do not ascend");
    require(in_.starts.back() == static_cast<int64_t>(in_.classes.size()),
            "the posting lists do not end with the cells");
    require(in_.n_terms() <= static_cast<std::size_t>(INT32_MAX), "there are too many terms");
    require(in_.class_documents.size() <= static_cast<std::size_t>(INT32_MAX), "there are too many classes");
    require(in_.cells.size() == in_.classes.size() * in_.width, "the sums of the cells are of another size");
    require(in_.term_totals.size() == in_.n_terms() * in_.width, "the sums of the terms are of another size");
    require(in_.class_scales.size() == in_.class_documents.size() * in_.n_planes(),
            "the scales of the classes are of another size");
    require(in_.whole.size() == 3 + in_.n_planes(), "the sums over all documents are of another size");
  }

  void read_whole() {
    require(std::all_of(in_.whole.begin(), in_.whole.end(), [](int64_t v) { return v >= 0; }),
            "a sum is negative");
    change_.n_documents = in_.whole[0];
    change_.n_several = in_.whole[1];
    change_.n_unlabelled = in_.whole[2];
    std::copy(in_.whole.begin() + 3, in_.whole.end(), change_.scales.begin());
    require(change_.n_several <= change_.n_documents &&
                change_.n_unlabelled <= change_.n_documents - change_.n_several,
            "more documents have several labels or none than there are");
  }

  void read_classes() {
    for (std::size_t c = 0; c < in_.class_documents.size(); ++c) {
      const int64_t n = in_.class_documents[c];
      require(n > 0 && n <= change_.n_documents, "a class has no documents, or more than there are");
      change_.classes.push_back(static_cast<ClassId>(c));
    }
    change_.resize_classes();
    std::copy(in_.class_documents.begin(), in_.class_documents.end(), change_.class_documents.begin());
    std::copy(in_.class_scales.begin(), in_.class_scales.end(), change_.class_scales.begin());
    for (std::size_t i = 0; i < in_.class_scales.size(); ++i) {
      require(in_.class_scales[i] >= 0 && in_.class_scales[i] <= change_.scales[i % in_.n_planes()],
              "the scales of a class exceed those of all documents");
    }
    if (change_.n_several == 0) add_up_classes();
  }

  /// Without several labels, a document is of one class or of none: it never had a label, or its class was
  /// left out.
  void add_up_classes() {
    int64_t rest = change_.n_documents;
    for (const int64_t n : in_.class_documents) {
      require((rest -= n) >= 0, "the documents of the classes do not add up");
    }
    require(rest >= change_.n_unlabelled, "the documents of the classes do not add up");
    all_in_classes_ = rest == 0;
    std::vector<int64_t> scales = change_.scales;
    for (std::size_t i = 0; i < in_.class_scales.size(); ++i) {
      require((scales[i % scales.size()] -= in_.class_scales[i]) >= 0, "the scales do not add up");
    }
    require(!all_in_classes_ || is_zero(scales), "the scales do not add up");
  }

  void read_term(std::size_t t) {
    const auto total = in_.term_totals.subspan(t * in_.width, in_.width);
    require(can_be(total), "the sums of a term contradict each other");
    require(change_.n_documents > 0 || total[occurrences] == 0, "there is a term, but no document");
    const auto first = static_cast<std::size_t>(in_.starts[t]),
               last = static_cast<std::size_t>(in_.starts[t + 1]);
    std::vector<int64_t> rest(total.begin(), total.end());
    for (std::size_t i = first; i < last; ++i) {
      check_cell(i, first, total);
      change_.cells.append(in_.classes[i], in_.cells.data() + i * in_.width);
      if (change_.n_several == 0) subtract(rest, in_.cells.subspan(i * in_.width, in_.width));
    }
    require(!all_in_classes_ || is_zero(rest), "the cells of a term do not add up");
    if (total[occurrences] == 0) return;
    change_.term_totals.insert(change_.term_totals.end(), total.begin(), total.end());
    change_.cells.close(static_cast<TermId>(t));
  }

  void check_cell(std::size_t i, std::size_t first, std::span<const int64_t> total) const {
    const ClassId label = in_.classes[i];
    const auto cell = in_.cells.subspan(i * in_.width, in_.width);
    require(label >= 0 && static_cast<std::size_t>(label) < in_.class_documents.size(),
            "a cell names no class");
    require(i == first || in_.classes[i - 1] < label, "the classes of a term do not ascend");
    require(can_be(cell) && cell[occurrences] > 0, "the sums of a cell contradict each other");
    for (std::size_t j = 0; j < in_.width; ++j) require(cell[j] <= total[j], "a cell exceeds its term");
  }

  static void subtract(std::vector<int64_t>& rest, std::span<const int64_t> cell) {
    for (std::size_t j = 0; j < rest.size(); ++j) {
      require((rest[j] -= cell[j]) >= 0, "the cells of a term do not add up");
    }
  }

  static bool is_zero(const std::vector<int64_t>& sums) {
    return std::all_of(sums.begin(), sums.end(), [](int64_t v) { return v == 0; });
  }

  const StoredTally& in_;
  Change change_;
  bool all_in_classes_ = false;  // each document in exactly one class
};

}  // namespace tallytext
