#pragma once
// Python str <-> the bytes of the core.
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

/// A new str, lone surrogates included. Raises UnicodeDecodeError for bytes that are no text.
inline PyObject* str_of(std::string_view text) {
  const auto n = static_cast<Py_ssize_t>(text.size());
  if (!is_ascii(text.data(), text.size())) {
    PyObject* str = PyUnicode_DecodeUTF8(text.data(), n, "surrogatepass");
    if (!str) nb::raise_python_error();
    return str;
  }
  PyObject* str = PyUnicode_New(n, 127);
  if (!str) nb::raise_python_error();
  if (n) std::memcpy(PyUnicode_1BYTE_DATA(str), text.data(), text.size());
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
