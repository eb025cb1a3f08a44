#pragma once
// What compilers spell differently: prefetching, and sums that notice when they overflow.
#include <cstdint>
#include <limits>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace tallytext {

/// Prefetches the cache line at `p`, which will be read. A hint: any address is allowed.
inline void load_soon(const void* p) {
#if !defined(_MSC_VER) || defined(__clang__)
  __builtin_prefetch(p);
#elif defined(_M_ARM64)
  __prefetch(p);
#else
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
#endif
}

/// Prefetches the cache line at `p`, which will be written.
inline void store_soon(const void* p) {
#if !defined(_MSC_VER) || defined(__clang__)
  __builtin_prefetch(p, 1);
#else
  load_soon(p);
#endif
}

/// sum = a + b; returns false if that leaves the range of 64 bits.
inline bool add_fits(int64_t a, int64_t b, int64_t& sum) {
#if !defined(_MSC_VER) || defined(__clang__)
  return !__builtin_add_overflow(a, b, &sum);
#else
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  if (b > 0 ? a > most - b : a < least - b) return false;
  sum = a + b;
  return true;
#endif
}

}  // namespace tallytext
