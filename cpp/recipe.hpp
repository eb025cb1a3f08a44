#pragma once
// What a document adds to a fractional plane, in fixed point with unit 2^-32, rounded once.
#include <array>
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

/// ln(1 + count). Most counts are small, and their logarithms are kept.
inline double log_of(int64_t count) {
  static const auto kept = [] {
    std::array<double, 64> logs;
    for (std::size_t n = 0; n < logs.size(); ++n) logs[n] = std::log1p(static_cast<double>(n));
    return logs;
  }();
  const auto n = static_cast<std::size_t>(count);
  return n < kept.size() ? kept[n] : std::log1p(static_cast<double>(count));
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
    return tf == Tf::log ? log_of(count) : static_cast<double>(count);
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

/// The blocks that one document adds to its terms, and its scale in each plane. Only what is in the planes
/// is written down: the rest of a block is the count itself, and one document.
class DocumentBlocks {
 public:
  explicit DocumentBlocks(std::span<const Recipe> recipes) : recipes_(recipes), scales_(recipes.size()) {}

  /// `counts` are to stay where they are until the next document is read.
  void read(std::span<const int64_t> counts, double weight, std::size_t n_labels) {
    counts_ = counts;
    planes_.resize(counts.size() * recipes_.size());
    for (std::size_t k = 0; k < recipes_.size(); ++k) read_plane(k, weight, n_labels);
  }

  /// block += that of term i.
  void add_to(int64_t* block, std::size_t i) const {
    block[occurrences] += counts_[i];
    block[documents] += 1;
    add_block(block + first_plane, planes_.data() + i * recipes_.size(), recipes_.size());
  }

  /// block += those of all terms. Throws std::overflow_error when a sum leaves its range.
  void add_all_to(int64_t* block) const {
    for (const int64_t count : counts_) block[occurrences] = checked_add(block[occurrences], count);
    block[documents] = checked_add(block[documents], static_cast<int64_t>(counts_.size()));
    for (std::size_t k = 0; k < recipes_.size(); ++k) {
      int64_t& sum = block[first_plane + k];
      for (std::size_t i = k; i < planes_.size(); i += recipes_.size()) sum = checked_add(sum, planes_[i]);
    }
  }

  const std::vector<int64_t>& scales() const { return scales_; }

 private:
  void read_plane(std::size_t k, double weight, std::size_t n_labels) {
    const double scale = recipes_[k].scale(counts_, weight, n_labels);
    scales_[k] = fixed_point(scale);
    const auto value = [&](int64_t count) { return fixed_point(recipes_[k].term_frequency(count) * scale); };
    const int64_t once = value(1);  // what most terms of a document add
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      planes_[i * recipes_.size() + k] = counts_[i] == 1 ? once : value(counts_[i]);
    }
  }

  std::span<const Recipe> recipes_;
  std::span<const int64_t> counts_;
  std::vector<int64_t> planes_;  // n_planes for each term
  std::vector<int64_t> scales_;
};

}  // namespace tallytext
