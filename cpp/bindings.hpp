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
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "postings.hpp"
#include "unicode.hpp"

namespace nb = nanobind;

using tallytext::most_classes;
using tallytext::most_planes;
using tallytext::most_terms;

void bind_texts(nb::module_& m);
void bind_vocabulary(nb::module_& m);
void bind_count(nb::module_& m);
void bind_tally(nb::module_& m);
void bind_score(nb::module_& m);
void bind_dual_descent(nb::module_& m);
void bind_inverted_index(nb::module_& m);
void bind_translation(nb::module_& m);
void bind_phrases(nb::module_& m);

/// An argument that is an array of `N` dimensions in row-major order. Arrays of other numbers or layouts are
/// copied, unless the argument is marked `noconvert`; a copy has the same values, or the call is refused.
template <class T, int N>
class Given : public nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu> {
 public:
  using Base = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
  using Base::Base;
  Given() = default;
  Given(Base&& array) : Base(std::move(array)) {}
};

template <class T>
using In = Given<T, 1>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using InMatrix = Given<T, 2>;
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

// Checks of arguments. The message of a failed one says which value is wrong.

[[noreturn]] inline void refuse_rows(const In<int64_t>& starts, std::size_t n, const char* what) {
  std::string why = ": there is no start";
  if (starts.size() > 0 && starts(0) != 0) {
    why = ": the first starts at " + std::to_string(starts(0)) + ", not 0";
  } else if (starts.size() > 0) {
    const int64_t* const last = starts.data() + starts.size();
    const int64_t* const at = std::is_sorted_until(starts.data(), last);
    const std::size_t row = static_cast<std::size_t>(at - starts.data()) - 1;
    why = at == last ? ": the last ends at " + std::to_string(last[-1]) + " of " + std::to_string(n)
                     : ": row " + std::to_string(row) + " starts at " + std::to_string(at[-1]) +
                           " and ends at " + std::to_string(at[0]);
  }
  throw nb::value_error((what + why).c_str());
}

/// Checks that rows start at 0, ascend, and end at n.
inline void check_rows(const In<int64_t>& starts, std::size_t n, const char* what) {
  const bool fits = starts.size() > 0 && starts(0) == 0 &&
                    starts(starts.size() - 1) == static_cast<int64_t>(n) &&
                    std::is_sorted(starts.data(), starts.data() + starts.size());
  if (!fits) refuse_rows(starts, n, what);
}

[[noreturn]] inline void refuse_ids(const In<int32_t>& ids, std::size_t limit, const char* what,
                                    int32_t least) {
  const auto outside = [=](int32_t id) {
    return id < least || (id >= 0 && static_cast<std::size_t>(id) >= limit);
  };
  const int32_t* const at = std::find_if(ids.data(), ids.data() + ids.size(), outside);
  const std::string why = ": number " + std::to_string(at - ids.data()) + " is " + std::to_string(*at) +
                          ", which is not from " + std::to_string(least) + " to below " +
                          std::to_string(limit);
  throw nb::index_error((what + why).c_str());
}

inline void check_ids(const In<int32_t>& ids, std::size_t limit, const char* what, int32_t least = 0) {
  int32_t lowest = least, highest = -1;  // a loop without an early exit, which compilers vectorise
  for (std::size_t i = 0; i < ids.size(); ++i) {
    lowest = std::min(lowest, ids.data()[i]);
    highest = std::max(highest, ids.data()[i]);
  }
  const bool outside = highest >= 0 && static_cast<std::size_t>(highest) >= limit;
  if (lowest < least || outside) refuse_ids(ids, limit, what, least);
}

/// Checks a number of which memory is proportional, before anything is allocated.
inline void check_at_most(std::size_t n, std::size_t most, const char* what) {
  if (n <= most) return;
  const std::string why = std::string(what) + " is " + std::to_string(n) + ", and at most " +
                          std::to_string(most) + " is possible";
  throw nb::value_error(why.c_str());
}

/// Checks that values are finite: comparing NaN would leave a sort in no order.
inline void check_finite(const In<double>& values, const char* what) {
  const auto infinite = [](double value) { return !std::isfinite(value); };
  const double* const last = values.data() + values.size();
  if (const double* at = std::find_if(values.data(), last, infinite); at != last) {
    const std::string why = std::string(what) + ": number " + std::to_string(at - values.data()) + " is " +
                            (std::isnan(*at) ? "not a number" : "infinite");
    throw nb::value_error(why.c_str());
  }
}

