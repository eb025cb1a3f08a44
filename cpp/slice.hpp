#pragma once
// Slices of a tally, which models read: columns of some or all terms, and the sums over classes.
#include <span>

#include "compiler.hpp"
#include "memory.hpp"
#include "tally.hpp"

namespace tallytext {

/// A consistent copy. Arrays by column have one row for each of `columns`; scales are zero for columns that
/// are not planes.
struct TallySlice {
  std::vector<std::size_t> columns;
  Buffer<int64_t> starts;  // per requested term, and the end
  Buffer<ClassId> classes;
  Buffer<int64_t> values;     // by column, per cell
  Buffer<int64_t> documents;  // per cell
  Buffer<int64_t> term_totals;
  Buffer<int64_t> term_documents;
  std::vector<int64_t> class_totals, class_scales;  // by column, per class
  std::vector<int64_t> class_documents, class_terms, class_document_terms;
  std::vector<int64_t> totals, scales;  // by column
  int64_t n_documents = 0, n_live_terms = 0, n_document_terms = 0, n_tokens = 0;
  int64_t n_several = 0, n_unlabelled = 0, version = 0;

  std::size_t n_terms() const { return starts.size() - 1; }
  std::size_t n_cells() const { return classes.size(); }
  std::size_t n_classes() const { return class_documents.size(); }
};

/// Takes time in proportion to the requested cells and the classes. An unknown term has no cells.
class Slicing {
 public:
  Slicing(const Tally& tally, std::span<const std::size_t> columns) : tally_(tally), cells_(tally.cells()) {
    out_.columns.assign(columns.begin(), columns.end());
  }

  TallySlice all() {
    const auto same = [](std::size_t i) { return static_cast<TermId>(i); };
    read_terms(tally_.n_terms(), same);
    if (cells_.n_delta() == 0) {
      copy_base(0, out_.n_cells(), 0);
    } else {
      read_cells(same);
    }
    return finished();
  }

  TallySlice of(std::span<const TermId> terms) {
    const auto asked = [terms](std::size_t i) { return terms[i]; };
    read_terms(terms.size(), asked);
    read_cells(asked);
    return finished();
  }

 private:
  static constexpr std::size_t ahead = 8;

  bool holds(TermId term) const { return term >= 0 && static_cast<std::size_t>(term) < tally_.n_terms(); }

  template <class TermOf>
  void read_terms(std::size_t n, TermOf term_of) {
    out_.starts.resize(n + 1);
    out_.starts[0] = 0;
    out_.term_totals.resize(out_.columns.size() * n);
    out_.term_documents.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n && holds(term_of(i + ahead))) prefetch(term_of(i + ahead));
      const TermId term = term_of(i);
      const int64_t* block = holds(term) ? tally_.term_block(term) : nullptr;
      for (std::size_t j = 0; j < out_.columns.size(); ++j) {
        out_.term_totals[j * n + i] = block ? block[out_.columns[j]] : 0;
      }
      out_.term_documents[i] = block ? block[documents] : 0;
      out_.starts[i + 1] = out_.starts[i] + (block ? cells_.n_classes_of(term) : 0);
    }
    const auto n_cells = static_cast<std::size_t>(out_.starts[n]);
    out_.classes.resize(n_cells);
    out_.values.resize(out_.columns.size() * n_cells);
    out_.documents.resize(n_cells);
  }

  void prefetch(TermId term) const {
    load_soon(tally_.term_block(term));
    cells_.prefetch_term(term);
  }

  template <class TermOf>
  void read_cells(TermOf term_of) {
    const std::size_t n = out_.n_terms();
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n && holds(term_of(i + ahead))) cells_.base().prefetch_cells(term_of(i + ahead));
      if (holds(term_of(i))) read_posting(term_of(i), static_cast<std::size_t>(out_.starts[i]));
    }
  }

  void read_posting(TermId term, std::size_t at) {
    if (!cells_.has_changed(term)) {
      return copy_base(cells_.base().begin(term), cells_.base().end(term), at);
    }
    cells_.visit_posting(term, rows_, [&](ClassId label, const int64_t* base, const int64_t* delta) {
      const auto sum = [=](std::size_t j) { return (base ? base[j] : 0) + (delta ? delta[j] : 0); };
      out_.classes[at] = label;
      out_.documents[at] = sum(documents);
      for (std::size_t j = 0; j < out_.columns.size(); ++j) {
        out_.values[j * out_.n_cells() + at] = sum(out_.columns[j]);
      }
      ++at;
    });
  }

  void copy_base(std::size_t first, std::size_t last, std::size_t at) {
    const Base& base = cells_.base();
    std::copy_n(base.classes.data() + first, last - first, out_.classes.data() + at);
    copy_column(first, last, documents, out_.documents.data() + at);
    for (std::size_t j = 0; j < out_.columns.size(); ++j) {
      copy_column(first, last, out_.columns[j], out_.values.data() + j * out_.n_cells() + at);
    }
  }

  void copy_column(std::size_t first, std::size_t last, std::size_t column, int64_t* into) const {
    const Base& base = cells_.base();
    const int64_t* from = base.values.data() + first * base.width + column;
    for (std::size_t i = 0; i < last - first; ++i) into[i] = from[i * base.width];
  }

  TallySlice finished() {
    read_classes();
    for (const std::size_t column : out_.columns) {
      out_.totals.push_back(tally_.totals()[column]);
      out_.scales.push_back(column < first_plane ? 0 : tally_.scales()[column - first_plane]);
    }
    out_.n_documents = tally_.n_documents();
    out_.n_live_terms = tally_.n_live_terms();
    out_.n_document_terms = tally_.totals()[documents];
    out_.n_tokens = tally_.totals()[occurrences];
    out_.n_several = tally_.n_several();
    out_.n_unlabelled = tally_.n_unlabelled();
    out_.version = tally_.version();
    return std::move(out_);
  }

  void read_classes() {
    const std::size_t n = tally_.n_classes(), k = tally_.n_planes();
    const auto block = [this](std::size_t c) { return tally_.class_block(static_cast<ClassId>(c)); };
    out_.class_documents = tally_.class_documents();
    out_.class_terms = tally_.class_terms();
    for (std::size_t c = 0; c < n; ++c) out_.class_document_terms.push_back(block(c)[documents]);
    for (const std::size_t column : out_.columns) {
      for (std::size_t c = 0; c < n; ++c) {
        out_.class_totals.push_back(block(c)[column]);
        out_.class_scales.push_back(
            column < first_plane ? 0 : tally_.class_scales()[c * k + column - first_plane]);
      }
    }
  }

  const Tally& tally_;
  const Cells& cells_;
  TallySlice out_;
  std::vector<int32_t> rows_;  // rows of the delta of the current term
};

}  // namespace tallytext
