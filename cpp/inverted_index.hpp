#pragma once
// The inverted index of weighted documents: exact nearest neighbours and similar pairs, with pruning.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "score.hpp"

namespace tallytext {

// Documents as rows of weights, and for each term the documents that contain it.

/// Terms are visited in layers, rare terms first: they have most of the weight and few of the postings. A
/// term of layer l is in at most 1 / layer_shares[l] of the documents.
constexpr std::size_t n_layers = 4;
constexpr std::array<std::size_t, n_layers> layer_shares = {16, 4, 2, 1};

/// The upper limit of weights, so that no single-precision bound overflows.
constexpr double largest_weight = 1e15;

/// A float not below `value`, and large enough that the product of two of them does not underflow.
inline float no_less(double value) {
  if (value <= 0) return 0;
  const float near = std::max(static_cast<float>(value), 1e-18f);
  return std::nextafter(near, std::numeric_limits<float>::infinity());
}

/// The postings of a block of documents, numbered from its first one, so that the sums stay in cache.
struct Block {
  static constexpr std::size_t capacity = std::size_t{1} << 15;
  static constexpr std::size_t step = 16;
  static constexpr std::size_t padded(std::size_t n) { return (n + step - 1) / step * step; }

  std::size_t first, size;
  Buffer<int64_t> starts;                     // by term
  Buffer<uint16_t> docs;                      // ascending within a term
  Buffer<float> weights;                      // not below the exact weights
  std::array<Buffer<float>, n_layers> rests;  // [l][d]: the norm of d in the layers after l; padded
};

/// Rows ascend by term. Weights are finite, not negative, and at most largest_weight.
class InvertedIndex {
 public:
  InvertedIndex(const WeightedRows<double>& rows, std::size_t n_terms)
      : n_terms_(n_terms), layers_(n_terms, uint8_t{0}) {
    starts_.append(rows.starts.data(), rows.starts.size());
    terms_.append(rows.terms.data(), rows.terms.size());
    weights_.append(rows.values.data(), rows.values.size());
    find_layers();
    for (std::size_t first = 0; first < n_docs(); first += Block::capacity) {
      blocks_.push_back(block_of(first, std::min(n_docs(), first + Block::capacity)));
    }
  }

  std::size_t n_docs() const { return starts_.size() - 1; }
  std::size_t n_terms() const { return n_terms_; }
  std::size_t mean_length() const { return terms_.size() / std::max<std::size_t>(1, n_docs()); }
  const std::vector<Block>& blocks() const { return blocks_; }
  bool holds(TermId term) const { return term >= 0 && static_cast<std::size_t>(term) < n_terms_; }
  std::size_t layer(TermId term) const { return layers_[static_cast<std::size_t>(term)]; }
  WeightedRows<double> rows() const {
    return {
        {starts_.data(), starts_.size()}, {terms_.data(), terms_.size()}, {weights_.data(), weights_.size()}};
  }

  /// Prefetches the row of a document, up to a useful length.
  void prefetch(std::size_t d) const {
    constexpr std::size_t line = 64, most = 512;
    const auto begin = static_cast<std::size_t>(starts_[d]);
    const std::size_t end = std::min(static_cast<std::size_t>(starts_[d + 1]), begin + most);
    for (std::size_t i = begin; i < end; i += line / sizeof(TermId)) load_soon(&terms_[i]);
    for (std::size_t i = begin; i < end; i += line / sizeof(double)) load_soon(&weights_[i]);
  }

