// Bindings of the search for phrases and collocations.
#include "bindings.hpp"
#include "phrases.hpp"
#include "xtract.hpp"

namespace {
using namespace tallytext;

using Streams = std::pair<Out<int64_t>, Out<WordId>>;

/// Returns streams whose ids are separators or below a limit; throws otherwise.
WordStreams streams_of(const In<int64_t>& starts, const In<WordId>& words, std::size_t n_words = most_terms) {
  check_rows(starts, words.size(), "the streams do not fit the words");
  check_ids(words, n_words, "a word is out of range", stream_hole);
  return {span_of(starts), span_of(words)};
}

void make_tree(PhraseTree* self, In<int64_t> starts, In<WordId> words, std::size_t n_words) {
  check_rows(starts, words.size(), "the phrases do not fit the words");
  check_at_most(n_words, most_terms, "n_words");
  check_ids(words, n_words, "a word is out of range");
  const auto n_phrases = starts.size() - 1;
  if (std::adjacent_find(starts.data(), starts.data() + starts.size()) != starts.data() + starts.size()) {
    throw nb::value_error("a phrase has no words");
  }
  check_at_most(n_words + n_phrases, std::numeric_limits<WordId>::max(), "the number of words and phrases");
  check_at_most(words.size(), std::numeric_limits<WordId>::max(), "the number of words of all phrases");
  new (self) PhraseTree(span_of(starts), span_of(words), n_words);
}

std::tuple<Out<int64_t>, Out<TermId>, Out<int64_t>> count_in(const PhraseTree& tree, In<int64_t> starts,
                                                             In<WordId> words, In<TermId> columns,
                                                             std::size_t n_threads) {
  const WordStreams streams = streams_of(starts, words, tree.n_words());
  check_threads(n_threads);
  if (columns.size() != tree.size()) throw nb::value_error("there are more or fewer columns than phrases");
  check_ids(columns, most_terms, "a column is out of range");
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    csr = count_phrases(tree, streams, span_of(columns), n_threads);
  }
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms)), to_numpy(std::move(csr.counts))};
}

Streams join_in(const PhraseTree& tree, In<int64_t> starts, In<WordId> words, std::size_t n_threads) {
  const WordStreams streams = streams_of(starts, words, tree.n_words());
  check_threads(n_threads);
  Csr csr;
  {
    nb::gil_scoped_release unlocked;
    csr = join_phrases(tree, streams, n_threads);
  }
  return {to_numpy(std::move(csr.starts)), to_numpy(std::move(csr.terms))};
}

Out<int64_t> occurrences_in(const PhraseTree& tree, In<int64_t> starts, In<WordId> words,
                            std::size_t n_threads) {
  const WordStreams streams = streams_of(starts, words, tree.n_words());
  check_threads(n_threads);
  std::vector<int64_t> counts;
  {
    nb::gil_scoped_release unlocked;
    counts = count_occurrences(tree, streams, n_threads);
  }
  return to_numpy(std::move(counts));
}

std::tuple<Out<WordId>, Out<WordId>, Out<int64_t>, int64_t> pairs_in(In<int64_t> starts, In<WordId> words,
                                                                     int64_t min_count,
                                                                     std::size_t n_threads) {
  const WordStreams streams = streams_of(starts, words);
  check_threads(n_threads);
  Buffer<WordId> firsts, seconds;
  Buffer<int64_t> counts;
  PairCounts found;
  {
    nb::gil_scoped_release unlocked;
    found = count_pairs(streams, min_count, n_threads);
    for (const WordPair& pair : found.pairs) {
      firsts.push_back(pair.first);
      seconds.push_back(pair.second);
      counts.push_back(pair.count);
    }
  }
  return {to_numpy(std::move(firsts)), to_numpy(std::move(seconds)), to_numpy(std::move(counts)),
          found.n_distinct};
}

void make_places(WordPlaces* self, In<int64_t> starts, In<WordId> words, std::size_t n_words) {
  check_at_most(n_words, most_terms, "n_words");
  const WordStreams streams = streams_of(starts, words, n_words);
  nb::gil_scoped_release unlocked;
  new (self) WordPlaces(streams, n_words);
}

