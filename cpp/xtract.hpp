#pragma once
// Xtract: positions of words, collocates within a window, and the words that occur around a pair.
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "memory.hpp"
#include "phrases.hpp"

namespace tallytext {

// Positions of words.

/// All documents as one stream with breaks around each, and the positions of every word in it.
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

  /// Calls take(distance, word) for up to `reach` positions after one, in one direction (1 or -1), until a
  /// break. Dropped words are included.
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

// Collocates of words by offset: stage one of Xtract.

/// The histograms of some words: row r has the counts of `collocates[r]` at each offset from `words[r]`.
/// Offsets are -window … -1, 1 … window. For each requested word also: the number of its collocates, and the
/// sum and the sum of squares of their frequencies.
struct Histograms {
  Buffer<WordId> words, collocates;
  Buffer<int32_t> bins;
  Buffer<int64_t> n_collocates, sums;
  Buffer<double> squares;

  void append(const Histograms& other) {
    words.append(other.words.data(), other.words.size());
    collocates.append(other.collocates.data(), other.collocates.size());
    bins.append(other.bins.data(), other.bins.size());
    n_collocates.append(other.n_collocates.data(), other.n_collocates.size());
    sums.append(other.sums.data(), other.sums.size());
    squares.append(other.squares.data(), other.squares.size());
  }
};

/// Computes the histograms of one word after another. For one thread.
class HistogramMaker {
 public:
  HistogramMaker(const WordPlaces& places, int window)
      : places_(places),
        window_(window),
        width_(2 * static_cast<std::size_t>(window)),
        slot_of_(places.n_words(), -1) {}

  /// Appends the rows of the collocates of a word with a frequency of at least `least`.
  void operator()(WordId word, int64_t least, Histograms& out) {
    for (const uint32_t place : places_.of(word)) {
      const auto add = [&](int direction) {
        places_.walk(place, direction, window_, [&](int distance, WordId near) {
          if (near >= 0) ++bins_of(near)[bin(direction * distance)];
        });
      };
      add(-1);
      add(1);
    }
    write(word, least, out);
  }

 private:
  std::size_t bin(int offset) const {
    return static_cast<std::size_t>(offset < 0 ? offset + window_ : offset + window_ - 1);
  }

  int32_t* bins_of(WordId near) {
    int32_t& slot = slot_of_[static_cast<std::size_t>(near)];
    if (slot < 0) {
      slot = static_cast<int32_t>(near_.size());
      near_.push_back(near);
      bins_.resize(bins_.size() + width_, 0);
    }
    return bins_.data() + static_cast<std::size_t>(slot) * width_;
  }

  void write(WordId word, int64_t least, Histograms& out) {
    int64_t sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      const int32_t* bins = bins_.data() + i * width_;
      const int64_t n = std::accumulate(bins, bins + width_, int64_t{0});
      sum += n;
      squares += static_cast<double>(n) * static_cast<double>(n);
      slot_of_[static_cast<std::size_t>(near_[i])] = -1;
      if (n < least) continue;
      out.words.push_back(word);
      out.collocates.push_back(near_[i]);
      out.bins.append(bins, width_);
    }
    out.n_collocates.push_back(static_cast<int64_t>(near_.size()));
    out.sums.push_back(sum);
    out.squares.push_back(squares);
    near_.clear();
    bins_.clear();
  }

  const WordPlaces& places_;
  int window_;
  std::size_t width_;
  std::vector<int32_t> slot_of_;  // for each word its row, -1 if it has none yet
  std::vector<WordId> near_;
  Buffer<int32_t> bins_;
};

inline Histograms make_histograms(const WordPlaces& places, std::span<const WordId> words, int window,
                                  int64_t least, std::size_t n_threads) {
  const auto weight = [&](std::size_t i) { return places.of(words[i]).size(); };
  const auto parts = shares(words.size(), n_threads, weight);
  std::vector<Histograms> made(parts.size());
  in_parallel(parts.size(), [&](std::size_t p) {
    HistogramMaker make(places, window);
    for (std::size_t i = parts[p].begin; i < parts[p].end; ++i) make(words[i], least, made[p]);
  });
  Histograms all;
  for (const Histograms& part : made) all.append(part);
  return all;
}

// Words around a pair: stage two of Xtract.

/// Two words, the second at an offset from the first.
struct Collocation {
  WordId word, collocate;
  int32_t offset;
};

/// For each collocation the number of its occurrences and, at every offset up to `reach` from its first word
/// (including 0), the most frequent word there (ties by the lowest id, -1 if there is none) and its count.
struct Alignments {
  Buffer<int64_t> totals;
  Buffer<WordId> words;
  Buffer<int64_t> counts;
};

/// Aligns the occurrences of a collocation. For one thread.
class Aligner {
 public:
  Aligner(const WordPlaces& places, int reach) : places_(places), reach_(reach), seen_(places.n_words(), 0) {}

  /// Writes the 2 * reach + 1 most frequent words and their counts; returns the number of occurrences.
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
