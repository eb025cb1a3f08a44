// Bindings of the dual coordinate descent.
#include "bindings.hpp"
#include "dual_descent.hpp"
#include "memory.hpp"

namespace {
using namespace tallytext;

WeightedRows<double> documents_of(const In<int64_t>& starts, const In<int32_t>& terms,
                                  const In<double>& counts) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  if (counts.size() != terms.size())
    throw nb::value_error("the documents have more or fewer counts than terms");
  return {span_of(starts), span_of(terms), span_of(counts)};
}

void make_descent(DualDescent* self, In<int64_t> starts, In<int32_t> terms, In<double> counts,
                  In<float> scale, In<int64_t> label_starts, In<int32_t> labels, std::size_t n_classes,
                  float cost, uint64_t seed, std::size_t n_threads) {
  const auto docs = documents_of(starts, terms, counts);
  check_rows(label_starts, labels.size(), "the rows do not fit the labels");
  check_ids(labels, n_classes, "a label is out of range");
  check_threads(n_threads);
  if (label_starts.size() != starts.size()) throw nb::value_error("more or fewer labels than documents");
  if (docs.size() > UINT32_MAX) throw nb::value_error("more documents than 32 bits can number");
  if (!(cost > 0)) throw nb::value_error("the cost must be positive");
  nb::gil_scoped_release release;
  DualProblem problem;
  problem.take(docs, span_of(scale), seed);
  problem.take_labels(span_of(label_starts), span_of(labels));
  problem.n_classes = n_classes;
  problem.cost = cost;
  new (self) DualDescent(std::move(problem), n_threads);
}

void place(DualDescent& self, std::size_t first, InMatrix<double> rows) {
  const DualProblem& problem = self.problem();
  const bool fits = rows.shape(1) == problem.n_classes && first <= problem.n_terms &&
                    rows.shape(0) <= problem.n_terms - first;
  if (!fits) throw nb::value_error("these are not rows of the weights");
  const double* from = rows.data();
  nb::gil_scoped_release release;
  self.for_each([&](DualShare& share) {
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      for (std::size_t c = share.first(); c < share.last(); ++c) {
        share.weight(first + i, c) = static_cast<float>(from[i * problem.n_classes + c]);
      }
    }
  });
}

std::pair<double, double> agreement(DualDescent& self) {
  const std::size_t n = self.problem().n_classes;
  std::vector<double> sums(2 * n);
  nb::gil_scoped_release release;
  self.for_each([&](DualShare& share) { share.compare(sums); });
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(n);
  return {std::accumulate(sums.begin(), middle, 0.0), std::accumulate(middle, sums.end(), 0.0)};
}

void start(DualDescent& self, float factor, In<float> bias) {
  if (bias.size() != self.problem().n_classes) throw nb::value_error("not one bias for each class");
  nb::gil_scoped_release release;
  self.for_each([&](DualShare& share) { share.start(factor, span_of(bias)); });
}

void resume(DualDescent& self, InMatrix<float> duals) {
  const std::size_t n = duals.shape(0), width = duals.shape(1);
  if (n > self.problem().size() || width != self.problem().n_classes)
    throw nb::value_error("these duals are not of such documents");
  const float* from = duals.data();
  const auto& order = self.problem().order;
  nb::gil_scoped_release release;
  self.for_each([&](DualShare& share) {
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (order[at] >= n) continue;
      for (std::size_t c = share.first(); c < share.last(); ++c)
        share.dual(at, c) = from[order[at] * width + c];
    }
    share.resume();
  });
}

void sweep(DualDescent& self, uint64_t seed) {
  nb::gil_scoped_release release;
  self.sweep(seed);
}

/// A matrix of n × n_classes from all shares: its row to(i) is row i of cell.
template <class To, class Cell>
OutMatrix<float> matrix_of(DualDescent& self, std::size_t n, To to, Cell cell) {
  const std::size_t width = self.problem().n_classes;
  Buffer<float> made(n * width);
  {
    nb::gil_scoped_release release;
    self.for_each([&](DualShare& share) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = share.first(); c < share.last(); ++c)
          made[to(i) * width + c] = cell(share, i, c);
      }
    });
  }
  return to_matrix(std::move(made), n, width);
}

OutMatrix<float> weights(DualDescent& self) {
  return matrix_of(
      self, self.problem().n_terms, [](std::size_t term) { return term; },
      [](DualShare& share, std::size_t term, std::size_t c) { return share.weight(term, c); });
}

OutMatrix<float> bias(DualDescent& self) {
  const std::size_t last = self.problem().n_terms;
  return matrix_of(
      self, 1, [](std::size_t row) { return row; },
      [last](DualShare& share, std::size_t, std::size_t c) {
        return share.weight(last, c) * DualProblem::bias;
      });
}

OutMatrix<float> duals(DualDescent& self) {
  const auto& order = self.problem().order;
  return matrix_of(
      self, order.size(), [&](std::size_t at) { return order[at]; },
      [](DualShare& share, std::size_t at, std::size_t c) { return share.dual(at, c); });
}

OutMatrix<float> unit_scores(In<int64_t> starts, In<int32_t> terms, In<double> counts, In<float> scale,
                             InMatrix<float> weights, In<float> bias, std::size_t n_threads) {
  const auto docs = documents_of(starts, terms, counts);
  check_threads(n_threads);
  if (weights.shape(0) != scale.size() || weights.shape(1) != bias.size())
    throw nb::value_error("the weights are not one row per term with one column per class");
  Buffer<float> scores(docs.size() * bias.size());
  {
    nb::gil_scoped_release release;
    score_unit_rows(docs, span_of(scale), weights.data(), span_of(bias), n_threads, scores.data());
  }
  return to_matrix(std::move(scores), docs.size(), bias.size());
}
}  // namespace

void bind_dual_descent(nb::module_& m) {
  nb::class_<DualDescent>(m, "DualDescent")
      .def("__init__", &make_descent, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
           nb::arg("scale").noconvert(), nb::arg("label_starts"), nb::arg("labels"), nb::arg("n_classes"),
           nb::arg("cost"), nb::arg("seed"), nb::arg("n_threads"))
      .def("place", &place, nb::arg("first"), nb::arg("rows"))
      .def("agreement", &agreement)
      .def("start", &start, nb::arg("factor"), nb::arg("bias").noconvert())
      .def("resume", &resume, nb::arg("duals").noconvert())
      .def("sweep", &sweep, nb::arg("seed"))
      .def("weights", &weights)
      .def("bias", &bias)
      .def("duals", &duals);
  m.def("unit_scores", &unit_scores, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
        nb::arg("scale").noconvert(), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(),
        nb::arg("n_threads"));
}
