#include <limits>

#include "bindings.hpp"
#include "memory.hpp"
#include "products.hpp"

namespace {
using namespace tallytext;

using InTable = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

OutTable sparse_times(const In<int64_t>& starts, const In<int32_t>& columns, const In<double>& values,
                      const InTable& dense, std::size_t n_threads) {
  expect_rows(starts, columns.size(), "the rows do not fit the columns");
  if (values.size() != columns.size()) throw nb::value_error("there are more or fewer values than columns");
  if (n_threads == 0) throw nb::value_error("there must be a thread to work");
  expect_ids(columns, dense.shape(0), "a column is out of range");
  const SparseRows rows{span_of(starts), span_of(columns), span_of(values)};
  const std::size_t width = dense.shape(1);
  // A table without rows can be of any width.
  if (width && rows.size() > std::numeric_limits<int64_t>::max() / sizeof(double) / width)
    throw nb::value_error("the product would be larger than any memory");
  auto* const owned = new Buffer<double>(rows.size() * width);
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<double>*>(p); });
  {
    const nb::gil_scoped_release released;
    multiply(rows, {dense.data(), dense.size()}, width, {owned->data(), owned->size()}, n_threads);
  }
  return OutTable(owned->data(), {rows.size(), width}, owner);
}

}  // namespace

void bind_products(nb::module_& m) {
  m.def("sparse_times", &sparse_times, nb::arg("starts"), nb::arg("columns"), nb::arg("values"),
        nb::arg("dense"), nb::arg("n_threads"), "A sparse matrix times a dense one.");
}
