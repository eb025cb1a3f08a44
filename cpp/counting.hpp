#pragma once
// From documents to a change, by counting sort: documents grouped by class, scattered by term.
#include "change.hpp"
#include "documents.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "ranks.hpp"

namespace tallytext {

/// Documents with their terms and classes numbered without gaps, grouped by class.
struct GroupedDocuments {
  explicit GroupedDocuments(const Documents& documents)
      : docs(documents), terms(documents.terms), classes(documents.labels) {
    class_starts.assign(classes.distinct.size() + 1, 0);
    for (const int32_t at : classes.rank) ++class_starts[static_cast<std::size_t>(at) + 1];
    std::partial_sum(class_starts.begin(), class_starts.end(), class_starts.begin());
    by_class.resize(docs.labels.size());
    std::vector<std::size_t> cursor(class_starts.begin(), class_starts.end() - 1);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      several |= docs.labels_of(d).size() > 1;
      for (std::size_t i = 0; i < docs.labels_of(d).size(); ++i) by_class[cursor[class_at(d, i)]++] = d;
    }
  }

  std::size_t n_classes() const { return classes.distinct.size(); }
  std::size_t term_at(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(terms.rank[docs.begin(d) + i]);
  }
  std::size_t class_at(std::size_t d, std::size_t i) const {
    return static_cast<std::size_t>(classes.rank[static_cast<std::size_t>(docs.label_starts[d]) + i]);
  }
  std::size_t first_class(std::size_t d) const {
    std::size_t first = class_at(d, 0);
    for (std::size_t i = 1; i < docs.labels_of(d).size(); ++i) first = std::min(first, class_at(d, i));
    return first;
  }
  /// Number of entries of the documents of a class.
  std::size_t size_of(std::size_t c) const {
    std::size_t n = 0;
    for (std::size_t i = class_starts[c]; i < class_starts[c + 1]; ++i) n += docs.length(by_class[i]);
    return n;
  }

  const Documents& docs;
  Ranks terms, classes;
  std::vector<std::size_t> class_starts, by_class;
  bool several = false;  // whether a document has two labels or more
};

/// Counts the documents of a range of classes, and those of no class if it is told to. Each class is summed
/// into a table of all terms, from which its cells are then taken. What it writes into the change belongs to
/// its classes alone; what all share it keeps until `hand_over`.
class CountingPart {
 public:
  CountingPart(const GroupedDocuments& grouped, std::span<const Recipe> recipes, Range classes,
               Change& change)
      : grouped_(grouped),
        docs_(grouped.docs),
        classes_(classes),
        change_(change),
        blocks_(recipes),
        sums_(change.width()),
        totals_(change.width()),
        scales_(change.n_planes()) {}

  void count() {
    table_.resize(grouped_.terms.distinct.size() * change_.width(), 0);
    places_.resize(grouped_.terms.distinct.size(), 0);
    for (std::size_t c = classes_.begin; c < classes_.end; ++c) {
      const std::size_t last = grouped_.class_starts[c + 1];
      for (std::size_t i = grouped_.class_starts[c]; i < last; ++i) {
        const std::size_t d = grouped_.by_class[i];
        add_to_class(c, d, i + 1 < last ? grouped_.by_class[i + 1] : d);
      }
      close_class();
    }
    table_ = {};
  }

  /// Takes the place of its cells of a term, after those of lower classes; returns what comes after them.
  int64_t take_place(std::size_t t, int64_t first) { return first + std::exchange(places_[t], first); }

  void write_cells() {
    std::size_t cell = 0;
    for (std::size_t c = classes_.begin; c < classes_.end; ++c) {
      for (const std::size_t end = ends_[c - classes_.begin]; cell < end; ++cell) {
        if (cell + ahead < terms_.size()) prefetch_place(terms_[cell + ahead]);
        const auto at = static_cast<std::size_t>(places_[terms_[cell]]++);
        change_.cells.classes[at] = change_.classes[c];
        std::copy_n(values_.data() + cell * change_.width(), change_.width(), change_.cells.block(at));
      }
    }
  }

