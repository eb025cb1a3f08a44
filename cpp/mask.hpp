#pragma once
// A change without some of its terms.
#include <cstdint>
#include <span>

#include "change.hpp"

namespace tallytext {

/// What a change puts into a tally that keeps some terms only: kept[t] != 0; terms beyond are not kept.
/// Documents keep their number and their scales.
inline Change masked(const Change& change, std::span<const uint8_t> kept) {
  Change out(change.width());
  out.classes = change.classes;
  out.resize_classes();
  out.class_documents = change.class_documents;
  out.class_scales = change.class_scales;
  out.scales = change.scales;
  out.n_documents = change.n_documents;
  out.n_several = change.n_several;
  out.n_unlabelled = change.n_unlabelled;
  for (std::size_t i = 0; i < change.cells.terms.size(); ++i) {
    const auto term = static_cast<std::size_t>(change.cells.terms[i]);
    if (term >= kept.size() || kept[term] == 0) continue;
    const int64_t* total = &change.term_totals[i * change.width()];
    const auto last = static_cast<std::size_t>(change.cells.starts[i + 1]);
    for (auto cell = static_cast<std::size_t>(change.cells.starts[i]); cell < last; ++cell) {
      out.cells.append(change.cells.classes[cell], change.cells.block(cell));
    }
    out.term_totals.insert(out.term_totals.end(), total, total + change.width());
    out.cells.close(change.cells.terms[i]);
  }
  out.add_up();
  return out;
}

}  // namespace tallytext
