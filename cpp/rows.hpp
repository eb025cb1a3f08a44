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

/// Where the entries of a row go.
struct RowTarget {
  TermId* terms;
  int64_t* counts;

  void write(std::size_t at, const TermCount& entry) const {
    terms[at] = entry.term;
    counts[at] = entry.count;
  }
  void write(std::span<const TermCount> row) const {
    for (std::size_t i = 0; i < row.size(); ++i) write(i, row[i]);
  }
};

/// Sorts a row by term: a radix sort with one histogram for each digit of the ids, all made in one reading.
/// Short rows have short digits, since clearing a histogram costs as much as filling it.
class RowSorter {
 public:
  /// Writes the entries in order of their terms, and leaves the row in no order.
  void operator()(std::span<TermCount> row, RowTarget target) {
    if (row.size() <= few) {
      std::sort(row.begin(), row.end(), [](TermCount a, TermCount b) { return a.term < b.term; });
      return target.write(row);
    }
    choose_digits(row);
    if (other_.size() < row.size()) other_.resize(row.size());
    find_places(row);
    std::span<TermCount> from = row, to{other_.data(), row.size()};
    for (int digit = 0; digit + 1 < n_digits_; ++digit, std::swap(from, to)) {
      for (const TermCount& entry : from) to[place(digit, entry)++] = entry;
    }
    for (const TermCount& entry : from) target.write(place(n_digits_ - 1, entry)++, entry);
  }

 private:
  static constexpr std::size_t few = 24;
  static constexpr int least_bits = 5, most_bits = 9, most_digits = 7;  // 7 * 5 bits hold any id

  void choose_digits(std::span<const TermCount> row) {
    TermId last = 1;
    for (const TermCount& entry : row) last = std::max(last, entry.term);
    const int n_bits = static_cast<int>(std::bit_width(static_cast<uint32_t>(last)));
    const int usual = std::clamp(static_cast<int>(std::bit_width(row.size())) - 1, least_bits, most_bits);
    n_digits_ = (n_bits + usual - 1) / usual;
    digit_bits_ = (n_bits + n_digits_ - 1) / n_digits_;
  }

  uint32_t& place(int digit, const TermCount& entry) {
    const uint32_t shifted = static_cast<uint32_t>(entry.term) >> (digit * digit_bits_);
    const uint32_t value = shifted & ((1u << digit_bits_) - 1);
    return places_[static_cast<std::size_t>(digit) << most_bits | value];
  }

  /// For each value of each digit, where its first entry goes.
  void find_places(std::span<const TermCount> row) {
    for (int digit = 0; digit < n_digits_; ++digit) std::ranges::fill(histogram(digit), 0);
    for (const TermCount& entry : row) {
      for (int digit = 0; digit < n_digits_; ++digit) ++place(digit, entry);
    }
    for (int digit = 0; digit < n_digits_; ++digit) {
      uint32_t sum = 0;
      for (uint32_t& at : histogram(digit)) at = std::exchange(sum, sum + at);
    }
  }

  std::span<uint32_t> histogram(int digit) {
    return {&places_[static_cast<std::size_t>(digit) << most_bits], std::size_t{1} << digit_bits_};
  }

  int n_digits_ = 1, digit_bits_ = 1;
  std::array<uint32_t, most_digits << most_bits> places_;
  Buffer<TermCount> other_;
};

/// Rows of terms with their counts, a term once a row, in order of first appearance.
class CountRows {
 public:
  bool ids_are_final = true;
  Buffer<uint64_t> ends;  // where each row ends
  Buffer<TermId> terms;   // where ids are final: the rows
  Buffer<int64_t> counts;
  Buffer<TermCount> entries;  // elsewhere: the rows, for whoever renumbers them

  void reserve(std::size_t n) {
    if (!ids_are_final) return entries.reserve(n);
    terms.reserve(n);
    counts.reserve(n);
  }
  void prefetch(TermId id) const { __builtin_prefetch(marks_.data() + id, 1); }

  void operator()(std::span<const TermId> ids) {
    make_room(ids);
    std::size_t size = size_;
    for (const TermId id : ids) {
      // Whether a term is new to the row cannot be predicted, so nothing branches on it: an entry is written
      // behind the last one, and is one of them only if the term is new.
      uint64_t& mark = marks_[static_cast<std::size_t>(id)];
      const bool is_new = mark >> 32 != document_;
      const uint32_t at = static_cast<uint32_t>(is_new ? size : mark);
      mark = document_ << 32 | at;
      row_[size] = {id, 0};
      ++row_[at].count;
      size += is_new;
    }
    size_ = size;
  }

  void end_document() {
    const std::span<TermCount> row(row_.data(), size_);
    if (ids_are_final) {
      const std::size_t at = terms.size();
      terms.extend(size_);
      counts.extend(size_);
      RowTarget{terms.data() + at, counts.data() + at}.write(row);
    } else {
      entries.append(row.data(), row.size());
    }
    ends.push_back(ends.empty() ? size_ : ends.back() + size_);
    ++document_;
    size_ = 0;
  }

  void forget_marks() {
    marks_ = {};
    row_ = {};
  }

 private:
  /// Room for all of `ids` being new, and the entry behind them; and for their marks.
  void make_room(std::span<const TermId> ids) {
    if (row_.size() <= size_ + ids.size()) row_.resize(2 * row_.size() + ids.size() + 1);
    TermId last = 0;
    for (const TermId id : ids) last = std::max(last, id);
    const auto n_marks = static_cast<std::size_t>(last) + 1;
    if (n_marks > marks_.size()) marks_.resize(std::max(n_marks, 2 * marks_.size()), 0);
  }

  // For each term the document that saw it last, counted from 1, and, in the lower half, where in its row it
  // is.
  Buffer<uint64_t> marks_ = Buffer<uint64_t>(1024, 0);
  uint64_t document_ = 1;
  Buffer<TermCount> row_;  // of the current document
  std::size_t size_ = 0;
};

/// Rows of terms as they come, repeats and all.
class TermRows {
 public:
  Buffer<uint64_t> ends;
  Buffer<TermId> terms;

  void reserve(std::size_t n) { terms.reserve(n); }
  void prefetch(TermId) const {}
  void operator()(std::span<const TermId> ids) { terms.append(ids.data(), ids.size()); }
  void end_document() { ends.push_back(terms.size()); }
  void forget_marks() {}
};

}  // namespace tallytext
