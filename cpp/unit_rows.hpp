#pragma once
// Documents as directions: logarithmic counts times a scale per term, each document of length one.
#include <array>
#include <cmath>
#include <span>

#include "parallel.hpp"
#include "score.hpp"

namespace tallytext {

/// 1 + ln x, and x itself below 1, where the two touch: nothing that is counted weighs less than nothing.
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

/// Writes damped(x) * scale[term] for the terms of a document that have a scale above zero, divided by their
/// length; returns how many there are. Room for all of its terms is the caller's.
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

/// Writes bias + sum_w x_w weights[w] for each document of length one, n × n_classes; weights is row-major,
/// a row for each scale.
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

}  // namespace tallytext
