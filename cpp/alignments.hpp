#pragma once
// What else stands near two words that stand together: how Xtract lets pairs grow.
#include <cstdlib>
#include <span>
#include <vector>

#include "word_places.hpp"

namespace tallytext {

/// Two words, the second at an offset from the first.
struct Collocation {
  WordId word, collocate;
  int32_t offset;
};

/// For each collocation how often it is found; and, at every offset up to `reach` from its first word (the
/// word itself included), which word is there most often (of several the lowest id, -1 if none is ever) and
/// how often.
struct Alignments {
  Buffer<int64_t> totals;
  Buffer<WordId> words;
  Buffer<int64_t> counts;
};

/// Aligns the stretches that hold a collocation. One thread's.
class Aligner {
 public:
  Aligner(const WordPlaces& places, int reach) : places_(places), reach_(reach), seen_(places.n_words(), 0) {}

  /// Writes the 2 * reach + 1 most frequent words and their counts; returns how often it is found.
  int64_t operator()(const Collocation& pair, WordId* words, int64_t* counts) {
    columns_.assign(2 * static_cast<std::size_t>(reach_) + 1, {});
    int64_t total = 0;
    for (const uint32_t place : places_.of(pair.word)) {
      if (!stands_at(place, pair)) continue;
      ++total;
      columns_[static_cast<std::size_t>(reach_)].push_back(pair.word);
      add(place, -1);
      add(place, 1);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) counts[i] = most_frequent(columns_[i], words[i]);
    return total;
  }

 private:
  bool stands_at(std::size_t place, const Collocation& pair) const {
    bool found = false;
    const int distance = std::abs(pair.offset);
    places_.walk(place, pair.offset < 0 ? -1 : 1, distance,
                 [&](int at, WordId word) { found = at == distance && word == pair.collocate; });
    return found;
  }

  void add(std::size_t place, int direction) {
    places_.walk(place, direction, reach_, [&](int distance, WordId word) {
      if (word >= 0) columns_[static_cast<std::size_t>(reach_ + direction * distance)].push_back(word);
    });
  }

  int64_t most_frequent(const std::vector<WordId>& column, WordId& best) {
    best = -1;
    int64_t most = 0;
    for (const WordId word : column) ++seen_[static_cast<std::size_t>(word)];
    for (const WordId word : column) {
      int64_t& count = seen_[static_cast<std::size_t>(word)];
      if (count > most || (count == most && count > 0 && word < best)) most = count, best = word;
      count = 0;
    }
    return most;
  }

  const WordPlaces& places_;
  int reach_;
  std::vector<int64_t> seen_;  // zero between calls
  std::vector<std::vector<WordId>> columns_;
};

inline Alignments align(const WordPlaces& places, std::span<const Collocation> pairs, int reach,
                        std::size_t n_threads) {
  const std::size_t width = 2 * static_cast<std::size_t>(reach) + 1;
  Alignments found{Buffer<int64_t>(pairs.size()), Buffer<WordId>(pairs.size() * width),
                   Buffer<int64_t>(pairs.size() * width)};
  in_turns(
      pairs.size(), n_threads, [&] { return Aligner(places, reach); },
      [&](Aligner& aligned, std::size_t i) {
        found.totals[i] = aligned(pairs[i], found.words.data() + i * width, found.counts.data() + i * width);
      });
  return found;
}

}  // namespace tallytext
