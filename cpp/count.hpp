#pragma once
// Counting: from documents to sparse rows of term counts over one vocabulary, on several threads.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler.hpp"
#include "memory.hpp"
#include "ngrams.hpp"
#include "parallel.hpp"
#include "texts.hpp"
#include "tokenize.hpp"
#include "vocabulary.hpp"

namespace tallytext {

// From the bytes of terms to their ids, in batches, so that a slot of the hash table is in cache when it is
// read.

/// The vocabularies of ids: known terms and, if the vocabulary may grow, new ones.
struct TermSource {
  const Vocabulary* known;  // read by all threads, written by none; can be null
  Vocabulary* fresh;        // of this thread; null if unknown terms are ignored
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

/// The sink at the end of every tokenizer: passes the ids of the terms, in order, to `Take`. A batch may span
/// documents, so that short documents also profit from batching.
template <class Take>
class TermSink {
 public:
  TermSink(TermSource terms, Take& take) : terms_(terms), take_(take) {}

  /// A term without NUL; sixteen bytes from its start are readable.
  void operator()(const char* p, std::size_t size) { push(Key::of_padded(p, size), p, size); }
  /// A term of any bytes.
  void any(const char* p, std::size_t size) { push(Key::of({p, size}), p, size); }
  /// The sink for terms that are not words.
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

  /// Looks up the ids; from here on `ends_` counts ids instead of terms.
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
  std::array<TermId, batch> ids_;            // of the known terms
  std::array<std::size_t, batch + 1> ends_;  // of the documents that ended, and of the pending terms
  std::size_t n_ = 0, n_ends_ = 0;
};

// Documents as rows: distinct terms with counts, or all terms in order.

struct TermCount {
  TermId term;
  int32_t count;
};

/// The destination of the entries of a row.
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

/// Sorts a row by term: a radix sort with one histogram for each digit of the ids, all filled in one pass.
/// Short rows use short digits, because clearing a histogram costs as much as filling it.
class RowSorter {
 public:
  /// Writes the entries sorted by term; the row itself is left unsorted.
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

  /// For each value of each digit, the position of its first entry.
  void find_places(std::span<const TermCount> row) {
    for (int digit = 0; digit < n_digits_; ++digit) {
      const std::span<uint32_t> places = histogram(digit);
      std::fill(places.begin(), places.end(), 0);
    }
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

/// Marks of the terms of the current document, for one thread. They outlive a batch, because clearing a mark
/// for each term of a large vocabulary would take longer than counting a single document.
struct TermMarks {
  // For each term: in the upper half the last document that has it, in the lower half its position there.
  Buffer<uint64_t> marks = Buffer<uint64_t>(1024, 0);
  uint64_t document = 1;

  static TermMarks& of_thread() {
    thread_local TermMarks marks;
    return marks;
  }

  void next_document() {
    if (++document >> 32 == 0) return;
    std::fill(marks.begin(), marks.end(), 0);
    document = 1;
  }
  void release_if_large() {
    constexpr std::size_t large = std::size_t{1} << 23;
    if (marks.size() > large) *this = {};
  }
};

/// Rows of distinct terms with their counts, in order of first appearance.
class CountRows {
 public:
  bool ids_are_final = true;
  Buffer<uint64_t> ends;  // the end of each row
  Buffer<TermId> terms;   // the rows, if ids are final
  Buffer<int64_t> counts;
  Buffer<TermCount> entries;  // the rows, if they are renumbered later

  /// Called by the thread that counts, before the first document.
  void reserve(std::size_t n) {
    marks_ = &TermMarks::of_thread();
    marks_->next_document();
    if (!ids_are_final) return entries.reserve(n);
    terms.reserve(n);
    counts.reserve(n);
  }
  void prefetch(TermId id) const { store_soon(marks_->marks.data() + id); }

  void operator()(std::span<const TermId> ids) {
    make_room(ids);
    std::size_t size = size_;
    uint64_t* marks = marks_->marks.data();
    const uint64_t document = marks_->document;
    for (const TermId id : ids) {
      // Branch prediction fails on whether a term is new to the row, so there is no branch: an entry is
      // always written after the last one, and counts only if the term is new.
      uint64_t& mark = marks[static_cast<std::size_t>(id)];
      const bool is_new = mark >> 32 != document;
      const uint32_t at = static_cast<uint32_t>(is_new ? size : mark);
      mark = document << 32 | at;
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
    marks_->next_document();
    size_ = 0;
  }

  void forget_marks() {
    marks_->release_if_large();
    row_ = {};
  }

 private:
  /// Reserves room for all of `ids` as new entries, the entry after them, and their marks.
  void make_room(std::span<const TermId> ids) {
    if (row_.size() <= size_ + ids.size()) row_.resize(2 * row_.size() + ids.size() + 1);
    TermId last = 0;
    for (const TermId id : ids) last = std::max(last, id);
    const auto n_marks = static_cast<std::size_t>(last) + 1;
    Buffer<uint64_t>& marks = marks_->marks;
    if (n_marks > marks.size()) marks.resize(std::max(n_marks, 2 * marks.size()), 0);
  }

  TermMarks* marks_ = nullptr;
  Buffer<TermCount> row_;  // of the current document
  std::size_t size_ = 0;
};

/// Rows of all terms in order, with repetitions.
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

// Sources of terms: texts, tokens made in Python, or ids with their analysed terms.

// Counts within a document are 32-bit: no count in a document of this size can overflow.
constexpr std::size_t longest_document = (std::size_t{1} << 31) - 1;

/// Texts with the tokenizer of one thread.
template <class Cutter>
class TextSource {
 public:
  template <class Rules>
  TextSource(const Texts& texts, const Rules& rules) : texts_(texts), cutter_(rules) {}

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) {
    const std::string_view text = texts_.utf8(document, scratch_);
    if (text.size() > longest_document) {
      throw std::length_error("document " + std::to_string(document) + " has more than 2 GiB of text");
    }
    cutter_(text, sink);
  }

 private:
  const Texts& texts_;
  Cutter cutter_;
  std::string scratch_;
};

/// Tokens of many documents, concatenated.
struct TokenLists {
  std::vector<char> bytes;
  std::vector<uint64_t> token_ends;
  std::vector<uint64_t> document_ends;  // in tokens

  std::size_t size() const { return document_ends.size(); }
  uint64_t weight(std::size_t i) const { return document_ends[i] - (i ? document_ends[i - 1] : 0); }

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) const {
    for (std::size_t t = document ? document_ends[document - 1] : 0; t < document_ends[document]; ++t) {
      const uint64_t begin = t ? token_ends[t - 1] : 0;
      sink.any(bytes.data() + begin, token_ends[t] - begin);
    }
  }
};

/// Documents as ids of raw terms, with the analysed term of each, -1 if it is dropped. If some terms are
/// marked as character n-grams, the words of a document come first.
struct AnalysedStreams {
  std::span<const TermId> ids;
  std::span<const int64_t> starts;  // of each document, and the end of the last one
  std::span<const TermId> analysed_of;
  const Vocabulary& analysed;
  bool marked = false;

