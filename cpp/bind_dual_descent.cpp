// Bindings of the dual coordinate descent.
#include "bindings.hpp"
#include "dual_descent.hpp"
#include "memory.hpp"
#include "shared.hpp"

namespace {
using namespace tallytext;

WeightedRows<double> documents_of(const In<int64_t>& starts, const In<int32_t>& terms,
                                  const In<double>& counts) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  if (counts.size() != terms.size())
    throw nb::value_error("the documents have more or fewer counts than terms");
  return {span_of(starts), span_of(terms), span_of(counts)};
}

void check_labels(std::size_t n, const In<int64_t>& starts, const In<int32_t>& labels, std::size_t n_classes,
                  const In<float>& costs) {
  check_rows(starts, labels.size(), "the rows do not fit the labels");
  check_ids(labels, n_classes, "a label is out of range");
  if (starts.size() != n + 1 || costs.size() != n)
    throw nb::value_error("more or fewer labels or costs than documents");
  const bool positive = std::all_of(costs.data(), costs.data() + n, [](float cost) { return cost > 0; });
  if (!positive) throw nb::value_error("a cost must be positive");
}

void make_descent(DualDescent* self, In<int64_t> starts, In<int32_t> terms, In<double> counts,
                  In<float> scale, In<int64_t> label_starts, In<int32_t> labels, std::size_t n_classes,
                  In<float> costs, uint64_t seed, std::size_t n_threads) {
  const auto docs = documents_of(starts, terms, counts);
  check_at_most(n_classes, most_classes, "n_classes");
  check_labels(docs.size(), label_starts, labels, n_classes, costs);
  check_threads(n_threads);
  check_at_most(docs.size(), UINT32_MAX, "the number of documents");
  nb::gil_scoped_release release;
  DualProblem problem;
  problem.take(docs, span_of(scale), seed);
  problem.take_labels(span_of(label_starts), span_of(labels), span_of(costs));
  problem.n_classes = n_classes;
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
        share.weights().weight(first + i, c) = static_cast<float>(from[i * problem.n_classes + c]);
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
  self.for_each([&](DualShare& share) { share.weights().start(factor, span_of(bias)); });
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
      [](DualShare& share, std::size_t term, std::size_t c) { return share.weights().weight(term, c); });
}

OutMatrix<float> bias(DualDescent& self) {
  return matrix_of(
      self, 1, [](std::size_t row) { return row; },
      [](DualShare& share, std::size_t, std::size_t c) {
        return share.weights().bias(c) * DualProblem::bias;
      });
}

OutMatrix<float> duals(DualDescent& self) {
  const auto& order = self.problem().order;
  return matrix_of(
      self, order.size(), [&](std::size_t at) { return order[at]; },
      [](DualShare& share, std::size_t at, std::size_t c) { return share.dual(at, c); });
}

Out<uint64_t> row_hashes(In<int64_t> starts, In<int32_t> terms, In<double> counts, In<uint64_t> hashes,
                         std::size_t n_threads) {
  const auto rows = documents_of(starts, terms, counts);
  check_ids(terms, hashes.size() ? hashes.size() : most_terms, "a term has no hash");
  check_threads(n_threads);
  Buffer<uint64_t> keys(rows.size());
  {
    nb::gil_scoped_release release;
    hash_rows(rows, span_of(hashes), n_threads, keys.data());
  }
  return to_numpy(std::move(keys));
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
    score_unit_rows(docs, span_of(scale), weights.data(), bias.size(), span_of(bias), n_threads,
                    scores.data());
  }
  return to_matrix(std::move(scores), docs.size(), bias.size());
}

// Documents that come and go. Python threads share them: the GIL is released before the lock is taken.

using SharedLive = Shared<LiveDescent>;

void make_live(SharedLive* self, In<float> scale, float new_scale, InMatrix<float> weights, In<float> bias,
               uint64_t seed) {
  const std::size_t n_classes = bias.size();
  if (weights.shape(1) != n_classes || weights.shape(0) > scale.size())
    throw nb::value_error("the weights are not one row per term with one column per class");
  nb::gil_scoped_release release;
  new (self) SharedLive(std::in_place, span_of(scale), new_scale, n_classes, seed);
  self->write([&](LiveDescent& live) {
    std::vector<float> of_feature(bias.data(), bias.data() + n_classes);
    for (float& b : of_feature) b /= DualProblem::bias;
    live.weights().start(1, of_feature);
    for (std::size_t term = 0; term < weights.shape(0); ++term) {
      for (std::size_t c = 0; c < n_classes; ++c)
        live.weights().weight(term, c) = weights.data()[term * n_classes + c];
    }
  });
}

/// Documents that are checked: their terms, classes, keys and costs.
struct NewDocuments {
  WeightedRows<double> rows;
  std::span<const int64_t> label_starts;
  std::span<const int32_t> labels;
  std::span<const uint64_t> keys;
  std::span<const float> costs;

