// Bindings of the tally: changes, sums, slices, and the numbering of labels.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "change.hpp"
#include "shared.hpp"
#include "slice.hpp"
#include "tally.hpp"

namespace {
using namespace tallytext;

template <class T>
Out<T> every(const Buffer<T>& values, std::size_t width, std::size_t column) {
  std::vector<T> picked(values.size() / width);
  for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = values[i * width + column];
  return to_numpy(std::move(picked));
}

Change of_documents(In<int64_t> starts, In<int32_t> terms, In<int64_t> counts, In<int64_t> label_starts,
                    In<int32_t> labels, const std::vector<Recipe>& recipes, In<double> weights,
                    std::size_t n_threads) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  check_rows(label_starts, labels.size(), "the documents do not fit the labels");
  check_ids(terms, most_terms, "no term has this id");
  check_ids(labels, most_classes, "no class has this id");
  check_at_most(recipes.size(), most_planes, "the number of planes");
  const bool fits = counts.size() == terms.size() && starts.size() == label_starts.size() &&
                    (!weights.is_valid() || weights.size() + 1 == starts.size());
  if (!fits) throw nb::value_error("arrays of different lengths");
  check_threads(n_threads);
  check_positive(counts);
  const Documents docs{span_of(starts), span_of(terms),
                       span_of(counts), span_of(label_starts),
                       span_of(labels), weights.is_valid() ? span_of(weights) : std::span<const double>{}};
  nb::gil_scoped_release release;
  return Counting(docs, recipes, n_threads).run();
}

Change of_arrays(std::size_t n_planes, In<int64_t> starts, In<int32_t> classes, In<int64_t> cells,
                 In<int64_t> term_totals, In<int64_t> class_documents, In<int64_t> class_scales,
                 In<int64_t> whole) {
  check_at_most(n_planes, most_planes, "the number of planes");
  const StoredTally stored{first_plane + n_planes, span_of(starts),      span_of(classes),
                           span_of(cells),         span_of(term_totals), span_of(class_documents),
                           span_of(class_scales),  span_of(whole)};
  nb::gil_scoped_release release;
  return Restore(stored).run();
}

Change masked_change(const Change& change, In<uint8_t> kept) {
  nb::gil_scoped_release release;
  return masked(change, span_of(kept));
}

/// Adds (sign 1) or subtracts (sign -1) a change. If it cannot be subtracted, returns the reason and changes
/// nothing.
std::optional<Refusal> apply(SharedTally& tally, const Change& change, int sign, std::size_t n_terms,
                             std::size_t n_classes) {
  check_at_most(n_terms, most_terms, "n_terms");
  check_at_most(n_classes, most_classes, "n_classes");
  return tally.write([&](Tally& t) -> std::optional<Refusal> {
    const auto fits = [](const auto& ids, std::size_t n) {
      return ids.empty() || static_cast<std::size_t>(ids.back()) < n;
    };
    if (change.width() != t.width()) throw std::invalid_argument("another number of planes");
    if (sign != 1 && sign != -1) throw std::invalid_argument("the sign is 1 or -1");
    if (!fits(change.cells.terms, n_terms) || !fits(change.classes, n_classes)) {
      throw std::invalid_argument("a term or class is out of range");
    }
    t.resize(n_terms, n_classes);
    if (sign > 0) {
      t.check_overflow(change);
    } else if (auto refusal = Check(t, change).run()) {
      return refusal;
    }
    t.apply(change, sign);
    return std::nullopt;
  });
}

Change reshaped(const SharedTally& tally, In<int32_t> term_map, In<int32_t> class_map, bool leave) {
  check_ids(term_map, most_terms, "no term has this id", -1);
  check_ids(class_map, most_classes, "no class has this id", -1);
  return tally.read([&](const Tally& t) {
    if (term_map.size() < t.n_terms() || class_map.size() < t.n_classes()) {
      throw std::invalid_argument("a map is shorter than what it maps");
    }
    return Reshape(t, span_of(term_map), span_of(class_map), leave).run();
  });
}

