"""Phrases of up to four words, by joining neighbours that belong together, twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import count_word_pairs
from tallytext.semantic.matching import tree_of
from tallytext.semantic.scores import gensim_score, log_likelihood, npmi
from tallytext.semantic.streams import WordStreams, mapped

#: Phrases as tuples of words (their places in the names of the streams), each with its score.
Found: TypeAlias = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class PairCounts:
    """Counts of pairs, of the words in them, and of all words; ``n_distinct`` words and pairs."""

    together: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    total: int
    n_distinct: int
    min_count: int


@dataclass(frozen=True)
class PairMethod:
    """A score of pairs, and the least one that makes a phrase of them."""

    score: Callable[[PairCounts], NDArray[np.float64]]
    threshold: float
    strict: bool = False  # whether the threshold itself is too little
    counts_all: bool = False  # whether the score depends on pairs that are too rare


METHODS = {
    "npmi": PairMethod(lambda n: npmi(n.together, n.first, n.second, n.total), 0.3),
    "likelihood": PairMethod(
        lambda n: log_likelihood(n.together, n.first, n.second, n.total), 10.83
    ),
    "gensim": PairMethod(
        lambda n: gensim_score(n.together, n.first, n.second, n.n_distinct, n.min_count),
        10.0,
        strict=True,
        counts_all=True,
    ),
}


@dataclass(frozen=True)
class PairSearch:
    """What makes two neighbours a phrase."""

    method: PairMethod
    threshold: float
    min_count: int
    n_threads: int

    def pairs(self, streams: WordStreams) -> Found:
        """Return the pairs of neighbours that belong together."""
        occurrences = streams.occurrences()
        words = streams.words if self.method.counts_all else self._frequent(streams, occurrences)
        first, second, together, n_pairs = count_word_pairs(
            streams.starts, words, self.min_count, self.n_threads
        )
        n_distinct = int((occurrences > 0).sum()) + n_pairs
        total = int(occurrences.sum())
        scores = self.method.score(
            PairCounts(
                together, occurrences[first], occurrences[second], total, n_distinct, self.min_count
            )
        )
        good = scores > self.threshold if self.method.strict else scores >= self.threshold
        words_of = zip(first[good].tolist(), second[good].tolist(), strict=True)
        return dict(zip(words_of, scores[good].tolist(), strict=True))

    def _frequent(self, streams: WordStreams, occurrences: NDArray[np.int64]) -> NDArray[np.int32]:
        """Leave out words that are too rare to be in a pair that is frequent enough."""
        new = np.arange(len(occurrences), dtype=np.int32)
        new[occurrences < self.min_count] = -1
        return mapped(streams.words, new)


def find_by_pairs(streams: WordStreams, search: PairSearch, max_words: int) -> Found:
    """Return phrases of two words and, from a second pass, of three and four.

    The second pass reads the texts with every pair that was found as one word, and joins
    neighbours one of which, or both, are such pairs.
    """
    pairs = search.pairs(streams)
    if max_words == 2 or not pairs:
        return pairs
    n_words = len(streams.names)
    # Ids beyond those of words are pairs, in this order.
    units = [(word,) for word in range(n_words)] + list(pairs)
    joined = _joined(streams, list(pairs), search.n_threads)
    longer = {
        units[first] + units[second]: score
        for (first, second), score in search.pairs(joined).items()
        if max(first, second) >= n_words
    }
    return pairs | {words: score for words, score in longer.items() if len(words) <= max_words}


def _joined(streams: WordStreams, pairs: list[tuple[int, ...]], n_threads: int) -> WordStreams:
    n_words = len(streams.names)
    tree = tree_of([2] * len(pairs), np.array(pairs, dtype=np.int32).ravel(), n_words)
    starts, words = tree.join(streams.starts, streams.words, n_threads)
    return WordStreams(starts, words, np.empty(n_words + len(pairs), dtype=object))
