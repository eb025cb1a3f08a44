#pragma once
// Where the terms of one vocabulary lie in another.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "vocabulary.hpp"

namespace tallytext {

/// How many first terms two vocabularies share. Compares bytes and their ends, not term by term.
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

/// Where the terms of `other` lie in `mine`: those that both begin with lie where they are, and look(key,
/// hash, term) answers for the rest, whose slots are asked for ahead of time.
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

/// result[i] is the id in `mine` of term i of `other`; -1 if it has none.
inline std::vector<TermId> locate(const Vocabulary& mine, const Vocabulary& other) {
  return look_up(mine, other, [&](const Key& key, uint64_t hash, std::string_view term) {
    return mine.find(key, hash, term);
  });
}

/// The same, with the terms that `mine` lacks appended to it.
inline std::vector<TermId> join(Vocabulary& mine, const Vocabulary& other) {
  return look_up(mine, other, [&](const Key& key, uint64_t hash, std::string_view term) {
    return mine.intern(key, hash, term);
  });
}

}  // namespace tallytext
