// Bindings of the kernels that score documents: linear scores, products, and leave-one-out gains.
#include <limits>

#include "bindings.hpp"
#include "leave_one_out.hpp"
#include "memory.hpp"
#include "postings.hpp"
#include "score.hpp"

namespace {
using namespace tallytext;

template <class T>
using InOutMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
WeightedRows<T> rows_of(const In<int64_t>& starts, const In<int32_t>& terms, const In<T>& values) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  if (values.size() != terms.size())
    throw nb::value_error("the documents have more or fewer values than terms");
  return {span_of(starts), span_of(terms), span_of(values)};
}

/// True if the posting of a term lies within the cells and its classes ascend within range.
template <class T>
bool posting_is_sound(const LinearWeights<T>& weights, std::size_t w) {
  const int64_t first = weights.starts[w], last = weights.starts[w + 1];
  if (first < 0 || first > last || last > static_cast<int64_t>(weights.classes.size())) return false;
  int64_t before = -1;
  for (int64_t i = first; i < last; ++i) {
    const int64_t label = weights.classes[static_cast<std::size_t>(i)];
    if (label <= before) return false;
    before = label;
  }
  return before < static_cast<int64_t>(weights.n_classes());
}

/// Checks the postings that the documents use, or all of them if these are fewer.
template <class T>
void check_postings(const LinearWeights<T>& weights, std::span<const TermId> used) {
  const auto expect = [&](std::size_t w) {
    if (!posting_is_sound(weights, w)) {
      throw nb::value_error("the classes of a term are out of range or do not ascend");
    }
  };
  if (used.size() > weights.n_terms()) {
    for (std::size_t w = 0; w < weights.n_terms(); ++w) expect(w);
  } else {
    for (const TermId term : used) {
      if (weights.holds(term)) expect(static_cast<std::size_t>(term));
    }
  }
}

template <class T>
LinearWeights<T> weights_of(const In<int64_t>& starts, const In<int32_t>& classes, const In<T>& values,
                            const In<T>& common, const In<T>& mass, const In<T>& intercept,
                            const In<T>& slope) {
  const bool fits = starts.size() == common.size() + 1 && mass.size() == common.size() &&
                    values.size() == classes.size() && slope.size() == intercept.size();
  if (!fits) throw nb::value_error("weights of different lengths");
  return {span_of(starts), span_of(classes),   span_of(values), span_of(common),
          span_of(mass),   span_of(intercept), span_of(slope)};
}

template <class T>
std::pair<OutMatrix<T>, Out<T>> score_sparse(In<int64_t> doc_starts, In<int32_t> doc_terms, In<T> doc_values,
                                             In<int64_t> post_starts, In<int32_t> post_classes,
                                             In<T> post_values, In<T> common, In<T> mass, In<T> intercept,
                                             In<T> slope, std::size_t n_threads) {
  const auto docs = rows_of(doc_starts, doc_terms, doc_values);
  const auto weights = weights_of(post_starts, post_classes, post_values, common, mass, intercept, slope);
  check_postings(weights, docs.terms);
  check_threads(n_threads);
  Buffer<T> scores(docs.size() * weights.n_classes()), lengths(docs.size());
  {
    nb::gil_scoped_release release;
    score_all(docs, weights, n_threads, scores.data(), lengths.data());
  }
  return {to_matrix(std::move(scores), docs.size(), weights.n_classes()), to_numpy(std::move(lengths))};
}

template <class T>
std::pair<OutMatrix<ClassId>, OutMatrix<T>> top_sparse(In<int64_t> doc_starts, In<int32_t> doc_terms,
                                                       In<T> doc_values, In<int64_t> post_starts,
                                                       In<int32_t> post_classes, In<T> post_values,
                                                       In<T> common, In<T> mass, In<T> intercept, In<T> slope,
                                                       In<int32_t> order, std::size_t k,
                                                       std::size_t n_threads) {
  const auto docs = rows_of(doc_starts, doc_terms, doc_values);
  const auto weights = weights_of(post_starts, post_classes, post_values, common, mass, intercept, slope);
  check_postings(weights, docs.terms);
  check_threads(n_threads);
  if (order.size() != weights.n_classes()) throw nb::value_error("the order is not one of the classes");
  if (k < 1 || k > weights.n_classes()) throw nb::value_error("k is not between 1 and the number of classes");
  Buffer<ClassId> classes(docs.size() * k);
  Buffer<T> scores(docs.size() * k);
  {
    nb::gil_scoped_release release;
    score_best(docs, weights, span_of(order), k, n_threads, classes.data(), scores.data());
  }
  return {to_matrix(std::move(classes), docs.size(), k), to_matrix(std::move(scores), docs.size(), k)};
}

