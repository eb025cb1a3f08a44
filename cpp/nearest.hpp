#pragma once
// The documents of an index that are most similar to others. Exact, though most postings are never visited:
// frequent terms are many postings and little weight, so that a bound on what they add rules out nearly all.
#include <algorithm>
#include <limits>
#include <vector>

#include "parallel.hpp"
#include "similarity.hpp"

namespace tallytext {

struct Neighbour {
  double similarity;
  int32_t doc;
  /// Whether this one is nearer.
  bool operator<(const Neighbour& other) const {
    return similarity != other.similarity ? similarity > other.similarity : doc < other.doc;
  }
};

/// The k nearest of all that were offered.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) {}

  std::size_t k() const { return k_; }
  bool is_full() const { return heap_.size() == k_; }
  /// What a document must reach to be among them.
  double least() const { return is_full() ? heap_.front().similarity : 0; }

  void offer(Neighbour neighbour) {
    if (!(neighbour.similarity > 0)) return;
    if (is_full()) {
      if (!(neighbour < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = neighbour;
    } else {
      heap_.push_back(neighbour);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// Gives them up, nearest first.
  template <class Take>
  void drain(Take take) {
    std::sort(heap_.begin(), heap_.end());
    for (const Neighbour& neighbour : heap_) take(neighbour);
    heap_.clear();
  }

 private:
  std::size_t k_;
  std::vector<Neighbour> heap_;  // the farthest on top
};

/// One thread's search for the nearest documents.
class NearestSearch {
 public:
  NearestSearch(const InvertedIndex& index, std::size_t k)
      : index_(index), similarities_(index), found_(k), seeds_(k) {}

  /// Writes the nearest documents of a query; what is missing of k is left as it is.
  void find(const WeightedRows<double>& queries, std::size_t q, int32_t* docs, double* similarities) {
    similarities_.begin(queries, q);
    for (const Block& block : index_.blocks()) visit(block);
    similarities_.end();
    found_.drain([&](const Neighbour& neighbour) {
      *docs++ = neighbour.doc;
      *similarities++ = neighbour.similarity;
    });
  }

 private:
  void visit(const Block& block) {
    similarities_.enter(block, block.size);
    for (std::size_t l = 0; l < n_layers; ++l) {
      similarities_.add_layer(l);
      if (l == 0 && !found_.is_full()) seed(block);
      if (collect(l)) return look_at(block, l);
    }
  }

  /// Looks at the largest sums so far: they tell what all others have to reach.
  void seed(const Block& block) {
    const auto least = [&] { return std::max(static_cast<float>(seeds_.least()), 1e-37f); };
    similarities_.for_each_reaching(n_layers - 1, least, [&](std::size_t d) {
      seeds_.offer({similarities_.sum(d), static_cast<int32_t>(d)});
      return true;
    });
    seeds_.drain([&](const Neighbour& seed) {
      const auto d = static_cast<std::size_t>(seed.doc);
      offer(block, d);
      similarities_.drop(d);
    });
  }

  /// Finds what can be near, given the layers up to l. False if it is too much to look at.
  bool collect(std::size_t l) {
    if (!found_.is_full() && l + 1 < n_layers) return false;
    return similarities_.collect(l, similarities_.floor_of(found_.least()), candidates_);
  }

  void look_at(const Block& block, std::size_t l) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::size_t d = candidates_[i];
      if (i + 1 < candidates_.size()) similarities_.prefetch(candidates_[i + 1]);
      // The floor may have risen since.
      if (similarities_.can_reach(d, l, similarities_.floor_of(found_.least()))) offer(block, d);
    }
  }

  void offer(const Block& block, std::size_t d) {
    found_.offer({similarities_.exact(d), static_cast<int32_t>(block.first + d)});
  }

  const InvertedIndex& index_;
  Similarities similarities_;
  Nearest found_, seeds_;
  std::vector<std::size_t> candidates_;
};

/// Writes the k nearest documents of each query, n × k, nearest first, of equals the lower number first.
/// Documents that share no term with a query are not among them; what is missing is -1, with similarity 0.
inline void find_nearest(const InvertedIndex& index, const WeightedRows<double>& queries, std::size_t k,
                         std::size_t n_threads, int32_t* docs, double* similarities) {
  std::fill_n(docs, queries.size() * k, -1);
  std::fill_n(similarities, queries.size() * k, 0.0);
  if (k == 0) return;
  in_turns(
      queries.size(), n_threads, [&] { return NearestSearch(index, k); },
      [&](NearestSearch& search, std::size_t q) {
        search.find(queries, q, docs + q * k, similarities + q * k);
      });
}

}  // namespace tallytext