  NewDocuments(const In<int64_t>& starts, const In<int32_t>& terms, const In<double>& counts,
               const In<int64_t>& label_starts_, const In<int32_t>& labels_, std::size_t n_classes,
               const In<uint64_t>& keys_, const In<float>& costs_)
      : rows(documents_of(starts, terms, counts)),
        label_starts(span_of(label_starts_)),
        labels(span_of(labels_)),
        keys(span_of(keys_)),
        costs(span_of(costs_)) {
    check_labels(rows.size(), label_starts_, labels_, n_classes, costs_);
    check_ids(terms, most_terms, "a term is out of range");
    if (keys.size() != rows.size()) throw nb::value_error("more or fewer keys than documents");
  }

  void add_to(LiveDescent& live, std::size_t d) const {
    const std::size_t begin = rows.begin(d), size = rows.end(d) - begin;
    const auto first = static_cast<std::size_t>(label_starts[d]);
    const auto n_labels = static_cast<std::size_t>(label_starts[d + 1]) - first;
    live.add(rows.terms.subspan(begin, size), rows.values.subspan(begin, size),
             labels.subspan(first, n_labels), keys[d], 1 / (2 * costs[d]));
  }
};

std::size_t n_classes_of(const SharedLive& self) {
  return self.read([](const LiveDescent& live) { return live.weights().n_classes(); });
}

/// Adds documents with their duals, which the weights already contain.
void fill(SharedLive& self, In<int64_t> starts, In<int32_t> terms, In<double> counts,
          In<int64_t> label_starts, In<int32_t> labels, In<uint64_t> keys, In<float> costs,
          InMatrix<float> duals) {
  const std::size_t width = n_classes_of(self);
  const NewDocuments more(starts, terms, counts, label_starts, labels, width, keys, costs);
  if (duals.shape(0) != more.rows.size() || duals.shape(1) != width)
    throw nb::value_error("these duals are not of such documents");
  nb::gil_scoped_release release;
  self.write([&](LiveDescent& live) {
    for (const int32_t term : more.rows.terms) live.add_terms(static_cast<std::size_t>(term) + 1);
    for (std::size_t d = 0; d < more.rows.size(); ++d) {
      more.add_to(live, d);
      std::copy_n(duals.data() + d * width, width, live.duals(live.size() - 1));
    }
  });
}

void learn(SharedLive& self, In<int64_t> starts, In<int32_t> terms, In<double> counts,
           In<int64_t> label_starts, In<int32_t> labels, In<uint64_t> keys, In<float> costs,
           std::vector<float> new_classes, std::size_t n_steps) {
  const std::size_t n_classes = n_classes_of(self) + new_classes.size();
  check_at_most(n_classes, most_classes, "the number of classes");
  const NewDocuments more(starts, terms, counts, label_starts, labels, n_classes, keys, costs);
  nb::gil_scoped_release release;
  self.write([&](LiveDescent& live) {
    for (const float bias : new_classes) live.add_class(bias / DualProblem::bias);
    for (const int32_t term : more.rows.terms) live.add_terms(static_cast<std::size_t>(term) + 1);
    for (std::size_t d = 0; d < more.rows.size(); ++d) {
      more.add_to(live, d);
      live.learn_last(n_steps);
    }
  });
}

bool forget(SharedLive& self, In<uint64_t> keys, std::size_t n_steps) {
  nb::gil_scoped_release release;
  return self.write([&](LiveDescent& live) {
    if (!live.holds(span_of(keys))) return false;
    for (const uint64_t key : span_of(keys)) {
      live.drop(key);
      live.step_at_random(n_steps);
    }
    return true;
  });
}

OutMatrix<float> live_scores(const SharedLive& self, In<int64_t> starts, In<int32_t> terms, In<double> counts,
                             std::size_t n_threads) {
  const auto docs = documents_of(starts, terms, counts);
  check_threads(n_threads);
  Buffer<float> scores;
  std::size_t n_classes = 0;
  {
    nb::gil_scoped_release release;
    self.read([&](const LiveDescent& live) {
      const DualWeights& weights = live.weights();
      n_classes = weights.n_classes();
      scores.resize(docs.size() * n_classes);
      score_unit_rows(docs, live.scale(), weights.data(), weights.width() * quad_size,
                      weights.scores_without_terms(), n_threads, scores.data());
    });
  }
  return to_matrix(std::move(scores), docs.size(), n_classes);
}

