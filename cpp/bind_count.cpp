#include "bindings.hpp"
void bind_count(nb::module_&) {}
