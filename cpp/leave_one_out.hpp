#pragma once
// Leave-one-out gains: the contribution of the words of a document to each class, without the document.
#include <cmath>

#include "compiler.hpp"
#include "score.hpp"

namespace tallytext {

/// Cells by term: the ratio f / gamma_c of class c and term w and, for contrasts, the count N.
struct LeftCells {
  std::span<const int64_t> starts;
  std::span<const ClassId> classes;
  std::span<const double> ratios;
  std::span<const double> counts;  // empty without contrasts
  std::span<const double> tops;    // per term, the largest ratio

  bool holds(TermId term) const { return term >= 0 && static_cast<std::size_t>(term) < tops.size(); }
};

/// Sums without the document, for each of its words: one over the background g. For contrasts also g itself,
/// T_w, and one over the probability of the word in a complement that lost nothing.
struct LeftWords {
  std::span<const double> inverse;
  std::span<const double> spread, words, absent;
};

/// Complements of classes, per document and class, row-major: p(w | complement) = seen (T_w - N) + freed g.
struct LeftRests {
  std::span<const double> seen, freed;
};

/// gain(d, c) = sum_w x_dw log[(1 + ratio / g) / ((seen (T_w - N) + freed g) / absent)] over the cells of c.
/// Logarithms are slow, so factors with the same exponent are multiplied first.
class Gains {
 public:
  Gains(const WeightedRows<double>& docs, const LeftCells& cells, const LeftWords& words,
        const LeftRests& rests, std::size_t n_classes)
      : docs_(docs),
        cells_(cells),
        words_(words),
        rests_(rests),
        up_(n_classes, 1),
        down_(n_classes, 1),
        twos_(n_classes, 0) {}

  /// Writes the gains of a document over the n_classes at `row`.
  void write(std::size_t d, double* row) {
    std::fill_n(row, up_.size(), 0.0);
    start(d);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      prefetch(at);
      multiply(order_[at], times(order_[at]));
    }
    if (!order_.empty()) fold(least_, row);
    for (std::size_t at = 0; at < more_.size();) at = add_group(at, row);
  }

 private:
  static constexpr double limit = 1e150;

  bool contrasts() const { return !cells_.counts.empty(); }

  /// The multiple of the smallest exponent that the exponent of a word is; 0 if it is not a small multiple.
  int times(std::size_t i) const {
    const double x = docs_.values[i];
    return x == least_ ? 1 : x == 2 * least_ ? 2 : x == 3 * least_ ? 3 : 0;
  }

  /// Finds the words of a document with the smallest exponent or a small multiple of it, and groups the
  /// others by exponent.
  void start(std::size_t d) {
    const auto begin = docs_.values.begin() + docs_.starts[d],
               end = docs_.values.begin() + docs_.starts[d + 1];
    least_ = std::numeric_limits<double>::infinity();
    for (auto x = begin; x != end; ++x) least_ = *x != 0 ? std::min(least_, *x) : least_;
    order_.clear();
    more_.clear();
    for (std::size_t i = docs_.begin(d); i < docs_.end(d); ++i) {
      if (docs_.values[i] == 0 || !cells_.holds(docs_.terms[i])) continue;
      (times(i) ? order_ : more_).push_back(i);
    }
    std::sort(more_.begin(), more_.end(), [&](std::size_t a, std::size_t b) {
      return docs_.values[a] != docs_.values[b] ? docs_.values[a] < docs_.values[b] : a < b;
    });
    if (!contrasts()) return;
    seen_ = rests_.seen.data() + d * up_.size();
    freed_ = rests_.freed.data() + d * up_.size();
    least_freed_ = *std::min_element(freed_, freed_ + up_.size());
  }

  /// f(class, factor, divisor) for each cell of a word.
  template <class Visit>
  void visit(std::size_t i, Visit f) const {
    const auto w = static_cast<std::size_t>(docs_.terms[i]);
    const auto first = static_cast<std::size_t>(cells_.starts[w]);
    const auto n = static_cast<std::size_t>(cells_.starts[w + 1]) - first;
    if (n == up_.size()) {
      visit_cells(i, first, n, [](std::size_t k) { return k; }, f);
    } else {
      const ClassId* classes = cells_.classes.data() + first;
      visit_cells(i, first, n, [=](std::size_t k) { return static_cast<std::size_t>(classes[k]); }, f);
    }
  }

