#pragma once
// Linear support vector machines, one against all others, by dual coordinate descent on rows of unit length.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <unordered_map>

#include "compiler.hpp"
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
/// with a row of `width` numbers for each term, the first n_classes of which are read.
inline void score_unit_rows(const WeightedRows<double>& docs, std::span<const float> scale,
                            const float* weights, std::size_t width, std::span<const float> bias,
                            std::size_t n_threads, float* scores) {
  const Damping damped;
  const std::size_t n_classes = bias.size();
  docs.for_each(n_threads, [&](Range range) {
    constexpr std::size_t ahead = 8;
    std::vector<Feature> row;
    const auto weights_of = [&](std::size_t i) {
      return weights + static_cast<std::size_t>(row[i].term) * width;
    };
    for (std::size_t d = range.begin; d < range.end; ++d) {
      row.resize(std::max(row.size(), docs.end(d) - docs.begin(d)));
      const std::size_t n = write_unit_row(docs, d, scale, damped, row.data());
      float* into = scores + d * n_classes;
      std::copy(bias.begin(), bias.end(), into);
      for (std::size_t i = 0; i < std::min(n, ahead); ++i) load_soon(weights_of(i));
      for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) load_soon(weights_of(i + ahead));
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

  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }

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
  std::vector<float> dampings;  // 1 / (2 cost) of each position
  std::size_t n_terms = 0, n_classes = 0;

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

  /// Sets the classes and the cost of each document, after the documents.
  void take_labels(std::span<const int64_t> rows, std::span<const ClassId> classes,
                   std::span<const float> costs) {
    for (const uint32_t d : order) {
      dampings.push_back(1 / (2 * costs[d]));
      labels.insert(labels.end(), classes.begin() + rows[d], classes.begin() + rows[d + 1]);
      label_starts.push_back(labels.size());
    }
  }
};

/// The weights of a range of whole quads of classes, and the steps of the descent on them. For one thread: it
/// reuses its memory.
class DualWeights {
 public:
  DualWeights(std::size_t first, std::size_t n_quads, std::size_t n_classes, std::size_t n_terms)
      : first_(first), n_classes_(n_classes), n_terms_(n_terms), weights_(n_terms * n_quads, Quad{}) {
    set_width(n_quads);
    bias_.assign(n_quads, Quad{});
  }

  std::size_t first() const { return first_; }
  std::size_t last() const { return std::min(first_ + width_ * quad_size, n_classes_); }
  std::size_t width() const { return width_; }
  std::size_t n_terms() const { return n_terms_; }
  std::size_t n_classes() const { return n_classes_; }

  float& weight(std::size_t term, std::size_t c) { return at(weights_, term, c); }
  float& bias(std::size_t c) { return at(bias_, 0, c); }
  const float* data() const { return reinterpret_cast<const float*>(weights_.data()); }

  /// The scores of a document without a known term.
  std::vector<float> scores_without_terms() const {
    const auto* bias = reinterpret_cast<const float*>(bias_.data());
    std::vector<float> scores(bias, bias + n_classes_);
    for (float& score : scores) score *= DualProblem::bias;
    return scores;
  }

  /// Scales all weights and sets the bias. Classes that only pad a quad never have a loss.
  void start(float factor, std::span<const float> bias_of_class) {
    for (Quad& weights : weights_) weights *= factor;
    for (std::size_t c = first_; c < first_ + width_ * quad_size; ++c) {
      bias(c) = c < bias_of_class.size() ? bias_of_class[c] : never_wrong;
    }
  }

  /// Adds terms with weights of zero.
  void add_terms(std::size_t n_terms) {
    weights_.resize(n_terms * width_, Quad{});
    n_terms_ = n_terms;
  }

  /// Adds a class with weights of zero and this bias; returns true if the width has changed.
  bool add_class(float bias_of_class) {
    const bool is_wider = n_classes_ == width_ * quad_size;
    if (is_wider) {
      const std::size_t width = width_ + 1 + width_ / 4;
      weights_ = widen(weights_, n_terms_, width_, width);
      bias_.resize(width, Quad{never_wrong, never_wrong, never_wrong, never_wrong});
      set_width(width);
    }
    bias(n_classes_++) = bias_of_class;
    return is_wider;
  }

  /// Rows of quads with more quads each; the new ones are zero.
  static Buffer<Quad> widen(const Buffer<Quad>& rows, std::size_t n, std::size_t from, std::size_t to) {
    Buffer<Quad> wider(n * to, Quad{});
    for (std::size_t i = 0; i < n; ++i) std::copy_n(rows.data() + i * from, from, wider.data() + i * to);
    return wider;
  }

  /// w += factor sum_c a_c y_c x.
  void add(std::span<const Feature> row, std::span<const ClassId> classes, const Quad* duals, float factor) {
    set_signs(classes, 1);
    moved_count_ = 0;
    for (std::size_t q = 0; q < width_; ++q) note(q, factor * signs_[q] * duals[q]);
    set_signs(classes, -1);
    move(row);
  }

  /// Adds to sums[0, c] the score of a document if it is of class c, and otherwise subtracts it; adds to
  /// sums[1, c] the square of the score. n is the number of all classes.
  void compare(std::span<const Feature> row, std::span<const ClassId> classes, std::span<double> sums,
               std::size_t n) {
    score(row, 0);
    set_signs(classes, 1);
    for (std::size_t c = first_; c < last(); ++c) {
      const double s = at(sums_, 0, c), sign = at(signs_, 0, c);
      sums[c] += sign * s;
      sums[n + c] += s * s;
    }
    set_signs(classes, -1);
  }

  /// Moves the duals of a document to their optimum for fixed duals of all others. `DualProblem::ahead`
  /// features can be read beyond the row.
  void step(std::span<const Feature> row, std::span<const ClassId> classes, float damping, Quad* duals) {
    constexpr float square_of_bias = DualProblem::bias * DualProblem::bias;
    const float rate = 1 / ((row.empty() ? 0 : 1) + square_of_bias + damping);
    score(row, DualProblem::bias);
    set_signs(classes, 1);
    moved_count_ = 0;
    for (std::size_t q = 0; q < width_; ++q) {
      const Quad moved = duals[q] - (signs_[q] * sums_[q] - 1 + duals[q] * damping) * rate;
      note(q, signs_[q] * settle(duals[q], moved));
    }
    set_signs(classes, -1);
    move(row);
  }

 private:
  static constexpr float never_wrong = -100;

  template <class Array>
  float& at(Array& quads, std::size_t row, std::size_t c) {
    return reinterpret_cast<float*>(quads.data())[row * width_ * quad_size + (c - first_)];
  }

  void set_width(std::size_t width) {
    width_ = width;
    sums_.resize(width);
    signs_.assign(width, Quad{-1, -1, -1, -1});
    steps_.resize(width);
    moved_.resize(width);
  }

  /// Sets the signs of the classes that a document has.
  void set_signs(std::span<const ClassId> classes, int sign) {
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
    const Quad* weights = weights_.data() + q;
    for (std::size_t j = 0; j < n; ++j) sums[j] = bias * bias_[q + j];
    const Feature* end = row.data() + row.size();
    for (const Feature* feature = row.data(); feature < end; ++feature) {
      // Documents are visited in order, so this prefetches a feature of one of the next.
      const auto later = static_cast<std::size_t>(feature[DualProblem::ahead].term);
      for (std::size_t j = 0; j < n; j += line) load_soon(weights + later * width_ + j);
      const Quad* of_term = weights + static_cast<std::size_t>(feature->term) * width_;
      for (std::size_t j = 0; j < n; ++j) sums[j] += feature->value * of_term[j];
    }
    std::copy(sums.begin(), sums.end(), sums_.begin() + static_cast<std::ptrdiff_t>(q));
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
      Quad* weights = weights_.data() + static_cast<std::size_t>(feature.term) * width_;
      for (std::size_t j = 0; j < moved_count_; ++j) weights[moved_[j]] += feature.value * steps_[j];
    }
    for (std::size_t j = 0; j < moved_count_; ++j) bias_[moved_[j]] += DualProblem::bias * steps_[j];
  }

  std::size_t first_, n_classes_, n_terms_, width_ = 0;
  Buffer<Quad> weights_;                           // n_terms × width
  std::vector<Quad> bias_, sums_, signs_, steps_;  // all but the bias are of the current document
  std::vector<std::size_t> moved_;
  std::size_t moved_count_ = 0;
};

