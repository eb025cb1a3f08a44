// Bindings of the counting of terms, and of the rules of tokenization.
#include "bindings.hpp"
#include "count.hpp"
#include "shared.hpp"
#include "tokenize.hpp"

namespace {
using namespace tallytext;

using Counts = std::tuple<Out<int64_t>, Out<TermId>, Out<int64_t>>;
using Streams = std::pair<Out<int64_t>, Out<TermId>>;

/// The destination of the rows of a batch of documents.
struct Target {
  SharedVocabulary& vocabulary;
  bool grow;
  std::size_t n_threads;
};

/// Counts the documents in shares over the vocabulary of the target, and concatenates them by
/// gather(vocabulary). make() returns a source of terms for each thread.
template <class Rows, class Documents, class Make, class Gather>
Csr fill(Shares<Rows>& all, const Documents& documents, Make make, Target target, NgramRange ngrams,
         Gather gather) {
  auto weight = [&](std::size_t i) { return documents.weight(i); };
  if (target.grow) {
    return target.vocabulary.write([&](Vocabulary& vocabulary) {
      fill_growing(all, make, weight, vocabulary, ngrams);
      return gather(vocabulary);
    });
  }
  return target.vocabulary.read([&](const Vocabulary& vocabulary) {
    fill_known(all, make, weight, vocabulary, ngrams);
    return gather(vocabulary);
  });
}

template <class Rows, class Documents>
Shares<Rows> share_out(const Documents& documents, std::size_t n_threads) {
  return shared_out<Rows>(documents.size(), [&](std::size_t i) { return documents.weight(i); }, n_threads);
}

/// The numbers of terms for sorted columns: ranks, or ids in a vocabulary that does not grow.
std::vector<TermId> order_of(Vocabulary& grown) { return ranks(grown); }
std::vector<TermId> order_of(const Vocabulary& known) {
  std::vector<TermId> ids(known.size());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Counts the terms of documents. With `in_order` the columns of a growing vocabulary follow the sorted
/// terms, and every row follows its columns; otherwise both are in order of first appearance.
template <class Documents, class Make>
Counts count(const Documents& documents, Make make, Target target, NgramRange ngrams, bool in_order) {
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    auto all = share_out<CountRows>(documents, target.n_threads);
    // New terms of later shares get their final ids after all shares are counted, and ranks need all terms.
    for (auto& share : all) share->rows.ids_are_final = !in_order && (!target.grow || share == all.front());
    csr = fill(all, documents, make, target, ngrams,
               [&](auto& terms) { return gather(all, in_order ? order_of(terms) : std::vector<TermId>{}); });
  }
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms)), to_numpy(std::move(csr.counts))};
}

template <class Documents, class Make>
Streams stream(const Documents& documents, Make make, Target target) {
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    auto all = share_out<TermRows>(documents, target.n_threads);
    csr = fill(all, documents, make, target, NgramRange{}, [&](const Vocabulary&) { return gather(all); });
  }
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms))};
}

struct AsTheyAre {};

void append_tokens(TokenLists& lists, PyObject* tokens, std::string& scratch) {
  nb::object fast = nb::steal(PySequence_Fast(tokens, "the tokens of a document must be a sequence of str"));
  if (!fast) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.ptr()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(fast.ptr(), i);
    const std::string_view token = text_of(check_str(item, static_cast<std::size_t>(i)), scratch);
    lists.bytes.insert(lists.bytes.end(), token.begin(), token.end());
    lists.token_ends.push_back(lists.bytes.size());
  }
  lists.document_ends.push_back(lists.token_ends.size());
}

TokenLists token_lists(nb::iterable documents) {
  TokenLists lists;
  std::string scratch;
  for (nb::handle tokens : documents) append_tokens(lists, tokens.ptr(), scratch);
  return lists;
}

/// Checks that every raw id of a stream, and the analysed id of each, exists.
void check_streams(const AnalysedStreams& streams) {
  const auto n_ids = static_cast<int64_t>(streams.ids.size());
  const bool bounded = !streams.starts.empty() && streams.starts.front() == 0 &&
                       streams.starts.back() == n_ids &&
                       std::is_sorted(streams.starts.begin(), streams.starts.end());
  auto below = [](std::size_t n) { return [n](TermId id) { return id < static_cast<int64_t>(n); }; };
  const bool known = std::all_of(streams.ids.begin(), streams.ids.end(),
                                 [&](TermId id) { return id >= 0 && below(streams.analysed_of.size())(id); });
  if (!bounded || !known ||
      !std::all_of(streams.analysed_of.begin(), streams.analysed_of.end(), below(streams.analysed.size()))) {
    throw nb::value_error("the streams hold ids that are not there");
  }
}

/// Counts streams of raw ids by their analysed terms.
Counts count_analysed(In<int64_t> starts, In<TermId> ids, In<TermId> analysed_of,
                      const SharedVocabulary& analysed, bool marked, SharedVocabulary& vocabulary, bool grow,
                      NgramRange ngrams, std::size_t n_threads, bool in_order) {
  check_threads(n_threads);
  const Vocabulary terms = analysed.read([](const Vocabulary& v) { return v; });
  const AnalysedStreams streams{{ids.data(), ids.size()},
                                {starts.data(), starts.size()},
                                {analysed_of.data(), analysed_of.size()},
                                terms,
                                marked};
  check_streams(streams);
  return count(streams, [&] { return std::cref(streams); }, {vocabulary, grow, n_threads}, ngrams, in_order);
}

