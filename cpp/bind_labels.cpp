#include "bindings.hpp"

namespace {

/// The number of a label that is new.
int32_t add_label(PyObject* label, nb::dict& numbers, nb::list& names) {
  const auto number = static_cast<int32_t>(names.size());
  names.append(nb::handle(label));
  numbers[nb::handle(label)] = number;
  return number;
}

/// The number of a label, which is added if it is new.
int32_t number_of(PyObject* label, nb::dict& numbers, nb::list& names) {
  PyObject* known = PyDict_GetItemWithError(numbers.ptr(), label);
  if (known) return static_cast<int32_t>(PyLong_AsLong(known));
  if (PyErr_Occurred()) nb::raise_python_error();
  return add_label(label, numbers, names);
}

/// The label of an item that is one, or a list of one; null for anything else.
PyObject* plain_label(PyObject* item) {
  if (PyList_CheckExact(item) && PyList_GET_SIZE(item) == 1) item = PyList_GET_ITEM(item, 0);
  return PyUnicode_CheckExact(item) || PyLong_CheckExact(item) ? item : nullptr;
}

/// Numbers one label per document. None if an item is not a str, an int, or a list of one of them: then
/// those before it are numbered, and who called has to look at each.
nb::object number_labels(nb::list labels, nb::dict numbers, nb::list names) {
  std::vector<int32_t> found(labels.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    PyObject* label = plain_label(PyList_GET_ITEM(labels.ptr(), static_cast<Py_ssize_t>(i)));
    if (!label) return nb::none();
    found[i] = number_of(label, numbers, names);
  }
  return nb::cast(to_numpy(std::move(found)));
}
}  // namespace

void bind_labels(nb::module_& m) {
  m.def("number_labels", &number_labels, nb::arg("labels"), nb::arg("numbers"), nb::arg("names"),
        nb::sig("def number_labels(labels: list[typing.Any], numbers: dict[typing.Any, int], names: "
                "list[typing.Any]) -> numpy.typing.NDArray[numpy.int32] | None"),
        "Number labels that are each a str, an int or a list of one such; None if others are among them.");
}
