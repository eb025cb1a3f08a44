#pragma once
// The word tokenizer: scanning bytes, splitting runs into words, word spans, and the gaps between words.
#if (defined(__SSE2__) || defined(_M_X64)) && !defined(TALLYTEXT_SCALAR)
#define TALLYTEXT_SSE2
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "unicode.hpp"

namespace tallytext {

// Memory after a word is readable, so that short words are copied as a fixed number of bytes, without a
// branch on their length.

constexpr std::size_t readable_past = 16;

/// Copies the `size` bytes of a word; the destination has room for sixteen more.
inline void copy_padded(const char* from, std::size_t size, char* to) {
  if (size > readable_past) {
    std::memcpy(to, from, size);
  } else {
    std::memcpy(to, from, readable_past);
  }
}

}  // namespace tallytext

// Finds the runs of bytes that can belong to words, 64 bytes at a time, and lower-cases ASCII meanwhile.
//
// A run is a maximal sequence of ASCII letters, digits, underscores and bytes above 127. Every other ASCII
// character ends a word in every script, so runs are independent of each other.

namespace tallytext {

constexpr std::size_t scan_block = 64;

struct ByteMasks {
  uint64_t runs;  // bit i: byte i belongs to a run
  uint64_t high;  // bit i: byte i is not ASCII
};

#if defined(TALLYTEXT_SSE2)

/// Classifies 64 bytes and writes them to `out`, optionally in lower case.
template <bool lowercase>
ByteMasks scan_bytes(const char* in, char* out) {
  auto at_most = [](__m128i x, char limit) {
    return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(limit)), x);
  };
  ByteMasks block{0, 0};
  for (int i = 0; i < 4; ++i) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 16 * i));
    const __m128i folded = _mm_or_si128(x, _mm_set1_epi8(0x20));
    const __m128i letter = at_most(_mm_sub_epi8(folded, _mm_set1_epi8('a')), 25);
    const __m128i digit = at_most(_mm_sub_epi8(x, _mm_set1_epi8('0')), 9);
    const __m128i underscore = _mm_cmpeq_epi8(x, _mm_set1_epi8('_'));
    const auto high = static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(x)));
    const __m128i word = _mm_or_si128(_mm_or_si128(letter, digit), underscore);
    block.high |= high << 16 * i;
    block.runs |= (high | static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(word)))) << 16 * i;
    const __m128i lowered = lowercase ? _mm_or_si128(x, _mm_and_si128(letter, _mm_set1_epi8(0x20))) : x;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * i), lowered);
  }
  return block;
}

#else

template <bool lowercase>
ByteMasks scan_bytes(const char* in, char* out) {
  ByteMasks block{0, 0};
  for (std::size_t i = 0; i < scan_block; ++i) {
    const auto x = static_cast<unsigned char>(in[i]);
    const bool letter = static_cast<unsigned char>((x | 0x20) - 'a') < 26;
    const bool word = letter || static_cast<unsigned char>(x - '0') < 10 || x == '_';
    block.high |= static_cast<uint64_t>(x >> 7) << i;
    block.runs |= static_cast<uint64_t>(word || x >> 7) << i;
    out[i] = static_cast<char>(lowercase && letter ? x | 0x20 : x);
  }
  return block;
}

#endif

/// A run that the end of the scanned bytes cut off.
struct OpenRun {
  bool is_open = false;
  std::size_t begin = 0;
  bool high = false;
};

