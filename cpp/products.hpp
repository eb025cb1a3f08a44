#pragma once
// Products of a sparse matrix, by rows, with a dense one.
#include <algorithm>
#include <cstdint>
#include <span>

#include "parallel.hpp"

namespace tallytext {

struct SparseRows {
  std::span<const int64_t> starts;
  std::span<const int32_t> columns;
  std::span<const double> values;

  std::size_t size() const { return starts.size() - 1; }
};

/// out = rows · dense, both of `width` numbers in a row. Each row of the result is one thread's, so that sums
/// are the same for any number of threads.
inline void multiply(const SparseRows& rows, std::span<const double> dense, std::size_t width,
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
        const double* const each = dense.data() + static_cast<std::size_t>(rows.columns[at]) * width;
        for (std::size_t i = 0; i < width; ++i) sums[i] += value * each[i];
      }
    }
  });
}

}  // namespace tallytext
