#include "bindings.hpp"
void bind_tally(nb::module_&) {}
