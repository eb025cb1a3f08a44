#pragma once
// A tally as Python threads share it.
#include "bindings.hpp"
#include "shared.hpp"
#include "tally.hpp"

namespace tallytext {

/// A tally with its lock: many may read at a time, one may write. The GIL is let go before the lock is
/// waited for, so that neither waits for the other.
class SharedTally : Shared<Tally> {
 public:
  SharedTally(std::size_t n_planes, std::size_t smallest_delta)
      : Shared(std::in_place, n_planes, smallest_delta) {}

  template <class Look>
  auto read(Look look) const {
    nb::gil_scoped_release release;
    return Shared::read(look);
  }
  template <class Move>
  auto write(Move move) {
    nb::gil_scoped_release release;
    return Shared::write(move);
  }

  SharedTally(const SharedTally& other)
      : Shared(std::in_place, other.read([](const Tally& tally) { return tally; })) {}
};

}  // namespace tallytext

void bind_slice(nb::module_& m, nb::class_<tallytext::SharedTally>& tally);
