#pragma once
// The cells of a tally: sums per (term, class) as an immutable base and a delta of recent changes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "postings.hpp"

namespace tallytext {

// n_r: the number of events that occurred exactly r times.

/// The n_r of small r, updated with each event. Frequent words have counts spread over the thousands;
/// updating their n_r would cost more than counting the words, so these are computed on request.
class CountsOfCounts {
 public:
  static constexpr int64_t limit = 1024;

  /// Moves one event from `before` occurrences to `after`. Zero means no event.
  void move(int64_t before, int64_t after) {
    if (before < limit) --few_[static_cast<std::size_t>(before)];
    if (after < limit) ++few_[static_cast<std::size_t>(after)];
  }

  /// All n_r > 0 with 0 < r < limit.
  std::map<int64_t, int64_t> few() const {
    std::map<int64_t, int64_t> found;
    for (std::size_t r = 1; r < few_.size(); ++r) {
      if (few_[r]) found[static_cast<int64_t>(r)] = few_[r];
    }
    return found;
  }

  /// n_0 = 0, n_1 ... n_(n - 1), for n below limit.
  std::vector<int64_t> first(std::size_t n) const {
    std::vector<int64_t> found(few_.begin(), few_.begin() + static_cast<std::ptrdiff_t>(n));
    found[0] = 0;
    return found;
  }

 private:
  std::array<int64_t, limit> few_{};
};

// The changes since the base was written: signed differences, found by (term, class) in a hash table and by
// term through a linked list.

class Delta {
 public:
  static constexpr int32_t none = -1;

  struct Row {
    TermId term;
    ClassId label;
    int64_t in_base;  // occurrences in its cell of the base
    int32_t next;     // next row of the same term
  };

  explicit Delta(std::size_t width) : width_(width), slots_(64, Slot{0, none}) {}

  std::size_t size() const { return rows_.size(); }
  const Row& row(int32_t i) const { return rows_[static_cast<std::size_t>(i)]; }
  const int64_t* block(int32_t i) const { return &values_[static_cast<std::size_t>(i) * width_]; }
  int64_t* block(int32_t i) { return &values_[static_cast<std::size_t>(i) * width_]; }

  void prefetch(TermId term, ClassId label) const { load_soon(&slots_[home(key(term, label))]); }

  void prefetch_row(int32_t i) const {
    load_soon(&rows_[static_cast<std::size_t>(i)]);
    load_soon(block(i));
  }

  int32_t find(TermId term, ClassId label) const { return slots_[slot_of(key(term, label))].row; }

  /// Reserves room for `more` rows, so that `insert` does not allocate.
  void reserve(std::size_t more) {
    const std::size_t wanted = size() + more;
    make_room(rows_, wanted);
    make_room(values_, wanted * width_);
    if (wanted * 2 > slots_.size()) grow(wanted * 2);
  }

  /// Inserts a row of zeros for (term, label), which must be new, before the chain that starts at `head`.
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
    std::vector<Slot> slots(std::bit_ceil(at_least), Slot{0, none});
    slots_.swap(slots);
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

// The sums per (term, class): an immutable base and a delta of later changes.

/// The posting list of a term is its row of the base, corrected by its chain in the delta. When the delta
/// exceeds an eighth of the base, one linear merge writes a new base.
class Cells {
 public:
  Cells(std::size_t width, std::size_t smallest_delta)
      : width_(width),
        smallest_delta_(smallest_delta),
        base_(std::make_shared<const Base>(width)),
        delta_(width) {}

  std::size_t n_terms() const { return links_.size(); }
  std::size_t n_cells() const { return n_cells_; }
  std::size_t n_delta() const { return delta_.size(); }
  int64_t n_classes_of(TermId term) const { return links_[static_cast<std::size_t>(term)].n_classes; }
  const Base& base() const { return *base_; }
  bool has_changed(TermId term) const {  // true if it changed since the base was written
    return links_[static_cast<std::size_t>(term)].chain != Delta::none;
  }

