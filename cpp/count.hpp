#pragma once
// Documents to rows over one vocabulary, in as many threads as asked for.
//
// Each thread takes a contiguous share of the documents and numbers the terms it is first to see by itself.
// Afterwards the shares are numbered on in order, which gives every term the id it would have got from one
// thread.
#include <memory>
#include <vector>

#include "join.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "rows.hpp"
#include "terms.hpp"

namespace tallytext {

struct NgramRange {
  std::size_t shortest = 1, longest = 1;
  bool single() const { return shortest == 1 && longest == 1; }
};

/// One thread's share of the documents: its rows, and the terms that were new to it.
template <class Rows>
struct Share {
  Range documents;
  Vocabulary fresh;
  TermId base = 0;            // rows hold known ids below, and fresh ones from here on
  std::vector<TermId> moved;  // where the fresh terms went; empty where they went nowhere
  Rows rows;

  TermId moved_id(TermId id) const {
    return id < base || moved.empty() ? id : moved[static_cast<std::size_t>(id - base)];
  }
};

template <class Rows>
using Shares = std::vector<std::unique_ptr<Share<Rows>>>;

template <class Rows, class Source>
void fill_rows(Source& source, Range documents, TermSource terms, NgramRange ngrams, Rows& rows) {
  TermSink<Rows> sink(terms, rows);
  if (ngrams.single()) {
    for (std::size_t i = documents.begin; i < documents.end; ++i) {
      source(i, sink);
      rows.end_document();
    }
    return;
  }
  WordNgrams<TermSink<Rows>> joined(ngrams.shortest, ngrams.longest, sink);
  for (std::size_t i = documents.begin; i < documents.end; ++i) {
    source(i, joined);
    joined.end_document();
    rows.end_document();
  }
}

/// Gives the fresh terms of every share their ids in `vocabulary`, in order of the documents.
template <class Rows>
void number_on(Shares<Rows>& all, Vocabulary& vocabulary) {
  for (auto& share : all) {
    if (vocabulary.size() == 0) {
      vocabulary = std::move(share->fresh);  // the first share's numbering stands
    } else {
      share->moved = join(vocabulary, share->fresh);
    }
    share->fresh = Vocabulary();
  }
}

template <class Weight>
std::size_t total_weight(Range documents, Weight weight) {
  uint64_t total = 0;
  for (std::size_t i = documents.begin; i < documents.end; ++i) total += weight(i);
  return static_cast<std::size_t>(total);
}

/// Terms to make room for before so many bytes are counted: about as many as English text has, up to a limit,
/// beyond which the table had better grow with its terms.
inline std::size_t expected_terms(std::size_t bytes) { return std::min<std::size_t>(bytes / 256, 1 << 17); }

/// Contiguous shares of the documents, of about equal weight, none too small to be worth a thread.
template <class Rows, class Weight>
Shares<Rows> shared_out(std::size_t n_documents, Weight weight, std::size_t n_threads) {
  constexpr std::size_t worth_a_thread = 1 << 16;
  const std::size_t useful = 1 + total_weight({0, n_documents}, weight) / worth_a_thread;
  Shares<Rows> all;
  for (const Range& range : shares(n_documents, std::min(n_threads, useful), weight)) {
    all.push_back(std::make_unique<Share<Rows>>());
    all.back()->documents = range;
    all.back()->rows.reserve(total_weight(range, weight) / 12);  // about one entry in a dozen bytes
  }
  return all;
}

/// Fills every share, each by a thread of its own, with a source of its own, from terms(share).
template <class Rows, class MakeSource, class Terms>
void fill_shares(Shares<Rows>& all, MakeSource make_source, NgramRange ngrams, Terms terms) {
  in_parallel(all.size(), [&](std::size_t i) {
    auto source = make_source();
    fill_rows(source, all[i]->documents, terms(*all[i]), ngrams, all[i]->rows);
    all[i]->rows.forget_marks();
  });
}

/// The rows of all documents over the terms that the vocabulary knows. `make_source()` gives each thread a
/// source of its own; `weight(i)` is the size of document i.
template <class Rows, class MakeSource, class Weight>
Shares<Rows> known_rows(std::size_t n_documents, MakeSource make_source, Weight weight,
                        const Vocabulary& vocabulary, NgramRange ngrams, std::size_t n_threads) {
  auto all = shared_out<Rows>(n_documents, weight, n_threads);
  fill_shares(all, make_source, ngrams, [&](Share<Rows>&) { return TermSource{&vocabulary, nullptr, 0}; });
  return all;
}

/// The same, with all new terms added to the vocabulary.
template <class Rows, class MakeSource, class Weight>
Shares<Rows> grown_rows(std::size_t n_documents, MakeSource make_source, Weight weight,
                        Vocabulary& vocabulary, NgramRange ngrams, std::size_t n_threads) {
  auto all = shared_out<Rows>(n_documents, weight, n_threads);
  if (all.size() == 1) {  // a single thread may write what it reads
    vocabulary.reserve(vocabulary.size() + expected_terms(total_weight({0, n_documents}, weight)));
    fill_shares(all, make_source, ngrams, [&](Share<Rows>&) { return TermSource{nullptr, &vocabulary, 0}; });
    return all;
  }
  const Vocabulary* known = vocabulary.size() ? &vocabulary : nullptr;
  fill_shares(all, make_source, ngrams, [&](Share<Rows>& share) {
    share.base = static_cast<TermId>(vocabulary.size());
    share.fresh.reserve(expected_terms(total_weight(share.documents, weight)));
    return TermSource{known, &share.fresh, share.base};
  });
  number_on(all, vocabulary);
  return all;
}

/// Rows as arrays: row i is [starts[i], starts[i + 1]) of terms and counts.
struct Csr {
  Buffer<int64_t> starts;
  Buffer<TermId> terms;
  Buffer<int64_t> counts;
};

/// Counts that are 32 bits wide while the rows they come from take up memory too, and then 64, in place.
class WideningCounts {
 public:
  explicit WideningCounts(std::size_t n) : counts_(n) {}

