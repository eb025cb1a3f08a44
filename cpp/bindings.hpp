#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

namespace nb = nanobind;

void bind_texts(nb::module_& m);
void bind_vocabulary(nb::module_& m);
void bind_count(nb::module_& m);
void bind_tally(nb::module_& m);

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
