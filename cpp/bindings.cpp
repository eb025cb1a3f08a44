// The module: functions from arrays to arrays. Each subject has its own file of bindings.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  // Objects that are alive when the interpreter ends, such as globals of a module, are not leaks.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of tallytext.";
  m.def("unicode_version", [] { return nb::str(tallytext::unicode::version); });
  bind_texts(m);
  bind_vocabulary(m);
  bind_count(m);
  bind_tally(m);
  bind_score(m);
  bind_dual_descent(m);
  bind_inverted_index(m);
  bind_translation(m);
  bind_phrases(m);
}