Change with_planes(const SharedTally& tally, const std::vector<std::size_t>& planes) {
  check_at_most(planes.size(), most_planes, "the number of planes");
  return tally.read([&](const Tally& t) {
    for (const std::size_t plane : planes) {
      if (plane >= t.n_planes()) throw std::invalid_argument("no such plane");
    }
    return PlaneSelection(t, planes).run();
  });
}

bool equals(const SharedTally& tally, const Change& change) {
  return tally.read([&](const Tally& t) {
    const auto beyond = [](const auto& ids, std::size_t n) {
      return !ids.empty() && static_cast<std::size_t>(ids.back()) >= n;
    };
    if (change.width() != t.width() || beyond(change.cells.terms, t.n_terms()) ||
        beyond(change.classes, t.n_classes())) {
      return false;
    }
    return holds_exactly(t, change);
  });
}

using Cells = std::tuple<Out<int64_t>, Out<int32_t>, Out<int64_t>>;

Postings all_postings(const Tally& tally) {
  Postings out(tally.width());
  for (std::size_t t = 0; t < tally.n_terms(); ++t) {
    tally.cells().append_posting(static_cast<TermId>(t), out);
    out.close(static_cast<TermId>(t));
  }
  return out;
}

/// Starts per term, classes, and one column of the cells, or all columns if `column` is negative.
Cells cells(const SharedTally& tally, int column) {
  Postings all = tally.read(&all_postings);
  if (column >= static_cast<int>(all.width)) throw nb::index_error("no such column");
  Out<int64_t> values = column < 0 ? to_numpy(std::move(all.values))
                                   : every(all.values, all.width, static_cast<std::size_t>(column));
  return {to_numpy(std::move(all.starts)), to_numpy(std::move(all.classes)), values};
}

/// Totals of terms or classes, in rows of one block each.
auto copied(const std::vector<int64_t>& (Tally::*member)() const) {
  return [member](const SharedTally& tally) {
    return to_numpy(tally.read([member](const Tally& t) { return (t.*member)(); }));
  };
}

template <class T>
auto number(T (Tally::*member)() const) {
  return [member](const SharedTally& tally) {
    return tally.read([member](const Tally& t) { return static_cast<int64_t>((t.*member)()); });
  };
}

std::map<int64_t, int64_t> counts_of_counts(const SharedTally& tally, bool pooled) {
  return tally.read(
      [pooled](const Tally& t) { return pooled ? t.terms_of_count() : t.cells().counts_of_counts(); });
}

using Row = std::pair<Out<int32_t>, Out<int64_t>>;

/// Ids (-1: unknown) and counts of a document given as a dict of term to count. None if a count is not a
/// positive int.
std::optional<Row> row_of_dict(const SharedVocabulary& vocabulary, nb::dict counts) {
  std::vector<TermId> ids;
  std::vector<int64_t> values;
  std::string scratch;
  PyObject *term = nullptr, *count = nullptr;
  const bool positive = vocabulary.read([&](const Vocabulary& terms) {
    for (Py_ssize_t at = 0; PyDict_Next(counts.ptr(), &at, &term, &count);) {
      int overflow = 0;
      const bool whole = PyLong_CheckExact(count);
      const long long value = whole ? PyLong_AsLongLongAndOverflow(count, &overflow) : 0;
      if (value < 1 || overflow != 0) return false;
      ids.push_back(terms.find(text_of(check_str(term, ids.size()), scratch)));
      values.push_back(value);
    }
    return true;
  });
  if (!positive) return std::nullopt;
  return Row(to_numpy(std::move(ids)), to_numpy(std::move(values)));
}

/// Integers of 32 or 64 bits, as SciPy has them for the places of the values of a matrix.
using Places = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Use>
void with_integers(const Places& places, Use use) {
  if (places.dtype() == nb::dtype<int32_t>()) {
    use(std::span(static_cast<const int32_t*>(places.data()), places.size()));
  } else if (places.dtype() == nb::dtype<int64_t>()) {
    use(std::span(static_cast<const int64_t*>(places.data()), places.size()));
  } else {
    throw nb::type_error("its indices are not integers of 32 or 64 bits");
  }
}

