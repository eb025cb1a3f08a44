#pragma once
// A batch of documents, each where it lies in memory: nothing is copied until a document is read.
#include <string>
#include <string_view>
#include <vector>

#include "utf8.hpp"

namespace tallytext {

/// How the units of a document are stored.
enum class Storage : uint8_t { utf8, latin1, ucs2, ucs4 };

struct TextView {
  const void* data = nullptr;
  uint64_t length = 0;  // in units of the storage
  Storage storage = Storage::utf8;
};

struct Texts {
  std::vector<TextView> views;  // whoever owns the memory keeps it alive

  std::size_t size() const { return views.size(); }

  /// Document `i` as UTF-8. What is not UTF-8 already is written into `scratch`.
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

  /// Bytes of storage: what the documents weigh when work is shared out.
  uint64_t weight(std::size_t i) const {
    constexpr uint64_t width[] = {1, 1, 2, 4};
    return views[i].length * width[static_cast<std::size_t>(views[i].storage)];
  }
};

}  // namespace tallytext