void check_lengths(std::size_t shortest, std::size_t longest) {
  if (shortest < 1 || shortest > longest) throw nb::value_error("n-grams have 1 part at least");
  check_at_most(longest, INT32_MAX, "the length of an n-gram");
}

std::pair<Out<int64_t>, Out<int64_t>> token_spans(nb::str text, const WordRules& rules) {
  std::string scratch;
  Spans spans = spans_of(text_of(text.ptr(), scratch), rules);
  return {to_numpy(std::move(spans.starts)), to_numpy(std::move(spans.ends))};
}

template <class Documents, class Rules, class Cut>
void bind_documents(nb::module_& m, Cut cut) {
  m.def("count_terms", [cut](const Documents& documents, const Rules& rules, SharedVocabulary& vocabulary,
                             bool grow, NgramRange ngrams, std::size_t n_threads, bool in_order) {
    check_threads(n_threads);
    return count(documents, cut(documents, rules), {vocabulary, grow, n_threads}, ngrams, in_order);
  });
  m.def("stream_terms", [cut](const Documents& documents, const Rules& rules, SharedVocabulary& vocabulary,
                              std::size_t n_threads) {
    check_threads(n_threads);
    return stream(documents, cut(documents, rules), {vocabulary, true, n_threads});
  });
}
}  // namespace

void bind_count(nb::module_& m) {
  nb::class_<WordRules>(m, "WordRules", "Rules that split text into words.")
      .def(nb::new_([](bool python, bool lowercase, bool hangul_bigrams, std::size_t shortest) {
             if (shortest != 1 && shortest != 2)
               throw nb::value_error("words have 1 or 2 characters at least");
             return WordRules{python, lowercase, hangul_bigrams, shortest};
           }),
           nb::arg("python"), nb::arg("lowercase"), nb::arg("hangul_bigrams"), nb::arg("shortest"));
  nb::class_<CharRules>(m, "CharRules", "Rules that split text into character n-grams.")
      .def(nb::new_([](bool inside_words, bool lowercase, std::size_t shortest, std::size_t longest) {
             check_lengths(shortest, longest);
             return CharRules{inside_words, lowercase, shortest, longest};
           }),
           nb::arg("inside_words"), nb::arg("lowercase"), nb::arg("shortest"), nb::arg("longest"));
  nb::class_<MixedRules>(m, "MixedRules",
                         "Rules that split text into words and, in addition, character n-grams.")
      .def(nb::new_([](const WordRules& words, CharRules chars) {
             chars.marked = true;
             return MixedRules{words, chars};
           }),
           nb::arg("words"), nb::arg("chars"));
  m.attr("CHAR_MARK") = nb::str(&char_mark, 1);
  nb::class_<NgramRange>(m, "NgramRange", "Shortest and longest n-gram of words.")
      .def(nb::new_([](std::size_t shortest, std::size_t longest) {
             check_lengths(shortest, longest);
             return NgramRange{shortest, longest};
           }),
           nb::arg("shortest"), nb::arg("longest"));
  nb::class_<AsTheyAre>(m, "AsTheyAre", "Rules for tokens that are used unchanged.").def(nb::init<>());
  nb::class_<TokenLists>(m, "TokenLists", "Tokens made in Python, document by document.")
      .def_static("from_lists", &token_lists)
      .def("__len__", &TokenLists::size);

  bind_documents<Texts, WordRules>(m, [](const Texts& texts, const WordRules& rules) {
    return [&] { return TextSource<Tokenizer>(texts, rules); };
  });
  bind_documents<Texts, CharRules>(m, [](const Texts& texts, const CharRules& rules) {
    return [&] { return TextSource<CharTokenizer>(texts, rules); };
  });
  bind_documents<Texts, MixedRules>(m, [](const Texts& texts, const MixedRules& rules) {
    return [&] { return TextSource<MixedTokenizer>(texts, rules); };
  });
  bind_documents<TokenLists, AsTheyAre>(
      m, [](const TokenLists& lists, const AsTheyAre&) { return [&] { return std::cref(lists); }; });
  m.def("count_analysed", &count_analysed);
  m.attr("BREAK") = nb::str(break_term, 1);
  m.def(
      "stream_broken",
      [](const Texts& texts, const WordRules& rules, SharedVocabulary& vocabulary, std::size_t n_threads) {
        check_threads(n_threads);
        const auto make = [&] { return TextSource<BrokenTokenizer>(texts, rules); };
        return stream(texts, make, {vocabulary, true, n_threads});
      },
      nb::arg("texts"), nb::arg("rules"), nb::arg("vocabulary"), nb::arg("n_threads"),
      "Return the words of each document, as stream_terms does, with BREAK between those that are no "
      "neighbours.");
  m.def("token_spans", &token_spans, nb::arg("text"), nb::arg("rules"),
        "Return the start and end of each word of a text, in code points and in the order of stream_terms.");
}