/// Throws unless `starts` divide n entries into rows.
template <class T>
void check_starts(std::span<const T> starts, std::size_t n, std::size_t n_rows, const std::string& row) {
  const auto refuse = [](const std::string& why) { throw nb::value_error(why.c_str()); };
  if (starts.size() != n_rows + 1)
    refuse("it has " + std::to_string(n_rows) + " " + row + "s, but " + std::to_string(starts.size()) +
           " starts");
  if (starts[0] != 0) refuse(row + " 0 starts at " + std::to_string(starts[0]) + ", not 0");
  const auto at =
      static_cast<std::size_t>(std::is_sorted_until(starts.begin(), starts.end()) - starts.begin());
  if (at < starts.size())
    refuse(row + " " + std::to_string(at - 1) + " starts at " + std::to_string(starts[at - 1]) +
           " and ends at " + std::to_string(starts[at]));
  if (static_cast<uint64_t>(starts.back()) != n)
    refuse("the last " + row + " ends at " + std::to_string(starts.back()) + ", but there are " +
           std::to_string(n) + " entries");
}

/// Checks the arrays of a compressed matrix, by row or by column: the starts of its rows, and that the index
/// of each entry is below `width`. `row` and `column` are the words of messages.
void check_compressed(const Places& starts, const Places& indices, std::size_t n_values, std::size_t n_rows,
                      std::size_t width, const std::string& row, const std::string& column) {
  if (indices.size() != n_values) {
    const std::string why =
        "it has " + std::to_string(indices.size()) + " indices, but " + std::to_string(n_values) + " values";
    throw nb::value_error(why.c_str());
  }
  with_integers(starts, [&](auto each) { check_starts(each, n_values, n_rows, row); });
  with_integers(indices, [&](auto each) {
    using Index = typename decltype(each)::value_type;
    Index lowest = 0, highest = -1;  // a loop without an early exit, which compilers vectorise
    for (const Index index : each) lowest = std::min(lowest, index), highest = std::max(highest, index);
    if (lowest >= 0 && (highest < 0 || static_cast<uint64_t>(highest) < width)) return;
    const auto wrong = [=](int64_t i) { return i < 0 || static_cast<uint64_t>(i) >= width; };
    const auto at = std::find_if(each.begin(), each.end(), wrong) - each.begin();
    std::size_t of = 0;
    with_integers(starts, [&](auto all) {
      of = static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), at) - all.begin()) - 1;
    });
    const std::string why = row + " " + std::to_string(of) + " has a " + column + " index out of range, " +
                            std::to_string(each[static_cast<std::size_t>(at)]) + " of " +
                            std::to_string(width);
    throw nb::value_error(why.c_str());
  });
}

/// True if no row holds a term twice, and all counts are positive.
bool rows_are_clean(In<int64_t> starts, In<int32_t> terms, In<int64_t> counts, std::size_t width,
                    std::size_t n_threads) {
  check_rows(starts, terms.size(), "the rows do not fit the terms");
  check_ids(terms, width, "a column is out of range");
  if (counts.size() != terms.size()) throw nb::value_error("arrays of different lengths");
  check_threads(n_threads);
  nb::gil_scoped_release release;
  return all_positive(counts) && no_term_twice(span_of(starts), span_of(terms), width, n_threads);
}

/// Adds a new label to both or, if that fails, to none; returns its number.
int32_t add_label(PyObject* label, nb::dict& numbers, nb::list& names) {
  check_at_most(names.size() + 1, most_classes, "the number of classes");
  const auto number = static_cast<int32_t>(names.size());
  nb::object value = nb::int_(number);
  if (PyDict_SetItem(numbers.ptr(), label, value.ptr()) != 0) nb::raise_python_error();
  if (PyList_Append(names.ptr(), label) != 0) {
    nb::python_error failure;  // takes the exception, which deleting the label must not meet
    if (PyDict_DelItem(numbers.ptr(), label) != 0) PyErr_Clear();
    throw failure;
  }
  return number;
}