  template <class ClassOf, class Visit>
  void visit_cells(std::size_t i, std::size_t first, std::size_t n, ClassOf class_of, Visit f) const {
    const double inverse = words_.inverse[i];
    const double* ratios = cells_.ratios.data() + first;
    if (!contrasts()) {
      for (std::size_t k = 0; k < n; ++k) f(class_of(k), 1 + ratios[k] * inverse, 1.0);
      return;
    }
    const double spread = words_.spread[i], words = words_.words[i], absent = words_.absent[i];
    const double* counts = cells_.counts.data() + first;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t c = class_of(k);
      const double rest = seen_[c] * std::max(words - counts[k], 0.0) + freed_[c] * spread;
      f(c, 1 + ratios[k] * inverse, rest * absent);
    }
  }

  /// Adds the words from more_[at] on that have the same exponent, and returns the start of the next group.
  std::size_t add_group(std::size_t at, double* row) {
    const double x = docs_.values[more_[at]];
    std::size_t end = at + 1;
    while (end < more_.size() && docs_.values[more_[end]] == x) ++end;
    if (end == at + 1) {
      visit(more_[at],
            [=](std::size_t c, double factor, double divisor) { row[c] += x * std::log(factor / divisor); });
      return end;
    }
    for (; at < end; ++at) multiply(more_[at], 1);
    fold(x, row);
    return end;
  }

  void multiply(std::size_t i, int times) {
    make_room(i, times);
    if (times == 1) return multiply(i, [](double factor) { return factor; });
    if (times == 2) return multiply(i, [](double factor) { return factor * factor; });
    return multiply(i, [](double factor) { return factor * factor * factor; });
  }

  template <class Power>
  void multiply(std::size_t i, Power power) {
    double *up = up_.data(), *down = down_.data();
    if (contrasts()) {
      visit(i, [=](std::size_t c, double factor, double divisor) {
        up[c] *= power(factor);
        down[c] *= power(divisor);
      });
    } else {
      visit(i, [=](std::size_t c, double factor, double) { up[c] *= power(factor); });
    }
  }

  /// Extracts powers of two before the factors of a word can overflow or underflow the products.
  void make_room(std::size_t i, int times) {
    double bound = 1 + cells_.tops[static_cast<std::size_t>(docs_.terms[i])] * words_.inverse[i];
    if (contrasts()) bound /= std::min(1.0, least_freed_ * words_.spread[i] * words_.absent[i]);
    for (int k = 0; k < times; ++k) bound_ *= bound;
    if (bound_ <= limit) return;
    for (std::size_t c = 0; c < up_.size(); ++c) {
      int exponent = 0;
      up_[c] = std::frexp(up_[c] / down_[c], &exponent);
      down_[c] = 1;
      twos_[c] += exponent;
    }
    bound_ = 1;
    for (int k = 0; k < times; ++k) bound_ *= bound;
  }

  void fold(double x, double* row) {
    constexpr double log_2 = 0.693147180559945309417232121458;
    for (std::size_t c = 0; c < up_.size(); ++c)
      row[c] += x * (std::log(up_[c] / down_[c]) + twos_[c] * log_2);
    std::fill(up_.begin(), up_.end(), 1.0);
    std::fill(down_.begin(), down_.end(), 1.0);
    std::fill(twos_.begin(), twos_.end(), 0.0);
    bound_ = 1;
  }

  /// Postings are scattered over memory: the start of each is prefetched first, then its content.
  void prefetch(std::size_t at) const {
    constexpr std::size_t near = 6, far = 16;
    if (at + far < order_.size()) {
      const auto w = static_cast<std::size_t>(docs_.terms[order_[at + far]]);
      load_soon(&cells_.starts[w]);
      load_soon(&cells_.tops[w]);
    }
    if (at + near < order_.size()) {
      const auto w = static_cast<std::size_t>(docs_.terms[order_[at + near]]);
      load_soon(cells_.classes.data() + cells_.starts[w]);
      load_soon(cells_.ratios.data() + cells_.starts[w]);
      load_soon(cells_.counts.data() + cells_.starts[w]);
    }
  }

  const WeightedRows<double>& docs_;
  const LeftCells& cells_;
  const LeftWords& words_;
  const LeftRests& rests_;
  std::vector<double> up_, down_;   // the products of factors and of divisors of each class so far
  std::vector<double> twos_;        // times two to the power of this
  std::vector<std::size_t> order_;  // words with the smallest exponent or a small multiple of it
  std::vector<std::size_t> more_;   // all others
  const double *seen_ = nullptr, *freed_ = nullptr;
  double least_ = 0, least_freed_ = 0;
  double bound_ = 1;  // bound of the products and of their reciprocals
};

/// Writes the gains of all documents, n × n_classes.
inline void left_out_gains(const WeightedRows<double>& docs, const LeftCells& cells, const LeftWords& words,
                           const LeftRests& rests, std::size_t n_classes, std::size_t n_threads,
                           double* gains) {
  docs.for_each(n_threads, [&](Range range) {
    Gains each(docs, cells, words, rests, n_classes);
    for (std::size_t d = range.begin; d < range.end; ++d) each.write(d, gains + d * n_classes);
  });
}

}  // namespace tallytext
