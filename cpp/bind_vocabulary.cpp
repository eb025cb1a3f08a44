#include "bindings.hpp"
#include "pystring.hpp"
#include "vocabulary.hpp"

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

nb::list terms_of(const Vocabulary& vocabulary, In<TermId> ids) {
  nb::list terms = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(ids.size())));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const TermId id = ids(i);
    if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.size())
      throw nb::index_error("no term has this id");
    PyList_SET_ITEM(terms.ptr(), static_cast<Py_ssize_t>(i), str_of(vocabulary.term(id)));
  }
  return terms;
}

nb::list all_terms(const Vocabulary& vocabulary) {
  nb::list terms = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(vocabulary.size())));
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    PyList_SET_ITEM(terms.ptr(), static_cast<Py_ssize_t>(i), str_of(vocabulary.term(static_cast<TermId>(i))));
  }
  return terms;
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
}  // namespace

void bind_vocabulary(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary", "Term to id and back, append-only.")
      .def(nb::init<>())
      .def(nb::init<const Vocabulary&>())
      .def("__len__", &Vocabulary::size)
      .def("add",
           [](Vocabulary& v, nb::sequence terms) {
             return each_term(terms, [&v](std::string_view term) { return v.intern(term); });
           })
      .def("ids",
           [](const Vocabulary& v, nb::sequence terms) {
             return each_term(terms, [&v](std::string_view term) { return v.find(term); });
           })
      .def("terms", &all_terms)
      .def("terms", &terms_of)
      .def("merge", [](Vocabulary& v, const Vocabulary& other) { return to_numpy(v.merge(other)); })
      .def("sorted", [](const Vocabulary& v) { return to_numpy(v.sorted()); })
      .def("arena", &arena_of)
      .def("lengths", &lengths_of)
      .def_static("from_arrays", &from_arrays);
}