inline void check_threads(std::size_t n_threads) {
  if (n_threads == 0) throw nb::value_error("at least one thread is needed");
  check_at_most(n_threads, 4096, "n_threads");
}

inline bool all_positive(const In<int64_t>& counts) {
  uint64_t signs = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = static_cast<uint64_t>(counts.data()[i]);
    signs |= n | (n - 1);
  }
  return signs >> 63 == 0;
}

inline void check_positive(const In<int64_t>& counts) {
  if (all_positive(counts)) return;
  const int64_t* const at =
      std::find_if(counts.data(), counts.data() + counts.size(), [](int64_t n) { return n < 1; });
  const std::string why =
      "a count is not positive: number " + std::to_string(at - counts.data()) + " is " + std::to_string(*at);
  throw nb::value_error(why.c_str());
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

namespace nanobind::detail {

/// Copies an array of any integers or floats to T, row-major. Throws for integers that T cannot hold; returns
/// nothing for floats that T would cut or round.
template <class T, int N>
class ExactCopy {
  using Any = ndarray<ro, ndim<N>, device::cpu>;

 public:
  explicit ExactCopy(const Any& from) : from_(from) {}

  std::optional<Given<T, N>> run() {
    for (std::size_t i = 0; i < from_.ndim(); ++i) n_ *= from_.shape(i);
    const bool done = of_types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
                               float, double>();
    if (!done) return std::nullopt;
    auto* const owned = new tallytext::Buffer<T>(std::move(copy_));
    const capsule owner(owned, [](void* p) noexcept { delete static_cast<tallytext::Buffer<T>*>(p); });
    std::array<std::size_t, N> shape;
    for (std::size_t i = 0; i < N; ++i) shape[i] = from_.shape(i);
    return Given<T, N>(owned->data(), N, shape.data(), owner);
  }

 private:
  template <class... From>
  bool of_types() {
    return (of_type<From>() || ...);
  }

  template <class From>
  bool of_type() {
    if (from_.dtype() != nanobind::dtype<From>()) return false;
    if constexpr (std::is_floating_point_v<From> &&
                  !(std::is_floating_point_v<T> && sizeof(T) >= sizeof(From))) {
      return false;
    } else {
      copy_.resize(n_);
      const auto* data = static_cast<const From*>(from_.data());
      const std::size_t width = N == 1 ? 1 : from_.shape(N - 1);
      for (std::size_t i = 0; i < n_; ++i) {
        const auto row = static_cast<int64_t>(i / width), column = static_cast<int64_t>(i % width);
        copy_[i] = same(data[row * from_.stride(0) + (N == 1 ? 0 : column * from_.stride(N - 1))], i);
      }
      return true;
    }
  }

  template <class From>
  static T same(From value, std::size_t i) {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<From> && !std::is_same_v<From, bool>) {
      if (!std::in_range<T>(value)) {
        const std::string why = "number " + std::to_string(i) + " of an array is " + std::to_string(value) +
                                ", which " + std::to_string(8 * sizeof(T)) + " bits " +
                                (std::is_signed_v<T> ? "" : "without a sign ") + "cannot hold";
        throw value_error(why.c_str());
      }
    }
    return static_cast<T>(value);
  }

  const Any& from_;
  std::size_t n_ = 1;
  tallytext::Buffer<T> copy_;
};

/// It can throw, so it must not be part of the caster of an optional or a container: these are noexcept. An
/// argument marked `none` is not valid for None.
template <class T, int N>
struct type_caster<Given<T, N>> {
  using Exact = type_caster<typename Given<T, N>::Base>;
  using Any = type_caster<ndarray<ro, ndim<N>, device::cpu>>;
  using Array = Given<T, N>;
  NB_TYPE_CASTER(Array, Exact::Name)

  bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) {
    const uint32_t as_it_is = flags & ~static_cast<uint32_t>(cast_flags::convert);
    if (Exact exact; exact.from_python(src, as_it_is, cleanup)) {
      value = std::move(exact.value);
      return true;
    }
    Any any;
    if (!(flags & cast_flags::convert) || !any.from_python(src, as_it_is, cleanup)) return false;
    auto copy = ExactCopy<T, N>(any.value).run();
    if (copy) value = std::move(*copy);
    return copy.has_value();
  }
};

}  // namespace nanobind::detail
