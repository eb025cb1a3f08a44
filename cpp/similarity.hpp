#pragma once
// How similar the documents of a block are to a query: bounds at first, and exactly where it matters.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "inverted_index.hpp"

namespace tallytext {

/// One thread's sums of products, for one query after the other.
class Similarities {
 public:
  explicit Similarities(const InvertedIndex& index)
      : index_(index), query_(index.n_terms()), sums_(Block::capacity) {}

  /// Terms that the index does not hold are similar to nothing.
  void begin(const WeightedRows<double>& queries, std::size_t q) {
    for (std::size_t i = queries.begin(q); i < queries.end(q); ++i) {
      const TermId term = queries.terms[i];
      if (!index_.holds(term) || queries.values[i] == 0) continue;
      query_[static_cast<std::size_t>(term)] = queries.values[i];
      terms_.push_back({static_cast<std::size_t>(term), index_.layer(term), no_less(queries.values[i])});
    }
    rests_ = index_.rest_norms(queries, q);
  }

  void end() {
    for (const Term& term : terms_) query_[term.id] = 0;
    terms_.clear();
  }

  /// Turns to the first `size` documents of a block.
  void enter(const Block& block, std::size_t size) {
    block_ = &block;
    size_ = size;
    std::fill_n(sums_.begin(), Block::padded(size), 0.0f);
    waiting_.fill(0);
    for (const Term& term : terms_) {
      const auto n = static_cast<std::size_t>(block.starts[term.id + 1] - block.starts[term.id]);
      for (std::size_t l = 0; l < term.layer; ++l) waiting_[l] += n;
    }
  }

  /// sums[d] += what d and the query share in a layer, or a little more.
  void add_layer(std::size_t l) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].layer == l) add(terms_[i]);
    }
  }

  std::size_t size() const { return size_; }
  float sum(std::size_t d) const { return sums_[d]; }
  double exact(std::size_t d) const { return index_.product(block_->first + d, query_.data()); }
  void prefetch(std::size_t d) const { index_.prefetch(block_->first + d); }
  /// Makes sure that a document is not found again.
  void drop(std::size_t d) { sums_[d] = -std::numeric_limits<float>::infinity(); }

  /// What a sum with its rest must reach for the similarity to be at least `least`, or a little less:
  /// rounding takes no more from a sum of so many products.
  float floor_of(double least) const {
    const double reach = 1 + 1.2e-7 * static_cast<double>(terms_.size() + 20);
    return std::max(static_cast<float>(least / reach), std::numeric_limits<float>::min());
  }

  /// Whether a document can reach a floor, given the layers up to l.
  bool can_reach(std::size_t d, std::size_t l, float floor) const {
    return sums_[d] + rests_[l] * block_->rests[l][d] >= floor;
  }

  /// Calls take(d) for documents that can reach floor(), which may rise meanwhile, until it returns false.
  template <class Floor, class Take>
  void for_each_reaching(std::size_t l, Floor floor, Take take) const {
    const float* rests = block_->rests[l].data();
    for (std::size_t first = 0; first < size_; first += Block::step) {
      const float least = floor();
      int any = 0;  // without a way out, so that compilers compare several at a time
      for (std::size_t d = first; d < first + Block::step; ++d)
        any |= sums_[d] + rests_[l] * rests[d] >= least;
      if (!any) continue;
      for (std::size_t d = first; d < std::min(size_, first + Block::step); ++d) {
        if (can_reach(d, l, floor()) && !take(d)) return;
      }
    }
  }

  /// Writes down what can reach a floor, given the layers up to l. False if it is too much to look at.
  bool collect(std::size_t l, float floor, std::vector<std::size_t>& candidates) const {
    const std::size_t most = worth_a_look(l);
    candidates.clear();
    for_each_reaching(
        l, [floor] { return floor; },
        [&](std::size_t d) {
          candidates.push_back(d);
          return candidates.size() <= most;
        });
    return candidates.size() <= most;
  }

 private:
  struct Term {
    std::size_t id, layer;
    float weight;
  };

  /// How many documents to look at one by one, rather than to add the layers after l: a term of a document
  /// takes about as long as five postings.
  std::size_t worth_a_look(std::size_t l) const {
    if (l + 1 == n_layers) return size_;
    return waiting_[l] / (5 * index_.mean_length() + 100);
  }

  void add(const Term& term) {
    const auto begin = static_cast<std::size_t>(block_->starts[term.id]);
    auto end = static_cast<std::size_t>(block_->starts[term.id + 1]);
    const uint16_t* docs = block_->docs.data();
    if (size_ < block_->size) {
      end = static_cast<std::size_t>(std::lower_bound(docs + begin, docs + end, size_) - docs);
    }
    for (std::size_t i = begin; i < end; ++i) sums_[docs[i]] += term.weight * block_->weights[i];
  }

  const InvertedIndex& index_;
  std::vector<double> query_;  // by term
  std::vector<Term> terms_;
  std::array<float, n_layers> rests_{};
  const Block* block_ = nullptr;
  std::size_t size_ = 0;
  std::vector<float> sums_;
  std::array<std::size_t, n_layers> waiting_{};  // postings of the layers after each
};

}  // namespace tallytext
