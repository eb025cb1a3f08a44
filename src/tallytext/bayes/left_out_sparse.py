r"""Scores without a document, of which all but the cells of its words follow from few numbers.

A class that does not have the document keeps its counts, and :math:`f / \gamma` of its cells with
them. Without the document the word costs :math:`\log \gamma_c + \log g(w)` in a class that has not
shown it, and a cell adds :math:`\log(1 + f / (\gamma_c g))` to that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallytext._core import left_out_gains
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_counts import LeftCounts, gathered
from tallytext.bayes.left_out_pieces import Leaving, in_pieces
from tallytext.bayes.left_out_rests import LeftRests, no_rests
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.scorer import filled_rows
from tallytext.smoothing.base import Numbers


@dataclass(frozen=True)
class SparseScores:
    """Scores documents by models that have forgotten them, in time that the cells take.

    Attributes
    ----------
    counts : WordCounts
        Of all documents. The smoothing is local; for contrasts it is linear.
    emphasis : ndarray of shape (n_terms,)
        Weights of words, held.
    contrasts, only_rest : bool
    otherwise : callable
        Scores documents without which a class sets nothing free.
    """

    counts: WordCounts
    emphasis: Numbers
    contrasts: bool
    only_rest: bool
    otherwise: Leaving

    wide = False

    def __call__(self, left: LeftOut, intercept: Numbers) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and its length."""
        part = LeftCounts(self.counts, left)
        freed = np.broadcast_to(part.smoothing.freed(part.classes), intercept.shape)
        if not (freed > 0).all():
            return self._otherwise(left, intercept)
        exponents = self._exponents(part)
        lengths = left.by_document(exponents)
        rests = LeftRests(part) if self.contrasts else None
        slope = np.zeros_like(freed) if self.only_rest else _logs(freed)
        common = np.zeros(1) if self.only_rest else _logs_of_most(part.spread)
        own = np.zeros_like(part.own) if self.only_rest else _own_logs(part, freed)
        if rests is not None:
            slope, common, own = slope - rests.slope, common - rests.common, own - rests.own
        scores = self._gains(part, exponents, rests)
        scores += slope * lengths[:, None]
        scores += left.by_document(exponents * common)[:, None]
        own = left.by_slot(exponents[left.own_place] * own)
        scores[left.slot_row, left.slot_class] = own
        return scores + intercept, lengths

    def _exponents(self, part: LeftCounts) -> Numbers:
        """Return how often each place counts: its value, weighed, zero for a word unknown."""
        left, exponents = part.left, part.left.documents.values
        if self.weighed:
            exponents = exponents * self.emphasis[left.terms]
        return exponents if part.known.all() else exponents * part.known

    @cached_property
    def weighed(self) -> bool:
        """Whether words differ in weight."""
        return not bool((self.emphasis == 1).all())

    def _otherwise(self, left: LeftOut, intercept: Numbers) -> tuple[Numbers, Numbers]:
        rows = iter(intercept)

        def judge(piece: LeftOut) -> tuple[Numbers, Numbers]:
            return self.otherwise(piece, np.array([next(rows) for _ in range(piece.n)]))

        return in_pieces(judge, left.pieces(self.otherwise.wide), n_threads=1)

    def _gains(self, part: LeftCounts, exponents: Numbers, rests: LeftRests | None) -> Numbers:
        left, reading = part.left, self.counts.reading
        gains = np.zeros((left.n, reading.n_classes))
        if not len(reading.classes):
            return gains
        rest = no_rests() if rests is None else rests.arrays()
        cells = self.counts.cells if self.contrasts else np.empty(0)
        starts, classes, ratios = self.postings
        inverse = 1.0 / np.where(part.known, part.spread, np.inf)
        left_out_gains(
            starts=left.documents.starts,
            terms=left.terms,
            exponents=_doubles(exponents),
            post_starts=starts,
            post_classes=classes,
            ratios=_doubles(ratios),
            counts=_doubles(cells),
            tops=_doubles(self.tops),
            inverse=_doubles(inverse),
            spread=_doubles(rest.spread),
            words=_doubles(rest.words),
            absent=_doubles(rest.inverse),
            seen=_doubles(rest.seen),
            freed=_doubles(rest.freed),
            gains=gains,
            n_threads=1,
        )
        return gains

    @cached_property
    def ratios(self) -> Numbers:
        r""":math:`f / \gamma` of each cell."""
        counts, classes = self.counts, self.counts.reading.classes
        if self.only_rest:
            return np.zeros(len(classes))
        freed = counts.smoothing.freed(counts.classes)
        return counts.seen(counts.cells, counts.classes, classes) / freed[classes]

    @cached_property
    def postings(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Numbers]:
        """The ratios by term; a ratio of zero changes no score, but the counts of a rest would."""
        reading = self.counts.reading
        if self.contrasts:
            return reading.starts, reading.classes, self.ratios
        return filled_rows(reading.starts, reading.classes, self.ratios, reading.n_classes)

    @cached_property
    def tops(self) -> Numbers:
        """The largest ratio of each word."""
        starts = self.counts.reading.starts
        some = np.flatnonzero(np.diff(starts))
        tops = np.zeros(len(starts) - 1)
        tops[some] = np.maximum.reduceat(self.ratios, starts[some]) if len(some) else 0.0
        return tops

    def suits(self) -> bool:
        """Whether these scores can be had this way."""
        smoothing = self.counts.smoothing
        if not smoothing.local or smoothing.exclusive or (self.contrasts and not smoothing.linear):
            return False
        return bool((smoothing.freed(self.counts.classes) > 0).all())


def _own_logs(part: LeftCounts, freed: Numbers) -> Numbers:
    """Return log p(w|c) of each own entry, c having lost the document."""
    left = part.left
    classes = gathered(part.slots, left.own_slot)
    seen = part.smoothing.seen(part.own, classes)
    of_slot = freed[left.slot_row, left.slot_class]
    return _logs(seen + of_slot[left.own_slot] * part.spread[left.own_place])


def _logs(values: Numbers) -> Numbers:
    # Without a mask the loop is several times as fast.
    return np.log(np.where(values > 0, values, 1.0))


def _logs_of_most(values: Numbers) -> Numbers:
    # A background of one for every word is common enough to look for.
    return np.zeros(1) if (values == 1).all() else _logs(values)


def _doubles(values: Numbers) -> NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64)
