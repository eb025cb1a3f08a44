#pragma once
// Linear classifiers of the squared hinge loss, one against the rest, by descent along dual coordinates: all
// classes in one sweep over the documents.
//
// For each class c, with y = +1 for its documents and -1 for all others, minimise over w
//   |w - start|² / 2 + cost sum_i max(0, 1 - y_i w·x_i)²
// where x_i has a last entry that is the same for all documents, the bias. w = start + sum_i a_i y_i x_i
// holds all the time; a step on document i moves a_i to its best, the others as they are.
#include <bit>
#include <cstring>
#include <numeric>

#include "memory.hpp"
#include "unit_rows.hpp"

namespace tallytext {

/// Four classes side by side. Weights lie in whole ones, which every processor adds at once.
using Quad [[gnu::vector_size(16)]] = float;
constexpr std::size_t quad_size = 4;

/// A generator of random numbers whose numbers are the same everywhere (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number below n, which is below 2³²; how much likelier some are than others is not noticeable.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

 private:
  uint64_t state_;
};

/// Numbers 0 … n - 1 in an order that chance decides.
inline std::vector<uint32_t> shuffled(std::size_t n, Random& random) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
  return order;
}

/// Documents of length one with their classes, in an order of their own; the bias is apart.
struct DualProblem {
  static constexpr float bias = 0.3f;       // as a feature of value 1 it would swing for some passes
  static constexpr std::size_t ahead = 12;  // features that may be read beyond the last

  std::vector<uint32_t> order;  // the document at each place
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

  /// Takes documents as directions, in an order that the seed decides; terms without a scale are left out.
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

  /// Takes the classes of each document, after the documents.
  void take_labels(std::span<const int64_t> rows, std::span<const ClassId> classes) {
    for (const uint32_t d : order) {
      labels.insert(labels.end(), classes.begin() + rows[d], classes.begin() + rows[d + 1]);
      label_starts.push_back(labels.size());
    }
  }
};

/// What a range of whole quads of classes has learned. Classes know nothing of each other, so that ranges may
/// be worked on at the same time, and what comes out does not depend on how they were cut.
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

  /// Multiplies all weights and gives the bias its own. Classes that only fill a quad are never wrong.
  void start(float factor, std::span<const float> bias) {
    constexpr float never_wrong = -100;
    for (Quad& weights : weights_) weights *= factor;
    for (std::size_t c = first_; c < first_ + width_ * quad_size; ++c) {
      weight(problem_.n_terms, c) = c < bias.size() ? bias[c] : never_wrong;
    }
  }

  /// Adds what the duals stand for to the weights.
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

  /// Adds to sums[0, c] what the documents of each class score for it, less what the others do, and to
  /// sums[1, c] the squares of all scores.
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

  /// sums_ = w·x, the bias being worth `bias`.
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

  /// So few that the sums stay in registers.
  template <std::size_t n>
  void score_some(std::span<const Feature> row, float bias, std::size_t q) {
    constexpr std::size_t line = 64 / sizeof(Quad);
    std::array<Quad, n> sums;
    const Quad* weights = &weights_[q];
    for (std::size_t j = 0; j < n; ++j) sums[j] = bias * weights[problem_.n_terms * width_ + j];
    const Feature* end = row.data() + row.size();
    for (const Feature* feature = row.data(); feature < end; ++feature) {
      // Documents are looked at one after the other, so that it may be one of the next.
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

  /// Moves duals to where they are wanted, but not below zero and not for next to nothing, which depends on
  /// the class alone; returns by how much.
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
  std::vector<Quad> sums_, signs_, steps_;  // of the document at hand
  std::vector<std::size_t> moved_;
  std::size_t moved_count_ = 0;
};

/// All classes, in shares for threads.
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

  /// Calls work(share) for each, at the same time.
  template <class Work>
  void for_each(Work work) {
    in_parallel(parts_.size(), [&](std::size_t i) { work(parts_[i]); });
  }

  /// One pass over the documents, in runs of neighbours whose order the seed decides. Neighbours were thrown
  /// together by chance; taking them one after the other is twice as fast as looking for each.
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
