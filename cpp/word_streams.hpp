#pragma once
// Documents as streams of word ids, with what keeps words apart.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace tallytext {

using WordId = int32_t;
constexpr WordId stream_break = -1;  // here a stretch of neighbouring words ends
constexpr WordId stream_hole = -2;   // a word that takes a place and is none of those looked at

/// Document d is [starts[d], starts[d + 1]) of the words. Every negative id keeps its neighbours apart.
struct WordStreams {
  std::span<const int64_t> starts;
  std::span<const WordId> words;

  std::size_t size() const { return starts.size() - 1; }
  std::size_t weight(std::size_t d) const { return static_cast<std::size_t>(starts[d + 1] - starts[d]); }
  std::span<const WordId> document(std::size_t d) const {
    return words.subspan(static_cast<std::size_t>(starts[d]), weight(d));
  }
};

/// How many threads are of use for this much work.
inline std::size_t useful_threads(std::size_t n_threads, std::size_t work) {
  constexpr std::size_t worth_a_thread = 1 << 16;
  return std::min(n_threads, 1 + work / worth_a_thread);
}

}  // namespace tallytext
