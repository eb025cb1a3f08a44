#pragma once
// Word n-grams and character n-grams.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenize.hpp"

namespace tallytext {

// From words to n-grams of words.

/// An intermediate sink: joins the words of a document by spaces into n-grams. It copies the words, so that
/// n-grams of short documents can wait in the last sink for a full batch.
template <class Sink>
class WordNgrams {
 public:
  WordNgrams(std::size_t shortest, std::size_t longest, Sink& sink)
      : shortest_(shortest), longest_(longest), sink_(sink) {}

  void operator()(const char* p, std::size_t size) {
    copy_padded(p, size, room_for(size));
    add_word(size);
  }
  void any(const char* p, std::size_t size) {
    holds_nul_ |= std::string_view(p, size).find('\0') != std::string_view::npos;
    std::copy(p, p + size, room_for(size));
    add_word(size);
  }
  void flush() {}

  /// Ends the words of the document; later terms are not words and bypass this sink.
  Sink& past_words() {
    for (std::size_t n = shortest_; n <= longest_ && n <= words_.size(); ++n) {
      for (std::size_t i = 0; i + n <= words_.size(); ++i) emit(words_[i].begin, words_[i + n - 1].end);
    }
    begin_ = used_;
    words_.clear();
    holds_nul_ = false;
    return sink_;
  }
  void end_document() { past_words().end_document(); }

 private:
  struct Word {  // offsets from the first byte of the document
    std::size_t begin, end;
  };

  /// The position for a word of this size, followed by a space.
  char* room_for(std::size_t size) {
    if (used_ + size + 1 + readable_past > bytes_.size()) move(size);
    return bytes_.data() + used_;
  }
  void add_word(std::size_t size) {
    words_.push_back({used_ - begin_, used_ - begin_ + size});
    used_ += size;
    bytes_[used_++] = ' ';
  }

  /// Moves the document to the front of the buffer, over earlier documents, after flushing their pending
  /// n-grams.
  void move(std::size_t size) {
    sink_.flush();
    std::copy(bytes_.begin() + begin_, bytes_.begin() + used_, bytes_.begin());
    used_ -= std::exchange(begin_, 0);
    const std::size_t needed = used_ + size + 1 + readable_past;
    if (needed > bytes_.size()) bytes_.resize(2 * needed);
  }

  void emit(std::size_t from, std::size_t to) {
    const char* document = bytes_.data() + begin_;
    if (holds_nul_) return sink_.any(document + from, to - from);
    sink_(document + from, to - from);
  }

  std::size_t shortest_, longest_;
  Sink& sink_;
  std::vector<char> bytes_ = std::vector<char>(1 << 15);
  std::size_t begin_ = 0, used_ = 0;  // of the document, as offsets into the bytes
  std::vector<Word> words_;
  bool holds_nul_ = false;
};

// From text to character n-grams, over the whole text or inside words padded by a space on each side; alone
// or in addition to words.

/// The prefix of a character n-gram that is counted in addition to words; no word contains it.
constexpr char char_mark = '#';

struct CharRules {
  bool inside_words = true;
  bool lowercase = true;
  std::size_t shortest = 1, longest = 1;
  bool marked = false;
};

/// Splits documents into character n-grams. For one thread: it reuses its memory.
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
    if (!rules_.marked) sink.flush();  // marked n-grams were copied
  }

 private:
  /// Fills `bytes_` with the text in lower case and with collapsed white space, `starts_` with the start of
  /// each character and the end of the last one, and `spaces_` with the indices of the spaces between words.
  void normalize(std::string_view text) {
    // An invalid byte becomes U+FFFD, three bytes; this is the largest growth.
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

  /// A single white-space character stays, several become one space; between words it is always one space.
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

  /// The same for a padded word; a word not longer than n is its own only and last n-gram.
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

/// Splits documents into words, and then into marked character n-grams. For one thread.
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
