// Bindings of the inverted index.
#include "bindings.hpp"
#include "inverted_index.hpp"

namespace {
using namespace tallytext;

/// Checks the rows: the bounds of the search hold only for valid ones.
WeightedRows<double> rows_of(const In<int64_t>& starts, const In<int32_t>& terms, const In<double>& weights) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  if (weights.size() != terms.size()) throw nb::value_error("there are more or fewer weights than terms");
  const auto in_range = [](double weight) { return weight >= 0 && weight <= largest_weight; };
  if (!std::all_of(weights.data(), weights.data() + weights.size(), in_range)) {
    throw nb::value_error("a weight is negative, larger than 1e15, or not a number");
  }
  const WeightedRows<double> rows{span_of(starts), span_of(terms), span_of(weights)};
  for (std::size_t d = 0; d < rows.size(); ++d) {
    for (std::size_t i = rows.begin(d) + 1; i < rows.end(d); ++i) {
      if (rows.terms[i - 1] >= rows.terms[i]) throw nb::value_error("the terms of a row do not ascend");
    }
  }
  return rows;
}

Range range_of(const InvertedIndex& index, std::size_t first, std::size_t last) {
  if (first > last || last > index.n_docs()) throw nb::index_error("there are no such documents");
  return {first, last};
}

void make_index(InvertedIndex* self, In<int64_t> starts, In<int32_t> terms, In<double> weights,
                std::size_t n_terms) {
  const auto rows = rows_of(starts, terms, weights);
  check_at_most(n_terms, most_terms, "n_terms");
  check_ids(terms, n_terms, "a term is out of range");
  check_at_most(rows.size(), std::numeric_limits<int32_t>::max(), "the number of documents");
  nb::gil_scoped_release release;
  new (self) InvertedIndex(rows, n_terms);
}

std::pair<OutMatrix<int32_t>, OutMatrix<double>> nearest(const InvertedIndex& index, In<int64_t> starts,
                                                         In<int32_t> terms, In<double> weights, std::size_t k,
                                                         std::size_t n_threads) {
  const auto queries = rows_of(starts, terms, weights);
  check_threads(n_threads);
  const std::size_t most = std::min(k, index.n_docs());
  Buffer<int32_t> docs(queries.size() * most);
  Buffer<double> similarities(queries.size() * most);
  {
    nb::gil_scoped_release release;
    find_nearest(index, queries, most, n_threads, docs.data(), similarities.data());
  }
  return {to_matrix(std::move(docs), queries.size(), most),
          to_matrix(std::move(similarities), queries.size(), most)};
}

std::tuple<Out<int32_t>, Out<int32_t>, Out<double>> pairs(const InvertedIndex& index, double least,
                                                          std::size_t first, std::size_t last,
                                                          std::size_t n_threads) {
  const Range range = range_of(index, first, last);
  check_threads(n_threads);
  if (!(least >= 0)) throw nb::value_error("the least similarity is negative or not a number");
  Buffer<int32_t> docs, earlier;
  Buffer<double> similarities;
  {
    nb::gil_scoped_release release;
    for (const Pair& pair : similar_pairs(index, range, least, n_threads)) {
      docs.push_back(pair.doc);
      earlier.push_back(pair.earlier);
      similarities.push_back(pair.similarity);
    }
  }
  return {to_numpy(std::move(docs)), to_numpy(std::move(earlier)), to_numpy(std::move(similarities))};
}

Out<int64_t> counts_of_pairs(const InvertedIndex& index, std::size_t n_bins, std::size_t first,
                             std::size_t last, std::size_t n_threads) {
  const Range range = range_of(index, first, last);
  check_threads(n_threads);
  if (n_bins < 1) throw nb::value_error("at least one bin is needed");
  check_at_most(n_bins, std::size_t{1} << 20, "n_bins");
  std::vector<int64_t> bins;
  {
    nb::gil_scoped_release release;
    bins = count_pairs(index, range, n_bins, n_threads);
  }
  return to_numpy(std::move(bins));
}

}  // namespace

void bind_inverted_index(nb::module_& m) {
  nb::class_<InvertedIndex>(m, "InvertedIndex")
      .def("__init__", &make_index, nb::arg("starts"), nb::arg("terms"), nb::arg("weights").noconvert(),
           nb::arg("n_terms"))
      .def_prop_ro("n_documents", &InvertedIndex::n_docs)
      .def_prop_ro("n_terms", &InvertedIndex::n_terms)
      .def("nearest", &nearest, nb::arg("starts"), nb::arg("terms"), nb::arg("weights").noconvert(),
           nb::arg("k"), nb::arg("n_threads"))
      .def("pairs", &pairs, nb::arg("least"), nb::arg("first"), nb::arg("last"), nb::arg("n_threads"))
      .def("count_pairs", &counts_of_pairs, nb::arg("n_bins"), nb::arg("first"), nb::arg("last"),
           nb::arg("n_threads"));
}