  std::size_t size() const { return starts.size() - 1; }
  uint64_t weight(std::size_t i) const { return static_cast<uint64_t>(starts[i + 1] - starts[i]); }

  template <class Sink>
  void operator()(std::size_t document, Sink& sink) const {
    const int64_t end = starts[document + 1];
    const int64_t words_end = put_out(starts[document], end, sink, marked);
    if (marked) put_out(words_end, end, sink.past_words(), false);
  }

 private:
  /// Passes the terms from `t` on to the sink, optionally up to the first marked one.
  template <class Sink>
  int64_t put_out(int64_t t, int64_t end, Sink& sink, bool up_to_mark) const {
    for (; t < end; ++t) {
      const TermId id = analysed_of[static_cast<std::size_t>(ids[static_cast<std::size_t>(t)])];
      if (id < 0) continue;
      const std::string_view term = analysed.term(id);
      if (up_to_mark && term.starts_with(char_mark)) break;
      sink.any(term.data(), term.size());
    }
    return t;
  }
};

// From documents to rows over one vocabulary, on several threads.
//
// Each thread counts a contiguous share of the documents and numbers the new terms of its share. Then the
// shares are renumbered in order, so that every term has the id that a single thread would have assigned.

struct NgramRange {
  std::size_t shortest = 1, longest = 1;
  bool single() const { return shortest == 1 && longest == 1; }
};

/// The share of the documents of one thread: its rows and its new terms.
template <class Rows>
struct Share {
  Range documents;
  Vocabulary fresh;
  TermId base = 0;            // ids of known terms are below, ids of new ones from here on
  std::vector<TermId> moved;  // the final ids of the new terms; empty if they did not change
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

/// Assigns ids in `vocabulary` to the new terms of every share, in order of the documents.
template <class Rows>
void number_on(Shares<Rows>& all, Vocabulary& vocabulary) {
  for (auto& share : all) {
    if (vocabulary.size() == 0) {
      vocabulary = std::move(share->fresh);  // the ids of the first share are final
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

/// Contiguous shares of the documents, of about equal weight, each large enough to pay for a thread.
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

/// Fills every share from terms(share), each on its own thread with its own source.
template <class Rows, class MakeSource, class Weight, class Terms>
void fill_shares(Shares<Rows>& all, MakeSource make_source, Weight weight, NgramRange ngrams, Terms terms) {
  in_parallel(all.size(), [&](std::size_t i) {
    Share<Rows>& share = *all[i];
    // Reserves one entry per few bytes of text, which is more than most texts need: untouched memory costs
    // nothing.
    share.rows.reserve(total_weight(share.documents, weight) / 4);
    auto source = make_source();
    fill_rows(source, share.documents, terms(share), ngrams, share.rows);
    share.rows.forget_marks();
  });
}

/// The rows of all documents over the known terms of the vocabulary. `make_source()` returns a source for
/// each thread; `weight(i)` is the size of document i.
template <class Rows, class MakeSource, class Weight>
void fill_known(Shares<Rows>& all, MakeSource make_source, Weight weight, const Vocabulary& vocabulary,
                NgramRange ngrams) {
  fill_shares(all, make_source, weight, ngrams,
              [&](Share<Rows>&) { return TermSource{&vocabulary, nullptr, 0}; });
}

/// The same, but new terms are added to the vocabulary.
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

/// Writes the rows of a share with final ids to their position in the result. With ranks, the ranks are the
/// ids, and every row is sorted.
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

/// Concatenates the shares: the arrays of the first are extended, and the rows of the others appended. With
/// ranks, the ids of no share are final.
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

/// Concatenates shares of terms in order.
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
