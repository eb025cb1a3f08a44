#pragma once
// What has changed since the base was written: signed differences, found by (term, class) through a
// hash and by term through a chain.
#include <algorithm>
#include <utility>
#include <vector>

#include "postings.hpp"

namespace tallytext {

class Delta {
 public:
  static constexpr int32_t none = -1;

  struct Row {
    TermId term;
    ClassId label;
    int64_t in_base;  // occurrences in its cell of the base
    int32_t next;     // of the same term
  };

  explicit Delta(std::size_t width) : width_(width), slots_(64, Slot{0, none}) {}

  std::size_t size() const { return rows_.size(); }
  const Row& row(int32_t i) const { return rows_[static_cast<std::size_t>(i)]; }
  const int64_t* block(int32_t i) const { return &values_[static_cast<std::size_t>(i) * width_]; }
  int64_t* block(int32_t i) { return &values_[static_cast<std::size_t>(i) * width_]; }

  void prefetch(TermId term, ClassId label) const { __builtin_prefetch(&slots_[home(key(term, label))]); }

  void prefetch_row(int32_t i) const {
    __builtin_prefetch(&rows_[static_cast<std::size_t>(i)]);
    __builtin_prefetch(block(i));
  }

  int32_t find(TermId term, ClassId label) const { return slots_[slot_of(key(term, label))].row; }

  /// Room for `more` rows, so that `insert` needs no memory.
  void reserve(std::size_t more) {
    const std::size_t wanted = size() + more;
    if (wanted > rows_.capacity()) {
      rows_.reserve(std::max(wanted, 2 * size()));
      values_.reserve(rows_.capacity() * width_);
    }
    if (wanted * 2 > slots_.size()) grow(wanted * 2);
  }

  /// A row of zeros for (term, label), which has none yet, in front of the chain that starts at `head`.
  int32_t insert(TermId term, ClassId label, int64_t in_base, int32_t& head) {
    const auto i = static_cast<int32_t>(size());
    const uint64_t k = key(term, label);
    slots_[slot_of(k)] = {k, i};
    rows_.push_back({term, label, in_base, std::exchange(head, i)});
    values_.resize(values_.size() + width_);
    return i;
  }

  void clear() {
    rows_.clear();
    values_.clear();
    std::fill(slots_.begin(), slots_.end(), Slot{0, none});
  }

  /// Writes the rows of a chain into `rows`, classes ascending.
  void chain(int32_t head, std::vector<int32_t>& rows) const {
    rows.clear();
    for (int32_t i = head; i != none; i = row(i).next) rows.push_back(i);
    std::sort(rows.begin(), rows.end(), [this](int32_t a, int32_t b) { return row(a).label < row(b).label; });
  }

 private:
  struct Slot {
    uint64_t key;
    int32_t row;
  };

  static uint64_t key(TermId term, ClassId label) {
    return static_cast<uint64_t>(term) << 32 | static_cast<uint32_t>(label);
  }
  std::size_t home(uint64_t key) const {
    const uint64_t h = key * 0x9E3779B97F4A7C15ull;
    return (h ^ h >> 32) & (slots_.size() - 1);
  }
  std::size_t slot_of(uint64_t key) const {
    std::size_t at = home(key);
    while (slots_[at].row != none && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow(std::size_t at_least) {
    slots_.assign(std::bit_ceil(at_least), Slot{0, none});
    for (std::size_t i = 0; i < size(); ++i) {
      const uint64_t k = key(rows_[i].term, rows_[i].label);
      slots_[slot_of(k)] = {k, static_cast<int32_t>(i)};
    }
  }

  std::size_t width_;
  std::vector<Slot> slots_;
  std::vector<Row> rows_;
  std::vector<int64_t> values_;
};

}  // namespace tallytext