  /// The inner product of a document and a query stored as a dense vector. Four independent sums hide the
  /// latency of the additions; their order depends on the document alone, so equal documents have equal
  /// similarities.
  double product(std::size_t d, const double* query) const {
    const auto begin = static_cast<std::size_t>(starts_[d]), end = static_cast<std::size_t>(starts_[d + 1]);
    std::array<double, 4> sums{};
    for (std::size_t i = begin; i < end; ++i) {
      sums[(i - begin) % 4] += weights_[i] * query[terms_[i]];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

 private:
  void find_layers() {
    std::vector<std::size_t> frequencies(n_terms_);
    for (const TermId term : terms_) ++frequencies[static_cast<std::size_t>(term)];
    for (std::size_t w = 0; w < n_terms_; ++w) {
      while (frequencies[w] * layer_shares[layers_[w]] > n_docs()) ++layers_[w];
    }
  }

  Block block_of(std::size_t first, std::size_t last) const {
    Block block{first, last - first, {}, {}, {}, {}};
    const auto begin = static_cast<std::size_t>(starts_[first]),
               end = static_cast<std::size_t>(starts_[last]);
    block.starts.resize(n_terms_ + 1, 0);
    block.docs.resize(end - begin);
    block.weights.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) ++block.starts[static_cast<std::size_t>(terms_[i]) + 1];
    for (std::size_t w = 0; w < n_terms_; ++w) block.starts[w + 1] += block.starts[w];
    fill(block);
    find_rests(block);
    return block;
  }

  void fill(Block& block) const {
    std::vector<int64_t> next(block.starts.begin(), block.starts.end());
    for (std::size_t d = 0; d < block.size; ++d) {
      for (int64_t i = starts_[block.first + d]; i < starts_[block.first + d + 1]; ++i) {
        const auto from = static_cast<std::size_t>(i);
        const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(terms_[from])]++);
        block.docs[to] = static_cast<uint16_t>(d);
        block.weights[to] = no_less(weights_[from]);
      }
    }
  }

  void find_rests(Block& block) const {
    for (Buffer<float>& rests : block.rests) rests.resize(Block::padded(block.size), 0.0f);
    for (std::size_t d = 0; d < block.size; ++d) {
      const auto norms = rest_norms(rows(), block.first + d);
      for (std::size_t l = 0; l < n_layers; ++l) block.rests[l][d] = norms[l];
    }
  }

 public:
  /// For each layer an upper bound of the norm of row d in later layers.
  std::array<float, n_layers> rest_norms(const WeightedRows<double>& rows, std::size_t d) const {
    std::array<double, n_layers> squares{};
    for (std::size_t i = rows.begin(d); i < rows.end(d); ++i) {
      if (!holds(rows.terms[i])) continue;
      squares[layer(rows.terms[i])] += rows.values[i] * rows.values[i];
    }
    std::array<float, n_layers> norms{};
    double after = 0;
    for (std::size_t l = n_layers; l-- > 0; after += squares[l]) {
      norms[l] = after > 0 ? no_less(std::sqrt(after) * (1 + 1e-9)) : 0;
    }
    return norms;
  }

 private:
  std::size_t n_terms_;
  std::vector<uint8_t> layers_;  // by term
  Buffer<int64_t> starts_;
  Buffer<TermId> terms_;
  Buffer<double> weights_;
  std::vector<Block> blocks_;
};

// Similarities of the documents of a block to a query: upper bounds first, exact values where needed.

/// The sums of products of one thread, for one query after the other.
class Similarities {
 public:
  explicit Similarities(const InvertedIndex& index)
      : index_(index), query_(index.n_terms()), sums_(Block::capacity) {}

  /// Terms that are not in the index are ignored.
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

  /// Starts with the first `size` documents of a block.
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

