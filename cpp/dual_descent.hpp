#pragma once
// Linear support vector machines, one against all others, by dual coordinate descent on rows of unit length.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "memory.hpp"
#include "parallel.hpp"
#include "score.hpp"

namespace tallytext {

// Documents as unit vectors: logarithmic counts times a scale per term, normalised.

/// 1 + ln x, or x itself below 1, where the two curves touch: so no count has a negative weight.
class Damping {
 public:
  Damping() {
    for (std::size_t x = 1; x < small_.size(); ++x) small_[x] = static_cast<float>(1 + std::log(x));
  }

  float operator()(double x) const {
    if (x < 1) return static_cast<float>(x);
    const auto whole = x < static_cast<double>(small_.size()) ? static_cast<std::size_t>(x) : 0;
    return whole && static_cast<double>(whole) == x ? small_[whole] : static_cast<float>(1 + std::log(x));
  }

 private:
  std::array<float, 256> small_{};
};

struct Feature {
  TermId term;
  float value;
};

/// Writes damped(x) * scale[term] for the terms of a document with a scale above zero, normalised to unit
/// length; returns their number. The caller provides room for all terms.
inline std::size_t write_unit_row(const WeightedRows<double>& docs, std::size_t d,
                                  std::span<const float> scale, const Damping& damped, Feature* row) {
  std::size_t n = 0;
  double square = 0;
  for (std::size_t i = docs.begin(d); i < docs.end(d); ++i) {
    const TermId term = docs.terms[i];
    if (term < 0 || static_cast<std::size_t>(term) >= scale.size()) continue;
    const float value = damped(docs.values[i]) * scale[static_cast<std::size_t>(term)];
    if (value == 0) continue;
    square += static_cast<double>(value) * value;
    row[n++] = {term, value};
  }
  const float norm = square > 0 ? static_cast<float>(1 / std::sqrt(square)) : 0.0f;
  for (std::size_t i = 0; i < n; ++i) row[i].value *= norm;
  return n;
}

/// Writes bias + sum_w x_w weights[w] for each document of unit length, n × n_classes; weights is row-major,
/// with one row for each term.
inline void score_unit_rows(const WeightedRows<double>& docs, std::span<const float> scale,
                            const float* weights, std::span<const float> bias, std::size_t n_threads,
                            float* scores) {
  const Damping damped;
  const std::size_t n_classes = bias.size();
  docs.for_each(n_threads, [&](Range range) {
    constexpr std::size_t ahead = 8;
    std::vector<Feature> row;
    const auto weights_of = [&](std::size_t i) {
      return weights + static_cast<std::size_t>(row[i].term) * n_classes;
    };
    for (std::size_t d = range.begin; d < range.end; ++d) {
      row.resize(std::max(row.size(), docs.end(d) - docs.begin(d)));
      const std::size_t n = write_unit_row(docs, d, scale, damped, row.data());
      float* into = scores + d * n_classes;
      std::copy(bias.begin(), bias.end(), into);
      for (std::size_t i = 0; i < std::min(n, ahead); ++i) __builtin_prefetch(weights_of(i));
      for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) __builtin_prefetch(weights_of(i + ahead));
        const float* from = weights_of(i);
        const float x = row[i].value;
        for (std::size_t c = 0; c < n_classes; ++c) into[c] += x * from[c];
      }
    }
  });
}

// Linear classifiers with the squared hinge loss, one against all others, by dual coordinate descent: all
// classes in one sweep over the documents.
//
// For each class c, with y = +1 for its documents and -1 for all others, minimise over w
//   |w - start|² / 2 + cost sum_i max(0, 1 - y_i w·x_i)²
// where the last entry of x_i, the bias, is the same for all documents. The invariant is w = start + sum_i
// a_i y_i x_i; a step on document i moves a_i to its optimum for fixed other a.

/// Four classes side by side: weights are stored in whole quads, which every processor adds at once.
using Quad [[gnu::vector_size(16)]] = float;
constexpr std::size_t quad_size = 4;

/// A random number generator with the same numbers on every platform (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number below n < 2³²; the bias of the modulus is negligible.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

 private:
  uint64_t state_;
};

/// The numbers 0 … n - 1 in random order.
inline std::vector<uint32_t> shuffled(std::size_t n, Random& random) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
  return order;
}

/// Documents of unit length with their classes, in random order; the bias is stored separately.
struct DualProblem {
  static constexpr float bias = 0.3f;       // as a feature of value 1 it would oscillate for some passes
  static constexpr std::size_t ahead = 12;  // number of features that can be read beyond the last

  std::vector<uint32_t> order;  // the document at each position
  std::vector<std::size_t> starts{0}, label_starts{0};
  Buffer<Feature> features;
  std::vector<ClassId> labels;
  std::size_t n_terms = 0, n_classes = 0;
  float cost = 1;

  std::size_t size() const { return order.size(); }
  std::span<const Feature> row(std::size_t at) const {
    return {features.data() + starts[at], starts[at + 1] - starts[at]};
  }
  std::span<const ClassId> classes(std::size_t at) const {
    return {labels.data() + label_starts[at], label_starts[at + 1] - label_starts[at]};
  }

