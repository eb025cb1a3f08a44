#pragma once
// Which words stand near which others, and where: what Xtract starts from.
#include <numeric>
#include <span>
#include <vector>

#include "word_places.hpp"

namespace tallytext {

/// The histograms of some words: row r says how often `collocates[r]` stands at each offset from `words[r]`.
/// Offsets are -window … -1, 1 … window. For each word asked for: how many collocates it has, and the sum
/// and the sum of squares of how often each of them stands near it, at any offset.
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

/// Makes the histograms of one word after another. One thread's.
class HistogramMaker {
 public:
  HistogramMaker(const WordPlaces& places, int window)
      : places_(places),
        window_(window),
        width_(2 * static_cast<std::size_t>(window)),
        slot_of_(places.n_words(), -1) {}

  /// Appends the rows of a word whose collocates stand near it `least` times or more.
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
  std::vector<int32_t> slot_of_;  // for each word its row, -1 where it has none yet
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

}  // namespace tallytext
