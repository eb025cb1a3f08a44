#pragma once
// Where the terms of a document come from: its text, tokens made in Python, or ids with their analysed terms.
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "chars.hpp"
#include "texts.hpp"
#include "tokenize.hpp"

namespace tallytext {

// Counts within a document are 32-bit: nothing in a document of this size can be counted out of range.
constexpr std::size_t longest_document = (std::size_t{1} << 31) - 1;

/// Texts with the tokeniser that one thread cuts them by.
template <class Cutter>
class TextSource {
 public:
  template <class Rules>
  TextSource(const Texts& texts, const Rules& rules) : texts_(texts), cutter_(rules) {}

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) {
    const std::string_view text = texts_.utf8(document, scratch_);
    if (text.size() > longest_document) {
      throw std::length_error("document " + std::to_string(document) + " has more than 2 GiB of text");
    }
    cutter_(text, sink);
  }

 private:
  const Texts& texts_;
  Cutter cutter_;
  std::string scratch_;
};

/// Tokens of many documents, end to end.
struct TokenLists {
  std::vector<char> bytes;
  std::vector<uint64_t> token_ends;
  std::vector<uint64_t> document_ends;  // in tokens

  std::size_t size() const { return document_ends.size(); }
  uint64_t weight(std::size_t i) const { return document_ends[i] - (i ? document_ends[i - 1] : 0); }

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) const {
    for (std::size_t t = document ? document_ends[document - 1] : 0; t < document_ends[document]; ++t) {
      const uint64_t begin = t ? token_ends[t - 1] : 0;
      sink.any(bytes.data() + begin, token_ends[t] - begin);
    }
  }
};

/// Documents as ids of raw terms, each standing for an analysed term, or for nothing (-1). Where some are
/// marked, as character n-grams are, the words of a document come first.
struct AnalysedStreams {
  std::span<const TermId> ids;
  std::span<const int64_t> starts;  // of each document, and where the last one ends
  std::span<const TermId> analysed_of;
  const Vocabulary& analysed;
  bool marked = false;

  std::size_t size() const { return starts.size() - 1; }
  uint64_t weight(std::size_t i) const { return static_cast<uint64_t>(starts[i + 1] - starts[i]); }

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) const {
    const int64_t end = starts[document + 1];
    const int64_t words_end = put_out(starts[document], end, sink, marked);
    if (marked) put_out(words_end, end, sink.past_words(), false);
  }

 private:
  /// Hands the terms from `t` on to the sink, up to the first marked one if that is to end it.
  template <class Sink>
  int64_t put_out(int64_t t, int64_t end, Sink& sink, bool up_to_mark) const {
    for (; t < end; ++t) {
      const TermId id = analysed_of[static_cast<std::size_t>(ids[static_cast<std::size_t>(t)])];
      if (id < 0) continue;
      const std::string_view term = analysed.term(id);
      if (up_to_mark && term.starts_with(char_mark)) break;
      sink.any(term.data(), term.size());
    }
    return t;
  }
};

}  // namespace tallytext
