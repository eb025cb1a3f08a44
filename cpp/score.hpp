#pragma once
// Linear scores of documents, one for each class, from weights stored by term.
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "compiler.hpp"
#include "parallel.hpp"
#include "postings.hpp"

namespace tallytext {

/// A hash of a number, by the finalizer of splitmix64.
inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Rows of (term, value). Terms outside the weights are ignored, as are values of zero.
template <class T>
struct WeightedRows {
  std::span<const int64_t> starts;
  std::span<const TermId> terms;
  std::span<const T> values;

  std::size_t size() const { return starts.size() - 1; }
  std::size_t begin(std::size_t d) const { return static_cast<std::size_t>(starts[d]); }
  std::size_t end(std::size_t d) const { return static_cast<std::size_t>(starts[d + 1]); }

  /// Calls work(range) for ranges of documents on several threads; a small batch gets one thread.
  template <class Work>
  void for_each(std::size_t n_threads, Work work) const {
    constexpr std::size_t worth_a_thread = 8192;
    const std::size_t n_shares = std::min(n_threads, 1 + terms.size() / worth_a_thread);
    const auto ranges = shares(size(), n_shares, [this](std::size_t d) { return end(d) - begin(d); });
    in_parallel(ranges.size(), [&](std::size_t i) { work(ranges[i]); });
  }
};

/// score(d, c) = intercept[c] + slope[c] len(d) + sum_w x_dw (common[w] + r(w, c)), len(d) = sum_w x_dw
/// mass[w]. r is stored by term: classes[starts[w] ..] ascend, all other r(w, c) are zero.
template <class T>
struct LinearWeights {
  std::span<const int64_t> starts;
  std::span<const ClassId> classes;
  std::span<const T> values;
  std::span<const T> common, mass;      // per term
  std::span<const T> intercept, slope;  // per class

  std::size_t n_terms() const { return common.size(); }
  std::size_t n_classes() const { return intercept.size(); }
  bool holds(TermId term) const { return term >= 0 && static_cast<std::size_t>(term) < n_terms(); }
};

template <class T>
class Scoring {
 public:
  Scoring(const WeightedRows<T>& docs, const LinearWeights<T>& weights) : docs_(docs), weights_(weights) {}

  /// Overwrites the n_classes numbers at `row` with the scores of a document, and returns its length.
  T score(std::size_t d, T* row) const {
    std::fill_n(row, weights_.n_classes(), T{0});
    T common = 0, length = 0;
    for (std::size_t i = docs_.begin(d); i < docs_.end(d); ++i) {
      prefetch(i);
      const TermId term = docs_.terms[i];
      const T x = docs_.values[i];
      if (!weights_.holds(term) || x == 0) continue;
      const auto w = static_cast<std::size_t>(term);
      common += x * weights_.common[w];
      length += x * weights_.mass[w];
      add_posting(w, x, row);
    }
    for (std::size_t c = 0; c < weights_.n_classes(); ++c) {
      row[c] += weights_.intercept[c] + weights_.slope[c] * length + common;
    }
    return length;
  }

 private:
  /// A posting that has all classes is added by vectors, without reading its classes.
  void add_posting(std::size_t w, T x, T* row) const {
    const auto first = static_cast<std::size_t>(weights_.starts[w]);
    const std::size_t n = static_cast<std::size_t>(weights_.starts[w + 1]) - first;
    const T* values = weights_.values.data() + first;
    if (n == weights_.n_classes()) {
      for (std::size_t c = 0; c < n; ++c) row[c] += x * values[c];
    } else {
      const ClassId* classes = weights_.classes.data() + first;
      for (std::size_t i = 0; i < n; ++i) row[classes[i]] += x * values[i];
    }
  }

  /// Postings are scattered over memory: the start of each is prefetched first, then its content.
  void prefetch(std::size_t i) const {
    constexpr std::size_t near = 6, far = 16;
    if (i + far < docs_.terms.size() && weights_.holds(docs_.terms[i + far])) {
      const auto w = static_cast<std::size_t>(docs_.terms[i + far]);
      load_soon(&weights_.starts[w]);
      load_soon(&weights_.common[w]);
      load_soon(&weights_.mass[w]);
    }
    if (i + near < docs_.terms.size() && weights_.holds(docs_.terms[i + near])) {
      const auto first = weights_.starts[static_cast<std::size_t>(docs_.terms[i + near])];
      load_soon(weights_.classes.data() + first);
      load_soon(weights_.values.data() + first);
    }
  }

  const WeightedRows<T>& docs_;
  const LinearWeights<T>& weights_;
};

/// Writes the scores of all documents, n × n_classes, and their lengths.
template <class T>
void score_all(const WeightedRows<T>& docs, const LinearWeights<T>& weights, std::size_t n_threads, T* scores,
               T* lengths) {
  const Scoring<T> scoring(docs, weights);
  docs.for_each(n_threads, [&](Range range) {
    for (std::size_t d = range.begin; d < range.end; ++d) {
      lengths[d] = scoring.score(d, scores + d * weights.n_classes());
    }
  });
}

/// The classes with the best scores. Ties go to the class that comes first in `order`; NaN comes last.
template <class T>
class Best {
 public:
  Best(std::span<const int32_t> order, std::size_t k)
      : order_(order), k_(k), ranked_(k > 1 ? order.size() : 0) {}

