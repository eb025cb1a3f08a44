#pragma once
// Translation models: for each signature, the word distribution that explains its documents beyond the
// background.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "memory.hpp"
#include "parallel.hpp"
#include "postings.hpp"
#include "score.hpp"

namespace tallytext {

// The mixture model of a set of documents: a background, and a distribution of their own.

/// A word of a set of documents: its weight there, its background probability and, after solving, its
/// probability in the distribution of these documents.
struct Candidate {
  double count, background, share;
  TermId word;
};

using Row = Buffer<Candidate>;

struct MixtureSettings {
  double beta;          // the share of the background, from 0 to less than 1
  bool exact;           // closed form; otherwise expectation maximisation
  std::size_t n_steps;  // of expectation maximisation
  bool trim;            // true to first remove words below the mean count
  double least;         // smaller shares are removed at the end
  std::size_t most;     // maximal number of words
};

/// Removes words without a branch, because branches on them are unpredictable.
template <class Stays>
void keep_if(Row& row, Stays stays) {
  std::size_t n_left = 0;
  for (const Candidate& it : row) {
    const bool is_left = stays(it);
    row[n_left] = it;
    n_left += is_left;
  }
  row.resize(n_left);
}

struct MixtureSums {
  double count = 0, background = 0;

  void add(const Candidate& it, double weight = 1) {
    count += weight * it.count;
    background += weight * it.background;
  }
};

/// Removes words with a count of at most `level` times their background, and returns the sums of the others.
inline MixtureSums drop_below(Row& row, double level) {
  MixtureSums sums;
  keep_if(row, [&](const Candidate& it) {
    const bool stays = it.count > level * it.background;
    sums.add(it, stays);
    return stays;
  });
  return sums;
}

/// The maximum of sum_w count(w) log((1 - beta) share(w) + beta background(w)), which is share(w) = max(0,
/// count(w) / mu - k background(w)) with k = beta / (1 - beta). Words with share zero are removed and mu is
/// recomputed from the others; mu only grows, so removed words never return.
inline void solve_exactly(Row& row, double beta) {
  const double k = beta / (1 - beta);
  MixtureSums sums;
  for (const Candidate& it : row) sums.add(it);
  double mu = 0;
  for (std::size_t before = 0; before != row.size();) {
    before = row.size();
    mu = sums.count / (1 + k * sums.background);
    sums = drop_below(row, k * mu);
  }
  for (Candidate& it : row) it.share = it.count / mu - k * it.background;
}

/// The same maximum, approximated by expectation maximisation from share = count / sum of counts.
inline void solve_by_em(Row& row, double beta, std::size_t n_steps) {
  double sum = 0;
  for (Candidate& it : row) sum += it.share = it.count;
  for (std::size_t step = 0; step < n_steps; ++step) {
    const double scale = (1 - beta) / sum;  // normalises the shares of the previous step
    sum = 0;
    for (Candidate& it : row) {
      const double own = scale * it.share, both = own + beta * it.background;
      it.share = both > 0 ? it.count * own / both : 0;
      sum += it.share;
    }
  }
  for (Candidate& it : row) it.share /= sum;
}

/// Removes words with less than the mean count or a thousandth of the sum, and normalises the background of
/// the others.
inline void trim(Row& row) {
  double total = 0, background = 0;
  for (const Candidate& it : row) total += it.count;
  const double least = std::max(total / static_cast<double>(row.size()), 0.001 * total);
  keep_if(row, [=](const Candidate& it) { return it.count >= least; });
  for (const Candidate& it : row) background += it.background;
  if (background <= 0) return;
  for (Candidate& it : row) it.background /= background;
}

/// Removes small shares, and all but the largest; ties by the lower id.
inline void keep_largest(Row& row, double least, std::size_t most) {
  keep_if(row, [=](const Candidate& it) { return it.share > 0 && it.share >= least; });
  if (row.size() <= most) return;
  std::nth_element(row.begin(), row.begin() + most, row.end(), [](const Candidate& a, const Candidate& b) {
    return a.share != b.share ? a.share > b.share : a.word < b.word;
  });
  row.resize(most);
}

/// Solves the mixture for a row of words with positive counts. The result is sorted by word, and its shares
/// sum to one. It is empty if all shares are too small.
inline void solve(Row& row, const MixtureSettings& settings) {
  if (row.empty()) return;
  if (settings.trim) trim(row);
  if (settings.exact) {
    solve_exactly(row, settings.beta);
  } else {
    solve_by_em(row, settings.beta, settings.n_steps);
  }
  keep_largest(row, settings.least, settings.most);
  std::sort(row.begin(), row.end(), [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  double sum = 0;
  for (const Candidate& it : row) sum += it.share;
  for (Candidate& it : row) it.share /= sum;
}

// The translations of all signatures.

/// Sums by word over documents, and the list of words with a sum. For few documents, words are listed as they
/// occur; for many, all words are scanned, which is then cheaper. Values are positive. There are no branches
/// on whether a word is new or present, because they would be unpredictable.
class WordSums {
 public:
  explicit WordSums(std::size_t n_words) : sums_(n_words, 0.0), touched_(n_words + 1) {}

  void add(std::span<const TermId> words, const double* values) {
    double* const sums = sums_.data();
    TermId* next = touched_.data() + n_touched_;
    for (std::size_t i = 0; i < words.size(); ++i) {
      double& sum = sums[words[i]];
      *next = words[i];
      next += sum == 0;
      sum += values[i];
    }
    n_touched_ = static_cast<std::size_t>(next - touched_.data());
  }

  void add_unlisted(std::span<const TermId> words, const double* values) {
    double* const sums = sums_.data();
    for (std::size_t i = 0; i < words.size(); ++i) sums[words[i]] += values[i];
  }

  /// Moves all sums to a row and clears them.
  void take(const Buffer<double>& background, Row& row) {
    row.resize(n_touched_);
    for (std::size_t i = 0; i < n_touched_; ++i) {
      const auto w = static_cast<std::size_t>(touched_[i]);
      row[i] = {std::exchange(sums_[w], 0.0), background[w], 0, touched_[i]};
    }
    n_touched_ = 0;
  }

  void take_unlisted(const Buffer<double>& background, Row& row) {
    row.resize(sums_.size() + 1);
    Candidate* next = row.data();
    for (std::size_t w = 0; w < sums_.size(); ++w) {
      const double sum = std::exchange(sums_[w], 0.0);
      *next = {sum, background[w], 0, static_cast<TermId>(w)};
      next += sum > 0;
    }
    row.resize(static_cast<std::size_t>(next - row.data()));
  }

 private:
  Buffer<double> sums_;
  Buffer<TermId> touched_;  // one more than the number of words, for a write that is discarded
  std::size_t n_touched_ = 0;
};

/// Rows of words with their shares.
struct TranslatedRows {
  Buffer<int64_t> starts;
  Buffer<TermId> words;
  Buffer<double> shares;
};

/// Documents as rows of values, and for each signature the documents that contain it.
class Translation {
 public:
  /// The arguments are copied without values of zero. `signatures` holds those of each document.
  Translation(const WeightedRows<double>& docs, std::span<const double> background,
              std::span<const int64_t> signature_starts, std::span<const TermId> signatures,
              std::size_t n_signatures) {
    background_.append(background.data(), background.size());
    take_documents(docs);
    find_postings(signature_starts, signatures, n_signatures);
  }

  std::size_t n_signatures() const { return posting_starts_.size() - 1; }

  /// The number of documents of a signature.
  std::size_t frequency(std::size_t t) const { return posting(t).size(); }

  /// The number of values in the documents of a signature: the cost of its row.
  std::size_t cost(std::size_t t) const {
    std::size_t sum = 0;
    for (const int32_t d : posting(t)) sum += length(static_cast<std::size_t>(d));
    return sum;
  }

  /// The rows of some signatures; a signature with fewer than `min_df` documents has an empty row. Sums are
  /// in the order of the documents, so rows do not depend on the number of threads.
  TranslatedRows rows(Range range, const MixtureSettings& settings, std::size_t min_df,
                      std::size_t n_threads) const {
    const std::size_t n = range.end - range.begin;
    std::vector<Place> places(n);
    std::vector<TranslatedRows> made(n_threads);
    std::atomic<std::size_t> n_hired{0};
    const auto hire = [&] { return Worker(background_.size(), n_hired++); };
    in_turns(n, n_threads, hire, [&](Worker& worker, std::size_t i) {
      if (frequency(range.begin + i) < min_df) return;
      make(worker, range.begin + i, settings);
      places[i] = worker.put(made[worker.id]);
    });
    return in_order(places, made);
  }

 private:
  struct Place {
    std::size_t worker = 0, begin = 0, size = 0;
  };

  struct Worker {
    Worker(std::size_t n_words, std::size_t id) : sums(n_words), id(id) {}

    Place put(TranslatedRows& made) const {
      const Place place{id, made.words.size(), row.size()};
      for (const Candidate& it : row) {
        made.words.push_back(it.word);
        made.shares.push_back(it.share);
      }
      return place;
    }

    WordSums sums;
    std::size_t id;
    Row row;
  };

  std::span<const int32_t> posting(std::size_t t) const {
    const auto begin = static_cast<std::size_t>(posting_starts_[t]);
    return {postings_.data() + begin, static_cast<std::size_t>(posting_starts_[t + 1]) - begin};
  }
  std::size_t length(std::size_t d) const { return static_cast<std::size_t>(starts_[d + 1] - starts_[d]); }
  std::span<const TermId> words(std::size_t d) const { return {words_.data() + starts_[d], length(d)}; }
  const double* values(std::size_t d) const { return values_.data() + starts_[d]; }

  void make(Worker& worker, std::size_t t, const MixtureSettings& settings) const {
    WordSums& sums = worker.sums;
    if (cost(t) * 2 < background_.size()) {
      for (const int32_t doc : posting(t)) sums.add(words(to_size(doc)), values(to_size(doc)));
      sums.take(background_, worker.row);
    } else {
      for (const int32_t doc : posting(t)) sums.add_unlisted(words(to_size(doc)), values(to_size(doc)));
      sums.take_unlisted(background_, worker.row);
    }
    solve(worker.row, settings);
  }

  static std::size_t to_size(int32_t id) { return static_cast<std::size_t>(id); }

  static TranslatedRows in_order(const std::vector<Place>& places, const std::vector<TranslatedRows>& made) {
    TranslatedRows rows;
    rows.starts.push_back(0);
    for (const Place& place : places) {
      const TranslatedRows& from = made[place.worker];
      rows.words.append(from.words.data() + place.begin, place.size);
      rows.shares.append(from.shares.data() + place.begin, place.size);
      rows.starts.push_back(static_cast<int64_t>(rows.words.size()));
    }
    return rows;
  }

  void take_documents(const WeightedRows<double>& docs) {
    starts_.push_back(0);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (std::size_t i = docs.begin(d); i < docs.end(d); ++i) {
        if (docs.values[i] == 0) continue;
        words_.push_back(docs.terms[i]);
        values_.push_back(docs.values[i]);
      }
      starts_.push_back(static_cast<int64_t>(words_.size()));
    }
  }

  /// A transpose; a repeated signature of a document counts once.
  void find_postings(std::span<const int64_t> starts, std::span<const TermId> signatures, std::size_t n) {
    std::vector<int64_t> last(n, -1), counts(n + 1, 0);
    const auto for_each = [&](auto visit) {
      std::fill(last.begin(), last.end(), -1);
      for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
        for (int64_t i = starts[d]; i < starts[d + 1]; ++i) {
          const auto t = static_cast<std::size_t>(signatures[static_cast<std::size_t>(i)]);
          const auto doc = static_cast<int64_t>(d);
          if (std::exchange(last[t], doc) != doc) visit(t, static_cast<int32_t>(d));
        }
      }
    };
    for_each([&](std::size_t t, int32_t) { ++counts[t + 1]; });
    for (std::size_t t = 0; t < n; ++t) counts[t + 1] += counts[t];
    posting_starts_.append(counts.data(), counts.size());
    postings_.resize(static_cast<std::size_t>(counts[n]));
    for_each([&](std::size_t t, int32_t d) { postings_[static_cast<std::size_t>(counts[t]++)] = d; });
  }

  Buffer<double> background_;
  Buffer<int64_t> starts_;
  Buffer<TermId> words_;
  Buffer<double> values_;
  Buffer<int64_t> posting_starts_;
  Buffer<int32_t> postings_;
};

}  // namespace tallytext
