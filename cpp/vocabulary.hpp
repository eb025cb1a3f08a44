#pragma once
// The vocabulary: terms to ids and back, append-only, and the mapping of one vocabulary into another.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler.hpp"
#include "memory.hpp"

namespace tallytext {

// Term <-> id, append-only. Ids are assigned in order of arrival and never change, so counts by id stay valid
// while the vocabulary grows.

using TermId = int32_t;
constexpr TermId unknown_term = -1;

/// The most terms. Arrays with a number for each are common, so that this bounds their memory.
constexpr std::size_t most_terms = std::size_t{1} << 28;

/// The key of a term in the hash table. A term of up to 12 bytes is its own key, padded with zeros; a longer
/// term, or one with a NUL, is represented by its hash and a marker that is not valid UTF-8.
struct Key {
  static constexpr std::size_t inline_bytes = 12;
  static constexpr uint32_t long_mark = 0xFF000000u;
  uint64_t low;
  uint32_t high;

  bool is_long() const { return (high & long_mark) == long_mark; }
  bool operator==(const Key&) const = default;

  uint64_t hash() const {
    uint64_t h = (low ^ high * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    return h ^ h >> 32;
  }

  static Key of_long(std::string_view term) {
    uint64_t h = term.size() * 0x9E3779B97F4A7C15ull;
    std::size_t i = 0;
    for (; i + 8 <= term.size(); i += 8) {
      uint64_t word;
      std::memcpy(&word, term.data() + i, 8);
      h = (h ^ word) * 0xD6E8FEB86659FD93ull;
      h ^= h >> 32;
    }
    uint64_t tail = 0;
    if (i < term.size()) std::memcpy(&tail, term.data() + i, term.size() - i);
    h = (h ^ tail) * 0xD6E8FEB86659FD93ull;
    return {h ^ h >> 29, long_mark | static_cast<uint32_t>(term.size() & 0xFFFFFF)};
  }

  /// The key of any bytes.
  static Key of(std::string_view term) {
    if (term.size() > inline_bytes || term.find('\0') != term.npos) return of_long(term);
    Key key{0, 0};
    char bytes[inline_bytes] = {};
    if (!term.empty()) std::memcpy(bytes, term.data(), term.size());
    std::memcpy(&key.low, bytes, 8);
    std::memcpy(&key.high, bytes + 8, 4);
    return key;
  }

  /// The same key, for a term without NUL; sixteen bytes from its start are readable.
  static Key of_padded(const char* p, std::size_t size) {
    if constexpr (std::endian::native != std::endian::little) return of({p, size});
    if (size > inline_bytes) return of_long({p, size});
    Key key;
    std::memcpy(&key.low, p, 8);
    std::memcpy(&key.high, p + 8, 4);
    key.low &= low_mask[size];
    key.high &= high_mask[size];
    return key;
  }

 private:
  // Masks of the bytes of a term of 0 to 12 bytes: a table instead of branches on its unpredictable size.
  static constexpr uint64_t low_mask[] = {
      0,     0xFF,  0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
      ~0ull, ~0ull, ~0ull,  ~0ull,    ~0ull};
  static constexpr uint32_t high_mask[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFFFF, 0xFFFFFF, ~0u};
};

class Vocabulary {
 public:
  Vocabulary() : slots_(1024, empty_slot), ends_(1, 0) {}

  std::size_t size() const { return ends_.size() - 1; }
  std::size_t bytes() const { return arena_.size(); }
  const Buffer<char>& arena() const { return arena_; }

  std::string_view term(TermId id) const {
    const auto i = static_cast<std::size_t>(id);
    return {arena_.data() + ends_[i], ends_[i + 1] - ends_[i]};
  }

  void prefetch(uint64_t hash) const { load_soon(&slots_[hash & mask()]); }

  /// Reserves room for this many terms, so that the hash table does not grow meanwhile.
  void reserve(std::size_t n_terms) {
    ends_.reserve(n_terms + 1);
    if (n_terms * 2 > slots_.size()) grow(std::bit_ceil(n_terms * 2));
  }

  TermId find(std::string_view term) const {
    const Key key = Key::of(term);
    return find(key, key.hash(), term);
  }
  TermId find(const Key& key, uint64_t hash, std::string_view term) const {
    return slots_[slot_of(key, hash, term)].id;
  }

  /// Returns the id of `term`, which is appended if it is new.
  TermId intern(std::string_view term) {
    const Key key = Key::of(term);
    return intern(key, key.hash(), term);
  }
  TermId intern(const Key& key, uint64_t hash, std::string_view term) {
    const std::size_t at = slot_of(key, hash, term);
    return slots_[at].id >= 0 ? slots_[at].id : append(at, key, hash, term);
  }

  /// All ids, sorted by the code points of their terms (which is the order of their bytes). Cached until a
  /// term is added.
  std::span<const TermId> sort() {
    if (order_.size() != size()) order_ = sorted();
    return {order_.data(), order_.size()};
  }
  Buffer<TermId> sorted() const { return order_.size() == size() ? order_ : sorted_anew(); }

