#pragma once
// For each signature, the words that its documents have more of than the background explains.
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "memory.hpp"
#include "mixture.hpp"
#include "parallel.hpp"
#include "score.hpp"

namespace tallytext {

/// Sums by word over documents, and which words have one. Words of few documents are listed as they come; of
/// many, all words are looked through, which is cheaper then. Values are positive. Nothing branches on
/// whether a word is new or there at all: that cannot be predicted.
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

  /// Moves all sums to a row, and leaves none.
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
  Buffer<TermId> touched_;  // one more than there are words, for one that is written and not kept
  std::size_t n_touched_ = 0;
};

/// Rows of words with their shares.
struct TranslatedRows {
  Buffer<int64_t> starts;
  Buffer<TermId> words;
  Buffer<double> shares;
};

/// Documents as rows of values, and for each signature the documents that hold it.
class Translation {
 public:
  /// What is given is copied; values of zero are left out. Signatures are those of each document.
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

  /// The number of values that the documents of a signature hold: what its row costs.
  std::size_t cost(std::size_t t) const {
    std::size_t sum = 0;
    for (const int32_t d : posting(t)) sum += length(static_cast<std::size_t>(d));
    return sum;
  }

  /// The rows of some signatures; those of fewer documents than `min_df` are empty. Which thread makes a row
  /// makes no difference to it: sums are in order of the documents.
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

  /// A transpose; a signature that a document names twice has the document once.
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
