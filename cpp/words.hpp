#pragma once
// How the characters of a run that is not all ASCII fall into words. A splitter takes them one by one, in
// lower case already, and hands each word to the sink as a stretch of the spill.
#include <cstdint>
#include <vector>

#include "padded.hpp"
#include "unicode.hpp"

namespace tallytext {

// A sink that wants to know what lies between words has between(c), for every character that belongs to
// none, and dropped(), for every word that is too short.
template <class Sink>
void tell_between(Sink& sink, uint32_t c) {
  if constexpr (requires { sink.between(c); }) sink.between(c);
}
template <class Sink>
void tell_dropped(Sink& sink) {
  if constexpr (requires { sink.dropped(); }) sink.dropped();
}

struct WordRules {
  bool python = false;  // exactly what the pattern \w\w+ finds; otherwise letters keep their marks
  bool lowercase = true;
  bool hangul_bigrams = false;
  std::size_t shortest = 2;  // characters that a word has at least, 1 or 2
};

/// Words that are no stretch of the text itself. They stay where they are until the sink is flushed.
class Spill {
 public:
  /// Makes room for `size` bytes, flushing the words that lie here if it must move.
  template <class Sink>
  void reserve(std::size_t size, Sink& sink) {
    if (used_ + size + readable_past <= bytes_.size()) return;
    sink.flush();
    used_ = 0;
    if (size + readable_past > bytes_.size()) bytes_.resize(2 * (size + readable_past));
  }
  void append(uint32_t c) { used_ += encode_utf8(c, bytes_.data() + used_); }
  /// Copies bytes, from whose start sixteen can be read.
  void append(const char* p, std::size_t size) {
    copy_padded(p, size, bytes_.data() + used_);
    used_ += size;
  }
  std::size_t used() const { return used_; }
  const char* at(std::size_t offset) const { return bytes_.data() + offset; }

 private:
  std::vector<char> bytes_ = std::vector<char>(1 << 14);
  std::size_t used_ = 0;
};

/// Maximal stretches of characters that are alphanumeric or an underscore: \w\w+, or \w+ with those of one.
template <class Sink>
class PythonWords {
 public:
  PythonWords(const WordRules& rules, Spill& spill, Sink& sink)
      : shortest_(rules.shortest), spill_(spill), sink_(sink), start_(spill.used()) {}

  void take(uint32_t c) {
    if (!(unicode::flags(c) & unicode::word)) {
      finish();
      return tell_between(sink_, c);
    }
    spill_.append(c);
    ++length_;
  }
  void finish() {
    if (length_ >= shortest_) {
      sink_(spill_.at(start_), spill_.used() - start_);
    } else if (length_ > 0) {
      tell_dropped(sink_);
    }
    start_ = spill_.used();
    length_ = 0;
  }

 private:
  std::size_t shortest_;
  Spill& spill_;
  Sink& sink_;
  std::size_t start_, length_ = 0;
};

/// Letters, digits and underscores with the marks upon them. Scripts that are written without spaces become
/// overlapping pairs of grapheme clusters. One character alone is a word in those scripts and in Hangul;
/// elsewhere a word has the fewest characters that the rules ask for, marks such as accents not counted.
template <class Sink>
class UnicodeWords {
 public:
  UnicodeWords(const WordRules& rules, Spill& spill, Sink& sink)
      : rules_(rules), spill_(spill), sink_(sink), start_(spill.used()), end_(start_) {}

  void take(uint32_t c) {
    const uint16_t f = unicode::flags(c);
    if ((f & unicode::attached) && stretch_ != Stretch::none) return extend(c, f);
    if (!(f & unicode::word)) {
      finish();
      return tell_between(sink_, c);
    }
    const Stretch wanted = f & unicode::bigram_script ? Stretch::clusters : Stretch::word;
    if (stretch_ != wanted) finish();
    stretch_ = wanted;
    if (wanted == Stretch::clusters && !linked_) clusters_.push_back(spill_.used());
    hangul_ |= (f & unicode::hangul_syllable) != 0;
    extend(c, f);
  }

  void finish() {
    if (stretch_ == Stretch::clusters) emit_cluster_pairs();
    if (stretch_ == Stretch::word) length_ >= rules_.shortest || hangul_ ? emit_word() : tell_dropped(sink_);
    stretch_ = Stretch::none;
    start_ = end_ = spill_.used();
    length_ = 0;
    linked_ = hangul_ = false;
    clusters_.clear();
  }

 private:
  enum class Stretch : uint8_t { none, word, clusters };

  void extend(uint32_t c, uint16_t f) {
    spill_.append(c);
    linked_ = f & unicode::linker;
    length_ += !(f & unicode::weightless);
    if (!(f & unicode::joiner)) end_ = spill_.used();  // a joiner joins nothing at the end of a word
  }

  void emit(std::size_t from, std::size_t to) { sink_(spill_.at(from), to - from); }

  void emit_cluster_pairs() {
    const std::size_t n = clusters_.size();
    if (n == 1) return emit(clusters_[0], end_);
    for (std::size_t i = 0; i + 1 < n; ++i) emit(clusters_[i], i + 2 < n ? clusters_[i + 2] : end_);
  }

  void emit_word() {
    emit(start_, end_);
    if (rules_.hangul_bigrams && hangul_) emit_syllable_pairs();
  }

  /// Pairs of neighbouring syllables, but for a pair that is the whole word.
  void emit_syllable_pairs() {
    const char* end = spill_.at(end_);
    bool follows = false;
    for (std::size_t at = start_, previous = start_; at < end_;) {
      const CodePoint code = decode_utf8(spill_.at(at), end);
      const bool syllable = unicode::flags(code.value) & unicode::hangul_syllable;
      const std::size_t next = at + code.length;
      if (syllable && follows && !(previous == start_ && next == end_)) emit(previous, next);
      follows = syllable;
      previous = at;
      at = next;
    }
  }

  const WordRules& rules_;
  Spill& spill_;
  Sink& sink_;
  Stretch stretch_ = Stretch::none;
  std::size_t start_, end_, length_ = 0;
  bool linked_ = false, hangul_ = false;
  std::vector<std::size_t> clusters_;
};

/// Splits `run`, a stretch of `text`. The whole text is the context that a capital sigma needs.
template <class Words, class Sink>
void split_run(std::string_view text, std::string_view run, const WordRules& rules, Spill& spill,
               Sink& sink) {
  // Lower case takes at most half as many bytes again: U+023A, two bytes, becomes U+2C65, three.
  spill.reserve(2 * run.size() + 4, sink);
  Words words(rules, spill, sink);
  const char* end = run.data() + run.size();
  for (const char* p = run.data(); p < end;) {
    const CodePoint code = decode_utf8(p, end);
    if (rules.lowercase && (unicode::flags(code.value) & unicode::has_lower)) {
      unicode::lower(text, p, code.value, [&words](uint32_t c) { words.take(c); });
    } else {
      words.take(code.value);
    }
    p += code.length;
  }
  words.finish();
}

}  // namespace tallytext
