#pragma once
// Words lie where more than their own bytes can be read, so that short ones are handled whole, without a
// branch on how short they are.
#include <cstddef>
#include <cstring>

namespace tallytext {

constexpr std::size_t readable_past = 16;

/// Copies `size` bytes, of a word, to where there is room for sixteen more.
inline void copy_padded(const char* from, std::size_t size, char* to) {
  if (size > readable_past) {
    std::memcpy(to, from, size);
  } else {
    std::memcpy(to, from, readable_past);
  }
}

}  // namespace tallytext