  /// sums[d] += an upper bound of the product of d and the query in a layer.
  void add_layer(std::size_t l) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (terms_[i].layer == l) add(terms_[i]);
    }
  }

  std::size_t size() const { return size_; }
  float sum(std::size_t d) const { return sums_[d]; }
  double exact(std::size_t d) const { return index_.product(block_->first + d, query_.data()); }
  void prefetch(std::size_t d) const { index_.prefetch(block_->first + d); }
  /// Excludes a document from later results.
  void drop(std::size_t d) { sums_[d] = -std::numeric_limits<float>::infinity(); }

  /// A lower bound, with a margin for rounding, of the sum and remainder of a document whose similarity is at
  /// least `least`.
  float floor_of(double least) const {
    const double reach = 1 + 1.2e-7 * static_cast<double>(terms_.size() + 20);
    return std::max(static_cast<float>(least / reach), std::numeric_limits<float>::min());
  }

  /// True if a document can reach a floor, given the layers up to l.
  bool can_reach(std::size_t d, std::size_t l, float floor) const {
    return sums_[d] + rests_[l] * block_->rests[l][d] >= floor;
  }

  /// Calls take(d) for documents that can reach floor(), which can rise meanwhile, until it returns false.
  template <class Floor, class Take>
  void for_each_reaching(std::size_t l, Floor floor, Take take) const {
    const float* rests = block_->rests[l].data();
    for (std::size_t first = 0; first < size_; first += Block::step) {
      const float least = floor();
      int any = 0;  // no early exit, so that compilers vectorise the loop
      for (std::size_t d = first; d < first + Block::step; ++d)
        any |= sums_[d] + rests_[l] * rests[d] >= least;
      if (!any) continue;
      for (std::size_t d = first; d < std::min(size_, first + Block::step); ++d) {
        if (can_reach(d, l, floor()) && !take(d)) return;
      }
    }
  }

  /// Lists the documents that can reach a floor, given the layers up to l. False if there are too many to
  /// compare exactly.
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

  /// The number of exact comparisons that cost as much as adding the layers after l: a term of a document
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
  std::array<std::size_t, n_layers> waiting_{};  // number of postings in the layers after each
};

// Exact nearest neighbours. Most postings are never visited: frequent terms have many postings and little
// weight, so a bound on their contribution excludes nearly all documents.

struct Neighbour {
  double similarity;
  int32_t doc;
  /// True if this one is nearer.
  bool operator<(const Neighbour& other) const {
    return similarity != other.similarity ? similarity > other.similarity : doc < other.doc;
  }
};

/// The k nearest of all offered documents.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) {}

  std::size_t k() const { return k_; }
  bool is_full() const { return heap_.size() == k_; }
  /// The similarity that a document must reach to be among them.
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

  /// Moves them out, nearest first.
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

/// The search of one thread for the nearest documents.
class NearestSearch {
 public:
  NearestSearch(const InvertedIndex& index, std::size_t k)
      : index_(index), similarities_(index), found_(k), seeds_(k) {}

  /// Writes the nearest documents of a query; if there are fewer than k, the other entries are not written.
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

  /// Compares the documents with the largest sums exactly: they set the floor for all others.
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

  /// Compares the candidates, given the layers up to l. False if there are too many.
  bool collect(std::size_t l) {
    if (!found_.is_full() && l + 1 < n_layers) return false;
    return similarities_.collect(l, similarities_.floor_of(found_.least()), candidates_);
  }

  void look_at(const Block& block, std::size_t l) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::size_t d = candidates_[i];
      if (i + 1 < candidates_.size()) similarities_.prefetch(candidates_[i + 1]);
      // The floor can have risen since.
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

/// Writes the k nearest documents of each query, n × k, nearest first, ties by the lower number. Documents
/// that share no term with a query are excluded; missing neighbours are -1, with similarity 0.
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

// Pairs of similar documents within one index.

struct Pair {
  int32_t doc, earlier;
  double similarity;
};

/// The comparison of documents with all earlier ones, by one thread.
class PairSearch {
 public:
  explicit PairSearch(const InvertedIndex& index) : index_(index), similarities_(index) {}

  /// Calls take(pair) for all earlier documents with a positive similarity of at least `least`.
  template <class Take>
  void find(std::size_t doc, double least, Take take) {
    const auto offer = [&](const Block& block, std::size_t d) {
      const double similarity = similarities_.exact(d);
      if (similarity < least || !(similarity > 0)) return;
      take(Pair{static_cast<int32_t>(doc), static_cast<int32_t>(block.first + d), similarity});
    };
    compare(doc, [&](const Block& block) { visit(block, similarities_.floor_of(least), offer); });
  }

  /// ++bins[i] for each earlier document with a similarity s > 0, i = floor(s n); the last bin includes s >=
  /// 1. In single precision, with a relative error of some millionths.
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

/// All pairs of a document of the range and an earlier one with enough similarity, in order.
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

/// The histogram of similarities between documents of the range and earlier ones, as PairSearch counts them.
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
