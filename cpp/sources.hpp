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
    sink.flush();
  }
};

/// Documents as ids of raw terms, each standing for an analysed term, or for nothing (-1).
struct AnalysedStreams {
  std::span<const TermId> ids;
  std::span<const int64_t> starts;  // of each document, and where the last one ends
  std::span<const TermId> analysed_of;
  const Vocabulary& analysed;

  std::size_t size() const { return starts.size() - 1; }
  uint64_t weight(std::size_t i) const { return static_cast<uint64_t>(starts[i + 1] - starts[i]); }

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) const {
    for (int64_t t = starts[document]; t < starts[document + 1]; ++t) {
      const TermId id = analysed_of[static_cast<std::size_t>(ids[static_cast<std::size_t>(t)])];
      if (id < 0) continue;
      const std::string_view term = analysed.term(id);
      sink.any(term.data(), term.size());
    }
    sink.flush();
  }
};

}  // namespace tallytext
