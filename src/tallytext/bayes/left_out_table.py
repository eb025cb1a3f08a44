"""Word probabilities without a document, in all classes: the long way that suits any smoothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._core import add_rows
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_counts import LeftCounts, gathered
from tallytext.bayes.left_out_translated import LeftShares, LeftTranslations
from tallytext.bayes.multinomial_weights import contrast_logs
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.smoothing import Classes
from tallytext.smoothing.base import Measure, Numbers

Emphasis = Callable[[NDArray[np.int32]], Numbers]


@dataclass(frozen=True)
class LeftTable:
    """Counts of each place in each class, before and after the document is left out.

    Attributes
    ----------
    part : LeftCounts
    before, after : ndarray of shape (n_places, n_classes)
    words_before, words : ndarray of shape (n_places, 1)
        :math:`T_w`.
    translations : LeftTranslations or None
        What signatures stand for.
    """

    part: LeftCounts
    before: Numbers
    after: Numbers
    words_before: Numbers
    words: Numbers
    translations: Any = None

    @classmethod
    def of(cls, part: LeftCounts, translations: Any = None) -> LeftTable:
        """Return the table of some documents."""
        left = part.left
        before = part.counts.reading.rows(part.counts.cells, left.terms)
        after = before.copy()
        after[left.own_at] = part.own
        words_before = part.counts.words[left.terms]
        return cls(part, before, after, words_before[:, None], part.words[:, None], translations)

    @cached_property
    def rest(self) -> LeftTable:
        """The counts of all documents outside each class."""
        before = np.maximum(self.words_before - self.before, 0.0)
        return replace(self, before=before, after=np.maximum(self.words - self.after, 0.0))

    @cached_property
    def classes(self) -> Classes:
        """What a smoothing may know of each class, documents by classes."""
        return replace(self.part.classes, sum=lambda *args, **kw: self._sum(self.full, *args, **kw))

    @property
    def full(self) -> Classes:
        """The same of all documents."""
        return self.part.counts.classes

    def rests(self) -> Classes:
        """Return what it may know of all documents outside each class."""
        counts, rest = self.part.counts, self.rest
        gone = (self._in_rest(self.before, self.words_before) * 1.0) - self._in_rest(
            self.after, self.words
        )
        return replace(
            self.part.rests,
            terms=counts.rests.terms - self._by_document(gone),
            sum=lambda *args, **kw: rest._sum(counts.rests, *args, **kw),
        )

    def inside(self) -> Numbers:
        """Return p(w|c) of each place in each class."""
        if self.translations is None:
            return self.probabilities(self.classes)
        return self._translated(self.classes, self.translations.classes(self.part.left))

    def outside(self) -> Numbers:
        """Return p(w|c̄) of each place, c̄ being all documents outside c."""
        if self.translations is None:
            return self.rest.probabilities(self.rests())
        return self.rest._translated(self.rests(), self.translations.rests(self.part.left))

    def _translated(self, classes: Classes, left: LeftShares) -> Numbers:
        known = replace(classes, usable=left.usable, pruned=left.pruned)
        return self.probabilities(known, left.shares)

    def probabilities(self, classes: Classes, shares: Numbers | None = None) -> Numbers:
        """Return the probability of each place under what is known of classes."""
        smoothing, row = self.part.smoothing, self.part.left.row
        here = gathered(classes, row)
        seen = smoothing.seen(self.after, here)
        if shares is not None:
            seen = seen + smoothing.translated(shares, here)
        freed = np.broadcast_to(smoothing.freed(classes), classes.tokens.shape)
        spread = freed[row] * self.part.spread[:, None]
        if smoothing.exclusive:
            return np.where(seen > 0, seen, spread)
        return np.maximum(seen + spread, 0.0)

    def _in_rest(self, counts: Numbers, words: Numbers) -> NDArray[np.bool_]:
        # Words that no other class has: what is left of them is rounding.
        return (words > 0) & ~((counts > 0) & (words - counts <= 1e-9 * words))

    def _sum(self, full: Classes, measure: Measure, occurrences: bool = False) -> Numbers:
        before, after = measure(self.before), measure(self.after)
        if occurrences:
            before, after = before * self.words_before, after * self.words
        return full.sum(measure, occurrences) - self._by_document(before - after)

    def _by_document(self, values: Numbers) -> Numbers:
        left = self.part.left
        sums = np.zeros((left.n, values.shape[1]))
        add_places(left, np.ones(len(left.terms)), np.ascontiguousarray(values), sums)
        return sums


@dataclass(frozen=True)
class TableScores:
    """Scores documents by models that have forgotten them, with a number per place and class.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    emphasis : callable
        From terms to weights of them, terms by one or by classes.
    mass : ndarray of shape (n_terms,)
        What a token of each word adds to the length of a document.
    contrasts, only_rest : bool
    given : LeftTranslations, default=None
        What signatures stand for, if it is known already.
    """

    counts: WordCounts
    emphasis: Emphasis
    mass: Numbers
    contrasts: bool
    only_rest: bool
    given: Any = None

    wide = True

    def __call__(self, left: LeftOut, intercept: Numbers) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and its length."""
        part = LeftCounts(self.counts, left)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table = LeftTable.of(part, self.translations)
            emphasis, logs = self.emphasis(left.terms), self._logs(table)
            heard = part.known[:, None] & (emphasis > 0)
            logs = np.multiply(logs, emphasis, out=np.zeros_like(logs), where=heard)
        scores = intercept.copy()
        add_places(left, left.documents.values, logs, scores)
        lost = ~(scores > -np.inf).any(axis=1)
        # No class can have written these: only the prior is left.
        scores[lost] = intercept[lost]
        mass = self.mass[left.terms] * part.known
        return scores, left.by_document(left.documents.values * mass)

    def _logs(self, table: LeftTable) -> Numbers:
        if not self.contrasts:
            return np.log(table.inside())
        inside = None if self.only_rest else table.inside()
        return contrast_logs(inside, table.outside())

    @cached_property
    def translations(self) -> Any:
        """What signatures stand for, if the smoothing knows any."""
        if self.given is not None:
            return self.given
        translated = self.counts.translated
        return None if translated is None else LeftTranslations(translated.made)


def add_places(left: LeftOut, values: Numbers, rows: Numbers, into: Numbers) -> None:
    """Add to each document the rows of its places, times a value."""
    places = np.arange(len(left.terms), dtype=np.int32)
    add_rows(left.documents.starts, places, values, rows, 0, into, 1)
