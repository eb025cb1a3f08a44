#pragma once
// Phrases: streams of word ids, counts of adjacent pairs, and a trie that finds phrases in documents.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "count.hpp"
#include "memory.hpp"
#include "parallel.hpp"

namespace tallytext {

// Documents as streams of word ids, with separators.

using WordId = int32_t;
constexpr WordId stream_break = -1;  // the end of a run of neighbouring words
constexpr WordId stream_hole = -2;   // a dropped word that still occupies a position

/// Document d is [starts[d], starts[d + 1]) of the words. Every negative id separates its neighbours.
struct WordStreams {
  std::span<const int64_t> starts;
  std::span<const WordId> words;

  std::size_t size() const { return starts.size() - 1; }
  std::size_t weight(std::size_t d) const { return static_cast<std::size_t>(starts[d + 1] - starts[d]); }
  std::span<const WordId> document(std::size_t d) const {
    return words.subspan(static_cast<std::size_t>(starts[d]), weight(d));
  }
};

/// The useful number of threads for this amount of work.
inline std::size_t useful_threads(std::size_t n_threads, std::size_t work) {
  constexpr std::size_t worth_a_thread = 1 << 16;
  return std::min(n_threads, 1 + work / worth_a_thread);
}

// Counts of pairs of neighbouring words.

struct WordPair {
  WordId first, second;
  int64_t count;
};

/// Pairs of neighbours, sorted by first and second word, and the number of distinct pairs.
struct PairCounts {
  std::vector<WordPair> pairs;
  int64_t n_distinct = 0;
};

/// A hash table from pairs to counts.
class PairTable {
 public:
  static uint64_t key_of(WordId first, WordId second) {
    return static_cast<uint64_t>(static_cast<uint32_t>(first)) << 32 | static_cast<uint32_t>(second);
  }
  static uint64_t hash_of(uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
  }

  void add(uint64_t key, uint64_t hash) {
    Slot& slot = slots_[find(key, hash)];
    if (slot.count++ > 0) return;
    slot.key = key;
    if (++size_ * 2 > slots_.size()) grow();
  }
  std::size_t size() const { return size_; }

  /// Calls take(pair) for every pair with at least this count, in no order.
  template <class Take>
  void for_each(int64_t min_count, Take take) const {
    for (const Slot& slot : slots_) {
      if (slot.count == 0 || slot.count < min_count) continue;
      take(WordPair{static_cast<WordId>(slot.key >> 32), static_cast<WordId>(slot.key), slot.count});
    }
  }

 private:
  struct Slot {
    uint64_t key;
    int64_t count;  // 0 for an empty slot
  };

  std::size_t find(uint64_t key, uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].count > 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    Buffer<Slot> old(2 * slots_.size(), Slot{0, 0});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.count > 0) slots_[find(slot.key, hash_of(slot.key))] = slot;
    }
  }

  Buffer<Slot> slots_ = Buffer<Slot>(1024, Slot{0, 0});
  std::size_t size_ = 0;
};

/// Calls take(first, second) for all neighbours in all documents.
template <class Take>
void for_each_pair(const WordStreams& streams, Take take) {
  for (std::size_t d = 0; d < streams.size(); ++d) {
    WordId before = stream_break;
    for (const WordId word : streams.document(d)) {
      if (before >= 0 && word >= 0) take(before, word);
      before = word;
    }
  }
}

/// Counts pairs of neighbours. Each thread reads all documents and counts its share of the pairs, by hash, so
/// that there is nothing to merge and memory does not grow with the number of threads.
inline PairCounts count_pairs(const WordStreams& streams, int64_t min_count, std::size_t n_threads) {
  std::vector<PairTable> tables(useful_threads(n_threads, streams.words.size()));
  in_parallel(tables.size(), [&](std::size_t own) {
    for_each_pair(streams, [&](WordId first, WordId second) {
      const uint64_t key = PairTable::key_of(first, second), hash = PairTable::hash_of(key);
      if ((hash >> 32) * tables.size() >> 32 == own) tables[own].add(key, hash);
    });
  });
  PairCounts counts;
  for (const PairTable& table : tables) {
    counts.n_distinct += static_cast<int64_t>(table.size());
    table.for_each(min_count, [&](const WordPair& pair) { counts.pairs.push_back(pair); });
  }
  std::sort(counts.pairs.begin(), counts.pairs.end(), [](const WordPair& a, const WordPair& b) {
    return PairTable::key_of(a.first, a.second) < PairTable::key_of(b.first, b.second);
  });
  return counts;
}

// Phrases as a trie of words, and their matches in documents.

/// The longest phrase that starts at a position; length 0 if there is none.
struct PhraseMatch {
  WordId phrase = -1;
  std::size_t length = 0;
};

class PhraseTree {
 public:
  /// Phrase p is [starts[p], starts[p + 1]) of the words; phrases are distinct and not empty.
  PhraseTree(std::span<const int64_t> starts, std::span<const WordId> words, std::size_t n_words)
      : first_(n_words, none), n_phrases_(starts.size() - 1) {
    for (std::size_t p = 0; p < n_phrases_; ++p) {
      const auto begin = static_cast<std::size_t>(starts[p]), end = static_cast<std::size_t>(starts[p + 1]);
      add(words.subspan(begin, end - begin), static_cast<WordId>(p));
    }
  }

  std::size_t size() const { return n_phrases_; }
  std::size_t n_words() const { return first_.size(); }

  /// Calls take(phrase, length) for every phrase that is a prefix of some words, the shortest first.
  template <class Take>
  void for_each_prefix(std::span<const WordId> words, Take take) const {
    Node node = words[0] < 0 ? none : first_[static_cast<std::size_t>(words[0])];
    for (std::size_t n = 1; node != none; ++n) {
      const WordId phrase = phrases_[static_cast<std::size_t>(node)];
      if (phrase >= 0) take(phrase, n);
      if (n == words.size() || words[n] < 0) return;
      node = next_[slot_of(node, words[n])].to;
    }
  }