 private:
  struct Slot {  // four to a cache line
    uint64_t low;
    uint32_t high;
    TermId id;
    Key key() const { return {low, high}; }
  };
  static constexpr Slot empty_slot{0, 0, unknown_term};

  Buffer<TermId> sorted_anew() const {
    struct Prefixed {
      uint64_t prefix;
      TermId id;
    };
    std::vector<Prefixed> order(size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = {prefix_of(term(static_cast<TermId>(i))), static_cast<TermId>(i)};
    }
    std::sort(order.begin(), order.end(), [this](const Prefixed& a, const Prefixed& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : term(a.id) < term(b.id);
    });
    Buffer<TermId> ids(order.size());
    std::transform(order.begin(), order.end(), ids.begin(), [](const Prefixed& p) { return p.id; });
    return ids;
  }

  uint64_t mask() const { return slots_.size() - 1; }

  static uint64_t prefix_of(std::string_view term) {
    uint64_t prefix = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      prefix = prefix << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0u);
    }
    return prefix;
  }

  std::size_t slot_of(const Key& key, uint64_t hash, std::string_view wanted) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      // One branch for both halves, because the order of words is unpredictable.
      const bool same = ((slot.low ^ key.low) | (slot.high ^ key.high)) == 0;
      if (same && (!key.is_long() || slot.id < 0 || term(slot.id) == wanted)) return at;
      if (slot.id < 0) return at;
    }
  }

  /// Memory that cannot be had is missed before anything changes.
  TermId append(std::size_t at, const Key& key, uint64_t hash, std::string_view term) {
    if (size() >= most_terms) {
      throw std::length_error("a vocabulary holds at most " + std::to_string(most_terms) + " terms");
    }
    ends_.make_room(1);
    if ((size() + 1) * 2 > slots_.size()) {
      grow(2 * slots_.size());
      at = slot_of(key, hash, term);
    }
    const auto id = static_cast<TermId>(size());
    arena_.append(term.data(), term.size());
    ends_.push_back(arena_.size());
    slots_[at] = {key.low, key.high, id};
    return id;
  }

  void grow(std::size_t n_slots) {
    Buffer<Slot> old(n_slots, empty_slot);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id < 0) continue;
      std::size_t at = slot.key().hash() & mask();
      while (slots_[at].id >= 0) at = (at + 1) & mask();
      slots_[at] = slot;
    }
  }

  Buffer<Slot> slots_;
  Buffer<char> arena_;
  Buffer<TermId> order_;   // by code points, cached
  Buffer<uint64_t> ends_;  // ends_[i] .. ends_[i + 1] is term i in the arena
};

// Mapping of the terms of one vocabulary to another.

/// The length of the common prefix of two vocabularies. Compares all bytes at once, not term by term.
inline std::size_t shared_prefix(const Vocabulary& a, const Vocabulary& b) {
  const std::size_t n = std::min(a.size(), b.size()), bytes = std::min(a.bytes(), b.bytes());
  const char* first = a.arena().data();
  const auto same =
      static_cast<std::size_t>(std::mismatch(first, first + bytes, b.arena().data()).first - first);
  const auto end = [](const Vocabulary& v, std::size_t i) {
    const std::string_view term = v.term(static_cast<TermId>(i));
    return static_cast<std::size_t>(term.data() - v.arena().data()) + term.size();
  };
  std::size_t i = 0;
  while (i < n && end(a, i) == end(b, i) && end(a, i) <= same) ++i;
  return i;
}

/// The ids in `mine` of the terms of `other`: the terms of the common prefix have the same ids; look(key,
/// hash, term) returns the ids of the others, whose slots are prefetched.
template <class Look>
std::vector<TermId> look_up(const Vocabulary& mine, const Vocabulary& other, Look look) {
  constexpr std::size_t ahead = 16;
  std::vector<TermId> ids(other.size());
  const std::size_t same = shared_prefix(mine, other);
  std::iota(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(same), 0);
  std::array<Key, ahead> keys;
  for (std::size_t i = same; i < ids.size() + ahead; ++i) {
    if (i >= same + ahead) {
      const Key& key = keys[i % ahead];
      ids[i - ahead] = look(key, key.hash(), other.term(static_cast<TermId>(i - ahead)));
    }
    if (i < ids.size()) {
      keys[i % ahead] = Key::of(other.term(static_cast<TermId>(i)));
      mine.prefetch(keys[i % ahead].hash());
    }
  }
  return ids;
}

/// result[i] is the id in `mine` of term i of `other`, -1 if it is unknown.
inline std::vector<TermId> locate(const Vocabulary& mine, const Vocabulary& other) {
  return look_up(mine, other, [&](const Key& key, uint64_t hash, std::string_view term) {
    return mine.find(key, hash, term);
  });
}

/// The same, but unknown terms are appended to `mine`.
inline std::vector<TermId> join(Vocabulary& mine, const Vocabulary& other) {
  return look_up(mine, other, [&](const Key& key, uint64_t hash, std::string_view term) {
    return mine.intern(key, hash, term);
  });
}

}  // namespace tallytext