  /// Sets the documents as unit vectors, in an order that depends on the seed; terms without a scale are
  /// dropped.
  void take(const WeightedRows<double>& docs, std::span<const float> scale, uint64_t seed) {
    const Damping damped;
    Random random(seed);
    order = shuffled(docs.size(), random);
    n_terms = scale.size();
    features.resize(docs.terms.size() + ahead, {0, 0});
    for (const uint32_t d : order) {
      const std::size_t start = starts.back();
      starts.push_back(start + write_unit_row(docs, d, scale, damped, features.data() + start));
    }
  }

  /// Sets the classes of each document, after the documents.
  void take_labels(std::span<const int64_t> rows, std::span<const ClassId> classes) {
    for (const uint32_t d : order) {
      labels.insert(labels.end(), classes.begin() + rows[d], classes.begin() + rows[d + 1]);
      label_starts.push_back(labels.size());
    }
  }
};

/// The weights and duals of a range of whole quads of classes. Classes are independent, so ranges can be
/// trained in parallel, and the result does not depend on the ranges.
class DualShare {
 public:
  DualShare(const DualProblem& problem, std::size_t first, std::size_t n_quads)
      : problem_(problem),
        first_(first),
        width_(n_quads),
        weights_((problem.n_terms + 1) * n_quads, Quad{}),
        duals_(problem.size() * n_quads, Quad{}),
        sums_(n_quads),
        signs_(n_quads),
        steps_(n_quads),
        moved_(n_quads) {
    set_signs({}, 0);
  }

  std::size_t first() const { return first_; }
  std::size_t last() const { return std::min(first_ + width_ * quad_size, problem_.n_classes); }

  float& weight(std::size_t term, std::size_t c) { return at(weights_, term, c); }
  float& dual(std::size_t d, std::size_t c) { return at(duals_, d, c); }

  /// Scales all weights and sets the bias. Classes that only pad a quad never have a loss.
  void start(float factor, std::span<const float> bias) {
    constexpr float never_wrong = -100;
    for (Quad& weights : weights_) weights *= factor;
    for (std::size_t c = first_; c < first_ + width_ * quad_size; ++c) {
      weight(problem_.n_terms, c) = c < bias.size() ? bias[c] : never_wrong;
    }
  }

  /// Adds sum_i a_i y_i x_i to the weights.
  void resume() {
    for (std::size_t d = 0; d < problem_.size(); ++d) {
      set_signs(problem_.classes(d), 1);
      const Quad* duals = &duals_[d * width_];
      moved_count_ = 0;
      for (std::size_t q = 0; q < width_; ++q) note(q, signs_[q] * duals[q]);
      set_signs(problem_.classes(d), -1);
      move(problem_.row(d));
    }
  }

  /// Adds to sums[0, c] the scores of the documents of class c minus those of all others, and to sums[1, c]
  /// the squares of all scores.
  void compare(std::span<double> sums) {
    for (std::size_t d = 0; d < problem_.size(); ++d) {
      score(problem_.row(d), 0);
      set_signs(problem_.classes(d), 1);
      for (std::size_t c = first_; c < last(); ++c) {
        const double s = at(sums_, 0, c), sign = at(signs_, 0, c);
        sums[c] += sign * s;
        sums[problem_.n_classes + c] += s * s;
      }
      set_signs(problem_.classes(d), -1);
    }
  }

  /// One step on each document of a range.
  void sweep(Range range) {
    for (std::size_t d = range.begin; d < range.end; ++d) step(d);
  }

 private:
  template <class Array>
  float& at(Array& quads, std::size_t row, std::size_t c) {
    return reinterpret_cast<float*>(quads.data())[row * width_ * quad_size + (c - first_)];
  }

  /// Sets the signs of classes that a document has to +1, or all of them back to -1.
  void set_signs(std::span<const ClassId> classes, int sign) {
    if (sign == 0) return std::fill(signs_.begin(), signs_.end(), Quad{-1, -1, -1, -1});
    for (const ClassId c : classes) {
      const auto label = static_cast<std::size_t>(c);
      if (label >= first_ && label < last()) at(signs_, 0, label) = static_cast<float>(sign);
    }
  }

  /// sums_ = w·x, with `bias` as the last entry of x.
  void score(std::span<const Feature> row, float bias) {
    std::size_t q = 0;
    for (; q + 8 <= width_; q += 8) score_some<8>(row, bias, q);
    switch (width_ - q) {
      case 1: return score_some<1>(row, bias, q);
      case 2: return score_some<2>(row, bias, q);
      case 3: return score_some<3>(row, bias, q);
      case 4: return score_some<4>(row, bias, q);
      case 5: return score_some<5>(row, bias, q);
      case 6: return score_some<6>(row, bias, q);
      case 7: return score_some<7>(row, bias, q);
      default: return;
    }
  }

