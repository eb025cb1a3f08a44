#pragma once
// What stands between two words of a text, and whether they are neighbours all the same.
#include <cstdint>
#include <string_view>

#include "padded.hpp"
#include "tokenize.hpp"

namespace tallytext {

/// The term that stands for a break between two words. No word is spelt like it.
inline constexpr char break_term[readable_past] = {'\n'};

/// The characters between one word and the next. Spaces, one line feed, apostrophes, and a hyphen that
/// touches both words keep them together; everything else, a blank line too, keeps them apart.
class Gap {
 public:
  void take(uint32_t c) {
    ++length_;
    if (c == '\n') {
      ++lines_;
    } else if (is_hyphen(c)) {
      ++hyphens_;
    } else if (!is_apostrophe(c) && !is_space(c)) {
      broken_ = true;
    }
  }
  void break_up() { broken_ = true; }
  bool is_break() const { return broken_ || lines_ > 1 || (hyphens_ > 0 && length_ > 1); }

 private:
  static bool is_hyphen(uint32_t c) { return c == '-' || c == 0xAD || c == 0x2010 || c == 0x2011; }
  static bool is_apostrophe(uint32_t c) { return c == '\'' || c == 0x2019; }
  static bool is_space(uint32_t c) {
    return c != 0x2029 && (unicode::flags(c) & unicode::space);  // U+2029 ends a paragraph
  }

  std::size_t length_ = 0, lines_ = 0, hyphens_ = 0;
  bool broken_ = false;
};

/// A sink before the last, for one document: puts the break term between words that are no neighbours.
template <class Sink>
class GapSink {
 public:
  GapSink(std::string_view text, Sink& sink) : text_(text), sink_(sink) {}

  void operator()(const char* p, std::size_t size) {
    if (begun_ && gap_.is_break()) sink_(break_term, 1);
    sink_(p, size);
    begun_ = true;
    gap_ = {};
  }
  void flush() { sink_.flush(); }

  /// A run of bytes that may hold words; what lies before it and was in no run holds none that are kept.
  void begin_run(std::size_t from, std::size_t to) {
    for (; at_ < from; ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      c < 0x80 ? between(c) : dropped();  // a byte that is no text by itself
    }
    at_ = to;
  }
  void between(uint32_t c) { gap_.take(c); }
  /// A word too short to be kept.
  void dropped() { gap_.break_up(); }

 private:
  std::string_view text_;
  Sink& sink_;
  Gap gap_;
  std::size_t at_ = 0;  // up to where the text was looked at
  bool begun_ = false;
};

/// Cuts documents into words, with breaks in between. One thread's.
class BrokenTokenizer {
 public:
  explicit BrokenTokenizer(const WordRules& rules) : tokenizer_(rules) {}

  template <class Sink>
  void operator()(std::string_view text, Sink& sink) {
    GapSink<Sink> gaps(text, sink);
    tokenizer_(text, gaps);
  }

 private:
  Tokenizer tokenizer_;
};

}  // namespace tallytext
