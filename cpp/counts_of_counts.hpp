#pragma once
// n_r: how many events were seen exactly r times.
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tallytext {

class CountsOfCounts {
 public:
  /// One event went from `before` occurrences to `after`. Zero is no event.
  void move(int64_t before, int64_t after) {
    if (before > 0) step(before, -1);
    if (after > 0) step(after, +1);
  }

  /// All (r, n_r) with n_r > 0, in no particular order.
  std::vector<std::pair<int64_t, int64_t>> items() const {
    std::vector<std::pair<int64_t, int64_t>> found;
    for (std::size_t r = 0; r < few.size(); ++r) {
      if (few[r]) found.emplace_back(static_cast<int64_t>(r), few[r]);
    }
    found.insert(found.end(), many.begin(), many.end());
    return found;
  }

 private:
  void step(int64_t r, int64_t by) {
    if (r < dense_limit) {
      if (r >= static_cast<int64_t>(few.size())) few.resize(std::bit_ceil(static_cast<std::size_t>(r) + 1));
      few[static_cast<std::size_t>(r)] += by;
    } else if ((many[r] += by) == 0) {
      many.erase(r);
    }
  }

  // A document is mostly made of common words, whose counts run to thousands: those must not cost a hash.
  static constexpr int64_t dense_limit = 1 << 16;
  std::vector<int64_t> few;
  std::unordered_map<int64_t, int64_t> many;
};

}  // namespace tallytext
