"""From counts to the probabilities of words, in classes and in what is outside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Reading
from tallytext.bayes.translated_reading import TranslatedReading
from tallytext.smoothing import Classes, Smoothing, Terms
from tallytext.smoothing.base import Measure, Numbers


@dataclass(frozen=True)
class WordCounts:
    """The counts that a multinomial model is made of, and their smoothing.

    Attributes
    ----------
    reading : Reading
        Its first column is what is counted.
    smoothing : Smoothing
    scale : float
        What the counts are multiplied by: the length of a normalised document.
    n_terms : int
        The size of the vocabulary.
    closed : bool
        Whether all columns are in the vocabulary, or only the words that occur.
    whole : bool
        Whether counts are whole numbers.
    translated : TranslatedReading or None
        What signatures of classes stand for, of the same reading.
    """

    reading: Reading
    smoothing: Smoothing
    scale: float
    n_terms: int
    closed: bool
    whole: bool
    translated: TranslatedReading | None = None

    @cached_property
    def cells(self) -> Numbers:
        """:math:`N_{cw}`."""
        cells = self.reading.cells[0]
        return cells if self.scale == 1 else cells * self.scale

    @cached_property
    def words(self) -> Numbers:
        """:math:`T_w`."""
        return self.reading.term_totals[0] * self.scale

    @cached_property
    def tokens(self) -> Numbers:
        """:math:`T_c`."""
        return self.reading.class_totals[0] * self.scale

    @property
    def total(self) -> float:
        """:math:`T`."""
        return float(self.reading.totals[0]) * self.scale

    @cached_property
    def term(self) -> NDArray[np.intp]:
        """Which word each cell belongs to."""
        return self.reading.term_of_cell()

    @cached_property
    def whole_vocabulary(self) -> WordCounts:
        """The same counts, of all words."""
        return replace(self, reading=self.reading.all_terms())

    @cached_property
    def classes(self) -> Classes:
        """What the smoothing may know of the classes."""
        return Classes(
            tokens=self.tokens,
            terms=self.reading.class_terms,
            total=self.total,
            n_terms=self.n_terms,
            whole=self.whole,
            sum=lambda measure, occurrences=False: self.whole_vocabulary._sum(measure, occurrences),
            **self._translations(rest=False),
        )

    @cached_property
    def rests(self) -> Classes:
        """What it may know of all documents outside a class."""
        # Those that are linear do not ask how many words a rest has.
        none = np.zeros_like(self.tokens)
        alone = none if self.smoothing.linear else self.whole_vocabulary._own_words()
        return Classes(
            tokens=np.maximum(self.total - self.tokens, 0.0),
            terms=self.reading.n_live_terms - alone,
            total=self.total,
            n_terms=self.n_terms,
            whole=self.whole,
            sum=lambda measure, occurrences=False: self.whole_vocabulary._rest_sum(
                measure, occurrences
            ),
            **self._translations(rest=True),
        )

    def _translations(self, rest: bool) -> dict[str, Any]:
        if self.translated is None:
            return {}
        made = self.translated.made
        if rest:
            return {"usable": made.rests.usable}
        return {"usable": made.usable, "pruned": made.pruned}

    @cached_property
    def spread(self) -> Numbers:
        """:math:`g(w)`."""
        return self.spread_of(self.words)

    def spread_of(self, words: Numbers) -> Numbers:
        """Return the background of words that occur so often."""
        known = np.full(words.shape, True) if self.closed else words > 0
        return self.smoothing.spread(Terms(words, self.total, self.n_terms, known))

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether a word counts at all."""
        return self.spread > 0

    def seen(self, counts: Numbers, classes: Classes, at: Any = slice(None)) -> Numbers:
        """Return f of counts of the classes ``at``."""
        return self.smoothing.seen(counts, _gathered(classes, at))

    @cached_property
    def cells_seen(self) -> Numbers:
        """F of each cell, with what signatures add."""
        at = self.reading.classes
        seen = self.seen(self.cells, self.classes, at)
        if self.translated is None:
            return seen
        return seen + self.smoothing.translated(self.translated.shares, _gathered(self.classes, at))

    def probabilities(
        self,
        counts: Numbers,
        classes: Classes,
        first: int,
        last: int,
        shares: Numbers | None = None,
    ) -> Numbers:
        """Return p(w|c) of rows of counts, words by classes, with p_t if given."""
        seen = self.seen(counts, classes)
        if shares is not None:
            seen = seen + self.smoothing.translated(shares, classes)
        spread = self.smoothing.freed(classes) * self.spread[first:last, None]
        if self.smoothing.exclusive:
            return np.where(seen > 0, seen, spread)
        return np.maximum(seen + spread, 0.0)

    def rows(self, first: int, last: int) -> Numbers:
        """Return p(w|c) of a range of words."""
        counts = self.reading.dense(self.cells, first, last)
        shares = None if self.translated is None else self.translated.rows(first, last)
        return self.probabilities(counts, self.classes, first, last, shares)

    def rest_rows(self, first: int, last: int) -> Numbers:
        """Return p(w|c̄) of a range of words, c̄ being all documents outside c."""
        counts = self.words[first:last, None] - self.reading.dense(self.cells, first, last)
        shares = None if self.translated is None else self.translated.rest_rows(first, last)
        return self.probabilities(np.maximum(counts, 0.0), self.rests, first, last, shares)

    def _sum(self, measure: Measure, occurrences: bool) -> Numbers:
        values = measure(self.cells)
        return self.reading.class_sum(values * self.words[self.term] if occurrences else values)

    def _rest_sum(self, measure: Measure, occurrences: bool) -> Numbers:
        each = measure(self.words) * (self.words if occurrences else 1.0)
        words = self.words[self.term]
        moved = measure(np.maximum(words - self.cells, 0.0)) * (words if occurrences else 1.0)
        return each.sum() - self.reading.class_sum(each[self.term] - moved)

    def _own_words(self) -> Numbers:
        # Words that no other class has: what is left of them is rounding.
        alone = self.words[self.term] - self.cells <= 1e-9 * self.words[self.term]
        return self.reading.class_sum(alone.astype(np.float64))


def _gathered(classes: Classes, at: Any) -> Classes:
    """Return what is known of the classes ``at``, one entry for each."""
    if isinstance(at, slice):
        return classes

    def total(measure: Measure, occurrences: bool = False) -> Numbers:
        return classes.sum(measure, occurrences)[at]

    return replace(
        classes,
        tokens=classes.tokens[at],
        terms=classes.terms[at],
        sum=total,
        usable=taken(classes.usable, at),
        pruned=taken(classes.pruned, at),
    )


def taken(numbers: Any, at: Any) -> Any:
    """Return what is known of the rows ``at``, or the one number that holds for all."""
    return numbers[at] if isinstance(numbers, np.ndarray) else numbers
