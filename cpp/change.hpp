#pragma once
// Changes of a tally: made from documents by counting sort, from another tally, or from the arrays of a file.
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "compiler.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "postings.hpp"

namespace tallytext {

// The contribution of a document to a fractional plane, in fixed point with unit 2^-32, rounded once.

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!add_fits(a, b, sum)) throw std::overflow_error("a sum leaves the range of 64 bits");
  return sum;
}

inline int64_t checked_square(int64_t a) {
  constexpr int64_t most = 3037000499;  // the largest number whose square is below 2^63
  if (a > most || a < -most) throw std::overflow_error("a square leaves the range of 64 bits");
  return a * a;
}

constexpr double plane_unit = 4294967296.0;

inline int64_t fixed_point(double value) {
  const double scaled = std::rint(value * plane_unit);
  if (!(std::abs(scaled) < 0x1p63)) throw std::overflow_error("a plane leaves the range of 64 bits");
  return static_cast<int64_t>(scaled);
}

/// ln(1 + count). Most counts are small, so their logarithms are cached.
inline double log_of(int64_t count) {
  static const auto kept = [] {
    std::array<double, 64> logs;
    for (std::size_t n = 0; n < logs.size(); ++n) logs[n] = std::log1p(static_cast<double>(n));
    return logs;
  }();
  const auto n = static_cast<std::size_t>(count);
  return n < kept.size() ? kept[n] : std::log1p(static_cast<double>(count));
}

enum class Tf : uint8_t { raw, log, binary };
enum class Norm : uint8_t { none, l1, l2, poisson, poisson_mass, log_length, log_length_squared };

/// value(w, d) = tf(x_w) * s(d), where s(d) is
///   none: 1;  l1: 1 / sum tf;  l2: 1 / sqrt(sum tf^2);  poisson: 1 / (x+ + theta);
///   poisson_mass: x+ / (x+ + theta);  log_length: ln(1 + x+);  log_length_squared: ln(1 + x+)^2,
/// with x+ = sum tf; times the document's weight if `weighted`, over its number of labels if `shared`.
struct Recipe {
  Tf tf = Tf::raw;
  Norm norm = Norm::none;
  double theta = 0;
  bool weighted = false;
  bool shared = false;

  double term_frequency(int64_t count) const {
    if (tf == Tf::binary) return 1;
    return tf == Tf::log ? log_of(count) : static_cast<double>(count);
  }

  double scale(std::span<const int64_t> counts, double weight, std::size_t n_labels) const {
    const double whole = weighted ? weight * unweighted_scale(counts) : unweighted_scale(counts);
    return shared && n_labels > 1 ? whole / static_cast<double>(n_labels) : whole;
  }

 private:
  double unweighted_scale(std::span<const int64_t> counts) const {
    if (norm == Norm::none) return 1;
    const double length = total(counts);
    switch (norm) {
      case Norm::poisson: return 1 / (length + theta);
      case Norm::poisson_mass: return length / (length + theta);
      case Norm::log_length: return std::log1p(length);
      case Norm::log_length_squared: return std::log1p(length) * std::log1p(length);
      case Norm::l2: return length > 0 ? 1 / std::sqrt(length) : 0;
      default: return length > 0 ? 1 / length : 0;
    }
  }

  /// Sum of tf, or of tf^2 for l2. Added as integers, so that it does not depend on the order of the terms.
  double total(std::span<const int64_t> counts) const {
    int64_t sum = 0;
    for (const int64_t count : counts) sum = checked_add(sum, part(count));
    return tf == Tf::log ? static_cast<double>(sum) / plane_unit : static_cast<double>(sum);
  }
  int64_t part(int64_t count) const {
    if (tf == Tf::binary) return 1;
    if (tf == Tf::raw) return norm == Norm::l2 ? checked_square(count) : count;
    const double value = term_frequency(count);
    return fixed_point(norm == Norm::l2 ? value * value : value);
  }
};

/// The blocks that one document adds to its terms, and its scale in each plane. Only the planes are stored:
/// the other entries of a block are the count itself and 1 (the document).
class DocumentBlocks {
 public:
  explicit DocumentBlocks(std::span<const Recipe> recipes) : recipes_(recipes), scales_(recipes.size()) {}

  /// `counts` must stay valid until the next document is read.
  void read(std::span<const int64_t> counts, double weight, std::size_t n_labels) {
    counts_ = counts;
    planes_.resize(counts.size() * recipes_.size());
    for (std::size_t k = 0; k < recipes_.size(); ++k) read_plane(k, weight, n_labels);
  }

  /// block += the block of term i.
  void add_to(int64_t* block, std::size_t i) const {
    block[occurrences] += counts_[i];
    block[documents] += 1;
    add_block(block + first_plane, planes_.data() + i * recipes_.size(), recipes_.size());
  }