template <class T>
void add_dense(In<int64_t> doc_starts, In<int32_t> doc_terms, In<T> doc_values, InMatrix<T> rows,
               int64_t first, InOutMatrix<T> scores, std::size_t n_threads) {
  const auto docs = rows_of(doc_starts, doc_terms, doc_values);
  check_threads(n_threads);
  if (first != static_cast<TermId>(first)) throw nb::value_error("first is beyond all terms");
  if (scores.shape(0) != docs.size() || scores.shape(1) != rows.shape(1)) {
    throw nb::value_error("the scores are not one row per document with one column per class");
  }
  nb::gil_scoped_release release;
  add_rows(docs, std::span<const T>(rows.data(), rows.size()), rows.shape(1), first, n_threads,
           scores.data());
}

OutMatrix<double> sparse_times(const In<int64_t>& starts, const In<int32_t>& columns,
                               const In<double>& values, const InMatrix<double>& dense,
                               std::size_t n_threads) {
  check_rows(starts, columns.size(), "the rows do not fit the columns");
  if (values.size() != columns.size()) throw nb::value_error("there are more or fewer values than columns");
  check_threads(n_threads);
  check_ids(columns, dense.shape(0), "a column is out of range");
  const WeightedRows<double> rows{span_of(starts), span_of(columns), span_of(values)};
  const std::size_t width = dense.shape(1);
  // A matrix without rows can have any width, so its shape is no bound for the size of the product.
  if (width && rows.size() > std::numeric_limits<int64_t>::max() / sizeof(double) / width)
    throw nb::value_error("the product would be larger than any memory");
  Buffer<double> product(rows.size() * width);
  {
    const nb::gil_scoped_release released;
    multiply(rows, {dense.data(), dense.size()}, width, {product.data(), product.size()}, n_threads);
  }
  return to_matrix(std::move(product), rows.size(), width);
}

Out<int64_t> own_cells(In<int64_t> starts, In<int32_t> terms, In<int64_t> label_starts, In<int32_t> labels,
                       In<int64_t> post_starts, In<int32_t> post_classes, std::size_t n_threads) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  check_rows(label_starts, labels.size(), "the documents do not fit the labels");
  check_rows(post_starts, post_classes.size(), "the terms do not fit the cells");
  if (starts.size() != label_starts.size()) throw nb::value_error("arrays of different lengths");
  check_threads(n_threads);
  std::vector<int64_t> entries(starts.size(), 0);
  for (std::size_t d = 0; d + 1 < starts.size(); ++d) {
    const int64_t n_labels = label_starts(d + 1) - label_starts(d);
    entries[d + 1] = entries[d] + n_labels * (starts(d + 1) - starts(d));
  }
  Buffer<int64_t> cells(static_cast<std::size_t>(entries.back()));
  {
    nb::gil_scoped_release release;
    find_own_cells(span_of(starts), span_of(terms), span_of(label_starts), span_of(labels), entries,
                   {span_of(post_starts), span_of(post_classes)}, n_threads, cells.data());
  }
  return to_numpy(std::move(cells));
}

void check_size(std::size_t found, std::size_t wanted, bool may_be_empty = false) {
  if (found != wanted && !(may_be_empty && found == 0)) throw nb::value_error("arrays of different lengths");
}

