#pragma once
// What the words of a document say for each class, by a model that has forgotten the document.
#include <cmath>

#include "score.hpp"

namespace tallytext {

/// Cells by term: of class c and term w the ratio f / (gamma_c), and, for contrasts, the count N.
struct LeftCells {
  std::span<const int64_t> starts;
  std::span<const ClassId> classes;
  std::span<const double> ratios;
  std::span<const double> counts;  // empty without contrasts
  std::span<const double> tops;    // per term, the largest ratio

  bool holds(TermId term) const { return term >= 0 && static_cast<std::size_t>(term) < tops.size(); }
};

/// What is left when a document is left out, per word of a document: one over the background g.
/// For contrasts also g itself, T_w, and one over the probability of the word in a rest that lost nothing.
struct LeftWords {
  std::span<const double> inverse;
  std::span<const double> spread, words, absent;
};

/// Rests of classes, per document and class, row-major: p(w | rest) = seen (T_w - N) + freed g.
struct LeftRests {
  std::span<const double> seen, freed;
};

/// gain(d, c) = sum_w x_dw log[(1 + ratio / g) / ((seen (T_w - N) + freed g) / absent)] over the cells of c.
/// Logarithms are slow, so factors with one exponent are multiplied up first.
class Gains {
 public:
  Gains(const WeightedRows<double>& docs, const LeftCells& cells, const LeftWords& words,
        const LeftRests& rests, std::size_t n_classes)
      : docs_(docs), cells_(cells), words_(words), rests_(rests), up_(n_classes, 1), down_(n_classes, 1) {}

  /// Writes the gains of a document over the n_classes at `row`.
  void write(std::size_t d, double* row) {
    std::fill_n(row, up_.size(), 0.0);
    start(d);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      prefetch(at);
      const std::size_t i = order_[at];
      const double x = docs_.values[i];
      const bool alone = !grouped_ && (at + 1 == order_.size() || docs_.values[order_[at + 1]] != x);
      if (alone) {
        add_one(i, x, row);
        continue;
      }
      multiply(i, x, row);
      if (at + 1 == order_.size() || docs_.values[order_[at + 1]] != x) fold(x, row);
    }
  }

 private:
  static constexpr double limit = 1e150;

  bool contrasts() const { return !cells_.counts.empty(); }

  /// Puts the words of a document into an order in which equal exponents are neighbours.
  void start(std::size_t d) {
    order_.clear();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = docs_.begin(d); i < docs_.end(d); ++i) {
      if (docs_.values[i] == 0 || !cells_.holds(docs_.terms[i])) continue;
      order_.push_back(i);
      least = std::min(least, docs_.values[i]);
    }
    const auto is_least = [&](std::size_t i) { return docs_.values[i] == least; };
    const auto more = std::stable_partition(order_.begin(), order_.end(), is_least);
    std::sort(more, order_.end(), [&](std::size_t a, std::size_t b) {
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

  void add_one(std::size_t i, double x, double* row) const {
    visit(i, [&](std::size_t c, double factor, double divisor) { row[c] += x * std::log(factor / divisor); });
  }

  void multiply(std::size_t i, double x, double* row) {
    const auto w = static_cast<std::size_t>(docs_.terms[i]);
    double bound = 1 + cells_.tops[w] * words_.inverse[i];
    if (contrasts()) bound /= std::min(1.0, least_freed_ * words_.spread[i] * words_.absent[i]);
    if (grouped_ && bound_ * bound > limit) fold(x, row);
    bound_ *= bound;
    grouped_ = true;
    double *up = up_.data(), *down = down_.data();
    if (contrasts()) {
      visit(i, [=](std::size_t c, double factor, double divisor) {
        up[c] *= factor;
        down[c] *= divisor;
      });
    } else {
      visit(i, [=](std::size_t c, double factor, double) { up[c] *= factor; });
    }
  }

  void fold(double x, double* row) {
    for (std::size_t c = 0; c < up_.size(); ++c) row[c] += x * std::log(up_[c] / down_[c]);
    std::fill(up_.begin(), up_.end(), 1.0);
    std::fill(down_.begin(), down_.end(), 1.0);
    bound_ = 1;
    grouped_ = false;
  }

  /// Postings lie all over memory: where one begins is asked for first, then what it holds.
  void prefetch(std::size_t at) const {
    constexpr std::size_t near = 6, far = 16;
    if (at + far < order_.size()) {
      __builtin_prefetch(&cells_.starts[static_cast<std::size_t>(docs_.terms[order_[at + far]])]);
    }
    if (at + near < order_.size()) {
      const auto w = static_cast<std::size_t>(docs_.terms[order_[at + near]]);
      __builtin_prefetch(cells_.classes.data() + cells_.starts[w]);
      __builtin_prefetch(cells_.ratios.data() + cells_.starts[w]);
      __builtin_prefetch(cells_.counts.data() + cells_.starts[w]);
    }
  }

  const WeightedRows<double>& docs_;
  const LeftCells& cells_;
  const LeftWords& words_;
  const LeftRests& rests_;
  std::vector<double> up_, down_;   // what the factors and divisors of each class make so far
  std::vector<std::size_t> order_;  // of the words of the document at hand
  const double *seen_ = nullptr, *freed_ = nullptr;
  double least_freed_ = 0, bound_ = 1;
  bool grouped_ = false;  // whether there is anything in the products
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
