#pragma once
// The layouts in which Arrow keeps text, as views of its buffers. Nothing that a buffer says is trusted:
// every offset is checked against the buffer that it points into before a view of it is made.
#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>

#include "texts.hpp"

namespace tallytext::arrow {

static_assert(std::endian::native == std::endian::little, "Arrow buffers are read as little-endian");

using Buffer = std::span<const char>;

/// The slots of an array: `length` of them from `offset` on, all valid when the bitmap is empty.
struct Slots {
  uint64_t offset = 0;
  uint64_t length = 0;
  Buffer validity;

  bool is_null(uint64_t i) const {
    const uint64_t bit = offset + i;
    return !validity.empty() && !(static_cast<unsigned char>(validity[bit / 8]) >> bit % 8 & 1);
  }
};

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

/// Buffers need not be aligned: a producer may have cut them anywhere.
template <class T>
T load(Buffer buffer, uint64_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Refuses slots that reach beyond their bitmap, or beyond `values` of `width` bytes each.
inline void check(const Slots& slots, Buffer values, uint64_t width, uint64_t extra = 0) {
  const uint64_t room = values.size() / width;
  require(slots.length <= room && slots.offset <= room - slots.length,
          "an Arrow array is longer than its buffer");
  const uint64_t end = slots.offset + slots.length;
  require(extra <= room - end, "an Arrow array has too few offsets");
  require(slots.validity.empty() || end / 8 + (end % 8 != 0) <= slots.validity.size(),
          "an Arrow array is longer than its validity bitmap");
}

/// string and binary (Offset = int32), large_string and large_binary (int64): text i lies at
/// data[offsets[i] .. offsets[i + 1]).
template <class Offset>
void append_offsets(std::vector<TextView>& views, const Slots& slots, Buffer offsets, Buffer data) {
  if (slots.length == 0) return;
  check(slots, offsets, sizeof(Offset), 1);
  auto begin = load<Offset>(offsets, slots.offset);
  require(begin >= 0, "an Arrow offset is negative");
  for (uint64_t i = 0; i < slots.length; ++i) {
    const auto end = load<Offset>(offsets, slots.offset + i + 1);
    require(begin <= end && static_cast<uint64_t>(end) <= data.size(),
            "an Arrow offset points outside its data");
    const bool skip = begin == end || slots.is_null(i);
    views.push_back(skip ? TextView{} : TextView{data.data() + begin, static_cast<uint64_t>(end - begin)});
    begin = end;
  }
}

/// One 16-byte slot of a string_view array: up to 12 bytes lie in the slot itself, more in a data buffer.
inline TextView view_in(const char* slot, std::span<const Buffer> data) {
  struct {
    int32_t length, prefix, buffer, offset;
  } header;
  static_assert(sizeof header == 16);
  std::memcpy(&header, slot, sizeof header);
  require(header.length >= 0, "an Arrow string view has a negative length");
  const auto length = static_cast<uint64_t>(header.length);
  if (length <= 12) return {slot + 4, length};
  require(header.buffer >= 0 && static_cast<std::size_t>(header.buffer) < data.size(),
          "an Arrow string view names a buffer that is not there");
  const Buffer bytes = data[static_cast<std::size_t>(header.buffer)];
  require(header.offset >= 0 && static_cast<uint64_t>(header.offset) + length <= bytes.size(),
          "an Arrow string view points outside its data");
  return {bytes.data() + header.offset, length};
}

/// string_view and binary_view.
inline void append_views(std::vector<TextView>& views, const Slots& slots, Buffer headers,
                         std::span<const Buffer> data) {
  if (slots.length == 0) return;
  check(slots, headers, 16);
  for (uint64_t i = 0; i < slots.length; ++i) {
    const char* slot = headers.data() + (slots.offset + i) * 16;
    views.push_back(slots.is_null(i) ? TextView{} : view_in(slot, data));
  }
}

/// dictionary: text i is the dictionary's entry indices[i], shared by all that name it.
template <class Index>
void append_entries(std::vector<TextView>& views, const Slots& slots, Buffer indices,
                    const Texts& dictionary) {
  if (slots.length == 0) return;
  check(slots, indices, sizeof(Index));
  for (uint64_t i = 0; i < slots.length; ++i) {
    if (slots.is_null(i)) {
      views.emplace_back();
      continue;
    }
    // A negative index becomes a huge one, which the same comparison refuses.
    const auto entry = static_cast<uint64_t>(load<Index>(indices, slots.offset + i));
    require(entry < dictionary.size(), "an Arrow index points outside its dictionary");
    views.push_back(dictionary.views[entry]);
  }
}

}  // namespace tallytext::arrow
