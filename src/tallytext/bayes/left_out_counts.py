"""The counts of a multinomial model without a document, as a smoothing asks for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.word_probabilities import WordCounts, taken
from tallytext.errors import ScoreError
from tallytext.smoothing import Classes, Smoothing, Terms
from tallytext.smoothing.base import Measure, Numbers


@dataclass(frozen=True)
class LeftCounts:
    """Counts of all documents but one, for each of some documents.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    left : LeftOut
        The documents that are left out, each on its own.
    """

    counts: WordCounts
    left: LeftOut

    @property
    def smoothing(self) -> Smoothing:
        """The smoothing, its parameters held."""
        return self.counts.smoothing

    @cached_property
    def events(self) -> Any:
        """Whether each place is a word, or only the signature of others; one if all are words."""
        translated = self.counts.translated
        return 1.0 if translated is None else translated.made.events[self.left.terms] * 1.0

    @cached_property
    def words(self) -> Numbers:
        """:math:`T_w` of each place."""
        return self.left.words(0) * self.counts.scale * self.events

    @cached_property
    def own(self) -> Numbers:
        """:math:`N_{cw}` of each own entry."""
        own = self.left.own(0) * self.counts.scale
        return own * taken(self.events, self.left.own_place)

    @cached_property
    def removed(self) -> Numbers:
        """How many words each document has, as they are counted."""
        if self.counts.translated is None:
            return self.left.removed(0)
        return self.left.by_document(self.left.amount(0) * self.events)

    @cached_property
    def own_before(self) -> Numbers:
        """The same with the document."""
        return self.left.own_before(0) * self.counts.scale

    @cached_property
    def n_terms(self) -> Any:
        """V: a number, or one for each document."""
        return self.counts.n_terms if self.counts.closed else self.n_live

    @cached_property
    def n_live(self) -> Numbers:
        """How many words occur, for each document."""
        return self.left.reading.n_live_terms - self.left.n_gone

    @cached_property
    def total(self) -> Numbers:
        """:math:`T` for each document."""
        left = (self.counts.reading.totals[0] - self.removed) * self.counts.scale
        return np.where(self.n_live > 0, left, 0.0)

    @cached_property
    def own_tokens(self) -> Numbers:
        """:math:`T_c` of each slot."""
        before = self.counts.reading.class_totals[0][self.left.slot_class]
        left = (before - self.removed[self.left.slot_row]) * self.counts.scale
        return np.where(self.left.own_terms > 0, left, 0.0)

    @cached_property
    def spread(self) -> Numbers:
        """:math:`g(w)` of each place."""
        return self.spread_of(self.words, self.left.row)

    def spread_of(self, words: Numbers, at: Any) -> Numbers:
        """Return the background of words that occur so often without the documents ``at``."""
        known = np.full(words.shape, True) if self.counts.closed else words > 0
        terms = Terms(words, self.total[at], taken(self.n_terms, at), known)
        return self.smoothing.spread(terms)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether the word of each place still counts."""
        return self.spread > 0

    @cached_property
    def slots(self) -> Classes:
        """What is known of the class of each slot."""
        row = self.left.slot_row
        return Classes(
            tokens=self.own_tokens,
            terms=self.left.own_terms,
            total=self.total[row],
            n_terms=taken(self.n_terms, row),
            whole=self.counts.whole,
            sum=self._slot_sum,
        )

    @cached_property
    def classes(self) -> Classes:
        """What is known of each class, documents by classes, for sums that ask for no T_w."""
        reading = self.left.reading
        return Classes(
            tokens=self.with_slots(self.counts.tokens, self.own_tokens),
            terms=self.with_slots(reading.class_terms, self.left.own_terms),
            total=self.total[:, None],
            n_terms=_column(self.n_terms),
            whole=self.counts.whole,
            sum=self._class_sum,
        )

    @cached_property
    def rests(self) -> Classes:
        """The same of all documents outside each class, for a smoothing that asks for no sums."""
        all_of_class = self.classes.tokens
        return replace(
            self.classes,
            tokens=np.maximum(self.total[:, None] - all_of_class, 0.0),
            terms=np.broadcast_to(self.n_live[:, None], all_of_class.shape),
        )

    def with_slots(self, classes: Numbers, slots: Numbers) -> Numbers:
        """Return a number per class as rows, one for each document, with those of slots put in."""
        rows = np.tile(classes, (self.left.n, 1))
        rows[self.left.slot_row, self.left.slot_class] = slots
        return rows

    def _class_sum(self, measure: Measure, occurrences: bool = False) -> Numbers:
        own = self._slot_sum(measure, occurrences)
        return self.with_slots(self.counts.classes.sum(measure), own)

    def _slot_sum(self, measure: Measure, occurrences: bool = False) -> Numbers:
        if occurrences:
            raise ScoreError(
                f"{type(self.smoothing).__name__} sums over words that other classes have too, so "
                "it is not local: let its property local return False."
            )
        full = self.counts.classes.sum(measure)[self.left.slot_class]
        return full - self.left.by_slot(measure(self.own_before) - measure(self.own))


def gathered(classes: Classes, at: Any) -> Classes:
    """Return what is known of the rows ``at``, one entry for each."""

    def total(measure: Measure, occurrences: bool = False) -> Numbers:
        return classes.sum(measure, occurrences)[at]

    return replace(
        classes,
        tokens=classes.tokens[at],
        terms=classes.terms[at],
        total=taken(classes.total, at),
        n_terms=taken(classes.n_terms, at),
        sum=total,
        usable=taken(classes.usable, at),
        pruned=taken(classes.pruned, at),
    )


def _column(numbers: Any) -> Any:
    return numbers[:, None] if isinstance(numbers, np.ndarray) else numbers
