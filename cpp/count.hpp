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
#include "word_ngrams.hpp"

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
  std::vector<TermId> moved;  // where the fresh terms went; empty where they stayed
  Rows rows;

  TermId moved_id(TermId id) const {
    return id < base || moved.empty() ? id : moved[static_cast<std::size_t>(id - base)];
  }
};

template <class Rows>
using Shares = std::vector<std::unique_ptr<Share<Rows>>>;

template <class Source, class Sink>
void feed(Source& source, Range documents, Sink& sink) {
  for (std::size_t i = documents.begin; i < documents.end; ++i) {
    source(i, sink);
    sink.end_document();
  }
}

template <class Rows, class Source>
void fill_rows(Source& source, Range documents, TermSource terms, NgramRange ngrams, Rows& rows) {
  TermSink<Rows> sink(terms, rows);
  WordNgrams<TermSink<Rows>> joined(ngrams.shortest, ngrams.longest, sink);
  ngrams.single() ? feed(source, documents, sink) : feed(source, documents, joined);
  sink.flush();
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

/// Contiguous shares of the documents, of about equal weight, none too small to be worth a thread.
template <class Rows, class Weight>
Shares<Rows> shared_out(std::size_t n_documents, Weight weight, std::size_t n_threads) {
  constexpr std::size_t worth_a_thread = 1 << 16;
  const std::size_t useful = 1 + total_weight({0, n_documents}, weight) / worth_a_thread;
  Shares<Rows> all;
  for (const Range& range : shares(n_documents, std::min(n_threads, useful), weight)) {
    all.push_back(std::make_unique<Share<Rows>>());
    all.back()->documents = range;
  }
  return all;
}

/// Fills every share, each by a thread of its own, with a source of its own, from terms(share).
template <class Rows, class MakeSource, class Weight, class Terms>
void fill_shares(Shares<Rows>& all, MakeSource make_source, Weight weight, NgramRange ngrams, Terms terms) {
  in_parallel(all.size(), [&](std::size_t i) {
    Share<Rows>& share = *all[i];
    // Room for one entry in a few bytes, which is more than most need: what is never touched costs nothing.
    share.rows.reserve(total_weight(share.documents, weight) / 4);
    auto source = make_source();
    fill_rows(source, share.documents, terms(share), ngrams, share.rows);
    share.rows.forget_marks();
  });
}

/// The rows of all documents over the terms that the vocabulary knows. `make_source()` gives each thread a
/// source of its own; `weight(i)` is the size of document i.
template <class Rows, class MakeSource, class Weight>
void fill_known(Shares<Rows>& all, MakeSource make_source, Weight weight, const Vocabulary& vocabulary,
                NgramRange ngrams) {
  fill_shares(all, make_source, weight, ngrams,
              [&](Share<Rows>&) { return TermSource{&vocabulary, nullptr, 0}; });
}

/// The same, with all new terms added to the vocabulary.
template <class Rows, class MakeSource, class Weight>
void fill_growing(Shares<Rows>& all, MakeSource make_source, Weight weight, Vocabulary& vocabulary,
                  NgramRange ngrams) {
  if (all.size() == 1) {  // a single thread may write what it reads
    return fill_shares(all, make_source, weight, ngrams,
                       [&](Share<Rows>&) { return TermSource{nullptr, &vocabulary, 0}; });
  }
  const Vocabulary* known = vocabulary.size() ? &vocabulary : nullptr;
  fill_shares(all, make_source, weight, ngrams, [&](Share<Rows>& share) {
    share.base = static_cast<TermId>(vocabulary.size());
    return TermSource{known, &share.fresh, share.base};
  });
  number_on(all, vocabulary);
}

/// Rows as arrays: row i is [starts[i], starts[i + 1]) of terms and counts.
struct Csr {
  Buffer<int64_t> starts;
  Buffer<TermId> terms;
  Buffer<int64_t> counts;
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
inline std::vector<TermId> ranks(Vocabulary& vocabulary) {
  std::vector<TermId> rank(vocabulary.size());
  TermId next = 0;
  for (const TermId id : vocabulary.sort()) rank[static_cast<std::size_t>(id)] = next++;
  return rank;
}

/// Writes the rows of one share whose ids are not final to where they belong. With ranks its terms are
/// numbered by them, and every row is sorted.
inline void finish_rows(Share<CountRows>& share, const std::vector<TermId>& rank, std::size_t n_threads,
                        Csr& csr) {
  const int64_t* starts = csr.starts.data() + share.documents.begin;
  auto length = [starts](std::size_t i) { return static_cast<std::size_t>(starts[i + 1] - starts[i]); };
  const auto parts = shares(share.documents.end - share.documents.begin, n_threads, length);
  in_parallel(parts.size(), [&](std::size_t part) {
    RowSorter write_sorted;
    for (std::size_t i = parts[part].begin; i < parts[part].end; ++i) {
      const std::span<TermCount> row(share.rows.entries.data() + share.rows.ends[i] - length(i), length(i));
      const RowTarget target{csr.terms.data() + starts[i], csr.counts.data() + starts[i]};
      for (TermCount& entry : row) entry.term = share.moved_id(entry.term);
      if (rank.empty()) {
        target.write(row);
      } else {
        for (TermCount& entry : row) entry.term = rank[static_cast<std::size_t>(entry.term)];
        write_sorted(row, target);
      }
    }
  });
}

/// Gathers the shares: the first one's arrays are drawn out, and the others' rows are laid behind. With
/// ranks, no share's ids were final.
inline Csr gather(Shares<CountRows>& all, const std::vector<TermId>& rank) {
  Csr csr{row_starts(all), {}, {}};
  if (all.empty()) return csr;
  csr.terms = std::move(all[0]->rows.terms);
  csr.counts = std::move(all[0]->rows.counts);
  csr.terms.resize(static_cast<std::size_t>(csr.starts.back()));
  csr.counts.resize(csr.terms.size());
  for (auto& share : all) {
    const int64_t at = csr.starts[share->documents.begin];
    if (!share->rows.ids_are_final) {
      finish_rows(*share, rank, all.size(), csr);
    } else if (share != all.front()) {
      std::copy(share->rows.terms.begin(), share->rows.terms.end(), csr.terms.begin() + at);
      std::copy(share->rows.counts.begin(), share->rows.counts.end(), csr.counts.begin() + at);
    }
    share->rows = {};
  }
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