  /// For so few quads that the sums stay in registers.
  template <std::size_t n>
  void score_some(std::span<const Feature> row, float bias, std::size_t q) {
    constexpr std::size_t line = 64 / sizeof(Quad);
    std::array<Quad, n> sums;
    const Quad* weights = &weights_[q];
    for (std::size_t j = 0; j < n; ++j) sums[j] = bias * weights[problem_.n_terms * width_ + j];
    const Feature* end = row.data() + row.size();
    for (const Feature* feature = row.data(); feature < end; ++feature) {
      // Documents are visited in order, so this prefetches a feature of one of the next.
      const auto later = static_cast<std::size_t>(feature[DualProblem::ahead].term);
      for (std::size_t j = 0; j < n; j += line) __builtin_prefetch(weights + later * width_ + j);
      const Quad* of_term = weights + static_cast<std::size_t>(feature->term) * width_;
      for (std::size_t j = 0; j < n; ++j) sums[j] += feature->value * of_term[j];
    }
    std::copy(sums.begin(), sums.end(), sums_.begin() + static_cast<std::ptrdiff_t>(q));
  }

  void step(std::size_t d) {
    constexpr float square_of_bias = DualProblem::bias * DualProblem::bias;
    const auto row = problem_.row(d);
    const float damping = 1 / (2 * problem_.cost);
    const float rate = 1 / ((row.empty() ? 0 : 1) + square_of_bias + damping);
    score(row, DualProblem::bias);
    set_signs(problem_.classes(d), 1);
    Quad* duals = &duals_[d * width_];
    moved_count_ = 0;
    for (std::size_t q = 0; q < width_; ++q) {
      const Quad moved = duals[q] - (signs_[q] * sums_[q] - 1 + duals[q] * damping) * rate;
      note(q, signs_[q] * settle(duals[q], moved));
    }
    set_signs(problem_.classes(d), -1);
    move(row);
  }

  /// Moves the duals to their optimum, but not below zero, and not by less than a tolerance that depends on
  /// the class alone; returns the steps.
  static Quad settle(Quad& duals, Quad wanted) {
    constexpr float next_to_nothing = 1e-7f;
    const Quad zero{};
    wanted = wanted > zero ? wanted : zero;
    const Quad change = wanted - duals;
    const auto moves = (change > next_to_nothing) | (change < -next_to_nothing);
    duals = moves ? wanted : duals;
    return moves ? change : zero;
  }

  void note(std::size_t q, Quad step) {
    const auto parts = std::bit_cast<std::array<uint64_t, 2>>(step);
    constexpr uint64_t magnitudes = 0x7fffffff7fffffffu;
    if (((parts[0] | parts[1]) & magnitudes) == 0) return;
    moved_[moved_count_] = q;
    steps_[moved_count_++] = step;
  }

  /// w += step x, for the quads that moved.
  void move(std::span<const Feature> row) {
    if (!moved_count_) return;
    for (const Feature& feature : row) {
      add(static_cast<std::size_t>(feature.term), feature.value);
    }
    add(problem_.n_terms, DualProblem::bias);
  }

  void add(std::size_t term, float x) {
    Quad* weights = &weights_[term * width_];
    for (std::size_t j = 0; j < moved_count_; ++j) weights[moved_[j]] += x * steps_[j];
  }

  const DualProblem& problem_;
  std::size_t first_, width_;
  Buffer<Quad> weights_, duals_;            // (n_terms + 1) × width, n × width
  std::vector<Quad> sums_, signs_, steps_;  // of the current document
  std::vector<std::size_t> moved_;
  std::size_t moved_count_ = 0;
};

/// All classes, divided among threads.
class DualDescent {
 public:
  DualDescent(DualProblem&& problem, std::size_t n_threads) : problem_(std::move(problem)) {
    const std::size_t n_quads = (problem_.n_classes + quad_size - 1) / quad_size;
    for (const Range quads : shares(n_quads, n_threads, [](std::size_t) { return 1; })) {
      parts_.emplace_back(problem_, quads.begin * quad_size, quads.end - quads.begin);
    }
  }
  DualDescent(const DualDescent&) = delete;  // the shares refer to the problem

  const DualProblem& problem() const { return problem_; }

  /// Calls work(share) for all shares in parallel.
  template <class Work>
  void for_each(Work work) {
    in_parallel(parts_.size(), [&](std::size_t i) { work(parts_[i]); });
  }

  /// One pass over the documents, in runs of neighbours; the order of the runs depends on the seed.
  /// Neighbours are already in random order, and reading them in sequence is twice as fast as random access.
  void sweep(uint64_t seed) {
    Random random(seed);
    const std::size_t n = problem_.size(), run = std::clamp<std::size_t>(n / 256, 1, 32);
    const auto order = shuffled((n + run - 1) / run, random);
    for_each([&](DualShare& share) {
      for (const uint32_t at : order) share.sweep({at * run, std::min((at + 1) * run, n)});
    });
  }

 private:
  DualProblem problem_;
  std::vector<DualShare> parts_;
};

}  // namespace tallytext