/// Returns the number of a label, which is added if it is new. Comparing it with the known ones may run code
/// of the user.
int32_t number_of(PyObject* label, nb::dict& numbers, nb::list& names) {
  nb::object known = nb::borrow(PyDict_GetItemWithError(numbers.ptr(), label));
  if (!known && PyErr_Occurred()) nb::raise_python_error();
  if (!known) return add_label(label, numbers, names);
  const long long number = PyLong_AsLongLong(known.ptr());
  if (number == -1 && PyErr_Occurred()) nb::raise_python_error();
  if (number < 0 || number > INT32_MAX) throw nb::value_error("the number of a label is out of range");
  return static_cast<int32_t>(number);
}

/// The label of an item that is a str, an int, or a list of one of them; null for anything else.
PyObject* plain_label(PyObject* item) {
  if (PyList_CheckExact(item) && PyList_GET_SIZE(item) == 1) item = PyList_GET_ITEM(item, 0);
  return PyUnicode_CheckExact(item) || PyLong_CheckExact(item) ? item : nullptr;
}

/// Numbers one label per document. None if an item is not a str, an int, or a list of one of them; the items
/// before it are numbered then, and the caller has to encode each item itself.
nb::object number_labels(nb::list labels, nb::dict numbers, nb::list names) {
  nb::object items = nb::steal(PyList_AsTuple(labels.ptr()));  // the list may change meanwhile
  if (!items) nb::raise_python_error();
  std::vector<int32_t> found(static_cast<std::size_t>(PyTuple_GET_SIZE(items.ptr())));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const nb::object label =
        nb::borrow(plain_label(PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i))));
    if (!label) return nb::none();
    found[i] = number_of(label.ptr(), numbers, names);
  }
  return nb::cast(to_numpy(std::move(found)));
}

/// Arrays of a slice as NumPy arrays over the memory of the slice, which they keep alive.
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

/// A consistent slice of the tally: `columns` of the `terms`, or of all terms if none are given.
TallySlice slice(const SharedTally& tally, const std::vector<std::size_t>& columns, In<int32_t> terms) {
  check_at_most(columns.size(), first_plane + most_planes, "the number of columns");
  return tally.read([&](const Tally& t) {
    if (std::any_of(columns.begin(), columns.end(), [&t](std::size_t j) { return j >= t.width(); })) {
      throw std::out_of_range("no such column");
    }
    Slicing slicing(t, columns);
    return terms.is_valid() ? slicing.of(span_of(terms)) : slicing.all();
  });
}

/// n_r for r below 8, of the cells or, if `pooled`, of the terms; zero for r = 0.
Out<int64_t> small_counts(const SharedTally& tally, bool pooled) {
  return to_numpy(tally.read(
      [pooled](const Tally& t) { return pooled ? t.small_counts(8) : t.cells().small_counts(8); }));
}

void bind_slice(nb::module_& m, nb::class_<SharedTally>& tally) {
  nb::class_<TallySlice>(m, "TallySlice", "Consistent copy of columns of a tally.")
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
  tally.def("slice", &slice, nb::arg("columns"), nb::arg("terms").none() = nb::none())
      .def("small_counts", &small_counts, nb::arg("pooled"));
}

