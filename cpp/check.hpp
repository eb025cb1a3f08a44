#pragma once
// Whether a change can be taken out of a tally: nothing may be left that no set of documents could add up to.
// Looked at are the terms of the change and all classes. That no term is in more documents than its class is
// left with is not: only a look at all cells would tell, and forgetting one document must not take that.
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

  /// When the last document with several labels leaves, the cells of every term have to add up.
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

  /// Whether the cells that remain of a term, those of the change taken out, fit its total in left_: each
  /// of them, and together if no document has several labels.
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

  /// The classes against the whole: each of them, and together if no document has several labels.
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

  /// sums -= what is left of a class.
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
  Postings posting_;  // the posting list at hand
};

}  // namespace tallytext
