"""Documents that are made up, in any number, with the statistics of real ones.

Words come by two laws, as in large corpora: the r-th word is as frequent as 1/r while it is common,
and falls off faster beyond, without an end; so the vocabulary grows with the corpus by Heaps' law.
What a document has said it says again. Some of its words are those of its class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_COMMON = 8_000  # words that follow the first law
_HEAD = 2.7  # flattens the first ranks, as Mandelbrot has it
_TAIL = 1.75  # the exponent of the second law
_REPEATED = 0.45  # share of tokens that were in the document before
_TOPICAL = 0.15  # share of tokens that belong to the class
_BAND = 30_000  # ranks among which the words of classes lie, beyond the most common
_MEDIAN, _SPREAD = 150, 0.8  # of the lengths of documents: log-normal
_SPELT = 1 << 16  # ranks whose spelling is kept


@dataclass(frozen=True)
class Writer:
    """Writes documents on some topics.

    Parameters
    ----------
    n_classes : int, default=20
        How many topics; the c-th comes as often as 1 / (c + 10).
    seed : int, default=0
        Other seeds write other documents, in the same words.
    """

    n_classes: int = 20
    seed: int = 0

    def documents(self, number: int, n_documents: int) -> pa.Table:
        """Return a table of documents, ``body`` and ``topic``: the same for the same number."""
        random = np.random.default_rng([self.seed, number])
        topics = self._topics(random, n_documents)
        lengths = np.maximum(1, random.lognormal(np.log(_MEDIAN), _SPREAD, n_documents)).astype(int)
        ends = np.cumsum(lengths)
        ranks = _ranks(random, ends[-1])
        own = np.flatnonzero(random.random(ends[-1], np.float32) < _TOPICAL)
        of = np.searchsorted(ends, own, side="right")
        ranks[own] = self._shifted(ranks[own], topics[of])
        _repeat(random, ranks, np.repeat(ends - lengths, lengths))
        words = pa.ListArray.from_arrays(pa.array(np.append(0, ends), pa.int32()), _spell(ranks))
        names = pa.array([f"topic{c:06d}" for c in range(self.n_classes)])
        body = pc.binary_join(words, " ")
        return pa.table({"body": body, "topic": names.take(pa.array(topics))})

    def _topics(self, random: np.random.Generator, n_documents: int) -> NDArray[np.int64]:
        shares = np.cumsum(1 / (np.arange(self.n_classes) + 10))
        return np.searchsorted(shares, random.random(n_documents) * shares[-1])

    def _shifted(self, ranks: NDArray[np.int64], topics: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return words of a topic: each has a place of its own in the band at which it begins."""
        begins = topics * 0x9E3779B1 % _BAND
        return np.where(ranks < _BAND, 100 + (ranks + begins) % _BAND, ranks)


def _ranks(random: np.random.Generator, n_tokens: int) -> NDArray[np.int64]:
    """Draw ranks, from 0, by inverting the sums of both laws."""
    head = np.log((_COMMON + _HEAD) / _HEAD)
    mass = random.random(n_tokens) * (head + 1 / (_TAIL - 1))
    ranks = _HEAD * np.exp(np.minimum(mass, head)) - _HEAD
    rare = np.flatnonzero(mass > head)
    rest = np.maximum(1 - (mass[rare] - head) * (_TAIL - 1), 1e-12)
    ranks[rare] = (_COMMON + _HEAD) * rest ** (-1 / (_TAIL - 1)) - _HEAD
    return ranks.astype(np.int64)


def _repeat(
    random: np.random.Generator, ranks: NDArray[np.int64], begins: NDArray[np.int64]
) -> None:
    """Let some tokens be such as were in the document before."""
    again = np.flatnonzero(random.random(len(ranks), np.float32) < _REPEATED)
    before = begins[again] + (random.random(len(again)) * (again - begins[again])).astype(np.int64)
    ranks[again] = ranks[before]


def _spell(ranks: NDArray[np.int64]) -> pa.Array:
    """Return the word of each rank: common ones are short."""
    rare = np.flatnonzero(ranks >= _SPELT)
    some, at = np.unique(ranks[rare], return_inverse=True)
    ranks[rare] = _SPELT + at
    return pa.concat_arrays([_spelt_before(), _spelling(some)]).take(pa.array(ranks))


_kept: list[pa.Array] = []


def _spelt_before() -> pa.Array:
    if not _kept:
        _kept.append(_spelling(np.arange(_SPELT)))
    return _kept[0]


def _spelling(ranks: NDArray[np.int64]) -> pa.Array:
    """Write numbers in syllables, of which there are sixty-four."""
    words, left = pa.array([""] * len(ranks)), ranks + 1
    while left.any():
        digits = pa.array((left - 1) % len(_SYLLABLES), mask=left == 0)
        more = pc.fill_null(_SYLLABLES.take(digits), "")
        words = pc.binary_join_element_wise(words, more, "")
        left = np.maximum(left - 1, 0) // len(_SYLLABLES)
    return words


_SYLLABLES = pa.array(
    [first + vowel + last for first in "bdfglmrs" for vowel in "aeio" for last in ("", "n")]
)
