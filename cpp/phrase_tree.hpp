#pragma once
// Phrases as a tree of words, and where they are found in documents.
#include <span>
#include <stdexcept>
#include <vector>

#include "count.hpp"
#include "word_streams.hpp"

namespace tallytext {

/// The longest of some phrases that begins at a place; of no words if none does.
struct PhraseMatch {
  WordId phrase = -1;
  std::size_t length = 0;
};

class PhraseTree {
 public:
  /// Phrase p is [starts[p], starts[p + 1]) of the words, not empty, and no phrase comes twice.
  PhraseTree(std::span<const int64_t> starts, std::span<const WordId> words, std::size_t n_words)
      : first_(n_words, none), n_phrases_(starts.size() - 1) {
    for (std::size_t p = 0; p < n_phrases_; ++p) {
      const auto begin = static_cast<std::size_t>(starts[p]), end = static_cast<std::size_t>(starts[p + 1]);
      add(words.subspan(begin, end - begin), static_cast<WordId>(p));
    }
  }

  std::size_t size() const { return n_phrases_; }
  std::size_t n_words() const { return first_.size(); }

  /// take(phrase, length) for every phrase that begins at the start of some words, the shortest first.
  template <class Take>
  void for_each_prefix(std::span<const WordId> words, Take take) const {
    Node node = words[0] < 0 ? none : first_[static_cast<std::size_t>(words[0])];
    for (std::size_t n = 1; node != none; ++n) {
      const WordId phrase = phrases_[static_cast<std::size_t>(node)];
      if (phrase >= 0) take(phrase, n);
      if (n == words.size() || words[n] < 0) return;
      node = next_[slot_of(node, words[n])].to;
    }
  }

  PhraseMatch longest(std::span<const WordId> words) const {
    PhraseMatch match;
    for_each_prefix(words, [&](WordId phrase, std::size_t length) { match = {phrase, length}; });
    return match;
  }

 private:
  using Node = int32_t;
  static constexpr Node none = -1;
  struct Step {
    Node from, to;
    WordId word;
  };
  static constexpr Step no_step{none, none, -1};

  void add(std::span<const WordId> words, WordId phrase) {
    Node& first = first_[static_cast<std::size_t>(words[0])];
    if (first == none) first = new_node();
    Node node = first;
    for (const WordId word : words.subspan(1)) node = step_on(node, word);
    WordId& here = phrases_[static_cast<std::size_t>(node)];
    if (here >= 0) throw std::invalid_argument("a phrase comes twice");
    here = phrase;
  }

  Node new_node() {
    phrases_.push_back(-1);
    return static_cast<Node>(phrases_.size() - 1);
  }

  Node step_on(Node node, WordId word) {
    const std::size_t at = slot_of(node, word);
    if (next_[at].to != none) return next_[at].to;
    const Node to = new_node();
    next_[at] = {node, to, word};
    if (++n_steps_ * 2 > next_.size()) grow();
    return to;
  }

  std::size_t slot_of(Node node, WordId word) const {
    uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(word);
    key *= 0x9E3779B97F4A7C15ull;
    const std::size_t mask = next_.size() - 1;
    std::size_t at = (key ^ key >> 32) & mask;
    while (next_[at].to != none && (next_[at].from != node || next_[at].word != word)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    Buffer<Step> old(2 * next_.size(), no_step);
    old.swap(next_);
    for (const Step& step : old) {
      if (step.to != none) next_[slot_of(step.from, step.word)] = step;
    }
  }

  Buffer<Node> first_;      // for each word the node that it leads to from the root
  Buffer<WordId> phrases_;  // for each node the phrase that ends there, or -1
  Buffer<Step> next_ = Buffer<Step>(1024, no_step);
  std::size_t n_steps_ = 0, n_phrases_;
};

/// take(match) for what is found in a document from left to right, the longest phrase first, none that
/// overlaps; and skip(word) for every word between.
template <class Take, class Skip>
void for_each_match(const PhraseTree& tree, std::span<const WordId> words, Take take, Skip skip) {
  for (std::size_t at = 0; at < words.size();) {
    const PhraseMatch match = tree.longest(words.subspan(at));
    match.length ? take(match) : skip(words[at]);
    at += std::max<std::size_t>(match.length, 1);
  }
}

template <class Rows, class Fill>
Shares<Rows> fill_documents(const WordStreams& streams, std::size_t n_threads, Fill fill) {
  auto all = shared_out<Rows>(streams.size(), [&](std::size_t d) { return streams.weight(d); }, n_threads);
  in_parallel(all.size(), [&](std::size_t i) {
    Share<Rows>& share = *all[i];
    std::vector<TermId> found;
    for (std::size_t d = share.documents.begin; d < share.documents.end; ++d) {
      found.clear();
      fill(streams.document(d), found);
      share.rows(found);
      share.rows.end_document();
    }
    share.rows.forget_marks();
  });
  return all;
}

/// The phrases of each document with their counts; phrase p is counted in column columns[p].
inline Csr count_phrases(const PhraseTree& tree, const WordStreams& streams, std::span<const TermId> columns,
                         std::size_t n_threads) {
  auto all = fill_documents<CountRows>(streams, n_threads, [&](std::span<const WordId> words, auto& found) {
    const auto take = [&](const PhraseMatch& match) {
      found.push_back(columns[static_cast<std::size_t>(match.phrase)]);
    };
    for_each_match(tree, words, take, [](WordId) {});
  });
  return gather(all, {});
}

/// The documents with every phrase p in the place of its words, as word n_words + p.
inline Csr join_phrases(const PhraseTree& tree, const WordStreams& streams, std::size_t n_threads) {
  const auto base = static_cast<WordId>(tree.n_words());
  auto all = fill_documents<TermRows>(streams, n_threads, [&](std::span<const WordId> words, auto& found) {
    const auto take = [&](const PhraseMatch& match) { found.push_back(base + match.phrase); };
    for_each_match(tree, words, take, [&](WordId word) { found.push_back(word); });
  });
  return gather(all);
}

/// How often each phrase stands in the documents, inside longer ones and across others too.
inline std::vector<int64_t> count_occurrences(const PhraseTree& tree, const WordStreams& streams,
                                              std::size_t n_threads) {
  const auto weight = [&](std::size_t d) { return streams.weight(d); };
  const auto parts = shares(streams.size(), useful_threads(n_threads, streams.words.size()), weight);
  std::vector<std::vector<int64_t>> counts(parts.size(), std::vector<int64_t>(tree.size()));
  in_parallel(parts.size(), [&](std::size_t i) {
    for (std::size_t d = parts[i].begin; d < parts[i].end; ++d) {
      const auto words = streams.document(d);
      for (std::size_t at = 0; at < words.size(); ++at) {
        tree.for_each_prefix(words.subspan(at), [&](WordId phrase, std::size_t) {
          ++counts[i][static_cast<std::size_t>(phrase)];
        });
      }
    }
  });
  std::vector<int64_t> total(tree.size());
  for (const auto& part : counts) {
    std::transform(part.begin(), part.end(), total.begin(), total.begin(), std::plus<>());
  }
  return total;
}

}  // namespace tallytext
