#pragma once
// Something that Python threads may share. Long work runs without the interpreter's lock, so it takes this
// one: shared to read, alone to write. It is never held while waiting for the interpreter.
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "vocabulary.hpp"

namespace tallytext {

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

}  // namespace tallytext