/// Calls emit(begin, end, high) for every run of at least `shortest` (1 or 2) bytes that ends within `n`
/// bytes; `high` is true if a byte in or near it is not ASCII. Writes the bytes to `out`, rounded up to a
/// block, optionally in lower case.
template <bool lowercase, std::size_t shortest, class Emit>
OpenRun for_each_run(const char* text, std::size_t n, char* out, Emit emit) {
  OpenRun run;
  for (std::size_t at = 0; at < n; at += scan_block) {
    char tail[scan_block];
    const char* in = text + at;
    if (n - at < scan_block) {
      std::memset(tail, 0, scan_block);
      in = static_cast<const char*>(std::memcpy(tail, in, n - at));
    }
    const ByteMasks block = scan_bytes<lowercase>(in, out + at);
    const uint64_t before = block.runs << 1 | (run.is_open ? 1 : 0);
    uint64_t begins = block.runs & ~before, ends = ~block.runs & before;
    auto offset = [at](uint64_t bits) { return at + static_cast<std::size_t>(std::countr_zero(bits)); };
    if (run.is_open) {
      run.high |= block.high != 0;
      if (!ends) continue;
      if (offset(ends) - run.begin >= shortest) emit(run.begin, offset(ends), run.high);
      ends &= ends - 1;
    }
    if constexpr (shortest == 2) {
      // Runs of one byte are dropped here with bit operations: they are too frequent and unpredictable for a
      // branch.
      const uint64_t single = begins & ends >> 1;
      begins ^= single;
      ends ^= single << 1;
    }
    for (; ends; begins &= begins - 1, ends &= ends - 1) emit(offset(begins), offset(ends), block.high != 0);
    run.is_open = block.runs >> 63;
    if (run.is_open) run.begin = offset(begins), run.high = block.high != 0;
  }
  return run;
}

// Splits runs that are not all ASCII into words. A splitter takes the characters one by one, in lower case,
// and passes each word to the sink as a slice of the spill.

// A sink that needs the text between words has between(c), called for every character outside words, and
// dropped(), called for every word that is too short.
template <class Sink>
void tell_between(Sink& sink, uint32_t c) {
  if constexpr (requires { sink.between(c); }) sink.between(c);
}
template <class Sink>
void tell_dropped(Sink& sink) {
  if constexpr (requires { sink.dropped(); }) sink.dropped();
}

struct WordRules {
  bool python = false;  // exactly the matches of \w\w+; otherwise letters keep their marks
  bool lowercase = true;
  bool hangul_bigrams = false;
  std::size_t shortest = 2;  // minimal number of characters of a word, 1 or 2
};

/// Storage of words that are not slices of the text. They stay valid until the sink is flushed.
class Spill {
 public:
  /// Makes room for `size` bytes, flushing the stored words if it has to reallocate.
  template <class Sink>
  void reserve(std::size_t size, Sink& sink) {
    if (used_ + size + readable_past <= bytes_.size()) return;
    sink.flush();
    used_ = 0;
    if (size + readable_past > bytes_.size()) bytes_.resize(2 * (size + readable_past));
  }
  void append(uint32_t c) { used_ += encode_utf8(c, bytes_.data() + used_); }
  /// Copies bytes; sixteen bytes from their start are readable.
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

/// Maximal sequences of alphanumeric characters and underscores: \w\w+, or \w+ if one character is enough.
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

/// Letters, digits and underscores with their combining marks. Scripts without spaces become overlapping
/// pairs of grapheme clusters. A single character is a word in those scripts and in Hangul; in other scripts
/// a word has the minimal number of characters of the rules, not counting marks such as accents.
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
    if (!(f & unicode::joiner)) end_ = spill_.used();  // a joiner at the end of a word is dropped
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

