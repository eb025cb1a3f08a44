#pragma once
// Where the words of a text stand in it. For one text at a time, to show: counting needs no places.
#include <cstdint>
#include <string_view>
#include <vector>

#include "words.hpp"

namespace tallytext {

/// Word i is made of the code points from starts[i] up to ends[i] of its text.
struct Spans {
  std::vector<int64_t> starts, ends;
};

/// A sink that looks up from which code point of the text each byte of the spill came.
class SpanSink {
 public:
  SpanSink(const Spill& spill, Spans& spans) : spill_(spill), spans_(spans) {}

  /// Notes that all bytes spilled since the last call came from this code point.
  void came_from(int64_t code_point) { origins_.resize(spill_.used(), code_point); }

  void operator()(const char* word, std::size_t size) {
    const auto at = static_cast<std::size_t>(word - spill_.at(0));
    spans_.starts.push_back(origins_[at]);
    spans_.ends.push_back(origins_[at + size - 1] + 1);
  }
  void flush() {}

 private:
  const Spill& spill_;
  Spans& spans_;
  std::vector<int64_t> origins_;
};

/// The places of the words that `Tokenizer` cuts out of `text`, in its order. What ends a run of bytes there
/// ends a word here, so that the splitter can take the text as a whole.
template <template <class> class Words>
Spans spans_by(std::string_view text, const WordRules& rules) {
  Spans spans;
  Spill spill;
  SpanSink sink(spill, spans);
  spill.reserve(2 * text.size() + 4, sink);
  Words<SpanSink> words(rules, spill, sink);
  const char* end = text.data() + text.size();
  int64_t index = 0;
  const auto take = [&](uint32_t c) {
    words.take(c);
    sink.came_from(index);
  };
  for (const char* p = text.data(); p < end; ++index) {
    const CodePoint code = decode_utf8(p, end);
    if (rules.lowercase && (unicode::flags(code.value) & unicode::has_lower)) {
      unicode::lower(text, p, code.value, take);
    } else {
      take(code.value);
    }
    p += code.length;
  }
  words.finish();
  return spans;
}

inline Spans spans_of(std::string_view text, const WordRules& rules) {
  return rules.python ? spans_by<PythonWords>(text, rules) : spans_by<UnicodeWords>(text, rules);
}

}  // namespace tallytext
