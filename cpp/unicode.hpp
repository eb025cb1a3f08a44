#pragma once
// What str.lower() and \w know about characters, from the generated tables.
#include <string_view>

#include "unicode_tables.hpp"
#include "utf8.hpp"

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

/// Hands the characters of the lower case of `c`, which stands at `p` in `text`, to `take`.
template <class Take>
void lower(std::string_view text, const char* p, uint32_t c, Take take) {
  if (c == capital_sigma) return take(lower_sigma(text, p));
  if (c != dotted_capital_i) return take(simple_lower(c));
  take(uint32_t{'i'});
  take(combining_dot_above);
}

}  // namespace tallytext::unicode
