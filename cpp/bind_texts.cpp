// Bindings of batches of documents: Python strings, Arrow columns and NumPy arrays.
#include <cmath>

#include "bindings.hpp"
#include "texts.hpp"

namespace {
using namespace tallytext;

/// Documents together with the Python objects that own their memory.
struct OwnedTexts : Texts {
  nb::list owners;
};

/// Nulls take no memory in Arrow, but a view each here.
constexpr std::size_t most_nulls = std::size_t{1} << 26;

bool is_missing(PyObject* item) {
  return item == Py_None || (PyFloat_Check(item) && std::isnan(PyFloat_AS_DOUBLE(item)));
}

TextView view_of(PyObject* item, std::size_t position) {
  if (is_missing(item)) return {};
  PyObject* str = check_str(item, position);
  const auto n = static_cast<uint64_t>(PyUnicode_GET_LENGTH(str));
  if (PyUnicode_IS_ASCII(str)) return {PyUnicode_DATA(str), n, Storage::utf8};
  switch (PyUnicode_KIND(str)) {
    case PyUnicode_1BYTE_KIND: return {PyUnicode_DATA(str), n, Storage::latin1};
    case PyUnicode_2BYTE_KIND: return {PyUnicode_DATA(str), n, Storage::ucs2};
    default: return {PyUnicode_DATA(str), n, Storage::ucs4};
  }
}

/// Views of the strings of a sequence. A tuple keeps them alive even if the list changes.
OwnedTexts from_strings(nb::sequence strings) {
  OwnedTexts texts;
  nb::object owner = nb::steal(PySequence_Tuple(strings.ptr()));
  if (!owner) nb::raise_python_error();
  const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(owner.ptr()));
  texts.views.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    texts.views.push_back(view_of(PyTuple_GET_ITEM(owner.ptr(), static_cast<Py_ssize_t>(i)), i));
  }
  texts.owners.append(owner);
  return texts;
}

/// The bytes of a buffer; None has none. The owner keeps the memory alive.
arrow::Buffer bytes_of(nb::handle source, nb::list& owners) {
  if (source.is_none()) return {};
  nb::object memory = nb::steal(PyMemoryView_FromObject(source.ptr()));
  if (!memory) nb::raise_python_error();
  const Py_buffer* buffer = PyMemoryView_GET_BUFFER(memory.ptr());
  if (!PyBuffer_IsContiguous(buffer, 'C')) throw nb::value_error("a contiguous buffer was expected");
  owners.append(memory);
  return {static_cast<const char*>(buffer->buf), static_cast<std::size_t>(buffer->len)};
}

/// Views of rows of `width` UCS-4 units, padded with NUL at the end: NumPy's fixed-width strings.
OwnedTexts from_rows(nb::object rows, uint64_t width) {
  OwnedTexts texts;
  const arrow::Buffer bytes = bytes_of(rows, texts.owners);
  const auto* row = reinterpret_cast<const uint32_t*>(bytes.data());
  if (width == 0 || bytes.size() / 4 % width != 0 || reinterpret_cast<uintptr_t>(row) % 4 != 0) {
    throw nb::value_error("aligned rows of one width were expected");
  }
  for (const uint32_t* end = row + bytes.size() / 4; row < end; row += width) {
    uint64_t length = width;
    while (length > 0 && row[length - 1] == 0) --length;
    texts.views.push_back({row, length, Storage::ucs4});
  }
  return texts;
}

arrow::Slots slots_of(OwnedTexts& texts, uint64_t offset, uint64_t length, nb::handle validity) {
  return {offset, length, bytes_of(validity, texts.owners)};
}

void append_offsets(OwnedTexts& texts, uint64_t offset, uint64_t length, nb::object validity,
                    nb::object offsets, nb::object data, int width) {
  const arrow::Slots slots = slots_of(texts, offset, length, validity);
  const arrow::Buffer at = bytes_of(offsets, texts.owners), bytes = bytes_of(data, texts.owners);
  switch (width) {
    case 4: return arrow::append_offsets<int32_t>(texts.views, slots, at, bytes);
    case 8: return arrow::append_offsets<int64_t>(texts.views, slots, at, bytes);
    default: throw nb::value_error("offsets have 4 or 8 bytes");
  }
}

void append_views(OwnedTexts& texts, uint64_t offset, uint64_t length, nb::object validity,
                  nb::object headers, nb::typed<nb::list, nb::object> data) {
  const arrow::Slots slots = slots_of(texts, offset, length, validity);
  const arrow::Buffer at = bytes_of(headers, texts.owners);
  std::vector<arrow::Buffer> buffers;
  for (nb::handle buffer : data) buffers.push_back(bytes_of(buffer, texts.owners));
  arrow::append_views(texts.views, slots, at, buffers);
}