/// The weights and duals of a range of whole quads of classes. Classes are independent, so ranges can be
/// trained in parallel, and the result does not depend on the ranges.
class DualShare {
 public:
  DualShare(const DualProblem& problem, std::size_t first, std::size_t n_quads)
      : problem_(problem),
        weights_(first, n_quads, problem.n_classes, problem.n_terms),
        duals_(problem.size() * n_quads, Quad{}) {}

  DualWeights& weights() { return weights_; }
  std::size_t first() const { return weights_.first(); }
  std::size_t last() const { return weights_.last(); }
  float& dual(std::size_t d, std::size_t c) {
    return reinterpret_cast<float*>(duals_of(d))[c - weights_.first()];
  }

  /// Adds sum_i a_i y_i x_i to the weights.
  void resume() {
    for (std::size_t d = 0; d < problem_.size(); ++d) {
      weights_.add(problem_.row(d), problem_.classes(d), duals_of(d), 1);
    }
  }

  /// Adds to sums[0, c] the scores of the documents of class c minus those of all others, and to sums[1, c]
  /// the squares of all scores.
  void compare(std::span<double> sums) {
    for (std::size_t d = 0; d < problem_.size(); ++d) {
      weights_.compare(problem_.row(d), problem_.classes(d), sums, problem_.n_classes);
    }
  }

