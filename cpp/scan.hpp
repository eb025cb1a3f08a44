#pragma once
// Finds the runs of bytes that may belong to words, 64 bytes at a time, and lower-cases ASCII on the way.
//
// A run is a maximal stretch of ASCII letters, digits, underscores and bytes above 127. Every other ASCII
// character ends a word in every script, so a run can be looked at by itself.
#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__) && !defined(TALLYTEXT_SCALAR)
#define TALLYTEXT_SSE2
#include <emmintrin.h>
#endif

namespace tallytext {

constexpr std::size_t scan_block = 64;

struct Block {
  uint64_t runs;  // bit i: byte i belongs to a run
  uint64_t high;  // bit i: byte i is not ASCII
};

#if defined(TALLYTEXT_SSE2)

/// Classifies 64 bytes and writes them to `out`, in lower case if asked for.
template <bool lowercase>
Block scan_bytes(const char* in, char* out) {
  auto at_most = [](__m128i x, char limit) {
    return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(limit)), x);
  };
  Block block{0, 0};
  for (int i = 0; i < 4; ++i) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 16 * i));
    const __m128i folded = _mm_or_si128(x, _mm_set1_epi8(0x20));
    const __m128i letter = at_most(_mm_sub_epi8(folded, _mm_set1_epi8('a')), 25);
    const __m128i digit = at_most(_mm_sub_epi8(x, _mm_set1_epi8('0')), 9);
    const __m128i underscore = _mm_cmpeq_epi8(x, _mm_set1_epi8('_'));
    const auto high = static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(x)));
    const __m128i word = _mm_or_si128(_mm_or_si128(letter, digit), underscore);
    block.high |= high << 16 * i;
    block.runs |= (high | static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(word)))) << 16 * i;
    const __m128i lowered = lowercase ? _mm_or_si128(x, _mm_and_si128(letter, _mm_set1_epi8(0x20))) : x;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * i), lowered);
  }
  return block;
}

#else

template <bool lowercase>
Block scan_bytes(const char* in, char* out) {
  Block block{0, 0};
  for (std::size_t i = 0; i < scan_block; ++i) {
    const auto x = static_cast<unsigned char>(in[i]);
    const bool letter = static_cast<unsigned char>((x | 0x20) - 'a') < 26;
    const bool word = letter || static_cast<unsigned char>(x - '0') < 10 || x == '_';
    block.high |= static_cast<uint64_t>(x >> 7) << i;
    block.runs |= static_cast<uint64_t>(word || x >> 7) << i;
    out[i] = static_cast<char>(lowercase && letter ? x | 0x20 : x);
  }
  return block;
}

#endif

/// A run that the end of the scanned bytes cut off.
struct OpenRun {
  bool is_open = false;
  std::size_t begin = 0;
  bool high = false;
};

/// Calls emit(begin, end, high) for every run of `shortest` bytes or more, 1 or 2, that ends within `n`
/// bytes; `high` says that some byte near by is not ASCII. `out` takes the bytes, rounded up to a block, in
/// lower case if asked for.
template <bool lowercase, std::size_t shortest, class Emit>
OpenRun for_each_run(const char* text, std::size_t n, char* out, Emit emit) {
  OpenRun run;
  for (std::size_t at = 0; at < n; at += scan_block) {
    char tail[scan_block];
    const char* in = text + at;
    if (n - at < scan_block) {
      std::memset(tail, 0, scan_block);
      in = static_cast<const char*>(std::memcpy(tail, in, n - at));
    }
    const Block block = scan_bytes<lowercase>(in, out + at);
    const uint64_t before = block.runs << 1 | (run.is_open ? 1 : 0);
    uint64_t begins = block.runs & ~before, ends = ~block.runs & before;
    auto offset = [at](uint64_t bits) { return at + static_cast<std::size_t>(std::countr_zero(bits)); };
    if (run.is_open) {
      run.high |= block.high != 0;
      if (!ends) continue;
      if (offset(ends) - run.begin >= shortest) emit(run.begin, offset(ends), run.high);
      ends &= ends - 1;
    }
    if constexpr (shortest == 2) {
      // Runs of one byte are dropped here, all at once: they are too frequent and too random to branch on.
      const uint64_t single = begins & ends >> 1;
      begins ^= single;
      ends ^= single << 1;
    }
    for (; ends; begins &= begins - 1, ends &= ends - 1) emit(offset(begins), offset(ends), block.high != 0);
    run.is_open = block.runs >> 63;
    if (run.is_open) run.begin = offset(begins), run.high = block.high != 0;
  }
  return run;
}

}  // namespace tallytext
