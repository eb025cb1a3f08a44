#pragma once
// Text to character n-grams, over the whole text or inside words padded by a space on each side; alone, or
// besides words.
#include <algorithm>
#include <string_view>
#include <vector>

#include "tokenize.hpp"

namespace tallytext {

/// Stands before a character n-gram that is counted besides words: it is part of no word.
constexpr char char_mark = '#';

struct CharRules {
  bool inside_words = true;
  bool lowercase = true;
  std::size_t shortest = 1, longest = 1;
  bool marked = false;
};

/// Cuts documents into character n-grams. One thread's: it reuses its memory.
class CharTokenizer {
 public:
  explicit CharTokenizer(const CharRules& rules) : rules_(rules) {}

  template <class Sink>
  void operator()(std::string_view text, Sink& sink) {
    normalize(text);
    holds_nul_ = text.find('\0') != text.npos;
    if (!rules_.inside_words) {
      grams(0, starts_.size() - 1, sink);
    } else {
      for (std::size_t i = 0; i + 1 < spaces_.size(); ++i) padded_word(spaces_[i], spaces_[i + 1] + 1, sink);
    }
    if (!rules_.marked) sink.flush();  // what is marked was copied
  }

 private:
  /// Fills `bytes_` with the text in lower case and white space folded, `starts_` with where each character
  /// begins and where the last one ends, and `spaces_` with the characters that are the spaces between words.
  void normalize(std::string_view text) {
    // A byte that is no text becomes U+FFFD, three bytes; nothing grows by more.
    begin(3 * text.size() + readable_past + 8);
    std::size_t white = 0;
    uint32_t last_white = ' ';
    auto take = [&](uint32_t c) {
      if (unicode::flags(c) & unicode::space) {
        ++white;
        last_white = c;
        return;
      }
      if (white) put_white(white, last_white);
      white = 0;
      put(c);
    };
    if (rules_.inside_words) white = 1;  // the space before the first word
    const char* end = text.data() + text.size();
    for (const char* p = text.data(); p < end;) {
      const CodePoint code = decode_utf8(p, end);
      if (rules_.lowercase && code.value < 0x80) {
        take(code.value - 'A' < 26u ? code.value | 0x20 : code.value);
      } else if (rules_.lowercase) {
        unicode::lower(text, p, code.value, take);
      } else {
        take(code.value);
      }
      p += code.length;
    }
    if (rules_.inside_words ? starts_.size() > 0 : white > 0) put_white(white, last_white);
    starts_.push_back(used_);
  }

  void begin(std::size_t most) {
    if (bytes_.size() < most) bytes_.resize(most);
    used_ = 0;
    starts_.clear();
    spaces_.clear();
  }

  void put(uint32_t c) {
    starts_.push_back(used_);
    used_ += encode_utf8(c, bytes_.data() + used_);
  }

  /// One white character stays itself, several become a space; between words it is always one space.
  void put_white(std::size_t n, uint32_t c) {
    if (rules_.inside_words) spaces_.push_back(starts_.size());
    put(rules_.inside_words || n > 1 ? uint32_t{' '} : c);
  }

  template <class Sink>
  void emit(std::size_t from, std::size_t to, Sink& sink) {
    const char* p = bytes_.data() + starts_[from];
    const std::size_t size = starts_[to] - starts_[from];
    if (!rules_.marked) return put_out(p, size, sink);
    marked_.reserve(size + 1, sink);
    const std::size_t at = marked_.used();
    marked_.append(uint32_t{char_mark});
    marked_.append(p, size);
    put_out(marked_.at(at), size + 1, sink);
  }

  template <class Sink>
  void put_out(const char* p, std::size_t size, Sink& sink) {
    if (holds_nul_) return sink.any(p, size);
    sink(p, size);
  }

  /// All n-grams of the characters from `from` to `to`.
  template <class Sink>
  void grams(std::size_t from, std::size_t to, Sink& sink) {
    for (std::size_t n = rules_.shortest; n <= std::min(rules_.longest, to - from); ++n) {
      for (std::size_t i = from; i + n <= to; ++i) emit(i, i + n, sink);
    }
  }

  /// The same for a padded word, but one that is no longer than n is itself the only and last n-gram.
  template <class Sink>
  void padded_word(std::size_t from, std::size_t to, Sink& sink) {
    for (std::size_t n = rules_.shortest; n <= rules_.longest; ++n) {
      if (to - from <= n) return emit(from, to, sink);
      for (std::size_t i = from; i + n <= to; ++i) emit(i, i + n, sink);
    }
  }

  CharRules rules_;
  std::vector<char> bytes_;
  std::size_t used_ = 0;
  std::vector<std::size_t> starts_, spaces_;
  bool holds_nul_ = false;
  Spill marked_;
};

struct MixedRules {
  WordRules words;
  CharRules chars;
};

/// Cuts documents into words, and then into marked character n-grams. One thread's.
class MixedTokenizer {
 public:
  explicit MixedTokenizer(const MixedRules& rules) : words_(rules.words), chars_(rules.chars) {}

  template <class Sink>
  void operator()(std::string_view text, Sink& sink) {
    words_(text, sink);
    chars_(text, sink.past_words());
  }

 private:
  Tokenizer words_;
  CharTokenizer chars_;
};

}  // namespace tallytext
