#pragma once
// Objects shared by Python threads behind a reader-writer lock.
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "bindings.hpp"
#include "tally.hpp"
#include "vocabulary.hpp"

namespace tallytext {

// An object that Python threads can share. Long work runs without the GIL, so it takes this lock: shared to
// read, exclusive to write. The lock is never held while waiting for the GIL.

template <class T>
class Shared {
 public:
  template <class... Args>
  explicit Shared(std::in_place_t, Args&&... args) : value_(std::forward<Args>(args)...) {}
  Shared() = default;
  Shared(const Shared& other) : Shared(other, std::shared_lock(other.mutex_)) {}

  template <class Use>
  auto read(Use use) const {
    std::shared_lock lock(mutex_);
    return use(value_);
  }
  template <class Use>
  auto write(Use use) {
    std::unique_lock lock(mutex_);
    return use(value_);
  }

 private:
  Shared(const Shared& other, const std::shared_lock<std::shared_mutex>&) : value_(other.value_) {}

  T value_;
  mutable std::shared_mutex mutex_;
};

using SharedVocabulary = Shared<Vocabulary>;

/// A tally with its lock: many readers or one writer. The GIL is released before waiting for the lock, so
/// that the two cannot deadlock.
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