  /// n_r over the live cells.
  std::map<int64_t, int64_t> counts_of_counts() const {
    std::map<int64_t, int64_t> found = counts_of_counts_.few();
    const auto step = [&found](int64_t r, int64_t by) {
      if (r >= CountsOfCounts::limit) found[r] += by;
    };
    for (std::size_t cell = 0; cell < base_->n_cells(); ++cell) step(base_->block(cell)[occurrences], +1);
    for (int32_t i = 0; i < static_cast<int32_t>(delta_.size()); ++i) {
      step(delta_.row(i).in_base, -1);
      step(delta_.row(i).in_base + delta_.block(i)[occurrences], +1);
    }
    std::erase_if(found, [](const auto& item) { return item.second == 0; });
    return found;
  }

  /// n_r over the live cells for r below n.
  std::vector<int64_t> small_counts(std::size_t n) const { return counts_of_counts_.first(n); }

  void resize(std::size_t n_terms) { links_.resize(n_terms); }

  /// Adds the sums of the cell (term, label) to `block`.
  void add_cell(TermId term, ClassId label, int64_t* block) const {
    const int64_t cell = base_->find(term, label);
    if (cell >= 0) add_block(block, base_->block(static_cast<std::size_t>(cell)), width_);
    const int32_t row = delta_.find(term, label);
    if (row != Delta::none) add_block(block, delta_.block(row), width_);
  }

  /// Calls visit(class, block in the base, block in the delta) for the live cells of a term, classes
  /// ascending. A cell is the sum of the two blocks, one of which may be null. `rows` is scratch memory.
  template <class Visit>
  void visit_posting(TermId term, std::vector<int32_t>& rows, Visit visit) const {
    std::size_t cell = base_->begin(term);
    const std::size_t end = base_->end(term);
    delta_.chain(links_[static_cast<std::size_t>(term)].chain, rows);
    for (const int32_t i : rows) {
      const Delta::Row& row = delta_.row(i);
      for (; cell < end && base_->classes[cell] < row.label; ++cell)
        visit(base_->classes[cell], base_->block(cell), nullptr);
      const bool stored = cell < end && base_->classes[cell] == row.label;
      const int64_t* base = stored ? base_->block(cell++) : nullptr;
      if (row.in_base + delta_.block(i)[occurrences] > 0) visit(row.label, base, delta_.block(i));
    }
    for (; cell < end; ++cell) visit(base_->classes[cell], base_->block(cell), nullptr);
  }

  /// Appends the live cells of a term, classes ascending, to `out`; the caller closes the term.
  void append_posting(TermId term, Postings& out) const {
    std::vector<int32_t> rows;
    visit_posting(term, rows, [&](ClassId label, const int64_t* base, const int64_t* delta) {
      out.append(label, base ? base : delta);
      if (base && delta) add_block(out.block(out.n_cells() - 1), delta, width_);
    });
  }

  void prefetch_term(TermId term) const {
    base_->prefetch_row(term);
    load_soon(&links_[static_cast<std::size_t>(term)]);
  }

  /// Adds sign * cells and calls moved(class, step) for each cell that becomes nonzero (+1) or zero (-1).
  template <class Moved>
  void add(const Postings& cells, int64_t sign, Moved moved) {
    if (cells.n_cells() > delta_limit()) {
      add_to_base(cells, sign, moved);
    } else {
      add_to_delta(cells, sign, moved);
      if (delta_.size() > delta_limit()) compact_if_memory_allows();
    }
  }

 private:
  struct Links {
    int32_t chain = Delta::none;  // its first row in the delta
    int32_t n_classes = 0;        // its live cells
  };

  std::size_t delta_limit() const {
    return std::clamp<std::size_t>(base_->n_cells() / 8, smallest_delta_, std::size_t{1} << 30);
  }