/// starts, terms, counts; label_starts, labels; keys, costs, duals: as `fill` takes them.
auto live_documents(SharedLive& self) {
  Buffer<int64_t> starts, label_starts;
  Buffer<int32_t> terms, labels;
  Buffer<double> counts;
  Buffer<uint64_t> keys;
  Buffer<float> costs, duals;
  std::size_t n = 0, n_classes = 0;
  {
    nb::gil_scoped_release release;
    self.write([&](LiveDescent& live) {  // the duals are read through a pointer that could write
      n = live.size(), n_classes = live.weights().n_classes();
      terms.reserve(live.n_cells()), counts.reserve(live.n_cells()), labels.reserve(live.n_labels());
      starts.push_back(0), label_starts.push_back(0);
      for (std::size_t d = 0; d < n; ++d) {
        for (const LiveDescent::Cell& cell : live.cells(d)) {
          terms.push_back(cell.term);
          counts.push_back(static_cast<double>(cell.count));
        }
        labels.append(live.classes(d).data(), live.classes(d).size());
        starts.push_back(static_cast<int64_t>(terms.size()));
        label_starts.push_back(static_cast<int64_t>(labels.size()));
        keys.push_back(live.key(d));
        costs.push_back(1 / (2 * live.damping(d)));
        duals.append(live.duals(d), n_classes);
      }
    });
  }
  return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(terms)), to_numpy(std::move(counts)),
                         to_numpy(std::move(label_starts)), to_numpy(std::move(labels)),
                         to_numpy(std::move(keys)), to_numpy(std::move(costs)),
                         to_matrix(std::move(duals), n, n_classes));
}

/// scale, weights (terms × classes) and bias, all of one moment.
auto live_weights(SharedLive& self) {
  Buffer<float> scale, rows, bias;
  std::size_t n_terms = 0, n_classes = 0;
  {
    nb::gil_scoped_release release;
    self.write([&](LiveDescent& live) {
      DualWeights& weights = live.weights();
      n_terms = weights.n_terms(), n_classes = weights.n_classes();
      scale.append(live.scale().data(), n_terms);
      bias.append(weights.scores_without_terms().data(), n_classes);
      rows.reserve(n_terms * n_classes);
      for (std::size_t term = 0; term < n_terms; ++term) {
        rows.append(weights.data() + term * weights.width() * quad_size, n_classes);
      }
    });
  }
  return std::make_tuple(to_numpy(std::move(scale)), to_matrix(std::move(rows), n_terms, n_classes),
                         to_numpy(std::move(bias)));
}

Out<bool> holds(const SharedLive& self, In<uint64_t> keys) {
  Buffer<bool> found;
  {
    nb::gil_scoped_release release;
    self.read([&](const LiveDescent& live) {
      for (const uint64_t key : span_of(keys)) found.push_back(live.holds(key));
    });
  }
  return to_numpy(std::move(found));
}
}  // namespace

void bind_dual_descent(nb::module_& m) {
  nb::class_<DualDescent>(m, "DualDescent")
      .def("__init__", &make_descent, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
           nb::arg("scale").noconvert(), nb::arg("label_starts"), nb::arg("labels"), nb::arg("n_classes"),
           nb::arg("costs").noconvert(), nb::arg("seed"), nb::arg("n_threads"))
      .def("place", &place, nb::arg("first"), nb::arg("rows"))
      .def("agreement", &agreement)
      .def("start", &start, nb::arg("factor"), nb::arg("bias").noconvert())
      .def("resume", &resume, nb::arg("duals").noconvert())
      .def("sweep", &sweep, nb::arg("seed"))
      .def("weights", &weights)
      .def("bias", &bias)
      .def("duals", &duals);
  nb::class_<SharedLive>(m, "LiveDescent")
      .def("__init__", &make_live, nb::arg("scale").noconvert(), nb::arg("new_scale"),
           nb::arg("weights").noconvert(), nb::arg("bias").noconvert(), nb::arg("seed"))
      .def("__len__",
           [](const SharedLive& self) {
             return self.read([](const LiveDescent& live) { return live.size(); });
           })
      .def("fill", &fill, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"), nb::arg("label_starts"),
           nb::arg("labels"), nb::arg("keys").noconvert(), nb::arg("costs").noconvert(),
           nb::arg("duals").noconvert())
      .def("learn", &learn, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"), nb::arg("label_starts"),
           nb::arg("labels"), nb::arg("keys").noconvert(), nb::arg("costs").noconvert(),
           nb::arg("new_classes"), nb::arg("n_steps"))
      .def("forget", &forget, nb::arg("keys").noconvert(), nb::arg("n_steps"))
      .def("scores", &live_scores, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
           nb::arg("n_threads"))
      .def("holds", &holds, nb::arg("keys").noconvert())
      .def("documents", &live_documents)
      .def("weights", &live_weights);
  m.def("row_hashes", &row_hashes, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
        nb::arg("hashes").noconvert(), nb::arg("n_threads"));
  m.def("unit_scores", &unit_scores, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
        nb::arg("scale").noconvert(), nb::arg("weights").noconvert(), nb::arg("bias").noconvert(),
        nb::arg("n_threads"));
}
