#include "pystring.hpp"
#include "texts.hpp"

namespace {
using namespace tallytext;

/// Documents together with the Python objects that own their memory.
struct OwnedTexts : Texts {
  nb::object owner;
};

TextView view_of(PyObject* item, std::size_t position) {
  if (item == Py_None) return {};
  PyObject* str = expect_str(item, position);
  const auto n = static_cast<uint64_t>(PyUnicode_GET_LENGTH(str));
  if (PyUnicode_IS_ASCII(str)) return {PyUnicode_DATA(str), n, Storage::utf8};
  switch (PyUnicode_KIND(str)) {
    case PyUnicode_1BYTE_KIND: return {PyUnicode_DATA(str), n, Storage::latin1};
    case PyUnicode_2BYTE_KIND: return {PyUnicode_DATA(str), n, Storage::ucs2};
    default: return {PyUnicode_DATA(str), n, Storage::ucs4};
  }
}

/// Views into the strings of a sequence. A tuple of its own keeps them alive, whatever becomes of the list.
OwnedTexts from_strings(nb::sequence strings) {
  OwnedTexts texts;
  texts.owner = nb::steal(PySequence_Tuple(strings.ptr()));
  if (!texts.owner) nb::raise_python_error();
  const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(texts.owner.ptr()));
  texts.views.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    texts.views.push_back(view_of(PyTuple_GET_ITEM(texts.owner.ptr(), static_cast<Py_ssize_t>(i)), i));
  }
  return texts;
}
}  // namespace

void bind_texts(nb::module_& m) {
  nb::class_<Texts>(m, "TextsBase");
  nb::class_<OwnedTexts, Texts>(m, "Texts", "A batch of documents, read where they lie.")
      .def("__len__", &Texts::size)
      .def_static("from_strings", &from_strings);
}