  int32_t* narrow() { return reinterpret_cast<int32_t*>(counts_.data()); }

  Buffer<int64_t> widen() {
    auto* bytes = reinterpret_cast<char*>(counts_.data());
    for (std::size_t i = counts_.size(); i-- > 0;) {  // from behind, since wide ones overtake narrow ones
      int32_t count;
      std::memcpy(&count, bytes + i * sizeof count, sizeof count);
      const int64_t wide = count;
      std::memcpy(bytes + i * sizeof wide, &wide, sizeof wide);
    }
    return std::move(counts_);
  }

 private:
  Buffer<int64_t> counts_;
};

template <class Rows>
Buffer<int64_t> row_starts(const Shares<Rows>& all) {
  Buffer<int64_t> starts((all.empty() ? 0 : all.back()->documents.end) + 1);
  int64_t offset = 0;
  std::size_t row = 0;
  starts[row++] = 0;
  for (const auto& share : all) {
    for (const uint64_t end : share->rows.ends) starts[row++] = offset + static_cast<int64_t>(end);
    offset = starts[row - 1];
  }
  return starts;
}

/// The rank of each term among all, by code points.
inline std::vector<TermId> ranks(const Vocabulary& vocabulary) {
  std::vector<TermId> rank(vocabulary.size());
  TermId next = 0;
  for (const TermId id : vocabulary.sorted()) rank[static_cast<std::size_t>(id)] = next++;
  return rank;
}

/// Gathers the shares, with terms renumbered and every row in order of its terms. With `rank` the terms are
/// numbered by their rank.
inline Csr gather(Shares<CountRows>& all, std::size_t n_terms, const std::vector<TermId>& rank = {}) {
  Csr csr{row_starts(all), {}, {}};
  csr.terms.resize(static_cast<std::size_t>(csr.starts.back()));
  WideningCounts counts(csr.terms.size());
  in_parallel(all.size(), [&](std::size_t i) {
    Share<CountRows>& share = *all[i];
    for (TermCount& entry : share.rows.entries()) {
      entry.term = share.moved_id(entry.term);
      if (!rank.empty()) entry.term = rank[static_cast<std::size_t>(entry.term)];
    }
    RowSorter sort(n_terms);
    TermCount* entries = share.rows.entries().data();
    for (std::size_t row = share.documents.begin; row < share.documents.end; ++row) {
      const auto at = static_cast<std::size_t>(csr.starts[row]);
      const auto n = static_cast<std::size_t>(csr.starts[row + 1]) - at;
      sort(entries, n, csr.terms.data() + at, counts.narrow() + at);
      entries += n;
    }
    share.rows = {};
  });
  csr.counts = counts.widen();
  return csr;
}

/// Gathers shares of terms in order.
inline Csr gather(Shares<TermRows>& all) {
  Csr csr{row_starts(all), {}, {}};
  csr.terms.resize(static_cast<std::size_t>(csr.starts.back()));
  TermId* out = csr.terms.data();
  for (auto& share : all) {
    for (const TermId id : share->rows.terms) *out++ = share->moved_id(id);
  }
  return csr;
}

}  // namespace tallytext
