// The module: arrays in, arrays out. Each part binds itself in its own file.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  // Objects that are alive when the interpreter ends, in a module's globals say, are no leak.
  nb::set_leak_warnings(false);
  m.doc() = "The native core of tallytext.";
  bind_texts(m);
  bind_vocabulary(m);
  bind_count(m);
  bind_labels(m);
  bind_tally(m);
  bind_score(m);
  bind_leave_one_out(m);
  bind_dual_descent(m);
  bind_inverted_index(m);
  bind_translation(m);
  bind_phrases(m);
}