  /// Writes the k best of `row`, best first.
  void pick(const T* row, ClassId* classes, T* scores) {
    if (k_ == 1) {
      *classes = best_of(row);
    } else {
      const auto better = [&](ClassId a, ClassId b) { return beats(row, a, b); };
      const auto last = ranked_.begin() + static_cast<std::ptrdiff_t>(k_);
      std::iota(ranked_.begin(), ranked_.end(), 0);
      std::partial_sort(ranked_.begin(), last, ranked_.end(), better);
      std::copy(ranked_.begin(), last, classes);
    }
    for (std::size_t i = 0; i < k_; ++i) scores[i] = row[classes[i]];
  }

 private:
  ClassId best_of(const T* row) const {
    ClassId best = 0;
    for (ClassId c = 1; c < static_cast<ClassId>(order_.size()); ++c) {
      if (beats(row, c, best)) best = c;
    }
    return best;
  }

  bool beats(const T* row, ClassId a, ClassId b) const {
    if (row[a] > row[b]) return true;
    if (row[a] < row[b]) return false;
    if (std::isnan(row[a]) != std::isnan(row[b])) return std::isnan(row[b]);
    return order_[static_cast<std::size_t>(a)] < order_[static_cast<std::size_t>(b)];
  }

  std::span<const int32_t> order_;
  std::size_t k_;
  std::vector<ClassId> ranked_;
};

/// Writes the k best classes of each document and their scores, n × k. It stores the scores of one document
/// per thread, never of all.
template <class T>
void score_best(const WeightedRows<T>& docs, const LinearWeights<T>& weights, std::span<const int32_t> order,
                std::size_t k, std::size_t n_threads, ClassId* classes, T* scores) {
  const Scoring<T> scoring(docs, weights);
  docs.for_each(n_threads, [&](Range range) {
    std::vector<T> row(weights.n_classes());
    Best<T> best(order, k);
    for (std::size_t d = range.begin; d < range.end; ++d) {
      scoring.score(d, row.data());
      best.pick(row.data(), classes + d * k, scores + d * k);
    }
  });
}

/// scores[d] += x_dw rows[w - first] for each term w with a row; rows is row-major, n_rows × n_classes.
template <class T>
void add_rows(const WeightedRows<T>& docs, std::span<const T> rows, std::size_t n_classes, int64_t first,
              std::size_t n_threads, T* scores) {
  const auto n_rows = n_classes ? static_cast<int64_t>(rows.size() / n_classes) : 0;
  const auto row_of = [=](TermId term) {
    const int64_t at = term - first;
    return at >= 0 && at < n_rows ? rows.data() + static_cast<std::size_t>(at) * n_classes : nullptr;
  };
  docs.for_each(n_threads, [&](Range range) {
    constexpr std::size_t ahead = 4;
    for (std::size_t d = range.begin; d < range.end; ++d) {
      T* into = scores + d * n_classes;
      for (std::size_t i = docs.begin(d); i < docs.end(d); ++i) {
        if (i + ahead < docs.terms.size()) load_soon(row_of(docs.terms[i + ahead]));
        const T* row = row_of(docs.terms[i]);
        const T x = docs.values[i];
        if (!row || x == 0) continue;
        for (std::size_t c = 0; c < n_classes; ++c) into[c] += x * row[c];
      }
    }
  });
}

/// out = rows · dense, row-major; dense and out have `width` columns. A row of out is computed by one thread,
/// so the sums do not depend on the number of threads.
inline void multiply(const WeightedRows<double>& rows, std::span<const double> dense, std::size_t width,
                     std::span<double> out, std::size_t n_threads) {
  const auto weight = [&](std::size_t row) { return rows.starts[row + 1] - rows.starts[row]; };
  const auto ranges = shares(rows.size(), n_threads, weight);
  in_parallel(ranges.size(), [&](std::size_t part) {
    for (std::size_t row = ranges[part].begin; row < ranges[part].end; ++row) {
      double* const sums = out.data() + row * width;
      std::fill(sums, sums + width, 0.0);
      const auto end = static_cast<std::size_t>(rows.starts[row + 1]);
      for (auto at = static_cast<std::size_t>(rows.starts[row]); at < end; ++at) {
        const double value = rows.values[at];
        const double* const each = dense.data() + static_cast<std::size_t>(rows.terms[at]) * width;
        for (std::size_t i = 0; i < width; ++i) sums[i] += value * each[i];
      }
    }
  });
}

/// Writes a hash of each row that does not depend on the order of its cells; hashes[term] replaces the number
/// of a term unless it is empty.
inline void hash_rows(const WeightedRows<double>& rows, std::span<const uint64_t> hashes,
                      std::size_t n_threads, uint64_t* keys) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u, silver = 0xb504f333f9de6485u;
  rows.for_each(n_threads, [&](Range range) {
    for (std::size_t d = range.begin; d < range.end; ++d) {
      uint64_t sum = 0;
      for (std::size_t i = rows.begin(d); i < rows.end(d); ++i) {
        const auto term = static_cast<std::size_t>(rows.terms[i]);
        const uint64_t id = hashes.empty() ? term : hashes[term];
        sum += mix(mix(id * golden + silver) + std::bit_cast<uint64_t>(rows.values[i]) * silver);
      }
      keys[d] = sum;
    }
  });
}

}  // namespace tallytext
