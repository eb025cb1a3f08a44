#pragma once
// Helpers of the bindings: arrays to and from NumPy, checks of arguments, Python strings.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "unicode.hpp"

namespace nb = nanobind;

void bind_texts(nb::module_& m);
void bind_vocabulary(nb::module_& m);
void bind_count(nb::module_& m);
void bind_tally(nb::module_& m);
void bind_score(nb::module_& m);
void bind_dual_descent(nb::module_& m);
void bind_inverted_index(nb::module_& m);
void bind_translation(nb::module_& m);
void bind_phrases(nb::module_& m);

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

/// Moves an array to NumPy without copying; NumPy owns it then.
template <class Array, class T = typename Array::value_type>
Out<T> to_numpy(Array&& values)
  requires(!std::is_reference_v<Array>)
{
  auto* owned = new Array(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Array*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

/// The same for n rows of `width` numbers, row-major.
template <class T>
OutMatrix<T> to_matrix(tallytext::Buffer<T>&& values, std::size_t n, std::size_t width) {
  auto* owned = new tallytext::Buffer<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<tallytext::Buffer<T>*>(p); });
  return OutMatrix<T>(owned->data(), {n, width}, owner);
}

template <class T>
std::span<const T> span_of(const In<T>& array) {
  return {array.data(), array.size()};
}

inline void check_rows(const In<int64_t>& starts, std::size_t n, const char* what) {
  const bool fits = starts.size() > 0 && starts(0) == 0 &&
                    starts(starts.size() - 1) == static_cast<int64_t>(n) &&
                    std::is_sorted(starts.data(), starts.data() + starts.size());
  if (!fits) throw nb::value_error(what);
}

inline void check_ids(const In<int32_t>& ids, std::size_t limit, const char* what, int32_t least = 0) {
  int32_t lowest = least, highest = -1;  // a loop without an early exit, which compilers vectorise
  for (std::size_t i = 0; i < ids.size(); ++i) {
    lowest = std::min(lowest, ids.data()[i]);
    highest = std::max(highest, ids.data()[i]);
  }
  const bool outside = highest >= 0 && static_cast<std::size_t>(highest) >= limit;
  if (lowest < least || outside) throw nb::index_error(what);
}

inline void check_threads(std::size_t n_threads) {
  if (n_threads == 0) throw nb::value_error("at least one thread is needed");
}

inline bool all_positive(const In<int64_t>& counts) {
  uint64_t signs = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = static_cast<uint64_t>(counts.data()[i]);
    signs |= n | (n - 1);
  }
  return signs >> 63 == 0;
}

namespace tallytext {

// Conversion between Python str and the bytes of the core.

/// The text of a str. ASCII is read in place; anything else is transcoded into `scratch`.
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

/// A new str of generalised UTF-8. Invalid bytes become U+FFFD.
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

/// Returns `item` if it is a str; otherwise throws an error with its position.
inline PyObject* check_str(PyObject* item, std::size_t position) {
  if (!PyUnicode_Check(item)) {
    const std::string what =
        "item " + std::to_string(position) + " is " + Py_TYPE(item)->tp_name + ", not str";
    throw nb::type_error(what.c_str());
  }
  return item;
}

}  // namespace tallytext