  /// block += the blocks of all terms. Throws std::overflow_error if a sum exceeds its range.
  void add_all_to(int64_t* block) const {
    for (const int64_t count : counts_) block[occurrences] = checked_add(block[occurrences], count);
    block[documents] = checked_add(block[documents], static_cast<int64_t>(counts_.size()));
    for (std::size_t k = 0; k < recipes_.size(); ++k) {
      int64_t& sum = block[first_plane + k];
      for (std::size_t i = k; i < planes_.size(); i += recipes_.size()) sum = checked_add(sum, planes_[i]);
    }
  }

  const std::vector<int64_t>& scales() const { return scales_; }

 private:
  void read_plane(std::size_t k, double weight, std::size_t n_labels) {
    const double scale = recipes_[k].scale(counts_, weight, n_labels);
    scales_[k] = fixed_point(scale);
    const auto value = [&](int64_t count) { return fixed_point(recipes_[k].term_frequency(count) * scale); };
    const int64_t once = value(1);  // the contribution of most terms
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      planes_[i * recipes_.size() + k] = counts_[i] == 1 ? once : value(counts_[i]);
    }
  }

  std::span<const Recipe> recipes_;
  std::span<const int64_t> counts_;
  std::vector<int64_t> planes_;  // n_planes for each term
  std::vector<int64_t> scales_;
};

// The sums to add to a tally or to subtract from it: those of documents, or of another tally.

/// Sums over documents. All are non-negative; the tally that applies them chooses the sign.
struct Change {
  explicit Change(std::size_t width) : cells(width), totals(width), scales(width - first_plane) {}

  std::size_t width() const { return cells.width; }
  std::size_t n_planes() const { return scales.size(); }

  Postings cells;                    // every term of the change, including terms of unlabelled documents
  std::vector<int64_t> term_totals;  // a block for each of cells.terms, each document once
  std::vector<ClassId> classes;      // ascending
  std::vector<int64_t> class_documents;
  std::vector<int64_t> class_totals;  // a block for each class
  std::vector<int64_t> class_scales;  // n_planes for each class
  std::vector<int64_t> totals;        // one block
  std::vector<int64_t> scales;        // n_planes
  int64_t n_documents = 0;
  int64_t n_several = 0;     // documents with two labels or more
  int64_t n_unlabelled = 0;  // documents with none

  void resize_classes() {
    class_documents.resize(classes.size());
    class_totals.resize(classes.size() * width());
    class_scales.resize(classes.size() * n_planes());
  }
  std::size_t class_at(ClassId label) const {
    const auto same = static_cast<std::size_t>(label);  // its index if all classes are present
    if (same < classes.size() && classes[same] == label) return same;
    return static_cast<std::size_t>(std::lower_bound(classes.begin(), classes.end(), label) -
                                    classes.begin());
  }

  /// Sums term_totals into totals, and the cells into class_totals. Terms bound the cells, so only totals can
  /// overflow.
  void add_up() {
    for (std::size_t at = 0; at < term_totals.size(); at += width()) {
      for (std::size_t j = 0; j < width(); ++j) totals[j] = checked_add(totals[j], term_totals[at + j]);
    }
    for (std::size_t i = 0; i < cells.n_cells(); ++i) {
      add_block(&class_totals[class_at(cells.classes[i]) * width()], cells.block(i), width());
    }
  }
};

// A change without some of its terms.

/// Returns the change restricted to the terms with kept[t] != 0; terms beyond `kept` are dropped. The number
/// of documents and their scales stay.
inline Change masked(const Change& change, std::span<const uint8_t> kept) {
  Change out(change.width());
  out.classes = change.classes;
  out.resize_classes();
  out.class_documents = change.class_documents;
  out.class_scales = change.class_scales;
  out.scales = change.scales;
  out.n_documents = change.n_documents;
  out.n_several = change.n_several;
  out.n_unlabelled = change.n_unlabelled;
  for (std::size_t i = 0; i < change.cells.terms.size(); ++i) {
    const auto term = static_cast<std::size_t>(change.cells.terms[i]);
    if (term >= kept.size() || kept[term] == 0) continue;
    const int64_t* total = &change.term_totals[i * change.width()];
    const auto last = static_cast<std::size_t>(change.cells.starts[i + 1]);
    for (auto cell = static_cast<std::size_t>(change.cells.starts[i]); cell < last; ++cell) {
      out.cells.append(change.cells.classes[cell], change.cells.block(cell));
    }
    out.term_totals.insert(out.term_totals.end(), total, total + change.width());
    out.cells.close(change.cells.terms[i]);
  }
  out.add_up();
  return out;
}

// From documents to a change by counting sort: documents are grouped by class, then scattered by term.

/// Documents grouped by class, with their terms and classes renumbered without gaps.
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
  bool several = false;  // true if a document has two labels or more
};

