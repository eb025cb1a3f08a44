#pragma once
// The ids that occur in a batch, numbered without gaps.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tallytext {

/// The distinct ids of a batch, ascending, and the rank of each: a small batch must not pay for all ids
/// there are, and a large one must not pay for sorting.
class Ranks {
 public:
  explicit Ranks(std::span<const int32_t> ids) {
    const int32_t top = ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
    static_cast<std::size_t>(top + 1) > 8 * ids.size() + 64 ? by_sorting(ids) : by_marking(ids, top);
  }

  std::vector<int32_t> distinct;
  std::vector<int32_t> rank;  // of each id of the batch, in its order

 private:
  void by_sorting(std::span<const int32_t> ids) {
    std::vector<uint64_t> order(ids.size());  // an id, and where it was
    for (std::size_t i = 0; i < ids.size(); ++i) order[i] = static_cast<uint64_t>(ids[i]) << 32 | i;
    std::sort(order.begin(), order.end());
    rank.resize(ids.size());
    for (const uint64_t entry : order) {
      const auto id = static_cast<int32_t>(entry >> 32);
      if (distinct.empty() || distinct.back() != id) distinct.push_back(id);
      rank[entry & UINT32_MAX] = static_cast<int32_t>(distinct.size() - 1);
    }
  }

  void by_marking(std::span<const int32_t> ids, int32_t top) {
    std::vector<int32_t> place(static_cast<std::size_t>(top + 1), -1);
    for (const int32_t id : ids) place[static_cast<std::size_t>(id)] = 0;
    for (int32_t id = 0; id <= top; ++id) {
      if (place[static_cast<std::size_t>(id)] < 0) continue;
      place[static_cast<std::size_t>(id)] = static_cast<int32_t>(distinct.size());
      distinct.push_back(id);
    }
    rank.resize(ids.size());
    std::transform(ids.begin(), ids.end(), rank.begin(),
                   [&place](int32_t id) { return place[static_cast<std::size_t>(id)]; });
  }
};

}  // namespace tallytext
