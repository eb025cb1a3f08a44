#pragma once
// How often words follow each other.
#include <algorithm>
#include <bit>
#include <vector>

#include "memory.hpp"
#include "word_streams.hpp"

namespace tallytext {

struct WordPair {
  WordId first, second;
  int64_t count;
};

/// Pairs of neighbours by first and then second word, and how many different ones there were in all.
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

  /// take(pair) for every pair that came this often at least, in no order.
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
    int64_t count;  // 0 where there is nothing
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

/// take(first, second) for all neighbours in all documents.
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

/// Counts pairs of neighbours. Each thread reads everything and counts the pairs whose hash makes them its
/// own, so that nothing has to be merged and memory does not grow with the threads.
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

}  // namespace tallytext
