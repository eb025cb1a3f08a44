#pragma once
// Where the terms of one vocabulary lie in another.
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

/// result[i] is the id in `mine` of term i of `other`; -1 if it has none.
inline std::vector<TermId> locate(const Vocabulary& mine, const Vocabulary& other) {
  std::vector<TermId> ids(other.size());
  const std::size_t same = shared_prefix(mine, other);
  std::iota(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(same), 0);
  for (std::size_t i = same; i < ids.size(); ++i) ids[i] = mine.find(other.term(static_cast<TermId>(i)));
  return ids;
}

/// The same, with the terms that `mine` lacks appended to it.
inline std::vector<TermId> join(Vocabulary& mine, const Vocabulary& other) {
  std::vector<TermId> ids = locate(mine, other);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) ids[i] = mine.intern(other.term(static_cast<TermId>(i)));
  }
  return ids;
}

}  // namespace tallytext
