#pragma once
// What a document adds to a fractional plane, in fixed point with unit 2^-32, rounded once.
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "postings.hpp"

namespace tallytext {

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("a sum leaves the range of 64 bits");
  return sum;
}

inline int64_t checked_square(int64_t a) {
  int64_t square;
  if (__builtin_mul_overflow(a, a, &square))
    throw std::overflow_error("a square leaves the range of 64 bits");
  return square;
}

constexpr double plane_unit = 4294967296.0;

inline int64_t fixed_point(double value) {
  const double scaled = std::rint(value * plane_unit);
  if (!(std::abs(scaled) < 0x1p63)) throw std::overflow_error("a plane leaves the range of 64 bits");
  return static_cast<int64_t>(scaled);
}

enum class Tf : uint8_t { raw, log, binary };
enum class Norm : uint8_t { none, l1, l2, poisson, poisson_mass, log_length, log_length_squared };

/// value(w, d) = tf(x_w) * s(d), where s(d) is
///   none: 1;  l1: 1 / sum tf;  l2: 1 / sqrt(sum tf^2);  poisson: 1 / (x+ + theta);
///   poisson_mass: x+ / (x+ + theta);  log_length: ln(1 + x+);  log_length_squared: ln(1 + x+)^2,
/// with x+ = sum tf; times the document's weight if `weighted`, over its number of labels if `shared`.
struct Recipe {
  Tf tf = Tf::raw;
  Norm norm = Norm::none;
  double theta = 0;
  bool weighted = false;
  bool shared = false;

  double term_frequency(int64_t count) const {
    if (tf == Tf::binary) return 1;
    return tf == Tf::log ? std::log1p(static_cast<double>(count)) : static_cast<double>(count);
  }

  double scale(std::span<const int64_t> counts, double weight, std::size_t n_labels) const {
    const double whole = weighted ? weight * unweighted_scale(counts) : unweighted_scale(counts);
    return shared && n_labels > 1 ? whole / static_cast<double>(n_labels) : whole;
  }

 private:
  double unweighted_scale(std::span<const int64_t> counts) const {
    if (norm == Norm::none) return 1;
    const double length = total(counts);
    switch (norm) {
      case Norm::poisson: return 1 / (length + theta);
      case Norm::poisson_mass: return length / (length + theta);
      case Norm::log_length: return std::log1p(length);
      case Norm::log_length_squared: return std::log1p(length) * std::log1p(length);
      case Norm::l2: return length > 0 ? 1 / std::sqrt(length) : 0;
      default: return length > 0 ? 1 / length : 0;
    }
  }

  /// Sum of tf, or of tf^2 for l2. Added as integers, so that the order of the terms cannot matter.
  double total(std::span<const int64_t> counts) const {
    int64_t sum = 0;
    for (const int64_t count : counts) sum = checked_add(sum, part(count));
    return tf == Tf::log ? static_cast<double>(sum) / plane_unit : static_cast<double>(sum);
  }
  int64_t part(int64_t count) const {
    if (tf == Tf::binary) return 1;
    if (tf == Tf::raw) return norm == Norm::l2 ? checked_square(count) : count;
    const double value = term_frequency(count);
    return fixed_point(norm == Norm::l2 ? value * value : value);
  }
};

/// The blocks that one document adds to its terms, and its scale in each plane.
class DocumentBlocks {
 public:
  explicit DocumentBlocks(std::span<const Recipe> recipes)
      : recipes_(recipes), width_(first_plane + recipes.size()), scales_(recipes.size()) {}

  void read(std::span<const int64_t> counts, double weight, std::size_t n_labels) {
    values_.resize(counts.size() * width_);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      values_[i * width_ + occurrences] = counts[i];
      values_[i * width_ + documents] = 1;
    }
    for (std::size_t k = 0; k < recipes_.size(); ++k) read_plane(k, counts, weight, n_labels);
  }

  const int64_t* block(std::size_t i) const { return &values_[i * width_]; }
  const std::vector<int64_t>& scales() const { return scales_; }

 private:
  void read_plane(std::size_t k, std::span<const int64_t> counts, double weight, std::size_t n_labels) {
    const double scale = recipes_[k].scale(counts, weight, n_labels);
    scales_[k] = fixed_point(scale);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      values_[i * width_ + first_plane + k] = fixed_point(recipes_[k].term_frequency(counts[i]) * scale);
    }
  }

  std::span<const Recipe> recipes_;
  std::size_t width_;
  std::vector<int64_t> values_;
  std::vector<int64_t> scales_;
};

}  // namespace tallytext