void bind_parts(nb::module_& m) {
  nb::class_<Recipe>(m, "Recipe", "Contribution of a document to a plane.")
      .def(
          "__init__",
          [](Recipe* at, int tf, int norm, double theta, bool weighted, bool shared) {
            if (tf < 0 || tf > 2 || norm < 0 || norm > 6) throw nb::value_error("no such recipe");
            new (at) Recipe{static_cast<Tf>(tf), static_cast<Norm>(norm), theta, weighted, shared};
          },
          nb::arg("tf"), nb::arg("norm"), nb::arg("theta"), nb::arg("weighted"), nb::arg("shared"));
  nb::class_<Refusal>(m, "Refusal", "The sums that would remain and are impossible.")
      .def_ro("term", &Refusal::term)
      .def_ro("label", &Refusal::label)
      .def_ro("left", &Refusal::left);
  nb::class_<Change>(m, "Change", "Sums over documents, to add to a tally or to subtract from it.")
      .def_static("of_documents", &of_documents, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
                  nb::arg("label_starts"), nb::arg("labels"), nb::arg("recipes"),
                  nb::arg("weights").none() = nb::none(), nb::arg("n_threads") = 1)
      .def_static("of_arrays", &of_arrays, nb::arg("n_planes"), nb::arg("starts"), nb::arg("classes"),
                  nb::arg("cells"), nb::arg("term_totals"), nb::arg("class_documents"),
                  nb::arg("class_scales"), nb::arg("whole"))
      .def("masked", &masked_change, nb::arg("kept"));
  m.def("row_of_dict", &row_of_dict, nb::arg("vocabulary"), nb::arg("counts"));
  m.def("check_compressed", &check_compressed, nb::arg("starts"), nb::arg("indices"), nb::arg("n_values"),
        nb::arg("n_rows"), nb::arg("width"), nb::arg("row") = "row", nb::arg("column") = "column",
        "Raise an error unless the arrays of a sparse matrix fit together, and its shape.");
  m.attr("MAX_TERMS") = most_terms;
  m.def("rows_are_clean", &rows_are_clean, nb::arg("starts"), nb::arg("terms"), nb::arg("counts"),
        nb::arg("width"), nb::arg("n_threads") = 1);
  m.def("number_labels", &number_labels, nb::arg("labels"), nb::arg("numbers"), nb::arg("names"),
        nb::sig("def number_labels(labels: list[typing.Any], numbers: dict[typing.Any, int], names: "
                "list[typing.Any]) -> numpy.typing.NDArray[numpy.int32] | None"),
        "Number labels, each a str, an int or a list of one of these; None if there are others.");
}
}  // namespace

void bind_tally(nb::module_& m) {
  bind_parts(m);
  nb::class_<SharedTally> tally(m, "Tally", "Sums per (term, class), per term, per class and in total.");
  tally
      .def(
          "__init__",
          [](SharedTally* at, std::size_t n_planes, std::size_t smallest_delta) {
            check_at_most(n_planes, most_planes, "the number of planes");
            check_at_most(smallest_delta, std::size_t{1} << 30, "smallest_delta");
            new (at) SharedTally(n_planes, smallest_delta);
          },
          nb::arg("n_planes"), nb::arg("smallest_delta"))
      .def(nb::init<const SharedTally&>(), nb::arg("other"))
      .def("apply", &apply, nb::arg("change"), nb::arg("sign"), nb::arg("n_terms"), nb::arg("n_classes"))
      .def("reshaped", &reshaped, nb::arg("term_map"), nb::arg("class_map"), nb::arg("leave") = false)
      .def("with_planes", &with_planes, nb::arg("planes"))
      .def("equals", &equals, nb::arg("change"))
      .def("cells", &cells, nb::arg("column"))
      .def("counts_of_counts", &counts_of_counts, nb::arg("pooled"))
      .def("term_totals", copied(&Tally::term_totals))
      .def("class_totals", copied(&Tally::class_totals))
      .def("class_scales", copied(&Tally::class_scales))
      .def("class_documents", copied(&Tally::class_documents))
      .def("class_terms", copied(&Tally::class_terms))
      .def("totals", copied(&Tally::totals))
      .def("scales", copied(&Tally::scales))
      .def_prop_ro("n_documents", number(&Tally::n_documents))
      .def_prop_ro("n_several", number(&Tally::n_several))
      .def_prop_ro("n_unlabelled", number(&Tally::n_unlabelled))
      .def_prop_ro("n_live_terms", number(&Tally::n_live_terms))
      .def_prop_ro("n_cells", number(&Tally::n_cells))
      .def_prop_ro("n_classes", number(&Tally::n_classes))
      .def_prop_ro("n_delta", number(&Tally::n_delta))
      .def_prop_ro("version", number(&Tally::version));
  bind_slice(m, tally);
}
