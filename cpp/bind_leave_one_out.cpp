#include "bindings.hpp"
#include "memory.hpp"
#include "own_cells.hpp"

namespace {
using namespace tallytext;

Out<int64_t> own_cells(In<int64_t> starts, In<int32_t> terms, In<int64_t> label_starts, In<int32_t> labels,
                       In<int64_t> post_starts, In<int32_t> post_classes, std::size_t n_threads) {
  expect_rows(starts, terms.size(), "the rows do not fit the terms");
  expect_rows(label_starts, labels.size(), "the documents do not fit the labels");
  expect_rows(post_starts, post_classes.size(), "the terms do not fit the cells");
  if (starts.size() != label_starts.size()) throw nb::value_error("arrays of different lengths");
  if (n_threads < 1) throw nb::value_error("at least one thread is needed");
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
}  // namespace

void bind_leave_one_out(nb::module_& m) {
  m.def("own_cells", &own_cells, nb::arg("starts"), nb::arg("terms"), nb::arg("label_starts"),
        nb::arg("labels"), nb::arg("post_starts"), nb::arg("post_classes"), nb::arg("n_threads"),
        "For each document, each of its labels, each of its terms: the cell of both, or -1.");
}