  /// Pairs of neighbouring syllables, except a pair that is the whole word.
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

/// Splits `run`, a slice of `text`. The lower case of a capital sigma depends on the whole text.
template <class Words, class Sink>
void split_run(std::string_view text, std::string_view run, const WordRules& rules, Spill& spill,
               Sink& sink) {
  // Lower case is at most 1.5 times as long: U+023A, two bytes, becomes U+2C65, three.
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

// From text to words. The sink takes each word as (pointer, size); sixteen bytes from the pointer are
// readable, and they stay valid until the sink is flushed. A sink that needs the positions of runs also has
// begin_run(from, to).

/// Splits documents into words. For one thread: it reuses its memory from document to document.
class Tokenizer {
 public:
  explicit Tokenizer(const WordRules& rules) : rules_(rules) {}

  template <class Sink>
  void operator()(std::string_view text, Sink& sink) {
    if (rules_.shortest == 1) return cut<1>(text, sink);
    cut<2>(text, sink);
  }

 private:
  // A window fits into the first levels of cache. A power of two, so it consists of whole blocks.
  static constexpr std::size_t usual_window = 1 << 14;

  template <std::size_t shortest, class Sink>
  void cut(std::string_view text, Sink& sink) {
    if (rules_.lowercase) return windows<true, shortest>(text, sink);
    windows<false, shortest>(text, sink);
  }

  template <bool lowercase, std::size_t shortest, class Sink>
  void windows(std::string_view text, Sink& sink) {
    std::size_t window = usual_window;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t n = std::min(window, text.size() - begin);
      const std::size_t done = words_of<lowercase, shortest>(text, begin, n, sink);
      begin += done;
      window = done ? usual_window : 2 * window;  // a word longer than the window: enlarge it
    }
  }

  /// Emits the words that end within `n` bytes from `begin`; returns the number of bytes consumed.
  template <bool lowercase, std::size_t shortest, class Sink>
  std::size_t words_of(std::string_view text, std::size_t begin, std::size_t n, Sink& sink) {
    char* lowered = room_for(n + scan_block, sink);
    auto emit = [&](std::size_t from, std::size_t to, bool high) {
      if constexpr (requires { sink.begin_run(from, to); }) sink.begin_run(begin + from, begin + to);
      if (high && !is_ascii(lowered + from, to - from)) {
        return split(text, text.substr(begin + from, to - from), sink);
      }
      sink(lowered + from, to - from);
    };
    const OpenRun run = for_each_run<lowercase, shortest>(text.data() + begin, n, lowered, emit);
    const bool is_last = begin + n == text.size();
    if (run.is_open && is_last && n - run.begin >= shortest) emit(run.begin, n, run.high);
    return run.is_open && !is_last ? run.begin : n;
  }

  /// Reserves `size` bytes after those of earlier windows, whose words can still be pending in the sink.
  template <class Sink>
  char* room_for(std::size_t size, Sink& sink) {
    if (used_ + size + readable_past > lowered_.size()) {
      sink.flush();
      used_ = 0;
      if (size + readable_past > lowered_.size()) lowered_.resize(size + readable_past);
    }
    return lowered_.data() + std::exchange(used_, used_ + size);
  }

  template <class Sink>
  void split(std::string_view text, std::string_view run, Sink& sink) {
    if (rules_.python) return split_run<PythonWords<Sink>>(text, run, rules_, spill_, sink);
    split_run<UnicodeWords<Sink>>(text, run, rules_, spill_, sink);
  }

  WordRules rules_;
  std::vector<char> lowered_ = std::vector<char>(usual_window + scan_block + readable_past);
  std::size_t used_ = 0;
  Spill spill_;
};

// Positions of the words in a text, for display. Counting does not need them.

/// Word i consists of the code points from starts[i] up to ends[i] of its text.
struct Spans {
  std::vector<int64_t> starts, ends;
};

/// A sink that maps each byte of the spill to its code point in the text.
class SpanSink {
 public:
  SpanSink(const Spill& spill, Spans& spans) : spill_(spill), spans_(spans) {}

  /// Records that all bytes spilled since the last call came from this code point.
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

/// The positions of the words of `text`, in the order of `Tokenizer`. Characters that end a run of bytes
/// there end a word here, so the splitter can process the text as a whole.
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

// The characters between two words, and whether the words are neighbours.

/// The term for a break between two words. No word is equal to it.
inline constexpr char break_term[readable_past] = {'\n'};

/// The characters between one word and the next. Words are neighbours across spaces, one line feed,
/// apostrophes, and a hyphen without spaces; everything else, including a blank line, separates them.
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

/// An intermediate sink, for one document: inserts the break term between words that are not neighbours.
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

  /// Starts a run of bytes that can hold words; the bytes before it hold no words.
  void begin_run(std::size_t from, std::size_t to) {
    for (; at_ < from; ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      c < 0x80 ? between(c) : dropped();  // an incomplete multi-byte character
    }
    at_ = to;
  }
  void between(uint32_t c) { gap_.take(c); }
  /// A word that is too short.
  void dropped() { gap_.break_up(); }

 private:
  std::string_view text_;
  Sink& sink_;
  Gap gap_;
  std::size_t at_ = 0;  // the end of the processed text
  bool begun_ = false;
};

/// Splits documents into words, with breaks between them. For one thread.
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
