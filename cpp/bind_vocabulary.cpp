// Bindings of the vocabulary.
#include "bindings.hpp"
#include "shared.hpp"
#include "vocabulary.hpp"

namespace {
using namespace tallytext;

// While a vocabulary is locked, nothing runs that could execute Python code and so switch to another thread.
// Objects are created before or after, except strings and numbers, which the garbage collector does not
// track.

/// Calls look(term) for each str of a sequence, whose items stay alive.
template <class Look>
std::vector<TermId> each_term(const nb::object& fast, Look look) {
  const auto n = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
  std::vector<TermId> ids(n);
  std::string scratch;
  for (std::size_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i));
    ids[i] = look(text_of(check_str(item, i), scratch));
  }
  return ids;
}

nb::object items_of(nb::sequence terms) {
  nb::object fast = nb::steal(PySequence_Fast(terms.ptr(), "a sequence of terms was expected"));
  if (!fast) nb::raise_python_error();
  return fast;
}

Out<TermId> add(SharedVocabulary& vocabulary, nb::sequence terms) {
  nb::object items = items_of(terms);
  return to_numpy(vocabulary.write([&](Vocabulary& own) {
    return each_term(items, [&own](std::string_view term) { return own.intern(term); });
  }));
}

Out<TermId> ids_of(const SharedVocabulary& vocabulary, nb::sequence terms) {
  nb::object items = items_of(terms);
  return to_numpy(vocabulary.read([&](const Vocabulary& own) {
    return each_term(items, [&own](std::string_view term) { return own.find(term); });
  }));
}

/// An array of Python objects, to be filled.
class Objects {
 public:
  explicit Objects(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_CONTIG | PyBUF_FORMAT) != 0) nb::raise_python_error();
    if (view_.format && std::string_view(view_.format) == "O") return;
    PyBuffer_Release(&view_);
    throw nb::type_error("an array of objects was expected");
  }
  Objects(const Objects&) = delete;
  ~Objects() { PyBuffer_Release(&view_); }

  std::size_t size() const { return static_cast<std::size_t>(view_.len) / sizeof(PyObject*); }
  void set(std::size_t i, PyObject* item) { Py_XSETREF(static_cast<PyObject**>(view_.buf)[i], item); }

 private:
  Py_buffer view_;
};

/// Writes the first terms, as many as the array has room for.
void fill_terms(const SharedVocabulary& vocabulary, nb::object array) {
  Objects objects(array);
  vocabulary.read([&](const Vocabulary& own) {
    if (objects.size() > own.size()) throw nb::value_error("there are not that many terms");
    for (std::size_t i = 0; i < objects.size(); ++i) objects.set(i, str_of(own.term(static_cast<TermId>(i))));
  });
}

void fill_some_terms(const SharedVocabulary& vocabulary, nb::object array, In<TermId> ids) {
  Objects objects(array);
  if (objects.size() != ids.size()) throw nb::value_error("the array has another size");
  vocabulary.read([&](const Vocabulary& own) {
    const auto size = static_cast<int64_t>(own.size());
    if (!std::all_of(ids.data(), ids.data() + ids.size(), [=](TermId id) { return id >= 0 && id < size; })) {
      throw nb::index_error("no term has this id");
    }
    for (std::size_t i = 0; i < ids.size(); ++i) objects.set(i, str_of(own.term(ids(i))));
  });
}

/// {term: its rank among the sorted terms}, in that order.
nb::dict ranks_of(const SharedVocabulary& vocabulary) {
  nb::dict ranks;
  vocabulary.read([&](const Vocabulary& own) {
    Py_ssize_t rank = 0;
    for (const TermId id : own.sorted()) {
      nb::object term = nb::steal(str_of(own.term(id)));
      nb::object place = nb::steal(PyLong_FromSsize_t(rank++));
      if (!place || PyDict_SetItem(ranks.ptr(), term.ptr(), place.ptr()) != 0) nb::raise_python_error();
    }
  });
  return ranks;
}

/// A hash of each term, which depends on its bytes alone.
Out<uint64_t> hashes_of(const SharedVocabulary& vocabulary) {
  Buffer<uint64_t> hashes;
  {
    nb::gil_scoped_release release;
    vocabulary.read([&](const Vocabulary& terms) {
      hashes.reserve(terms.size());
      for (std::size_t id = 0; id < terms.size(); ++id)
        hashes.push_back(Key::of(terms.term(static_cast<TermId>(id))).hash());
    });
  }
  return to_numpy(std::move(hashes));
}

