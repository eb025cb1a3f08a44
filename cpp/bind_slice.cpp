#include <nanobind/stl/optional.h>

#include "shared_tally.hpp"
#include "slice.hpp"

namespace {
using namespace tallytext;

/// Arrays of a slice as NumPy sees them: in the slice's own memory, which they keep alive.
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;
using Table = nb::ndarray<nb::numpy, const int64_t, nb::ndim<2>>;
using Self = nb::handle_t<TallySlice>;

template <class Array>
auto line(Array TallySlice::* member) {
  return [member](Self self) {
    const Array& values = nb::cast<const TallySlice&>(self).*member;
    return View<typename Array::value_type>(values.data(), {values.size()}, self);
  };
}

template <class Array>
auto table(Array TallySlice::* member, std::size_t (TallySlice::*width)() const) {
  return [=](Self self) {
    const auto& slice = nb::cast<const TallySlice&>(self);
    return Table((slice.*member).data(), {slice.columns.size(), (slice.*width)()}, self);
  };
}

/// Everything of one moment that a model reads: `columns` of the `terms`, or of all terms if there are none.
TallySlice slice(const SharedTally& tally, const std::vector<std::size_t>& columns,
                 std::optional<In<int32_t>> terms) {
  return tally.read([&](const Tally& t) {
    if (std::any_of(columns.begin(), columns.end(), [&t](std::size_t j) { return j >= t.width(); })) {
      throw std::out_of_range("no such column");
    }
    Slicing slicing(t, columns);
    return terms ? slicing.of(span_of(*terms)) : slicing.all();
  });
}

/// n_r for r below 8, of the cells or, `pooled`, of the terms; zero for r = 0.
Out<int64_t> small_counts(const SharedTally& tally, bool pooled) {
  return to_numpy(tally.read(
      [pooled](const Tally& t) { return pooled ? t.small_counts(8) : t.cells().small_counts(8); }));
}
}  // namespace

void bind_slice(nb::module_& m, nb::class_<SharedTally>& tally) {
  nb::class_<TallySlice>(m, "TallySlice", "What a model reads of a tally, all of one moment.")
      .def_prop_ro("starts", line(&TallySlice::starts))
      .def_prop_ro("classes", line(&TallySlice::classes))
      .def_prop_ro("values", table(&TallySlice::values, &TallySlice::n_cells))
      .def_prop_ro("documents", line(&TallySlice::documents))
      .def_prop_ro("term_totals", table(&TallySlice::term_totals, &TallySlice::n_terms))
      .def_prop_ro("term_documents", line(&TallySlice::term_documents))
      .def_prop_ro("class_totals", table(&TallySlice::class_totals, &TallySlice::n_classes))
      .def_prop_ro("class_scales", table(&TallySlice::class_scales, &TallySlice::n_classes))
      .def_prop_ro("class_documents", line(&TallySlice::class_documents))
      .def_prop_ro("class_terms", line(&TallySlice::class_terms))
      .def_prop_ro("class_document_terms", line(&TallySlice::class_document_terms))
      .def_prop_ro("totals", line(&TallySlice::totals))
      .def_prop_ro("scales", line(&TallySlice::scales))
      .def_ro("n_documents", &TallySlice::n_documents)
      .def_ro("n_live_terms", &TallySlice::n_live_terms)
      .def_ro("n_document_terms", &TallySlice::n_document_terms)
      .def_ro("n_tokens", &TallySlice::n_tokens)
      .def_ro("n_several", &TallySlice::n_several)
      .def_ro("n_unlabelled", &TallySlice::n_unlabelled)
      .def_ro("version", &TallySlice::version);
  tally.def("slice", &slice, nb::arg("columns"), nb::arg("terms") = nb::none())
      .def("small_counts", &small_counts, nb::arg("pooled"));
}
