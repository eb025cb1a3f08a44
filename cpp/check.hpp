#pragma once
// Whether a change can be taken out of a tally: nothing may be left that no set of documents could add up to.
#include <optional>

#include "tally.hpp"

namespace tallytext {

/// The first thing that cannot be, and what would be left of it.
struct Refusal {
  TermId term = -1;           // -1: of a class, or of the whole
  ClassId label = -1;         // -1: of a term, or of the whole
  std::vector<int64_t> left;  // a block; for a class or the whole: documents, then scales
};

class Check {
 public:
  Check(const Tally& tally, const Change& change) : tally_(tally), change_(change), left_(tally.width()) {}

  std::optional<Refusal> run() {
    for (std::size_t i = 0; i < change_.cells.terms.size(); ++i) {
      if (auto refusal = check_term(i)) return refusal;
    }
    for (std::size_t i = 0; i < change_.classes.size(); ++i) {
      if (auto refusal = check_class(i)) return refusal;
    }
    return check_whole();
  }

 private:
  std::optional<Refusal> check_term(std::size_t i) {
    const TermId term = change_.cells.terms[i];
    int64_t n_gone = 0;
    for (auto at = static_cast<std::size_t>(change_.cells.starts[i]);
         at < static_cast<std::size_t>(change_.cells.starts[i + 1]); ++at) {
      const ClassId label = change_.cells.classes[at];
      if (!cell_can_be(term, label, at)) return Refusal{term, label, left_};
      n_gone += left_[occurrences] == 0;
    }
    std::copy_n(tally_.term_block(term), tally_.width(), left_.begin());
    add_block(left_.data(), &change_.term_totals[i * tally_.width()], tally_.width(), -1);
    const bool orphans = left_[occurrences] == 0 && tally_.cells().n_classes_of(term) > n_gone;
    return !can_be(left_) || orphans ? std::optional(Refusal{term, -1, left_}) : std::nullopt;
  }

  bool cell_can_be(TermId term, ClassId label, std::size_t at) {
    std::fill(left_.begin(), left_.end(), 0);
    tally_.cells().add_cell(term, label, left_.data());
    add_block(left_.data(), change_.cells.block(at), tally_.width(), -1);
    // A class that loses more documents than it has is told as such, after its terms.
    const int64_t in_class = std::max<int64_t>(0, class_documents_left(change_.class_at(label)));
    return can_be(left_) && left_[documents] <= in_class;
  }

  int64_t class_documents_left(std::size_t i) const {
    return tally_.class_documents()[static_cast<std::size_t>(change_.classes[i])] -
           change_.class_documents[i];
  }

  std::optional<Refusal> check_class(std::size_t i) const {
    const auto label = static_cast<std::size_t>(change_.classes[i]);
    const std::size_t k = tally_.n_planes();
    Refusal refusal{-1, change_.classes[i], {class_documents_left(i)}};
    for (std::size_t j = 0; j < k; ++j) {
      refusal.left.push_back(tally_.class_scales()[label * k + j] - change_.class_scales[i * k + j]);
    }
    const int64_t tokens =
        tally_.class_block(change_.classes[i])[occurrences] - change_.class_totals[i * tally_.width()];
    const bool too_many = refusal.left[0] > tally_.n_documents() - change_.n_documents;
    return too_many || counts_cannot_be(refusal.left, tokens) ? std::optional(refusal) : std::nullopt;
  }

  std::optional<Refusal> check_whole() const {
    Refusal refusal{-1, -1, {tally_.n_documents() - change_.n_documents}};
    for (std::size_t j = 0; j < tally_.n_planes(); ++j) {
      refusal.left.push_back(tally_.scales()[j] - change_.scales[j]);
    }
    const int64_t several = tally_.n_several() - change_.n_several;
    const int64_t unlabelled = tally_.n_unlabelled() - change_.n_unlabelled;
    const bool labels = several < 0 || unlabelled < 0 || several + unlabelled > refusal.left[0];
    const int64_t tokens = tally_.totals()[occurrences] - change_.totals[occurrences];
    return labels || counts_cannot_be(refusal.left, tokens) ? std::optional(refusal) : std::nullopt;
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
};

}  // namespace tallytext
