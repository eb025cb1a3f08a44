#pragma once
// A vocabulary that Python threads may share. Counting runs without the interpreter's lock, so it takes this
// one: shared to look terms up, alone to add them. It is never held while waiting for the interpreter.
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "vocabulary.hpp"

namespace tallytext {

class SharedVocabulary {
 public:
  SharedVocabulary() = default;
  explicit SharedVocabulary(Vocabulary&& terms) : terms_(std::move(terms)) {}
  SharedVocabulary(const SharedVocabulary& other) {
    std::shared_lock lock(other.mutex_);
    terms_ = other.terms_;
  }

  template <class Use>
  auto read(Use use) const {
    std::shared_lock lock(mutex_);
    return use(terms_);
  }
  template <class Use>
  auto write(Use use) {
    std::unique_lock lock(mutex_);
    return use(terms_);
  }

 private:
  Vocabulary terms_;
  mutable std::shared_mutex mutex_;
};

}  // namespace tallytext
