#include "count.hpp"
#include "pystring.hpp"
#include "sources.hpp"

namespace {
using namespace tallytext;

using Counts = std::tuple<Out<int64_t>, Out<TermId>, Out<int32_t>>;
using Streams = std::pair<Out<int64_t>, Out<TermId>>;

Counts to_python(Csr&& csr) {
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms)), to_numpy(std::move(csr.counts))};
}

/// Counts n-grams of the terms of a source, whose make(documents) gives each thread its own.
template <class Make, class Documents>
Counts count(const Documents& documents, Make make, Vocabulary& vocabulary, bool grow, NgramRange ngrams,
             std::size_t n_threads, bool ranked) {
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    auto weight = [&](std::size_t i) { return documents.weight(i); };
    auto all = make_rows<CountRows>(documents.size(), make, weight, vocabulary, grow, ngrams, n_threads);
    csr = gather(all, vocabulary.size(), ranked ? ranks(vocabulary) : std::vector<TermId>{});
  }
  return to_python(std::move(csr));
}

template <class Make, class Documents>
Streams stream(const Documents& documents, Make make, Vocabulary& vocabulary, std::size_t n_threads) {
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    auto weight = [&](std::size_t i) { return documents.weight(i); };
    auto all = make_rows<TermRows>(documents.size(), make, weight, vocabulary, true, NgramRange{}, n_threads);
    csr = gather(all);
  }
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms))};
}

auto cut_words(const Texts& texts, const WordRules& rules) {
  return [&] { return TextSource<Tokenizer>(texts, rules); };
}
auto cut_chars(const Texts& texts, const CharRules& rules) {
  return [&] { return TextSource<CharTokenizer>(texts, rules); };
}
auto as_it_is(const TokenLists& lists) {
  return [&] { return std::cref(lists); };
}

void append_tokens(TokenLists& lists, PyObject* tokens, std::string& scratch) {
  nb::object fast = nb::steal(PySequence_Fast(tokens, "the tokens of a document must be a sequence of str"));
  if (!fast) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.ptr()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(fast.ptr(), i);
    const std::string_view token = text_of(expect_str(item, static_cast<std::size_t>(i)), scratch);
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

/// Counts streams of raw ids by the terms they were analysed to.
Counts count_analysed(In<int64_t> starts, In<TermId> ids, In<TermId> analysed_of, const Vocabulary& analysed,
                      Vocabulary& vocabulary, bool grow, NgramRange ngrams, std::size_t n_threads, bool ranked) {
  const AnalysedStreams streams{{ids.data(), ids.size()}, {starts.data(), starts.size()}, {analysed_of.data(), analysed_of.size()}, analysed};
  return count(streams, [&] { return std::cref(streams); }, vocabulary, grow, ngrams, n_threads, ranked);
}
}  // namespace

void bind_count(nb::module_& m) {
  nb::class_<WordRules>(m, "WordRules", "How text is cut into words.")
      .def("__init__", [](WordRules* self, bool python, bool lowercase, bool hangul_bigrams) {
        new (self) WordRules{python, lowercase, hangul_bigrams};
      }, nb::arg("python"), nb::arg("lowercase"), nb::arg("hangul_bigrams"));
  nb::class_<CharRules>(m, "CharRules", "How text is cut into character n-grams.")
      .def("__init__", [](CharRules* self, bool inside_words, bool lowercase, std::size_t shortest, std::size_t longest) {
        new (self) CharRules{inside_words, lowercase, shortest, longest};
      }, nb::arg("inside_words"), nb::arg("lowercase"), nb::arg("shortest"), nb::arg("longest"));
  nb::class_<NgramRange>(m, "NgramRange", "Shortest and longest n-gram of words.")
      .def("__init__", [](NgramRange* self, std::size_t shortest, std::size_t longest) {
        new (self) NgramRange{shortest, longest};
      }, nb::arg("shortest"), nb::arg("longest"));
  nb::class_<TokenLists>(m, "TokenLists", "Tokens made in Python, document by document.")
      .def_static("from_lists", &token_lists)
      .def("__len__", &TokenLists::size);

  m.def("count", [](const Texts& texts, const WordRules& rules, Vocabulary& vocabulary, bool grow, NgramRange ngrams, std::size_t n_threads, bool ranked) {
    return count(texts, cut_words(texts, rules), vocabulary, grow, ngrams, n_threads, ranked);
  });
  m.def("count", [](const Texts& texts, const CharRules& rules, Vocabulary& vocabulary, bool grow, NgramRange ngrams, std::size_t n_threads, bool ranked) {
    return count(texts, cut_chars(texts, rules), vocabulary, grow, ngrams, n_threads, ranked);
  });
  m.def("count", [](const TokenLists& lists, Vocabulary& vocabulary, bool grow, NgramRange ngrams, std::size_t n_threads, bool ranked) {
    return count(lists, as_it_is(lists), vocabulary, grow, ngrams, n_threads, ranked);
  });
  m.def("stream", [](const Texts& texts, const WordRules& rules, Vocabulary& vocabulary, std::size_t n_threads) {
    return stream(texts, cut_words(texts, rules), vocabulary, n_threads);
  });
  m.def("stream", [](const Texts& texts, const CharRules& rules, Vocabulary& vocabulary, std::size_t n_threads) {
    return stream(texts, cut_chars(texts, rules), vocabulary, n_threads);
  });
  m.def("stream", [](const TokenLists& lists, Vocabulary& vocabulary, std::size_t n_threads) {
    return stream(lists, as_it_is(lists), vocabulary, n_threads);
  });
  m.def("count_analysed", &count_analysed);
}