  /// One step on each document of a range.
  void sweep(Range range) {
    for (std::size_t d = range.begin; d < range.end; ++d) {
      weights_.step(problem_.row(d), problem_.classes(d), problem_.dampings[d], duals_of(d));
    }
  }

 private:
  Quad* duals_of(std::size_t d) { return duals_.data() + d * weights_.width(); }

  const DualProblem& problem_;
  DualWeights weights_;
  Buffer<Quad> duals_;  // n × width
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

/// Documents that come and go, with their duals, and the weights that follow them: after each change, some
/// steps on the changed and on other documents. The scale of terms stays; that of new terms is the same for
/// all. Its weights equal those of a DualDescent that has converged only approximately.
class LiveDescent {
 public:
  struct Cell {
    TermId term;
    float count;
  };

  LiveDescent(std::span<const float> scale, float new_scale, std::size_t n_classes, uint64_t seed)
      : weights_(0, (n_classes + quad_size - 1) / quad_size, n_classes, scale.size()),
        new_scale_(new_scale),
        random_(seed) {
    scale_.append(scale.data(), scale.size());
  }

  std::size_t size() const { return documents_.size(); }
  std::size_t n_cells() const { return cells_.size() - n_garbage_; }
  std::size_t n_labels() const { return n_labels_; }
  DualWeights& weights() { return weights_; }
  const DualWeights& weights() const { return weights_; }
  std::span<const float> scale() const { return {scale_.data(), scale_.size()}; }
  std::span<const Cell> cells(std::size_t d) const {
    return {cells_.data() + documents_[d].begin, documents_[d].size};
  }
  std::span<const ClassId> classes(std::size_t d) const { return documents_[d].classes; }
  uint64_t key(std::size_t d) const { return documents_[d].key; }
  float damping(std::size_t d) const { return documents_[d].damping; }
  float* duals(std::size_t d) { return reinterpret_cast<float*>(duals_.data() + d * weights_.width()); }

  void add_terms(std::size_t n) {
    if (n <= scale_.size()) return;
    scale_.resize(n, new_scale_);
    weights_.add_terms(n);
  }
  void add_class(float bias) {
    const std::size_t before = weights_.width();
    if (weights_.add_class(bias)) {
      duals_ = DualWeights::widen(duals_, documents_.size(), before, weights_.width());
    }
  }

