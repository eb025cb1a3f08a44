r"""A Bernoulli model without a document.

The mean number of words of a document changes for all classes, and with it the probability that a
word is absent: :math:`\sum_w \log(1 - p(w \mid c))` is a sum over the few distinct document
frequencies of a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.bernoulli_weights import LEAST, BernoulliCounts
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_table import add_places
from tallytext.smoothing.base import Numbers

_ROOM = 1 << 19


class Frequencies(NamedTuple):
    """How many words of a class have which document frequency; those of zero are left out."""

    values: Numbers
    how_many: Numbers


@dataclass(frozen=True)
class BernoulliScores:
    """Scores documents by Bernoulli models that have forgotten them.

    Attributes
    ----------
    counts : BernoulliCounts
        Of all documents.
    contrasts : bool
    """

    counts: BernoulliCounts
    contrasts: bool

    wide = True

    def __call__(self, left: LeftOut, intercept: Numbers) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and its length."""
        known = ~left.gone | self.counts.closed
        before = left.reading.rows(self.counts.cells, left.terms)
        after = before.copy()
        after[left.own_at] = left.own(-1)
        below = left.class_documents + self._pseudo(left)
        scores = self._all_absent(left, below, self._inside)
        at = below[left.slot_row, left.slot_class][left.own_slot]
        moved = self._step(left.own(-1), left.own_before(-1), at)
        scores[left.slot_row, left.slot_class] += left.by_slot(moved)
        logits = self._logit(after, below[left.row])
        if self.contrasts:
            before = np.maximum(self.counts.words[left.terms][:, None] - before, 0.0)
            after = np.maximum(left.words(-1)[:, None] - after, 0.0)
            rests, rest_logits = self._rest(left, before, after)
            scores, logits = scores - rests, logits - rest_logits
        scores += intercept
        add_places(left, known * 1.0, logits, scores)
        return scores, left.by_document(known)

    def _rest(self, left: LeftOut, before: Numbers, after: Numbers) -> tuple[Numbers, Numbers]:
        """Return log P(no word at all | rest), and the logit of each place in each rest."""
        below = left.n_documents[:, None] - left.class_documents
        below = np.maximum(below, 0.0) + self._pseudo(left)
        absent, at = self._all_absent(left, below, self._outside), below[left.row]
        add_places(left, np.ones(len(left.terms)), self._step(after, before, at), absent)
        return absent, self._logit(after, at)

    def _all_absent(self, left: LeftOut, below: Numbers, frequencies: list[Frequencies]) -> Numbers:
        """Return log P(no word at all | class), but for the words of the document itself."""
        unseen = self.counts.absence(np.zeros_like(below), below)
        return self._n_terms(left)[:, None] * unseen + self._moved(frequencies, below)

    def _step(self, after: Numbers, before: Numbers, below: Numbers) -> Numbers:
        """Return by how much log(1 - p) moves between two counts."""
        left = np.maximum(1 - (after + self.counts.gamma) / below, LEAST)
        return np.log(left / np.maximum(1 - (before + self.counts.gamma) / below, LEAST))

    def _logit(self, counts: Numbers, below: Numbers) -> Numbers:
        """Return log p - log(1 - p)."""
        p = (counts + self.counts.gamma) / below
        return np.log(p / np.maximum(1 - p, LEAST))

    def _moved(self, frequencies: list[Frequencies], below: Numbers) -> Numbers:
        """Return the sum over the words of a class of log(1 - p), less that of as many unseen."""
        moved = np.zeros_like(below)
        for label, (values, how_many) in enumerate(frequencies):
            distinct, which = np.unique(below[:, label], return_inverse=True)
            step = max(1, _ROOM // max(1, len(values)))
            parts = [
                self._sum(values, how_many, distinct[at : at + step, None])
                for at in range(0, len(distinct), step)
            ]
            moved[:, label] = np.concatenate(parts)[which]
        return moved

    def _sum(self, values: Numbers, how_many: Numbers, below: Numbers) -> Numbers:
        nothing = self.counts.absence(np.zeros(1), below)
        return (self.counts.absence(values, below) - nothing) @ how_many

    def _n_terms(self, left: LeftOut) -> Numbers:
        gone = np.zeros(left.n) if self.counts.closed else left.n_gone
        return self.counts.n_terms - gone

    def _pseudo(self, left: LeftOut) -> Numbers:
        """Return the pseudo-documents of each class, a column."""
        distinct = self.counts.reading.totals[-1] - left.removed(-1)
        none_left = left.reading.n_live_terms - left.n_gone <= 0
        share = np.divide(
            left.n_documents,
            distinct,
            out=np.ones_like(distinct),
            where=~none_left & (distinct > 0),
        )
        return (self.counts.gamma * np.maximum(self._n_terms(left), 1) * share)[:, None]

    @cached_property
    def _inside(self) -> list[Frequencies]:
        """The document frequencies in each class."""
        return [_frequencies(cells) for cells in self._by_class(self.counts.cells)]

    @cached_property
    def _outside(self) -> list[Frequencies]:
        """The document frequencies outside each class."""
        counts = self.counts
        words = counts.words[counts.term]
        whole = [counts.words, np.ones(len(counts.words))]
        there = self._by_class(words)
        moved = self._by_class(np.maximum(words - counts.cells, 0.0))
        return [
            _frequencies(
                np.concatenate([whole[0], old, new]),
                np.concatenate([whole[1], -np.ones(len(old)), np.ones(len(new))]),
            )
            for old, new in zip(there, moved, strict=True)
        ]

    def _by_class(self, values: Numbers) -> list[NDArray[np.floating]]:
        reading = self.counts.reading
        by_class = np.argsort(reading.classes, kind="stable")
        ends = np.cumsum(np.bincount(reading.classes, minlength=reading.n_classes))[:-1]
        return np.split(values[by_class], ends)


def _frequencies(values: Numbers, how_many: Numbers | None = None) -> Frequencies:
    distinct, which = np.unique(values, return_inverse=True)
    number = np.bincount(which, how_many, len(distinct)).astype(np.float64)
    kept = (distinct > 0) & (number > 0)
    return Frequencies(distinct[kept], number[kept])
