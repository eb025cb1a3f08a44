#include "bindings.hpp"
#include "leave_one_out.hpp"
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

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void expect_size(std::size_t found, std::size_t wanted, bool may_be_empty = false) {
  if (found != wanted && !(may_be_empty && found == 0)) throw nb::value_error("arrays of different lengths");
}

/// Cells, words and rests as in leave_one_out.hpp; without contrasts all but the first array of each are
/// empty.
void left_gains(In<int64_t> starts, In<int32_t> terms, In<double> exponents, In<int64_t> post_starts,
                In<int32_t> post_classes, In<double> ratios, In<double> counts, In<double> tops,
                In<double> inverse, In<double> spread, In<double> words, In<double> absent, Table seen,
                Table freed, OutTable gains, std::size_t n_threads) {
  expect_rows(starts, terms.size(), "the rows do not fit the terms");
  expect_rows(post_starts, post_classes.size(), "the terms do not fit the cells");
  expect_ids(post_classes, gains.shape(1), "no such class");
  const bool contrasts = counts.size() > 0;
  const std::size_t n_words = contrasts ? terms.size() : 0, n_gains = contrasts ? gains.size() : 0;
  for (const std::size_t size : {exponents.size(), inverse.size()}) expect_size(size, terms.size());
  for (const std::size_t size : {spread.size(), words.size(), absent.size()}) expect_size(size, n_words);
  for (const std::size_t size : {seen.size(), freed.size()}) expect_size(size, n_gains);
  expect_size(ratios.size(), post_classes.size());
  expect_size(counts.size(), post_classes.size(), true);
  expect_size(tops.size() + 1, post_starts.size());
  expect_size(gains.shape(0) + 1, starts.size());
  if (n_threads < 1) throw nb::value_error("at least one thread is needed");
  nb::gil_scoped_release release;
  left_out_gains(
      {span_of(starts), span_of(terms), span_of(exponents)},
      {span_of(post_starts), span_of(post_classes), span_of(ratios), span_of(counts), span_of(tops)},
      {span_of(inverse), span_of(spread), span_of(words), span_of(absent)},
      {{seen.data(), seen.size()}, {freed.data(), freed.size()}}, gains.shape(1), n_threads, gains.data());
}
}  // namespace

void bind_leave_one_out(nb::module_& m) {
  m.def("own_cells", &own_cells, nb::arg("starts"), nb::arg("terms"), nb::arg("label_starts"),
        nb::arg("labels"), nb::arg("post_starts"), nb::arg("post_classes"), nb::arg("n_threads"),
        "For each document, each of its labels, each of its terms: the cell of both, or -1.");
  m.def("left_out_gains", &left_gains, nb::arg("starts"), nb::arg("terms"), nb::arg("exponents").noconvert(),
        nb::arg("post_starts"), nb::arg("post_classes"), nb::arg("ratios").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("tops").noconvert(), nb::arg("inverse").noconvert(),
        nb::arg("spread").noconvert(), nb::arg("words").noconvert(), nb::arg("absent").noconvert(),
        nb::arg("seen").noconvert(), nb::arg("freed").noconvert(), nb::arg("gains").noconvert(),
        nb::arg("n_threads"), "Write what the words of documents say for each class by the cells of others.");
}