/// Counts the documents of a range of classes, and unlabelled documents if requested. Each class is summed
/// into a table of all terms, from which its cells are then collected. A worker writes only the parts of the
/// change that belong to its classes; sums over all classes stay local until `hand_over`.
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

  /// Sets the position of its cells of a term, after those of lower classes; returns the position after them.
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

  /// Adds the sums over all classes to the change.
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
  static constexpr std::size_t ahead = 12;  // prefetch distance: terms are scattered over memory

  /// Reads a document and, the first time, adds it to the sums over all classes. Totals come first: each
  /// document counts once in them, so if they do not overflow, no other sum can.
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

  /// Adds document d to the table of its class; `next` is the document to prefetch.
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
      store_soon(table_.data() + grouped_.term_at(d, i) * change_.width());
    }
  }

  /// Moves the cells of a class out of the table.
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
    store_soon(change_.cells.values.data() + at * change_.width());
    store_soon(change_.cells.classes.data() + at);
  }

  const GroupedDocuments& grouped_;
  const Documents& docs_;
  Range classes_;
  Change& change_;
  DocumentBlocks blocks_;
  std::vector<int64_t> sums_;  // of the current document
  std::vector<int64_t> totals_, scales_;
  int64_t n_documents_ = 0, n_several_ = 0, n_unlabelled_ = 0;
  Buffer<int64_t> table_;          // per term: a block of the current class
  Buffer<int64_t> places_;         // per term: the number of its cells, later the position of the next one
  Buffer<uint32_t> terms_;         // of each cell, class by class
  Buffer<int64_t> values_;         // a block for each cell
  std::vector<std::size_t> ends_;  // of each class among the cells
};

