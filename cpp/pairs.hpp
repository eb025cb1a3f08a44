#pragma once
// Pairs of documents of one index that are similar to each other.
#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "similarity.hpp"

namespace tallytext {

struct Pair {
  int32_t doc, earlier;
  double similarity;
};

/// One thread's comparison of documents with all that come before them.
class PairSearch {
 public:
  explicit PairSearch(const InvertedIndex& index) : index_(index), similarities_(index) {}

  /// Calls take(pair) for all earlier documents whose similarity is positive and at least `least`.
  template <class Take>
  void find(std::size_t doc, double least, Take take) {
    const auto offer = [&](const Block& block, std::size_t d) {
      const double similarity = similarities_.exact(d);
      if (similarity < least || !(similarity > 0)) return;
      take(Pair{static_cast<int32_t>(doc), static_cast<int32_t>(block.first + d), similarity});
    };
    compare(doc, [&](const Block& block) { visit(block, similarities_.floor_of(least), offer); });
  }

  /// ++bins[i] for each earlier document with a similarity s > 0, i = floor(s n), the last for s of 1 or
  /// more. In single precision: s may be off by some millionths of itself.
  void count(std::size_t doc, std::span<int64_t> bins) {
    const auto n = static_cast<float>(bins.size());
    compare(doc, [&](const Block&) {
      for (std::size_t l = 0; l < n_layers; ++l) similarities_.add_layer(l);
      for (std::size_t d = 0; d < similarities_.size(); ++d) {
        const float place = std::min(similarities_.sum(d) * n, n - 1);
        if (place > 0) ++bins[static_cast<std::size_t>(place)];
      }
    });
  }

 private:
  template <class Visit>
  void compare(std::size_t doc, Visit visit) {
    similarities_.begin(index_.rows(), doc);
    for (const Block& block : index_.blocks()) {
      if (block.first >= doc) break;
      similarities_.enter(block, std::min(block.size, doc - block.first));
      visit(block);
    }
    similarities_.end();
  }

  template <class Offer>
  void visit(const Block& block, float floor, Offer offer) {
    for (std::size_t l = 0; l < n_layers; ++l) {
      similarities_.add_layer(l);
      if (!similarities_.collect(l, floor, candidates_)) continue;
      for (const std::size_t d : candidates_) offer(block, d);
      return;
    }
  }

  const InvertedIndex& index_;
  Similarities similarities_;
  std::vector<std::size_t> candidates_;
};

/// All pairs of a document of the range and an earlier one that are similar enough, in order.
inline std::vector<Pair> similar_pairs(const InvertedIndex& index, Range range, double least,
                                       std::size_t n_threads) {
  std::vector<std::vector<Pair>> found(range.end - range.begin);
  in_turns(
      found.size(), n_threads, [&] { return PairSearch(index); },
      [&](PairSearch& search, std::size_t i) {
        search.find(range.begin + i, least, [&](const Pair& pair) { found[i].push_back(pair); });
      });
  std::vector<Pair> pairs;
  for (const auto& some : found) pairs.insert(pairs.end(), some.begin(), some.end());
  return pairs;
}

/// How many pairs of a document of the range and an earlier one are how similar, as PairSearch counts them.
inline std::vector<int64_t> count_pairs(const InvertedIndex& index, Range range, std::size_t n_bins,
                                        std::size_t n_threads) {
  const std::size_t n_shares = std::min(n_threads, range.end - range.begin);
  std::vector<std::vector<int64_t>> counts(n_shares, std::vector<int64_t>(n_bins));
  in_parallel(n_shares, [&](std::size_t share) {
    PairSearch search(index);
    for (std::size_t doc = range.begin + share; doc < range.end; doc += n_shares)
      search.count(doc, counts[share]);
  });
  std::vector<int64_t> bins(n_bins);
  for (const auto& some : counts)
    std::transform(bins.begin(), bins.end(), some.begin(), bins.begin(), std::plus<>());
  return bins;
}

}  // namespace tallytext