void append_entries(OwnedTexts& texts, uint64_t offset, uint64_t length, nb::object validity,
                    nb::object indices, int width, bool is_signed, const OwnedTexts& dictionary) {
  const arrow::Slots slots = slots_of(texts, offset, length, validity);
  const arrow::Buffer at = bytes_of(indices, texts.owners);
  texts.owners.append(dictionary.owners);
  auto append = [&]<class Index>(Index) { arrow::append_entries<Index>(texts.views, slots, at, dictionary); };
  switch (width) {
    case 1: return is_signed ? append(int8_t{}) : append(uint8_t{});
    case 2: return is_signed ? append(int16_t{}) : append(uint16_t{});
    case 4: return is_signed ? append(int32_t{}) : append(uint32_t{});
    case 8: return is_signed ? append(int64_t{}) : append(uint64_t{});
    default: throw nb::value_error("indices have 1, 2, 4 or 8 bytes");
  }
}

/// The str of these bytes as the core reads them: U+FFFD for each invalid byte.
PyObject* str_as_read(std::string_view text) {
  PyObject* str = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  if (str || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return str;
  PyErr_Clear();
  std::vector<Py_UCS4> codes;
  for (const char *p = text.data(), *end = p + text.size(); p < end;) {
    const CodePoint code = decode_utf8(p, end);
    codes.push_back(code.value);
    p += code.length;
  }
  return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, codes.data(), static_cast<Py_ssize_t>(codes.size()));
}

nb::list strings_of(const Texts& texts) {
  nb::list strings = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(texts.size())));
  if (!strings.is_valid()) nb::raise_python_error();
  std::string scratch;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    PyObject* str = str_as_read(texts.utf8(i, scratch));
    if (!str) nb::raise_python_error();
    PyList_SET_ITEM(strings.ptr(), static_cast<Py_ssize_t>(i), str);
  }
  return strings;
}

Out<uint64_t> addresses_of(const Texts& texts) {
  std::vector<uint64_t> addresses;
  for (const TextView& view : texts.views) addresses.push_back(reinterpret_cast<uintptr_t>(view.data));
  return to_numpy(std::move(addresses));
}

Out<uint64_t> fingerprints_of(const Texts& texts, std::size_t n_threads) {
  check_threads(n_threads);
  Buffer<uint64_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = fingerprints(texts, n_threads);
  }
  return to_numpy(std::move(found));
}

uint64_t bytes_in(const Texts& texts) {
  uint64_t total = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) total += texts.weight(i);
  return total;
}
}  // namespace

void bind_texts(nb::module_& m) {
  nb::class_<Texts>(m, "TextsBase");
  nb::class_<OwnedTexts, Texts>(m, "Texts", "A batch of documents, read in place.")
      .def(nb::init<>())
      .def("__len__", &Texts::size)
      .def_prop_ro("nbytes", &bytes_in, "Bytes of memory that the documents take.")
      .def("strings", &strings_of, nb::sig("def strings(self) -> list[str]"),
           "Return the documents as the core reads them; a null is an empty string.")
      .def("fingerprints", &fingerprints_of, nb::arg("n_threads") = 1,
           "Return the fingerprint of each document, equal for equal texts.")
      .def("addresses", &addresses_of, "Return the address of each document in memory; 0 for a null.")
      .def(
          "append_nulls",
          [](OwnedTexts& texts, std::size_t n) {
            check_at_most(n, most_nulls, "the number of nulls");
            texts.views.resize(texts.size() + n);
          },
          nb::arg("length"))
      .def("append_offsets", &append_offsets, nb::arg("offset"), nb::arg("length"),
           nb::arg("validity").none(), nb::arg("offsets").none(), nb::arg("data").none(), nb::arg("width"),
           "Append string or binary slots: `width` bytes to an offset.")
      .def("append_views", &append_views, nb::arg("offset"), nb::arg("length"), nb::arg("validity").none(),
           nb::arg("headers").none(), nb::arg("data"), "Append string_view or binary_view slots.")
      .def("append_entries", &append_entries, nb::arg("offset"), nb::arg("length"),
           nb::arg("validity").none(), nb::arg("indices").none(), nb::arg("width"), nb::arg("signed"),
           nb::arg("dictionary"), "Append entries of a dictionary: `width` bytes to an index.")
      .def_static("from_strings", &from_strings, nb::arg("strings"),
                  nb::sig("def from_strings(strings: collections.abc.Sequence[str | None]) -> Texts"),
                  "View the strings of a sequence; None and NaN are empty documents.")
      .def_static("from_rows", &from_rows, nb::arg("rows"), nb::arg("width"),
                  "View rows of `width` code points of 4 bytes each, padded with NUL.");
}
