#pragma once
// Where words stand.
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "memory.hpp"
#include "word_streams.hpp"

namespace tallytext {

/// All documents as one stream with breaks around each, and the places of every word in it.
class WordPlaces {
 public:
  WordPlaces(const WordStreams& streams, std::size_t n_words) : starts_(n_words + 1, 0) {
    if (streams.words.size() + streams.size() >= std::numeric_limits<int32_t>::max()) {
      throw std::length_error("these are more words than Xtract takes: 2147483646 at most");
    }
    stream_.reserve(streams.words.size() + streams.size() + 1);
    stream_.push_back(stream_break);
    for (std::size_t d = 0; d < streams.size(); ++d) {
      const auto words = streams.document(d);
      stream_.append(words.data(), words.size());
      stream_.push_back(stream_break);
    }
    find_places();
  }

  std::size_t n_words() const { return starts_.size() - 1; }
  WordId at(std::size_t place) const { return stream_[place]; }
  std::span<const uint32_t> of(WordId word) const {
    const auto w = static_cast<std::size_t>(word);
    return {places_.data() + starts_[w], starts_[w + 1] - starts_[w]};
  }

  /// take(distance, word) for the places from one on, up to `reach`, in one direction (1 or -1), until the
  /// stretch ends. Words that are holes are handed on, too.
  template <class Take>
  void walk(std::size_t place, int direction, int reach, Take take) const {
    for (int distance = 1; distance <= reach; ++distance) {
      const WordId word = stream_[direction > 0 ? place + static_cast<std::size_t>(distance)
                                                : place - static_cast<std::size_t>(distance)];
      if (word == stream_break) return;
      take(distance, word);
    }
  }

 private:
  void find_places() {
    for (const WordId word : stream_) {
      if (word >= 0) ++starts_[static_cast<std::size_t>(word) + 1];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    places_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end());
    for (std::size_t place = 0; place < stream_.size(); ++place) {
      const WordId word = stream_[place];
      if (word >= 0) places_[next[static_cast<std::size_t>(word)]++] = static_cast<uint32_t>(place);
    }
  }

  Buffer<WordId> stream_;
  std::vector<std::size_t> starts_;
  Buffer<uint32_t> places_;
};

}  // namespace tallytext