Out<uint8_t> arena_of(const SharedVocabulary& vocabulary) {
  return to_numpy(vocabulary.read(
      [](const Vocabulary& own) { return std::vector<uint8_t>(own.arena().begin(), own.arena().end()); }));
}

Out<uint32_t> lengths_of(const SharedVocabulary& vocabulary) {
  return to_numpy(vocabulary.read([](const Vocabulary& own) {
    std::vector<uint32_t> lengths(own.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = static_cast<uint32_t>(own.term(static_cast<TermId>(i)).size());
    }
    return lengths;
  }));
}

void check_text(std::string_view term) {
  const char* const end = term.data() + term.size();
  for (const char* p = term.data(); p < end;) {
    const CodePoint code = decode_utf8(p, end);
    if (code.length == 1 && static_cast<unsigned char>(*p) >= 0x80)
      throw nb::value_error("a term is not valid text");
    p += code.length;
  }
}

/// Restores a vocabulary from its arena, which is not trusted: it is copied, and the copy is checked.
Vocabulary from_arrays(In<uint8_t> arena, In<uint32_t> lengths) {
  nb::gil_scoped_release release;
  Vocabulary vocabulary;
  vocabulary.reserve(lengths.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t length = lengths(i);
    if (length > arena.size() - at) throw nb::value_error("the terms are longer than their bytes");
    const TermId id = vocabulary.intern({reinterpret_cast<const char*>(arena.data()) + at, length});
    if (id != static_cast<TermId>(i)) throw nb::value_error("a term occurs twice");
    check_text(vocabulary.term(id));
    at += length;
  }
  if (at != arena.size()) throw nb::value_error("there are bytes after the last term");
  return vocabulary;
}

/// Returns the ids in `vocabulary` of the terms of `other`, adding unknown terms.
std::vector<TermId> merge(SharedVocabulary& vocabulary, const SharedVocabulary& other) {
  if (&vocabulary == &other) return vocabulary.read([](const Vocabulary& own) { return locate(own, own); });
  return other.read([&](const Vocabulary& theirs) {
    return vocabulary.write([&](Vocabulary& own) { return join(own, theirs); });
  });
}

/// The terms with these ids, in this order; each at most once.
SharedVocabulary select_terms(const SharedVocabulary& vocabulary, In<int32_t> ids) {
  check_ids(ids, vocabulary.read([](const Vocabulary& terms) { return terms.size(); }), "no such term");
  nb::gil_scoped_release release;
  SharedVocabulary selected;
  vocabulary.read([&](const Vocabulary& terms) {
    selected.write([&](Vocabulary& into) {
      into.reserve(ids.size());
      for (const TermId id : span_of(ids)) into.intern(terms.term(id));
    });
  });
  return selected;
}

std::vector<TermId> find_all(const SharedVocabulary& vocabulary, const SharedVocabulary& other) {
  if (&vocabulary == &other) return vocabulary.read([](const Vocabulary& own) { return locate(own, own); });
  return other.read([&](const Vocabulary& theirs) {
    return vocabulary.read([&](const Vocabulary& own) { return locate(own, theirs); });
  });
}
}  // namespace

void bind_vocabulary(nb::module_& m) {
  nb::class_<SharedVocabulary>(m, "Vocabulary", "Term to id and back, append-only.")
      .def(nb::init<>())
      .def(nb::init<const SharedVocabulary&>())
      .def("__len__",
           [](const SharedVocabulary& v) {
             return v.read([](const Vocabulary& terms) { return terms.size(); });
           })
      .def("add", &add)
      .def("ids", &ids_of)
      .def("fill_terms", &fill_terms)
      .def("fill_terms", &fill_some_terms)
      .def("merge",
           [](SharedVocabulary& v, const SharedVocabulary& other) { return to_numpy(merge(v, other)); })
      .def("locate", [](const SharedVocabulary& v,
                        const SharedVocabulary& other) { return to_numpy(find_all(v, other)); })
      .def("sorted",
           [](const SharedVocabulary& v) {
             return to_numpy(v.read([](const Vocabulary& own) { return own.sorted(); }));
           })
      .def("ranks", &ranks_of, nb::sig("def ranks(self) -> dict[str, int]"))
      .def("hashes", &hashes_of)
      .def("select", &select_terms)
      .def("arena", &arena_of)
      .def("lengths", &lengths_of)
      .def_static("from_arrays", [](In<uint8_t> arena, In<uint32_t> lengths) {
        return new SharedVocabulary(std::in_place, from_arrays(arena, lengths));
      });
}
