#pragma once
// A number for each document that tells whether two of them are the same text.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "memory.hpp"
#include "parallel.hpp"
#include "texts.hpp"

namespace tallytext {

/// Eight bytes at a time, lowest first, zeros behind the last: h ← (h ⊕ word) · m, h ← h ⊕ h / 2³², from
/// h = size · g on. Kept in files: it must never change.
inline uint64_t fingerprint(std::string_view bytes) {
  constexpr uint64_t g = 0x9E3779B97F4A7C15ull, m = 0xD6E8FEB86659FD93ull;
  uint64_t h = bytes.size() * g;
  const auto mix = [&h](uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    h = (h ^ word) * m;
    h ^= h >> 32;
  };
  uint64_t word = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) mix((std::memcpy(&word, bytes.data() + i, 8), word));
  word = 0;
  if (i < bytes.size()) mix((std::memcpy(&word, bytes.data() + i, bytes.size() - i), word));
  mix(0);
  return h;
}

/// Whether all bytes are text. What is not is read as U+FFFD, byte by byte.
inline bool is_text(std::string_view bytes) {
  if (is_ascii(bytes.data(), bytes.size())) return true;
  const char* end = bytes.data() + bytes.size();
  for (const char* p = bytes.data(); p < end;) {
    const CodePoint code = decode_utf8(p, end);
    if (code.value == replacement_character && code.length == 1) return false;
    p += code.length;
  }
  return true;
}

/// The bytes of the text that the core reads in `bytes`.
inline std::string as_read(std::string_view bytes) {
  std::string text;
  const char* end = bytes.data() + bytes.size();
  for (const char* p = bytes.data(); p < end;) {
    const CodePoint code = decode_utf8(p, end);
    char spelled[4];
    text.append(spelled, encode_utf8(code.value, spelled));
    p += code.length;
  }
  return text;
}

/// The fingerprint of each document as UTF-8, however it is held.
inline Buffer<uint64_t> fingerprints(const Texts& texts, std::size_t n_threads) {
  Buffer<uint64_t> found(texts.size());
  const auto parts = shares(texts.size(), n_threads, [&](std::size_t i) { return texts.weight(i); });
  in_parallel(parts.size(), [&](std::size_t part) {
    std::string scratch;
    for (std::size_t i = parts[part].begin; i < parts[part].end; ++i) {
      const std::string_view text = texts.utf8(i, scratch);
      const bool whole = texts.views[i].storage != Storage::utf8 || is_text(text);
      found[i] = whole ? fingerprint(text) : fingerprint(as_read(text));
    }
  });
  return found;
}

}  // namespace tallytext