  /// All differences, sorted by term and class. The chains are sorted by term already.
  Postings differences() const {
    Postings out(width_);
    std::vector<int32_t> rows;
    for (std::size_t t = 0; t < n_terms(); ++t) {
      if (links_[t].chain == Delta::none) continue;
      delta_.chain(links_[t].chain, rows);
      for (const int32_t i : rows) out.append(delta_.row(i).label, delta_.block(i));
      out.close(static_cast<TermId>(t));
    }
    return out;
  }

  void compact() {
    if (delta_.size() == 0) return;
    base_ = std::make_shared<const Base>(Merge(*base_, differences(), 1).run(n_terms()));
    for (Links& links : links_) links.chain = Delta::none;
    delta_.clear();
  }

  /// The cells have been added: without memory for a new base, the delta stays as it is.
  void compact_if_memory_allows() {
    try {
      compact();
    } catch (const std::bad_alloc&) {
    }
  }

  template <class Moved>
  void add_to_base(const Postings& cells, int64_t sign, Moved moved) {
    compact();
    auto base = std::make_shared<const Base>(Merge(*base_, cells, sign).run(n_terms()));
    cells.for_each([&](TermId term, std::size_t at) {
      const int64_t before = base_->occurrences_in(term, cells.classes[at]);
      const int64_t after = before + sign * cells.block(at)[occurrences];
      moved(cells.classes[at], move(term, before, after));
    });
    base_ = std::move(base);
  }

  /// The cells of a document are scattered over memory, so each is prefetched well before it is needed: first
  /// its slot in the hash table, then the cell.
  template <class Moved>
  void add_to_delta(const Postings& cells, int64_t sign, Moved moved) {
    constexpr std::size_t ahead = 8;
    std::vector<TermId> terms;
    terms.reserve(cells.n_cells());
    cells.for_each([&](TermId term, std::size_t) { terms.push_back(term); });
    delta_.reserve(terms.size());
    for (std::size_t i = 0; i < terms.size() + 2 * ahead; ++i) {
      if (i < terms.size()) prefetch_places(terms[i], cells.classes[i]);
      if (const std::size_t at = i - ahead; at < terms.size()) prefetch_cell(terms[at], cells.classes[at]);
      if (const std::size_t at = i - 2 * ahead; at < terms.size()) {
        moved(cells.classes[at], add_one(terms[at], cells.classes[at], cells.block(at), sign));
      }
    }
  }

  void prefetch_places(TermId term, ClassId label) const {
    delta_.prefetch(term, label);
    prefetch_term(term);
  }

  void prefetch_cell(TermId term, ClassId label) const {
    const int32_t row = delta_.find(term, label);
    row == Delta::none ? base_->prefetch_cells(term) : delta_.prefetch_row(row);
  }

  int add_one(TermId term, ClassId label, const int64_t* what, int64_t sign) {
    int32_t row = delta_.find(term, label);
    if (row == Delta::none) {
      row = delta_.insert(term, label, base_->occurrences_in(term, label),
                          links_[static_cast<std::size_t>(term)].chain);
    }
    const int64_t in_base = delta_.row(row).in_base;
    int64_t* block = delta_.block(row);
    const int64_t before = in_base + block[occurrences];
    add_block(block, what, width_, sign);
    return move(term, before, in_base + block[occurrences]);
  }

  /// Updates the counts of live cells when a cell of `term` goes from `before` to `after` occurrences.
  /// Returns 1 if it became nonzero, -1 if it became zero, else 0.
  int move(TermId term, int64_t before, int64_t after) {
    counts_of_counts_.move(before, after);
    const int step = (after > 0) - (before > 0);
    links_[static_cast<std::size_t>(term)].n_classes += step;
    n_cells_ += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(step));
    return step;
  }

  std::size_t width_;
  std::size_t smallest_delta_;
  std::shared_ptr<const Base> base_;
  Delta delta_;
  std::vector<Links> links_;  // per term
  std::size_t n_cells_ = 0;   // live ones
  CountsOfCounts counts_of_counts_;
};

}  // namespace tallytext
