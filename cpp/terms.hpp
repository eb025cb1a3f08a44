#pragma once
// From the bytes of terms to their ids, in batches, so that a slot of the hash table is in cache by the time
// it is looked at.
#include <array>
#include <span>
#include <string_view>

#include "vocabulary.hpp"

namespace tallytext {

/// Where ids come from: what is known already, and, where new terms are welcome, what is fresh.
struct TermSource {
  const Vocabulary* known;  // read by all threads, written by none; may be null
  Vocabulary* fresh;        // this thread's own; null where unknown terms are ignored
  TermId base;              // the id of the first fresh term

  void prefetch(uint64_t hash) const {
    if (known) known->prefetch(hash);
    if (fresh) fresh->prefetch(hash);
  }
  TermId id(const Key& key, uint64_t hash, std::string_view term) const {
    if (known) {
      const TermId id = known->find(key, hash, term);
      if (id >= 0 || !fresh) return id;
    }
    return base + fresh->intern(key, hash, term);
  }
};

/// The sink at the end of every tokeniser: hands the ids of the known terms, in order, to `Take`. A document
/// may end while terms wait, so that short documents wait no less than long ones.
template <class Take>
class TermSink {
 public:
  TermSink(TermSource terms, Take& take) : terms_(terms), take_(take) {}

  /// A term without NUL, from whose start sixteen bytes can be read.
  void operator()(const char* p, std::size_t size) { push(Key::of_padded(p, size), p, size); }
  /// Any bytes.
  void any(const char* p, std::size_t size) { push(Key::of({p, size}), p, size); }
  /// Where terms go that are no words.
  TermSink& past_words() { return *this; }

  void end_document() {
    ends_[n_ends_++] = n_;
    if (n_ends_ == batch) flush();
  }

  void flush() {
    ends_[n_ends_] = n_;
    look_up();
    std::size_t begin = 0;
    for (std::size_t e = 0; e <= n_ends_; begin = ends_[e++]) {
      take_(std::span<const TermId>(ids_.data() + begin, ends_[e] - begin));
      if (e < n_ends_) take_.end_document();
    }
    n_ = n_ends_ = 0;
  }

 private:
  static constexpr std::size_t batch = 64;

  /// Finds the ids; from here on the ends are among them.
  void look_up() {
    std::size_t n_ids = 0, i = 0;
    for (std::size_t e = 0; e <= n_ends_; ends_[e++] = n_ids) {
      for (; i < ends_[e]; ++i) {
        const Pending& term = pending_[i];
        const TermId id = terms_.id(term.key, term.hash, {term.p, term.size});
        if (id < 0) continue;
        take_.prefetch(id);
        ids_[n_ids++] = id;
      }
    }
  }

  struct Pending {
    Key key;
    uint64_t hash;
    const char* p;
    std::size_t size;
  };

  void push(const Key& key, const char* p, std::size_t size) {
    const uint64_t hash = key.hash();
    terms_.prefetch(hash);
    pending_[n_++] = {key, hash, p, size};
    if (n_ == pending_.size()) flush();
  }

  TermSource terms_;
  Take& take_;
  std::array<Pending, batch> pending_;
  std::array<TermId, batch> ids_;            // of those that are known
  std::array<std::size_t, batch + 1> ends_;  // of the documents that ended, and of what waits
  std::size_t n_ = 0, n_ends_ = 0;
};

}  // namespace tallytext
