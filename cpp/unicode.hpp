#pragma once
// Generalised UTF-8, which can encode lone surrogates, and the Unicode properties behind str.lower() and \w.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "unicode_tables.hpp"

namespace tallytext {

// Generalised UTF-8 also encodes lone surrogates, so that every Python str has exactly one encoding.

constexpr uint32_t replacement_character = 0xFFFD;

struct CodePoint {
  uint32_t value;
  uint32_t length;  // bytes read, at least 1
};

/// Decodes the code point at `p`, p < end. An invalid byte is read on its own, as U+FFFD.
inline CodePoint decode_utf8(const char* p, const char* end) {
  auto byte = [p](std::size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(p[i])); };
  auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint32_t lead = byte(0);
  const std::size_t left = static_cast<std::size_t>(end - p);
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead < 0xE0 && left > 1 && continues(1)) {
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  }
  if (lead >= 0xE0 && lead < 0xF0 && left > 2 && continues(1) && continues(2)) {
    const uint32_t value = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (value >= 0x800) return {value, 3};
  }
  if (lead >= 0xF0 && lead < 0xF5 && left > 3 && continues(1) && continues(2) && continues(3)) {
    const uint32_t value =
        (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (value >= 0x10000 && value <= 0x10FFFF) return {value, 4};
  }
  return {replacement_character, 1};
}

/// Writes `value` at `out`, which has room for four bytes; returns the bytes written.
inline std::size_t encode_utf8(uint32_t value, char* out) {
  auto put = [out](std::size_t i, uint32_t byte) { out[i] = static_cast<char>(byte); };
  if (value < 0x80) return put(0, value), 1;
  if (value < 0x800) return put(0, 0xC0 | value >> 6), put(1, 0x80 | (value & 0x3F)), 2;
  if (value < 0x10000) {
    return put(0, 0xE0 | value >> 12), put(1, 0x80 | (value >> 6 & 0x3F)), put(2, 0x80 | (value & 0x3F)), 3;
  }
  put(0, 0xF0 | value >> 18), put(1, 0x80 | (value >> 12 & 0x3F));
  return put(2, 0x80 | (value >> 6 & 0x3F)), put(3, 0x80 | (value & 0x3F)), 4;
}

/// True if no byte of [p, p + n) has its high bit set.
inline bool is_ascii(const char* p, std::size_t n) {
  uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t word;
    std::memcpy(&word, p + i, 8);
    seen |= word;
  }
  for (; i < n; ++i) seen |= static_cast<unsigned char>(p[i]) & 0x80u;
  return (seen & 0x8080808080808080ull) == 0;
}

/// Replaces `out` with the UTF-8 of `n` code points of one width (Latin-1, UCS-2 or UCS-4 storage).
template <class Unit>
void transcode(const Unit* units, std::size_t n, std::string& out) {
  constexpr std::size_t widest = sizeof(Unit) == 1 ? 2 : sizeof(Unit) == 2 ? 3 : 4;
  out.resize(n * widest + 4);
  char* end = out.data();
  for (std::size_t i = 0; i < n; ++i) end += encode_utf8(static_cast<uint32_t>(units[i]), end);
  out.resize(static_cast<std::size_t>(end - out.data()));
}

}  // namespace tallytext

// Properties of characters that str.lower() and \w use, from the generated tables.

namespace tallytext::unicode {

inline uint16_t flags(uint32_t c) {
  constexpr uint32_t low = (1u << block_bits) - 1;
  return flag_blocks[static_cast<uint32_t>(flag_index[c >> block_bits]) << block_bits | (c & low)];
}

inline uint32_t simple_lower(uint32_t c) {
  constexpr uint32_t low = (1u << block_bits) - 1;
  const int32_t delta =
      lower_blocks[static_cast<uint32_t>(lower_index[c >> block_bits]) << block_bits | (c & low)];
  return static_cast<uint32_t>(static_cast<int32_t>(c) + delta);
}

constexpr uint32_t capital_sigma = 0x3A3, final_sigma = 0x3C2;
constexpr uint32_t dotted_capital_i = 0x130, combining_dot_above = 0x307;

/// The flags of the nearest character before `p` that is not case-ignorable; 0 if there is none.
inline uint16_t context_before(std::string_view text, const char* p) {
  while (p > text.data()) {
    do --p;
    while (p > text.data() && (static_cast<unsigned char>(*p) & 0xC0) == 0x80);
    const uint16_t f = flags(decode_utf8(p, text.data() + text.size()).value);
    if (!(f & case_ignorable)) return f;
  }
  return 0;
}

/// The same, at and after `p`.
inline uint16_t context_after(std::string_view text, const char* p) {
  const char* end = text.data() + text.size();
  while (p < end) {
    const CodePoint code = decode_utf8(p, end);
    const uint16_t f = flags(code.value);
    if (!(f & case_ignorable)) return f;
    p += code.length;
  }
  return 0;
}

/// A sigma is final when a letter comes before it and none after.
inline uint32_t lower_sigma(std::string_view text, const char* p) {
  const bool is_final = (context_before(text, p) & cased) && !(context_after(text, p + 2) & cased);
  return is_final ? final_sigma : simple_lower(capital_sigma);
}

/// Passes the lower-case characters of `c`, which is at `p` in `text`, to `take`.
template <class Take>
void lower(std::string_view text, const char* p, uint32_t c, Take take) {
  if (c == capital_sigma) return take(lower_sigma(text, p));
  if (c != dotted_capital_i) return take(simple_lower(c));
  take(uint32_t{'i'});
  take(combining_dot_above);
}

}  // namespace tallytext::unicode