  PhraseMatch longest(std::span<const WordId> words) const {
    PhraseMatch match;
    for_each_prefix(words, [&](WordId phrase, std::size_t length) { match = {phrase, length}; });
    return match;
  }

 private:
  using Node = int32_t;
  static constexpr Node none = -1;
  struct Step {
    Node from, to;
    WordId word;
  };
  static constexpr Step no_step{none, none, -1};

  void add(std::span<const WordId> words, WordId phrase) {
    Node& first = first_[static_cast<std::size_t>(words[0])];
    if (first == none) first = new_node();
    Node node = first;
    for (const WordId word : words.subspan(1)) node = step_on(node, word);
    WordId& here = phrases_[static_cast<std::size_t>(node)];
    if (here >= 0) throw std::invalid_argument("a phrase comes twice");
    here = phrase;
  }

  Node new_node() {
    phrases_.push_back(-1);
    return static_cast<Node>(phrases_.size() - 1);
  }

  Node step_on(Node node, WordId word) {
    const std::size_t at = slot_of(node, word);
    if (next_[at].to != none) return next_[at].to;
    const Node to = new_node();
    next_[at] = {node, to, word};
    if (++n_steps_ * 2 > next_.size()) grow();
    return to;
  }

  std::size_t slot_of(Node node, WordId word) const {
    uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(word);
    key *= 0x9E3779B97F4A7C15ull;
    const std::size_t mask = next_.size() - 1;
    std::size_t at = (key ^ key >> 32) & mask;
    while (next_[at].to != none && (next_[at].from != node || next_[at].word != word)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    Buffer<Step> old(2 * next_.size(), no_step);
    old.swap(next_);
    for (const Step& step : old) {
      if (step.to != none) next_[slot_of(step.from, step.word)] = step;
    }
  }

  Buffer<Node> first_;      // for each word, its child of the root
  Buffer<WordId> phrases_;  // for each node, the phrase that ends there, or -1
  Buffer<Step> next_ = Buffer<Step>(1024, no_step);
  std::size_t n_steps_ = 0, n_phrases_;
};

/// Calls take(match) for the longest matches of a document from left to right, without overlap, and
/// skip(word) for every word between them.
template <class Take, class Skip>
void for_each_match(const PhraseTree& tree, std::span<const WordId> words, Take take, Skip skip) {
  for (std::size_t at = 0; at < words.size();) {
    const PhraseMatch match = tree.longest(words.subspan(at));
    match.length ? take(match) : skip(words[at]);
    at += std::max<std::size_t>(match.length, 1);
  }
}

template <class Rows, class Fill>
Shares<Rows> fill_documents(const WordStreams& streams, std::size_t n_threads, Fill fill) {
  auto all = shared_out<Rows>(streams.size(), [&](std::size_t d) { return streams.weight(d); }, n_threads);
  in_parallel(all.size(), [&](std::size_t i) {
    Share<Rows>& share = *all[i];
    std::vector<TermId> found;
    share.rows.reserve(0);
    for (std::size_t d = share.documents.begin; d < share.documents.end; ++d) {
      found.clear();
      fill(streams.document(d), found);
      share.rows(found);
      share.rows.end_document();
    }
    share.rows.forget_marks();
  });
  return all;
}

/// The phrases of each document with their counts; phrase p is counted in column columns[p].
inline Csr count_phrases(const PhraseTree& tree, const WordStreams& streams, std::span<const TermId> columns,
                         std::size_t n_threads) {
  auto all = fill_documents<CountRows>(streams, n_threads, [&](std::span<const WordId> words, auto& found) {
    const auto take = [&](const PhraseMatch& match) {
      found.push_back(columns[static_cast<std::size_t>(match.phrase)]);
    };
    for_each_match(tree, words, take, [](WordId) {});
  });
  return gather(all, {});
}

/// The documents with every match of a phrase p replaced by the word n_words + p.
inline Csr join_phrases(const PhraseTree& tree, const WordStreams& streams, std::size_t n_threads) {
  const auto base = static_cast<WordId>(tree.n_words());
  auto all = fill_documents<TermRows>(streams, n_threads, [&](std::span<const WordId> words, auto& found) {
    const auto take = [&](const PhraseMatch& match) { found.push_back(base + match.phrase); };
    for_each_match(tree, words, take, [&](WordId word) { found.push_back(word); });
  });
  return gather(all);
}

/// The number of occurrences of each phrase in the documents, including those within or across other phrases.
inline std::vector<int64_t> count_occurrences(const PhraseTree& tree, const WordStreams& streams,
                                              std::size_t n_threads) {
  const auto weight = [&](std::size_t d) { return streams.weight(d); };
  const auto parts = shares(streams.size(), useful_threads(n_threads, streams.words.size()), weight);
  std::vector<std::vector<int64_t>> counts(parts.size(), std::vector<int64_t>(tree.size()));
  in_parallel(parts.size(), [&](std::size_t i) {
    for (std::size_t d = parts[i].begin; d < parts[i].end; ++d) {
      const auto words = streams.document(d);
      for (std::size_t at = 0; at < words.size(); ++at) {
        tree.for_each_prefix(words.subspan(at), [&](WordId phrase, std::size_t) {
          ++counts[i][static_cast<std::size_t>(phrase)];
        });
      }
    }
  });
  std::vector<int64_t> total(tree.size());
  for (const auto& part : counts) {
    std::transform(part.begin(), part.end(), total.begin(), total.begin(), std::plus<>());
  }
  return total;
}

}  // namespace tallytext
