#include "bindings.hpp"
#include "join.hpp"
#include "pystring.hpp"
#include "shared_vocabulary.hpp"

namespace {
using namespace tallytext;

template <class Look>
Out<TermId> each_term(nb::sequence terms, Look look) {
  nb::object fast = nb::steal(PySequence_Fast(terms.ptr(), "a sequence of terms was expected"));
  if (!fast) nb::raise_python_error();
  const auto n = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
  std::vector<TermId> ids(n);
  std::string scratch;
  for (std::size_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i));
    ids[i] = look(text_of(expect_str(item, i), scratch));
  }
  return to_numpy(std::move(ids));
}

/// Puts n strings, the i-th being str_of(term(i)), into an array of Python objects.
template <class Term>
void fill_with_strings(nb::object array, std::size_t n, Term term) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_CONTIG) != 0) nb::raise_python_error();
  nb::capsule release(&view, [](void* p) noexcept { PyBuffer_Release(static_cast<Py_buffer*>(p)); });
  if (view.itemsize != sizeof(PyObject*) || static_cast<std::size_t>(view.len) != n * sizeof(PyObject*)) {
    throw nb::value_error("the array has another size");
  }
  auto** items = static_cast<PyObject**>(view.buf);
  for (std::size_t i = 0; i < n; ++i) Py_XSETREF(items[i], str_of(term(i)));
}

void fill_terms(const Vocabulary& vocabulary, nb::object array) {
  fill_with_strings(array, vocabulary.size(),
                    [&](std::size_t i) { return vocabulary.term(static_cast<TermId>(i)); });
}

void fill_some_terms(const Vocabulary& vocabulary, In<TermId> ids, nb::object array) {
  const auto size = static_cast<int64_t>(vocabulary.size());
  if (!std::all_of(ids.data(), ids.data() + ids.size(), [=](TermId id) { return id >= 0 && id < size; })) {
    throw nb::index_error("no term has this id");
  }
  fill_with_strings(array, ids.size(), [&](std::size_t i) { return vocabulary.term(ids(i)); });
}

/// {term: its place among the sorted terms}, in that order.
nb::dict ranks_of(const Vocabulary& vocabulary) {
  nb::dict ranks;
  Py_ssize_t rank = 0;
  for (const TermId id : vocabulary.sorted()) {
    // Put in at once, while the string is in cache and its hash is not yet to be fetched again.
    nb::object term = nb::steal(str_of(vocabulary.term(id)));
    nb::object place = nb::steal(PyLong_FromSsize_t(rank++));
    if (!place || PyDict_SetItem(ranks.ptr(), term.ptr(), place.ptr()) != 0) nb::raise_python_error();
  }
  return ranks;
}

Out<uint8_t> arena_of(const Vocabulary& vocabulary) {
  const auto& arena = vocabulary.arena();
  return to_numpy(std::vector<uint8_t>(arena.begin(), arena.end()));
}

Out<uint32_t> lengths_of(const Vocabulary& vocabulary) {
  std::vector<uint32_t> lengths(vocabulary.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = static_cast<uint32_t>(vocabulary.term(static_cast<TermId>(i)).size());
  }
  return to_numpy(std::move(lengths));
}

/// Rebuilds a vocabulary from its arena, trusting nothing.
Vocabulary from_arrays(In<uint8_t> arena, In<uint32_t> lengths) {
  Vocabulary vocabulary;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths(i) > arena.size() - at) throw nb::value_error("the terms are longer than their bytes");
    const std::string_view term(reinterpret_cast<const char*>(arena.data()) + at, lengths(i));
    for (const char* p = term.data(); p < term.data() + term.size();) {
      const CodePoint code = decode_utf8(p, term.data() + term.size());
      if (code.length == 1 && static_cast<unsigned char>(*p) >= 0x80)
        throw nb::value_error("a term is not valid text");
      p += code.length;
    }
    if (vocabulary.intern(term) != static_cast<TermId>(i)) throw nb::value_error("a term occurs twice");
    at += lengths(i);
  }
  if (at != arena.size()) throw nb::value_error("there are bytes after the last term");
  return vocabulary;
}

/// Where the terms of `other` lie in `vocabulary`, which takes those that it lacks.
std::vector<TermId> merge(SharedVocabulary& vocabulary, const SharedVocabulary& other) {
  if (&vocabulary == &other) return vocabulary.read([](const Vocabulary& own) { return locate(own, own); });
  return other.read([&](const Vocabulary& theirs) {
    return vocabulary.write([&](Vocabulary& own) { return join(own, theirs); });
  });
}

std::vector<TermId> find_all(const SharedVocabulary& vocabulary, const SharedVocabulary& other) {
  return other.read([&](const Vocabulary& theirs) {
    return vocabulary.read([&](const Vocabulary& own) { return locate(own, theirs); });
  });
}
}  // namespace

void bind_vocabulary(nb::module_& m) {
  using Shared = SharedVocabulary;
  nb::class_<Shared>(m, "Vocabulary", "Term to id and back, append-only.")
      .def(nb::init<>())
      .def(nb::init<const Shared&>())
      .def("__len__",
           [](const Shared& v) { return v.read([](const Vocabulary& terms) { return terms.size(); }); })
      .def("add",
           [](Shared& v, nb::sequence terms) {
             return v.write([&](Vocabulary& own) {
               return each_term(terms, [&own](std::string_view term) { return own.intern(term); });
             });
           })
      .def("ids",
           [](const Shared& v, nb::sequence terms) {
             return v.read([&](const Vocabulary& own) {
               return each_term(terms, [&own](std::string_view term) { return own.find(term); });
             });
           })
      .def("fill_terms",
           [](const Shared& v, nb::object array) {
             v.read([&](const Vocabulary& terms) { fill_terms(terms, array); });
           })
      .def("fill_terms",
           [](const Shared& v, nb::object array, In<TermId> ids) {
             v.read([&](const Vocabulary& terms) { fill_some_terms(terms, ids, array); });
           })
      .def("merge", [](Shared& v, const Shared& other) { return to_numpy(merge(v, other)); })
      .def("locate", [](const Shared& v, const Shared& other) { return to_numpy(find_all(v, other)); })
      .def("sorted",
           [](const Shared& v) {
             return v.read([](const Vocabulary& terms) { return to_numpy(terms.sorted()); });
           })
      .def(
          "ranks", [](const Shared& v) { return v.read(ranks_of); },
          nb::sig("def ranks(self) -> dict[str, int]"))
      .def("arena", [](const Shared& v) { return v.read(arena_of); })
      .def("lengths", [](const Shared& v) { return v.read(lengths_of); })
      .def_static("from_arrays", [](In<uint8_t> arena, In<uint32_t> lengths) {
        return new Shared(from_arrays(arena, lengths));
      });
}
