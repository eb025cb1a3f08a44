#pragma once
// Python str <-> the bytes of the core.
#include <algorithm>

#include "bindings.hpp"
#include "utf8.hpp"

namespace tallytext {

/// The text of a str. ASCII is read where it lies; anything else is transcoded into `scratch`.
inline std::string_view text_of(PyObject* str, std::string& scratch) {
  const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
  if (PyUnicode_IS_ASCII(str)) return {static_cast<const char*>(PyUnicode_DATA(str)), n};
  switch (PyUnicode_KIND(str)) {
    case PyUnicode_1BYTE_KIND: transcode(PyUnicode_1BYTE_DATA(str), n, scratch); break;
    case PyUnicode_2BYTE_KIND: transcode(PyUnicode_2BYTE_DATA(str), n, scratch); break;
    default: transcode(PyUnicode_4BYTE_DATA(str), n, scratch);
  }
  return scratch;
}

/// A new str of UTF-8 with lone surrogates. Bytes that are no text become U+FFFD.
inline PyObject* str_of(std::string_view text) {
  const char* end = text.data() + text.size();
  const bool ascii = is_ascii(text.data(), text.size());
  uint32_t widest = ascii ? 127 : 0;
  Py_ssize_t n = ascii ? static_cast<Py_ssize_t>(text.size()) : 0;
  for (const char* p = text.data(); !ascii && p < end; ++n) {
    const CodePoint code = decode_utf8(p, end);
    widest = std::max(widest, code.value);
    p += code.length;
  }
  PyObject* str = PyUnicode_New(n, widest);
  if (!str) nb::raise_python_error();
  if (ascii && n) std::memcpy(PyUnicode_1BYTE_DATA(str), text.data(), text.size());
  if (ascii) return str;
  const char* p = text.data();
  for (Py_ssize_t i = 0; i < n; ++i) {
    const CodePoint code = decode_utf8(p, end);
    PyUnicode_WRITE(PyUnicode_KIND(str), PyUnicode_DATA(str), i, code.value);
    p += code.length;
  }
  return str;
}

/// Checks that `item` is a str and says where it is when it is not.
inline PyObject* expect_str(PyObject* item, std::size_t position) {
  if (!PyUnicode_Check(item)) {
    const std::string what =
        "item " + std::to_string(position) + " is " + Py_TYPE(item)->tp_name + ", not str";
    throw nb::type_error(what.c_str());
  }
  return item;
}

}  // namespace tallytext