/// Divides the classes among threads. Sums are integers, so the result does not depend on the number of
/// threads.
class Counting {
 public:
  Counting(const Documents& docs, std::span<const Recipe> recipes, std::size_t n_threads)
      : grouped_(docs), change_(first_plane + recipes.size()) {
    change_.cells.terms = grouped_.terms.distinct;
    change_.classes = grouped_.classes.distinct;
    change_.term_totals.resize(change_.cells.terms.size() * change_.width());
    change_.resize_classes();
    // Multi-label documents would make threads write to the same terms; small batches do not pay for threads.
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

  /// If every document has at most one label, the cells of a term add up to its total over labelled
  /// documents.
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

// A change from arrays that may come from a file, so nothing is trusted. It checks the invariants that every
// tally has after any sequence of learning and forgetting: see Check in tally.hpp.
//
// The arrays may be a mapped file that another process writes to meanwhile, so each number is copied first
// and the copy is checked.

struct StoredTally {
  std::size_t width;
  std::span<const int64_t> starts;           // per term, and the end
  std::span<const ClassId> classes;          // per cell
  std::span<const int64_t> cells;            // a block per cell
  std::span<const int64_t> term_totals;      // a block per term
  std::span<const int64_t> class_documents;  // per class
  std::span<const int64_t> class_scales;     // n_planes per class
  std::span<const int64_t> whole;            // documents, multi-label ones, unlabelled ones; n_planes scales

  std::size_t n_terms() const { return starts.size() - 1; }
  std::size_t n_planes() const { return width - first_plane; }
};

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

class Restore {
 public:
  explicit Restore(const StoredTally& stored) : in_(stored), change_(stored.width) {}

  Change run() {
    check_shapes();
    read_whole();
    read_classes();
    reserve();
    read_terms();
    change_.add_up();
    return std::move(change_);
  }

 private:
  void check_shapes() const {
    require(in_.width >= first_plane && in_.width <= first_plane + most_planes,
            "the number of planes is out of range");
    require(!in_.starts.empty() && in_.starts.front() == 0,
            "the starts of the posting lists do not begin at 0");
    require(in_.n_terms() <= most_terms, "there are too many terms");
    require(in_.class_documents.size() <= most_classes, "there are too many classes");
    require(in_.cells.size() == in_.classes.size() * in_.width, "the sums of the cells are of another size");
    require(in_.term_totals.size() == in_.n_terms() * in_.width, "the sums of the terms are of another size");
    require(in_.class_scales.size() == in_.class_documents.size() * in_.n_planes(),
            "the scales of the classes are of another size");
    require(in_.whole.size() == 3 + in_.n_planes(), "the sums over all documents are of another size");
  }

  void read_whole() {
    const std::vector<int64_t> whole(in_.whole.begin(), in_.whole.end());
    require(std::all_of(whole.begin(), whole.end(), [](int64_t v) { return v >= 0; }), "a sum is negative");
    change_.n_documents = whole[0];
    change_.n_several = whole[1];
    change_.n_unlabelled = whole[2];
    std::copy(whole.begin() + 3, whole.end(), change_.scales.begin());
    require(change_.n_several <= change_.n_documents &&
                change_.n_unlabelled <= change_.n_documents - change_.n_several,
            "more documents have several labels or none than there are");
  }

  void read_classes() {
    change_.classes.resize(in_.class_documents.size());
    std::iota(change_.classes.begin(), change_.classes.end(), 0);
    change_.resize_classes();
    std::copy(in_.class_documents.begin(), in_.class_documents.end(), change_.class_documents.begin());
    std::copy(in_.class_scales.begin(), in_.class_scales.end(), change_.class_scales.begin());
    for (const int64_t n : change_.class_documents) {
      require(n > 0 && n <= change_.n_documents, "a class has no documents, or more than there are");
    }
    for (std::size_t i = 0; i < change_.class_scales.size(); ++i) {
      const int64_t scale = change_.class_scales[i];
      require(scale >= 0 && scale <= change_.scales[i % in_.n_planes()],
              "the scales of a class exceed those of all documents");
    }
    if (change_.n_several == 0) add_up_classes();
  }

  /// Without multi-label documents, a document has one class or none: it never had a label, or its class was
  /// removed.
  void add_up_classes() {
    int64_t rest = change_.n_documents;
    for (const int64_t n : change_.class_documents) {
      require((rest -= n) >= 0, "the documents of the classes do not add up");
    }
    require(rest >= change_.n_unlabelled, "the documents of the classes do not add up");
    all_in_classes_ = rest == 0;
    std::vector<int64_t> scales = change_.scales;
    for (std::size_t i = 0; i < change_.class_scales.size(); ++i) {
      require((scales[i % scales.size()] -= change_.class_scales[i]) >= 0, "the scales do not add up");
    }
    require(!all_in_classes_ || is_zero(scales), "the scales do not add up");
  }

  /// Memory is bounded by the size of the arrays, so a small forged file cannot cause a large allocation.
  void reserve() {
    change_.cells.reserve(in_.n_terms(), in_.classes.size());
    change_.term_totals.reserve(in_.term_totals.size());
  }

  void read_terms() {
    std::size_t first = 0;
    for (std::size_t t = 0; t < in_.n_terms(); ++t) {
      const int64_t start = in_.starts[t + 1];
      require(start >= static_cast<int64_t>(first), "the starts of the posting lists do not ascend");
      const auto last = static_cast<std::size_t>(start);
      require(last <= in_.classes.size(), "the posting lists do not end with the cells");
      read_term(t, first, last);
      first = last;
    }
    require(first == in_.classes.size(), "the posting lists do not end with the cells");
  }

  void read_term(std::size_t t, std::size_t first, std::size_t last) {
    const auto stored = in_.term_totals.subspan(t * in_.width, in_.width);
    total_.assign(stored.begin(), stored.end());
    require(can_be(total_), "the sums of a term contradict each other");
    require(change_.n_documents > 0 || total_[occurrences] == 0, "there is a term, but no document");
    rest_ = total_;
    ClassId before = -1;
    for (std::size_t i = first; i < last; ++i) before = read_cell(i, before);
    require(!all_in_classes_ || is_zero(rest_), "the cells of a term do not add up");
    if (total_[occurrences] == 0) return;
    change_.term_totals.insert(change_.term_totals.end(), total_.begin(), total_.end());
    change_.cells.close(static_cast<TermId>(t));
  }

  /// Returns the class of the cell, which must be higher than that of the previous cell.
  ClassId read_cell(std::size_t i, ClassId before) {
    const ClassId label = in_.classes[i];
    require(label >= 0 && static_cast<std::size_t>(label) < change_.classes.size(), "a cell names no class");
    require(before < label, "the classes of a term do not ascend");
    change_.cells.append(label, in_.cells.data() + i * in_.width);
    const std::span<const int64_t> cell(change_.cells.block(change_.cells.n_cells() - 1), in_.width);
    require(can_be(cell) && cell[occurrences] > 0, "the sums of a cell contradict each other");
    for (std::size_t j = 0; j < in_.width; ++j) require(cell[j] <= total_[j], "a cell exceeds its term");
    if (change_.n_several == 0) subtract(cell);
    return label;
  }

  void subtract(std::span<const int64_t> cell) {
    for (std::size_t j = 0; j < rest_.size(); ++j) {
      require((rest_[j] -= cell[j]) >= 0, "the cells of a term do not add up");
    }
  }

  static bool is_zero(const std::vector<int64_t>& sums) {
    return std::all_of(sums.begin(), sums.end(), [](int64_t v) { return v == 0; });
  }

  const StoredTally& in_;
  Change change_;
  bool all_in_classes_ = false;  // true if each document has exactly one class
  std::vector<int64_t> total_;   // the sums of the current term
  std::vector<int64_t> rest_;    // the sums minus the cells read so far
};

}  // namespace tallytext
