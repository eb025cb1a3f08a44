#pragma once
// n_r: how many events were seen exactly r times.
#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tallytext {

/// The n_r of small r, moved with each event. Common words have counts all over the thousands; to follow
/// those would cost more than counting the words, so their n_r are found when they are asked for.
class CountsOfCounts {
 public:
  static constexpr int64_t limit = 1024;

  /// One event went from `before` occurrences to `after`. Zero is no event.
  void move(int64_t before, int64_t after) {
    if (before < limit) --few_[static_cast<std::size_t>(before)];
    if (after < limit) ++few_[static_cast<std::size_t>(after)];
  }

  /// All n_r > 0 with 0 < r < limit.
  std::map<int64_t, int64_t> few() const {
    std::map<int64_t, int64_t> found;
    for (std::size_t r = 1; r < few_.size(); ++r) {
      if (few_[r]) found[static_cast<int64_t>(r)] = few_[r];
    }
    return found;
  }

  /// n_0 = 0, n_1 ... n_(n - 1), for n below limit.
  std::vector<int64_t> first(std::size_t n) const {
    std::vector<int64_t> found(few_.begin(), few_.begin() + static_cast<std::ptrdiff_t>(n));
    found[0] = 0;
    return found;
  }

 private:
  std::array<int64_t, limit> few_{};
};

}  // namespace tallytext
