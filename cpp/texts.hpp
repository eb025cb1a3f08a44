#pragma once
// Batches of documents as views of their bytes: Python strings and Arrow columns, and fingerprints of their
// content.
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memory.hpp"
#include "parallel.hpp"
#include "unicode.hpp"

namespace tallytext {

// A batch of documents as views of their memory: nothing is copied until a document is read.

/// The storage of the units of a document.
enum class Storage : uint8_t { utf8, latin1, ucs2, ucs4 };

struct TextView {
  const void* data = nullptr;
  uint64_t length = 0;  // in units of the storage
  Storage storage = Storage::utf8;
};

struct Texts {
  std::vector<TextView> views;  // the owner of the memory keeps it alive

  std::size_t size() const { return views.size(); }

  /// Document `i` as UTF-8. Other encodings are transcoded into `scratch`.
  std::string_view utf8(std::size_t i, std::string& scratch) const {
    const TextView& view = views[i];
    switch (view.storage) {
      case Storage::utf8: return {static_cast<const char*>(view.data), view.length};
      case Storage::latin1: transcode(static_cast<const uint8_t*>(view.data), view.length, scratch); break;
      case Storage::ucs2: transcode(static_cast<const uint16_t*>(view.data), view.length, scratch); break;
      case Storage::ucs4: transcode(static_cast<const uint32_t*>(view.data), view.length, scratch);
    }
    return scratch;
  }

  /// Bytes of storage: the weight of a document when work is divided among threads.
  uint64_t weight(std::size_t i) const {
    constexpr uint64_t width[] = {1, 1, 2, 4};
    return views[i].length * width[static_cast<std::size_t>(views[i].storage)];
  }
};

}  // namespace tallytext

// The layouts of text in Arrow, as views of its buffers. Buffers are not trusted: every offset is checked
// against the buffer that it points into before a view is made.

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

/// Buffers need not be aligned: a producer can slice them anywhere.
template <class T>
T load(Buffer buffer, uint64_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Throws for slots beyond their bitmap, or beyond `values` of `width` bytes each.
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

/// One 16-byte slot of a string_view array: up to 12 bytes are in the slot itself, longer texts in a data
/// buffer.
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

/// dictionary: text i is the entry indices[i] of the dictionary.
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
    // A negative index becomes a huge one, which fails the same comparison.
    const auto entry = static_cast<uint64_t>(load<Index>(indices, slots.offset + i));
    require(entry < dictionary.size(), "an Arrow index points outside its dictionary");
    views.push_back(dictionary.views[entry]);
  }
}

}  // namespace tallytext::arrow

// Fingerprints: a 64-bit hash of each document, equal for equal texts.

namespace tallytext {

/// The bytes of a word in the opposite order.
inline uint64_t reversed(uint64_t word) {
  uint64_t turned = 0;
  for (int i = 0; i < 8; ++i, word >>= 8) turned = turned << 8 | (word & 0xFF);
  return turned;
}

/// Eight bytes at a time, lowest first, padded with zeros: h ← (h ⊕ word) · m, h ← h ⊕ h / 2³², starting with
/// h = size · g. Fingerprints are stored in files: the definition must never change.
inline uint64_t fingerprint(std::string_view bytes) {
  constexpr uint64_t g = 0x9E3779B97F4A7C15ull, m = 0xD6E8FEB86659FD93ull;
  uint64_t h = bytes.size() * g;
  const auto mix = [&h](uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = reversed(word);
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

/// True if all bytes are valid text. Each invalid byte is read as U+FFFD.
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

/// The bytes of the text as the core reads them, with U+FFFD for invalid bytes.
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

/// The fingerprint of each document as UTF-8, for any storage.
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