/// Cells, words and complements as in leave_one_out.hpp; without contrasts, all but the first array of each
/// are empty.
void left_gains(In<int64_t> starts, In<int32_t> terms, In<double> exponents, In<int64_t> post_starts,
                In<int32_t> post_classes, In<double> ratios, In<double> counts, In<double> tops,
                In<double> inverse, In<double> spread, In<double> words, In<double> absent,
                InMatrix<double> seen, InMatrix<double> freed, InOutMatrix<double> gains,
                std::size_t n_threads) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  check_rows(post_starts, post_classes.size(), "the terms do not fit the cells");
  check_ids(post_classes, gains.shape(1), "no such class");
  const bool contrasts = counts.size() > 0;
  const std::size_t n_words = contrasts ? terms.size() : 0, n_gains = contrasts ? gains.size() : 0;
  for (const std::size_t size : {exponents.size(), inverse.size()}) check_size(size, terms.size());
  for (const std::size_t size : {spread.size(), words.size(), absent.size()}) check_size(size, n_words);
  for (const std::size_t size : {seen.size(), freed.size()}) check_size(size, n_gains);
  check_size(ratios.size(), post_classes.size());
  check_size(counts.size(), post_classes.size(), true);
  check_size(tops.size() + 1, post_starts.size());
  check_size(gains.shape(0) + 1, starts.size());
  check_threads(n_threads);
  check_finite(exponents, "an exponent is not finite");
  nb::gil_scoped_release release;
  if (gains.size() == 0) return;
  left_out_gains(
      {span_of(starts), span_of(terms), span_of(exponents)},
      {span_of(post_starts), span_of(post_classes), span_of(ratios), span_of(counts), span_of(tops)},
      {span_of(inverse), span_of(spread), span_of(words), span_of(absent)},
      {{seen.data(), seen.size()}, {freed.data(), freed.size()}}, gains.shape(1), n_threads, gains.data());
}

/// Arrays of floats are not converted: an implicit copy in another precision would hide its cost.
template <class T>
void bind_kernels(nb::module_& m) {
  m.def("score_sparse", &score_sparse<T>, nb::arg("doc_starts"), nb::arg("doc_terms"),
        nb::arg("doc_values").noconvert(), nb::arg("post_starts"), nb::arg("post_classes"),
        nb::arg("post_values").noconvert(), nb::arg("common").noconvert(), nb::arg("mass").noconvert(),
        nb::arg("intercept").noconvert(), nb::arg("slope").noconvert(), nb::arg("n_threads"));
  m.def("top_sparse", &top_sparse<T>, nb::arg("doc_starts"), nb::arg("doc_terms"),
        nb::arg("doc_values").noconvert(), nb::arg("post_starts"), nb::arg("post_classes"),
        nb::arg("post_values").noconvert(), nb::arg("common").noconvert(), nb::arg("mass").noconvert(),
        nb::arg("intercept").noconvert(), nb::arg("slope").noconvert(), nb::arg("order"), nb::arg("k"),
        nb::arg("n_threads"));
  m.def("add_rows", &add_dense<T>, nb::arg("doc_starts"), nb::arg("doc_terms"),
        nb::arg("doc_values").noconvert(), nb::arg("rows").noconvert(), nb::arg("first"),
        nb::arg("scores").noconvert(), nb::arg("n_threads"));
}
}  // namespace

void bind_score(nb::module_& m) {
  bind_kernels<float>(m);
  bind_kernels<double>(m);
  m.def("sparse_times", &sparse_times, nb::arg("starts"), nb::arg("columns"), nb::arg("values"),
        nb::arg("dense"), nb::arg("n_threads"), "Multiply a sparse matrix by a dense one.");
  m.def("own_cells", &own_cells, nb::arg("starts"), nb::arg("terms"), nb::arg("label_starts"),
        nb::arg("labels"), nb::arg("post_starts"), nb::arg("post_classes"), nb::arg("n_threads"),
        "Return the cell of each label and term of each document, or -1.");
  m.def("left_out_gains", &left_gains, nb::arg("starts"), nb::arg("terms"), nb::arg("exponents").noconvert(),
        nb::arg("post_starts"), nb::arg("post_classes"), nb::arg("ratios").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("tops").noconvert(), nb::arg("inverse").noconvert(),
        nb::arg("spread").noconvert(), nb::arg("words").noconvert(), nb::arg("absent").noconvert(),
        nb::arg("seen").noconvert(), nb::arg("freed").noconvert(), nb::arg("gains").noconvert(),
        nb::arg("n_threads"), "Write the leave-one-out gain of each document and class.");
}
