#pragma once
// Documents as rows: the terms of each with their counts, or the terms of each in order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "vocabulary.hpp"

namespace tallytext {

struct TermCount {
  TermId term;
  int32_t count;
};

/// Rows of terms with their counts, a term once a row, in order of first appearance until they are sorted.
class CountRows {
 public:
  void reserve(std::size_t n) { entries_.resize(n); }
  void prefetch(TermId id) const { __builtin_prefetch(marks_.data() + id, 1); }

  void operator()(std::span<const TermId> ids) {
    make_room(ids);
    TermCount* row = entries_.data() + begin_;
    std::size_t size = size_ - begin_;
    for (const TermId id : ids) {
      // Whether a term is new to the row cannot be predicted, so nothing branches on it: an entry is written
      // behind the last one, and is one of them only if the term is new.
      uint64_t& mark = marks_[static_cast<std::size_t>(id)];
      const bool is_new = mark >> 32 != row_;
      const uint32_t at = static_cast<uint32_t>(is_new ? size : mark);
      mark = row_ << 32 | at;
      row[size] = {id, 0};
      ++row[at].count;
      size += is_new;
    }
    size_ = begin_ + size;
  }

  void end_document() {
    ends.push_back(size_);
    begin_ = size_;
    ++row_;
  }

  void forget_marks() { marks_ = {}; }

  std::span<TermCount> entries() { return {entries_.data(), size_}; }

  Buffer<uint64_t> ends;  // where each row ends

 private:
  /// Room for all of `ids` being new, and the entry behind them; and for their marks.
  void make_room(std::span<const TermId> ids) {
    if (entries_.size() <= size_ + ids.size()) entries_.resize(2 * entries_.size() + ids.size() + 1);
    TermId last = -1;
    for (const TermId id : ids) last = std::max(last, id);
    const auto n_marks = static_cast<std::size_t>(last + 1);
    if (n_marks > marks_.size()) marks_.resize(std::max(n_marks, 2 * marks_.size()), 0);
  }

  Buffer<TermCount> entries_;
  // For each term the row that saw it last, counted from 1, and, in the lower half, where in that row it is.
  Buffer<uint64_t> marks_ = Buffer<uint64_t>(1024, 0);
  uint64_t row_ = 1;
  std::size_t begin_ = 0, size_ = 0;
};

/// Rows of terms as they come, repeats and all.
class TermRows {
 public:
  void reserve(std::size_t n) { terms.reserve(n); }
  void prefetch(TermId) const {}
  void operator()(std::span<const TermId> ids) { terms.append(ids.data(), ids.size()); }
  void end_document() { ends.push_back(terms.size()); }
  void forget_marks() {}

  Buffer<TermId> terms;
  Buffer<uint64_t> ends;
};

/// Sorts rows by term: a radix sort with one histogram for each digit of the ids, all made in one reading.
class RowSorter {
 public:
  explicit RowSorter(std::size_t n_terms) {
    const int n_bits = std::max(1, static_cast<int>(std::bit_width(n_terms)));
    n_digits_ = (n_bits + most_bits - 1) / most_bits;
    digit_bits_ = (n_bits + n_digits_ - 1) / n_digits_;
  }

  /// Writes `n` entries in order of their terms. The entries themselves are left in no order.
  void operator()(TermCount* entries, std::size_t n, TermId* terms, int32_t* counts) {
    if (other_.size() < n) other_.resize(n);
    find_places(entries, n);
    TermCount *from = entries, *to = other_.data();
    for (int digit = 0; digit + 1 < n_digits_; ++digit, std::swap(from, to)) {
      for (std::size_t i = 0; i < n; ++i) to[place(digit, from[i])++] = from[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const uint32_t at = place(n_digits_ - 1, from[i])++;
      terms[at] = from[i].term;
      counts[at] = from[i].count;
    }
  }

 private:
  static constexpr int most_bits = 9, most_digits = 4;  // 4 * 9 bits hold any id

  uint32_t& place(int digit, const TermCount& entry) {
    const uint32_t shifted = static_cast<uint32_t>(entry.term) >> (digit * digit_bits_);
    return places_[static_cast<std::size_t>(digit)][shifted & ((1u << digit_bits_) - 1)];
  }

  /// For each value of each digit, where its first entry goes.
  void find_places(const TermCount* entries, std::size_t n) {
    for (int digit = 0; digit < n_digits_; ++digit) places_[static_cast<std::size_t>(digit)].fill(0);
    for (std::size_t i = 0; i < n; ++i) {
      for (int digit = 0; digit < n_digits_; ++digit) ++place(digit, entries[i]);
    }
    for (int digit = 0; digit < n_digits_; ++digit) {
      uint32_t sum = 0;
      for (uint32_t& at : places_[static_cast<std::size_t>(digit)]) at = std::exchange(sum, sum + at);
    }
  }

  int n_digits_, digit_bits_;
  std::array<std::array<uint32_t, 1 << most_bits>, most_digits> places_;
  Buffer<TermCount> other_;
};

}  // namespace tallytext