  void add_unlabelled() {
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      if (docs_.labels_of(d).empty()) read(d);
    }
  }

  /// Adds what is not of a class to the change.
  void hand_over() const {
    for (std::size_t j = 0; j < totals_.size(); ++j) {
      change_.totals[j] = checked_add(change_.totals[j], totals_[j]);
    }
    for (std::size_t k = 0; k < scales_.size(); ++k) {
      change_.scales[k] = checked_add(change_.scales[k], scales_[k]);
    }
    change_.n_documents += n_documents_;
    change_.n_several += n_several_;
    change_.n_unlabelled += n_unlabelled_;
  }

 private:
  static constexpr std::size_t ahead = 12;  // terms lie all over memory: they are asked for in time

  /// Reads a document and, the first time, adds what does not depend on its classes. Totals come first: a
  /// document counts once in them, so when they do not overflow nothing else can.
  void read(std::size_t d, std::size_t c = 0) {
    const std::size_t n = docs_.labels_of(d).size();
    blocks_.read(docs_.counts.subspan(docs_.begin(d), docs_.length(d)), docs_.weight(d), n);
    sums_.assign(change_.width(), 0);
    blocks_.add_all_to(sums_.data());
    if (n > 1 && c != grouped_.first_class(d)) return;
    for (std::size_t j = 0; j < sums_.size(); ++j) totals_[j] = checked_add(totals_[j], sums_[j]);
    for (std::size_t k = 0; k < scales_.size(); ++k) {
      scales_[k] = checked_add(scales_[k], blocks_.scales()[k]);
    }
    n_documents_ += 1;
    n_several_ += n > 1;
    n_unlabelled_ += n == 0;
    if (n == 0 || grouped_.several) add_to_terms(d);
  }

  void add_to_terms(std::size_t d) {
    for (std::size_t i = 0; i < docs_.length(d); ++i) {
      blocks_.add_to(&change_.term_totals[grouped_.term_at(d, i) * change_.width()], i);
    }
  }

  /// Adds document d to the table, of a class where `next` comes next.
  void add_to_class(std::size_t c, std::size_t d, std::size_t next) {
    read(d, c);
    change_.class_documents[c] += 1;
    add_block(&change_.class_totals[c * change_.width()], sums_.data(), change_.width());
    add_block(change_.class_scales.data() + c * change_.n_planes(), blocks_.scales().data(),
              change_.n_planes());
    const std::size_t n = docs_.length(d), before = terms_.size();
    terms_.extend(n);
    uint32_t* fresh = terms_.data() + before;
    for (std::size_t i = 0; i < n; ++i) {
      i + ahead < n ? prefetch_block(d, i + ahead) : prefetch_block(next, i + ahead - n);
      const std::size_t t = grouped_.term_at(d, i);
      int64_t* block = table_.data() + t * change_.width();
      *fresh = static_cast<uint32_t>(t);
      fresh += block[documents] == 0;
      blocks_.add_to(block, i);
    }
    terms_.resize(static_cast<std::size_t>(fresh - terms_.data()));
  }

  void prefetch_block(std::size_t d, std::size_t i) const {
    if (i < docs_.length(d)) {
      __builtin_prefetch(table_.data() + grouped_.term_at(d, i) * change_.width(), 1);
    }
  }

  /// Takes the cells of a class out of the table.
  void close_class() {
    const std::size_t first = ends_.empty() ? 0 : ends_.back();
    values_.extend((terms_.size() - first) * change_.width());
    for (std::size_t cell = first; cell < terms_.size(); ++cell) {
      int64_t* block = table_.data() + terms_[cell] * change_.width();
      std::copy_n(block, change_.width(), values_.data() + cell * change_.width());
      std::fill_n(block, change_.width(), 0);
      ++places_[terms_[cell]];
    }
    ends_.push_back(terms_.size());
  }

  void prefetch_place(std::size_t t) const {
    const auto at = static_cast<std::size_t>(places_[t]);
    __builtin_prefetch(change_.cells.values.data() + at * change_.width(), 1);
    __builtin_prefetch(change_.cells.classes.data() + at, 1);
  }

  const GroupedDocuments& grouped_;
  const Documents& docs_;
  Range classes_;
  Change& change_;
  DocumentBlocks blocks_;
  std::vector<int64_t> sums_;  // of the document at hand
  std::vector<int64_t> totals_, scales_;
  int64_t n_documents_ = 0, n_several_ = 0, n_unlabelled_ = 0;
  Buffer<int64_t> table_;          // per term: a block of the class at hand
  Buffer<int64_t> places_;         // per term: the number of its cells, later where the next one goes
  Buffer<uint32_t> terms_;         // of each cell, class by class
  Buffer<int64_t> values_;         // a block for each cell
  std::vector<std::size_t> ends_;  // of each class among the cells
};

/// Shares the classes out among threads. The sums are of integers, so their number cannot matter.
class Counting {
 public:
  Counting(const Documents& docs, std::span<const Recipe> recipes, std::size_t n_threads)
      : grouped_(docs), change_(first_plane + recipes.size()) {
    change_.cells.terms = grouped_.terms.distinct;
    change_.classes = grouped_.classes.distinct;
    change_.term_totals.resize(change_.cells.terms.size() * change_.width());
    change_.resize_classes();
    // Documents in several classes add to terms that the threads would share; small batches are not worth it.
    const bool alone = grouped_.several || docs.terms.size() < worth_sharing || grouped_.n_classes() < 2;
    const auto size = [this](std::size_t c) { return grouped_.size_of(c); };
    const std::vector<Range> ranges =
        alone ? std::vector<Range>{{0, grouped_.n_classes()}} : shares(grouped_.n_classes(), n_threads, size);
    parts_.reserve(ranges.size());
    for (const Range& range : ranges) parts_.emplace_back(grouped_, recipes, range, change_);
  }

  Change run() {
    in_parallel(parts_.size(), [this](std::size_t p) { parts_[p].count(); });
    place_cells();
    in_parallel(parts_.size(), [this](std::size_t p) { parts_[p].write_cells(); });
    parts_.front().add_unlabelled();
    for (const CountingPart& part : parts_) part.hand_over();
    if (!grouped_.several) sum_cells();
    return std::move(change_);
  }

 private:
  static constexpr std::size_t worth_sharing = 1 << 16;

  void place_cells() {
    auto& cells = change_.cells;
    cells.starts.resize(cells.terms.size() + 1);
    for (std::size_t t = 0; t < cells.terms.size(); ++t) {
      int64_t place = cells.starts[t];
      for (CountingPart& part : parts_) place = part.take_place(t, place);
      cells.starts[t + 1] = place;
    }
    cells.classes.resize(static_cast<std::size_t>(cells.starts.back()));
    cells.values.resize(cells.classes.size() * change_.width(), 0);
  }

  /// Where every document has one label at most, the cells of a term add up to what is in classes.
  void sum_cells() {
    for (std::size_t t = 0; t < change_.cells.terms.size(); ++t) {
      const auto last = static_cast<std::size_t>(change_.cells.starts[t + 1]);
      for (auto cell = static_cast<std::size_t>(change_.cells.starts[t]); cell < last; ++cell) {
        add_block(&change_.term_totals[t * change_.width()], change_.cells.block(cell), change_.width());
      }
    }
  }

  GroupedDocuments grouped_;
  Change change_;
  std::vector<CountingPart> parts_;
};

}  // namespace tallytext
