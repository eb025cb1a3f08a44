#include "bindings.hpp"
#include "memory.hpp"
#include "score.hpp"

namespace {
using namespace tallytext;

template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOutMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Matrix<T> to_matrix(Buffer<T>&& values, std::size_t n, std::size_t width) {
  auto* owned = new Buffer<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
  return Matrix<T>(owned->data(), {n, width}, owner);
}

template <class T>
WeightedRows<T> rows_of(const In<int64_t>& starts, const In<int32_t>& terms, const In<T>& values) {
  expect_rows(starts, terms.size(), "the rows do not fit the terms");
  if (values.size() != terms.size())
    throw nb::value_error("the documents have more or fewer values than terms");
  return {span_of(starts), span_of(terms), span_of(values)};
}

/// Whether the posting of a term lies within the cells and its classes ascend within range.
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

/// Looks at the postings that the documents use, or at all of them where those are fewer.
template <class T>
void expect_postings(const LinearWeights<T>& weights, std::span<const TermId> used) {
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

void expect_threads(std::size_t n_threads) {
  if (n_threads == 0) throw nb::value_error("at least one thread is needed");
}

template <class T>
std::pair<Matrix<T>, Out<T>> score_sparse(In<int64_t> doc_starts, In<int32_t> doc_terms, In<T> doc_values,
                                          In<int64_t> post_starts, In<int32_t> post_classes,
                                          In<T> post_values, In<T> common, In<T> mass, In<T> intercept,
                                          In<T> slope, std::size_t n_threads) {
  const auto docs = rows_of(doc_starts, doc_terms, doc_values);
  const auto weights = weights_of(post_starts, post_classes, post_values, common, mass, intercept, slope);
  expect_postings(weights, docs.terms);
  expect_threads(n_threads);
  Buffer<T> scores(docs.size() * weights.n_classes()), lengths(docs.size());
  {
    nb::gil_scoped_release release;
    score_all(docs, weights, n_threads, scores.data(), lengths.data());
  }
  return {to_matrix(std::move(scores), docs.size(), weights.n_classes()), to_numpy(std::move(lengths))};
}

template <class T>
std::pair<Matrix<ClassId>, Matrix<T>> top_sparse(In<int64_t> doc_starts, In<int32_t> doc_terms,
                                                 In<T> doc_values, In<int64_t> post_starts,
                                                 In<int32_t> post_classes, In<T> post_values, In<T> common,
                                                 In<T> mass, In<T> intercept, In<T> slope, In<int32_t> order,
                                                 std::size_t k, std::size_t n_threads) {
  const auto docs = rows_of(doc_starts, doc_terms, doc_values);
  const auto weights = weights_of(post_starts, post_classes, post_values, common, mass, intercept, slope);
  expect_postings(weights, docs.terms);
  expect_threads(n_threads);
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
  expect_threads(n_threads);
  if (scores.shape(0) != docs.size() || scores.shape(1) != rows.shape(1)) {
    throw nb::value_error("the scores are not one row per document with one column per class");
  }
  nb::gil_scoped_release release;
  add_rows(docs, std::span<const T>(rows.data(), rows.size()), rows.shape(1), first, n_threads,
           scores.data());
}

/// Arrays of floats are taken as they are: a copy in another precision would hide what it costs.
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
}
