#pragma once
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

namespace nb = nanobind;

void bind_texts(nb::module_& m);
void bind_vocabulary(nb::module_& m);
void bind_count(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_tally(nb::module_& m);
void bind_score(nb::module_& m);
void bind_leave_one_out(nb::module_& m);
void bind_dual_descent(nb::module_& m);
void bind_inverted_index(nb::module_& m);
void bind_translation(nb::module_& m);
void bind_phrases(nb::module_& m);

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Hands an array to NumPy without copying: NumPy owns it from here on.
template <class Array, class T = typename Array::value_type>
Out<T> to_numpy(Array&& values)
  requires(!std::is_reference_v<Array>)
{
  auto* owned = new Array(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Array*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

template <class T>
std::span<const T> span_of(const In<T>& array) {
  return {array.data(), array.size()};
}

inline void expect_rows(const In<int64_t>& starts, std::size_t n, const char* what) {
  const bool fits = starts.size() > 0 && starts(0) == 0 &&
                    starts(starts.size() - 1) == static_cast<int64_t>(n) &&
                    std::is_sorted(starts.data(), starts.data() + starts.size());
  if (!fits) throw nb::value_error(what);
}

inline void expect_ids(const In<int32_t>& ids, std::size_t limit, const char* what, int32_t least = 0) {
  int32_t lowest = least, highest = -1;  // a loop without a way out is one that compilers make fast
  for (std::size_t i = 0; i < ids.size(); ++i) {
    lowest = std::min(lowest, ids.data()[i]);
    highest = std::max(highest, ids.data()[i]);
  }
  const bool outside = highest >= 0 && static_cast<std::size_t>(highest) >= limit;
  if (lowest < least || outside) throw nb::index_error(what);
}

inline bool all_positive(const In<int64_t>& counts) {
  uint64_t signs = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = static_cast<uint64_t>(counts.data()[i]);
    signs |= n | (n - 1);
  }
  return signs >> 63 == 0;
}