constexpr int widest_window = 1000;

int checked_window(int window) {
  if (window < 1 || window > widest_window) throw nb::value_error("a window has from 1 to 1000 words");
  return window;
}

using HistogramArrays =
    std::tuple<Out<WordId>, Out<WordId>, Out<int32_t>, Out<int64_t>, Out<int64_t>, Out<double>>;

HistogramArrays histograms_of(const WordPlaces& places, In<WordId> words, int window, int64_t least,
                              std::size_t n_threads) {
  check_ids(words, places.n_words(), "a word is out of range");
  check_threads(n_threads);
  checked_window(window);
  Histograms made;
  {
    nb::gil_scoped_release unlocked;
    made = make_histograms(places, span_of(words), window, least, n_threads);
  }
  return {to_numpy(std::move(made.words)), to_numpy(std::move(made.collocates)),
          to_numpy(std::move(made.bins)),  to_numpy(std::move(made.n_collocates)),
          to_numpy(std::move(made.sums)),  to_numpy(std::move(made.squares))};
}

std::tuple<Out<int64_t>, Out<WordId>, Out<int64_t>> aligned(const WordPlaces& places, In<WordId> words,
                                                            In<WordId> collocates, In<int32_t> offsets,
                                                            int reach, std::size_t n_threads) {
  check_ids(words, places.n_words(), "a word is out of range");
  check_ids(collocates, places.n_words(), "a word is out of range");
  check_ids(offsets, widest_window + 1, "an offset is out of range", -widest_window);
  check_threads(n_threads);
  checked_window(reach);
  if (words.size() != collocates.size() || words.size() != offsets.size()) {
    throw nb::value_error("words, collocates and offsets are not as many");
  }
  std::vector<Collocation> pairs(words.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {words.data()[i], collocates.data()[i], offsets.data()[i]};
  }
  Alignments found;
  {
    nb::gil_scoped_release unlocked;
    found = align(places, pairs, reach, n_threads);
  }
  return {to_numpy(std::move(found.totals)), to_numpy(std::move(found.words)),
          to_numpy(std::move(found.counts))};
}
}  // namespace

void bind_phrases(nb::module_& m) {
  nb::class_<PhraseTree>(m, "PhraseTree", "Trie of phrases, which finds them in streams of word ids.")
      .def("__init__", &make_tree, nb::arg("starts"), nb::arg("words"), nb::arg("n_words"))
      .def("__len__", &PhraseTree::size)
      .def("count", &count_in, nb::arg("starts"), nb::arg("words"), nb::arg("columns"), nb::arg("n_threads"),
           "Return rows of counts of the longest matches from left to right, phrase p in columns[p].")
      .def("join", &join_in, nb::arg("starts"), nb::arg("words"), nb::arg("n_threads"),
           "Return the streams with each match of phrase p replaced by the word n_words + p.")
      .def("occurrences", &occurrences_in, nb::arg("starts"), nb::arg("words"), nb::arg("n_threads"),
           "Return the number of occurrences of each phrase, including overlaps.");
  m.def("count_word_pairs", &pairs_in, nb::arg("starts"), nb::arg("words"), nb::arg("min_count"),
        nb::arg("n_threads"),
        "Return the pairs of neighbours that come often enough, in order: first words, second words, counts; "
        "and how many different pairs there are in all.");
  nb::class_<WordPlaces>(m, "WordPlaces", "Positions of each word in streams of word ids.")
      .def("__init__", &make_places, nb::arg("starts"), nb::arg("words"), nb::arg("n_words"))
      .def("histograms", &histograms_of, nb::arg("words"), nb::arg("window"), nb::arg("least"),
           nb::arg("n_threads"),
           "Return (word, collocate, counts at each offset) of those that stand together often enough, and "
           "for each word the number of all its collocates, the sum and the sum of squares of their counts.")
      .def("align", &aligned, nb::arg("words"), nb::arg("collocates"), nb::arg("offsets"), nb::arg("reach"),
           nb::arg("n_threads"),
           "Return how often each collocation is found, and the most frequent word at each offset up to "
           "reach from its first word, with its count.");
}
