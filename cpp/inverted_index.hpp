#pragma once
// Documents as rows of weights, and for each term the documents that have it.
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "memory.hpp"
#include "score.hpp"

namespace tallytext {

/// Terms are visited in layers, those of few documents first: these have most of the weight and hardly any
/// of the postings. A term of layer l is in at most 1 / layer_shares[l] of the documents.
constexpr std::size_t n_layers = 4;
constexpr std::array<std::size_t, n_layers> layer_shares = {16, 4, 2, 1};

/// No weight may be larger, so that no bound of single precision overflows.
constexpr double largest_weight = 1e15;

/// A float that is no less than `value`, and so large that the product of two of them does not vanish.
inline float no_less(double value) {
  if (value <= 0) return 0;
  const float near = std::max(static_cast<float>(value), 1e-18f);
  return std::nextafter(near, std::numeric_limits<float>::infinity());
}

/// The postings of some documents, numbered from the first of them, so that their sums stay in cache.
struct Block {
  static constexpr std::size_t capacity = std::size_t{1} << 15;
  static constexpr std::size_t step = 16;
  static constexpr std::size_t padded(std::size_t n) { return (n + step - 1) / step * step; }

  std::size_t first, size;
  Buffer<int64_t> starts;                     // by term
  Buffer<uint16_t> docs;                      // ascend within a term
  Buffer<float> weights;                      // no less than the exact ones
  std::array<Buffer<float>, n_layers> rests;  // [l][d]: the norm of what d has in layers after l; padded
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

  /// Asks for the row of a document, as far as it is worth while.
  void prefetch(std::size_t d) const {
    constexpr std::size_t line = 64, most = 512;
    const auto begin = static_cast<std::size_t>(starts_[d]);
    const std::size_t end = std::min(static_cast<std::size_t>(starts_[d + 1]), begin + most);
    for (std::size_t i = begin; i < end; i += line / sizeof(TermId)) __builtin_prefetch(&terms_[i]);
    for (std::size_t i = begin; i < end; i += line / sizeof(double)) __builtin_prefetch(&weights_[i]);
  }

  /// The inner product of a document and a query that is laid out by term. Four sums, so that none waits for
  /// the one before; which number goes where depends on the document alone, so equal ones are equally near.
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
  /// For each layer the norm of what row d has in later ones, or a little more.
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

}  // namespace tallytext