  /// Adds a document with duals of zero, without a step.
  void add(std::span<const TermId> terms, std::span<const double> counts, std::span<const ClassId> classes,
           uint64_t key, float damping) {
    const std::size_t begin = cells_.size();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      cells_.push_back({terms[i], static_cast<float>(counts[i])});
    }
    documents_.push_back({key, begin, terms.size(), damping, {classes.begin(), classes.end()}});
    duals_.resize(documents_.size() * weights_.width(), Quad{});
    positions_.emplace(key, documents_.size() - 1);
    n_labels_ += classes.size();
  }

  /// Steps on the last document, on others at random, and on the last again.
  void learn_last(std::size_t n_steps) {
    step(size() - 1);
    step_at_random(n_steps);
    step(size() - 1);
  }

  /// True if there are as many documents with each key as the keys say.
  bool holds(std::span<const uint64_t> keys) const {
    std::unordered_map<uint64_t, std::size_t> wanted;
    for (const uint64_t key : keys) ++wanted[key];
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& each) { return positions_.count(each.first) >= each.second; });
  }
  bool holds(uint64_t key) const { return positions_.contains(key); }

  /// Takes the contribution of a document with this key out of the weights and drops the document.
  void drop(uint64_t key) {
    const auto found = positions_.find(key);
    const std::size_t d = found->second, last = size() - 1;
    weights_.add(row(d), classes(d), &duals_[d * weights_.width()], -1);
    positions_.erase(found);
    n_garbage_ += documents_[d].size;
    n_labels_ -= documents_[d].classes.size();
    if (d != last) {
      const auto [from, to] = positions_.equal_range(documents_[last].key);
      std::find_if(from, to, [&](const auto& each) { return each.second == last; })->second = d;
      documents_[d] = std::move(documents_[last]);
      std::copy_n(&duals_[last * weights_.width()], weights_.width(), &duals_[d * weights_.width()]);
    }
    documents_.pop_back();
    duals_.resize(last * weights_.width());
    if (n_garbage_ > cells_.size() / 2 + 1024) collect_garbage();
  }

  void step_at_random(std::size_t n_steps) {
    for (std::size_t i = 0; i < n_steps && size(); ++i) step(random_.below(size()));
  }

 private:
  struct Document {
    uint64_t key;
    std::size_t begin, size;
    float damping;
    std::vector<ClassId> classes;
  };

  void step(std::size_t d) {
    weights_.step(row(d), classes(d), documents_[d].damping, &duals_[d * weights_.width()]);
  }

  /// The document as a unit vector, in memory that the next call reuses.
  std::span<const Feature> row(std::size_t d) {
    const auto of_document = cells(d);
    row_.resize(of_document.size() + DualProblem::ahead);
    std::size_t n = 0;
    double square = 0;
    for (const Cell& cell : of_document) {
      const float value = damped_(cell.count) * scale_[static_cast<std::size_t>(cell.term)];
      if (value == 0) continue;
      square += static_cast<double>(value) * value;
      row_[n++] = {cell.term, value};
    }
    const float norm = square > 0 ? static_cast<float>(1 / std::sqrt(square)) : 0.0f;
    for (std::size_t i = 0; i < n; ++i) row_[i].value *= norm;
    std::fill_n(row_.begin() + static_cast<std::ptrdiff_t>(n), DualProblem::ahead, Feature{0, 0});
    return {row_.data(), n};
  }

  void collect_garbage() {
    Buffer<Cell> live;
    live.reserve(n_cells());
    for (Document& document : documents_) {
      const std::size_t begin = live.size();
      live.append(cells_.data() + document.begin, document.size);
      document.begin = begin;
    }
    cells_ = std::move(live);
    n_garbage_ = 0;
  }

  DualWeights weights_;
  Buffer<float> scale_;
  float new_scale_;
  Random random_;
  Damping damped_;
  std::vector<Document> documents_;
  std::unordered_multimap<uint64_t, std::size_t> positions_;  // of documents, by key
  Buffer<Cell> cells_;
  Buffer<Quad> duals_;  // n × width
  std::vector<Feature> row_;
  std::size_t n_garbage_ = 0, n_labels_ = 0;
};

}  // namespace tallytext
