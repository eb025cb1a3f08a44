"""From counts to the probabilities of words, in classes and in what is outside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray, Measure
from tallytext.features.term_scores import CLASS_METHODS, Postings, Table
from tallytext.models.reading import Reading
from tallytext.models.scorer import MakeRows, RowWeights, SparseWeights, Weights
from tallytext.models.smoothing.base import Classes, Smoothing, Terms
from tallytext.models.translation import TranslatedReading


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
    def cells(self) -> FloatArray:
        """:math:`N_{cw}`."""
        cells = self.reading.cells[0]
        return cells if self.scale == 1 else cells * self.scale

    @cached_property
    def words(self) -> FloatArray:
        """:math:`T_w`."""
        return self.reading.term_totals[0] * self.scale

    @cached_property
    def tokens(self) -> FloatArray:
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
    def spread(self) -> FloatArray:
        """:math:`g(w)`."""
        return self.spread_of(self.words)

    def spread_of(self, words: FloatArray) -> FloatArray:
        """Return the background of words that occur so often."""
        known = np.full(words.shape, True) if self.closed else words > 0
        return self.smoothing.spread(Terms(words, self.total, self.n_terms, known))

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether a word counts at all."""
        return self.spread > 0

    def seen(self, counts: FloatArray, classes: Classes, at: Any = slice(None)) -> FloatArray:
        """Return f of counts of the classes ``at``."""
        return self.smoothing.seen(counts, _gathered(classes, at))

    @cached_property
    def cells_seen(self) -> FloatArray:
        """F of each cell, with what signatures add."""
        at = self.reading.classes
        seen = self.seen(self.cells, self.classes, at)
        if self.translated is None:
            return seen
        return seen + self.smoothing.translated(self.translated.shares, _gathered(self.classes, at))

    def probabilities(
        self,
        counts: FloatArray,
        classes: Classes,
        first: int,
        last: int,
        shares: FloatArray | None = None,
    ) -> FloatArray:
        """Return p(w|c) of rows of counts, words by classes, with p_t if given."""
        seen = self.seen(counts, classes)
        if shares is not None:
            seen = seen + self.smoothing.translated(shares, classes)
        spread = self.smoothing.freed(classes) * self.spread[first:last, None]
        if self.smoothing.exclusive:
            return np.where(seen > 0, seen, spread)
        return np.maximum(seen + spread, 0.0)

    def rows(self, first: int, last: int) -> FloatArray:
        """Return p(w|c) of a range of words."""
        counts = self.reading.dense(self.cells, first, last)
        shares = None if self.translated is None else self.translated.rows(first, last)
        return self.probabilities(counts, self.classes, first, last, shares)

    def rest_rows(self, first: int, last: int) -> FloatArray:
        """Return p(w|c̄) of a range of words, c̄ being all documents outside c."""
        counts = self.words[first:last, None] - self.reading.dense(self.cells, first, last)
        shares = None if self.translated is None else self.translated.rest_rows(first, last)
        return self.probabilities(np.maximum(counts, 0.0), self.rests, first, last, shares)

    def _sum(self, measure: Measure, occurrences: bool) -> FloatArray:
        values = measure(self.cells)
        return self.reading.class_sum(values * self.words[self.term] if occurrences else values)

    def _rest_sum(self, measure: Measure, occurrences: bool) -> FloatArray:
        each = measure(self.words) * (self.words if occurrences else 1.0)
        words = self.words[self.term]
        moved = measure(np.maximum(words - self.cells, 0.0)) * (words if occurrences else 1.0)
        return each.sum() - self.reading.class_sum(each[self.term] - moved)

    def _own_words(self) -> FloatArray:
        # Words that no other class has: what is left of them is rounding.
        alone = self.words[self.term] - self.cells <= 1e-9 * self.words[self.term]
        return self.reading.class_sum(alone.astype(np.float64))


def _gathered(classes: Classes, at: Any) -> Classes:
    """Return what is known of the classes ``at``, one entry for each."""
    if isinstance(at, slice):
        return classes

    def total(measure: Measure, occurrences: bool = False) -> FloatArray:
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


# ------------------------------------------------------------------------------------------------
# Weights of words: how much a word says about the classes, from documents that have it.

_ROW_NUMBERS = 1 << 21


def term_emphasis(reading: Reading, method: str | None, power: float) -> FloatArray:
    """Return one weight per word, common to all classes."""
    if method is None:
        return np.ones(reading.n_terms)
    postings = Postings(
        starts=reading.starts,
        classes=reading.classes,
        counts=reading.cells[-1],
        terms=reading.term_totals[-1],
        sizes=reading.class_documents.astype(np.float64),
        total=float(reading.n_documents),
    )
    live = postings.terms > 0
    scores = np.where(live, METHODS[method](postings), 0.0)
    return np.power(np.maximum(scores, 0.0), power, out=np.zeros_like(scores), where=live)


@dataclass(frozen=True)
class ClassWeighting:
    """Weights per word and class (Kim et al., eqs. 11-13), in rows made on demand."""

    reading: Reading
    method: str | None
    power: float = 1.0

    def rows(self, first: int, last: int) -> FloatArray:
        """Return the weights of a range of words, words by classes."""
        words = self.reading.term_totals[-1, first:last, None]
        return self._weights(self.reading.dense(self.reading.cells[-1], first, last), words)

    def scale(self) -> FloatArray:
        """Return V / W of each class: what makes its weights one on average."""
        whole = replace(self, reading=self.reading.all_terms())
        n_live = float((whole.reading.term_totals[-1] > 0).sum())
        total = sum(whole.rows(*ends).sum(axis=0) for ends in blocks(whole.reading))
        return np.divide(n_live, total, out=np.zeros(self.reading.n_classes), where=total > 0)

    def held(self) -> Callable[[NDArray[np.int32]], FloatArray]:
        """Return the weights of any words, one on average, as they are now."""
        scale = self.scale()
        return lambda terms: (
            scale
            * self._weights(
                self.reading.rows(self.reading.cells[-1], terms),
                self.reading.term_totals[-1, terms, None],
            )
        )

    def _weights(self, class_with: FloatArray, words: FloatArray) -> FloatArray:
        reading = self.reading
        if self.method is None:
            return np.broadcast_to((words > 0) * 1.0, class_with.shape)
        table = Table.of(
            class_with=class_with,
            with_term=words,
            in_class=reading.class_documents,
            n_documents=reading.n_documents,
        )
        weights: FloatArray = np.where(words > 0, CLASS_METHODS[self.method](table), 0.0)
        return weights if self.power == 1 else weights**self.power


def blocks(reading: Reading) -> list[tuple[int, int]]:
    """Return ranges of words whose rows fit into memory together."""
    step = max(1, _ROW_NUMBERS // max(1, reading.n_classes))
    return [(at, min(at + step, reading.n_terms)) for at in range(0, reading.n_terms, step)]


METHODS: dict[str, Callable[[Postings], FloatArray]] = {
    "ig": lambda postings: postings.summed(Table.gain, np.ones_like(postings.sizes)),
    "chi": lambda postings: postings.topmost(Table.chi_square),
    "prr": lambda postings: postings.topmost(Table.probability_ratio),
    "mi": lambda postings: postings.largest(Table.mutual_information(postings.tables())),
    "df": lambda postings: postings.terms,
}
"""Scores of words, over all classes. Gains are those of telling each class from the others, summed:
that is right for documents with several labels, too."""


# ------------------------------------------------------------------------------------------------
# From word probabilities to the weights of a scorer: joint scores and contrasts.

_LEAST = np.finfo(np.float64).tiny


def joint_weights(counts: WordCounts, intercept: FloatArray, emphasis: FloatArray) -> Weights:
    r"""Return the weights of :math:`\log p(c) + \sum_w x_w q_w \log p(w \mid c)`.

    What a class has not shown costs :math:`\log \gamma_c + \log g(w)`; what it has shown adds
    :math:`\log(1 + f / (\gamma_c g))`. So only cells need a weight of their own.
    """
    freed = counts.smoothing.freed(counts.classes)
    if not (freed > 0).all():
        return row_weights(counts, intercept, emphasis, counts.rows)
    gain = _gain(counts, freed)
    return SparseWeights(
        intercept=intercept,
        slope=np.log(freed),
        common=emphasis * _log_where(counts.spread),
        mass=emphasis * counts.known,
        starts=counts.reading.starts,
        classes=counts.reading.classes,
        values=gain * emphasis[counts.term],
    )


def contrast_weights(
    counts: WordCounts, intercept: FloatArray, emphasis: FloatArray, only_rest: bool
) -> Weights:
    r"""Return the weights of :math:`\sum_w x_w q_w [\log p(w \mid c) - \log p(w \mid \bar c)]`.

    With ``only_rest`` the first logarithm is left out. When f is proportional to the count, the
    rest of a class that does not show w has a probability of the form A(w) B(c), and only cells
    need a weight of their own.
    """
    dense = not counts.smoothing.linear
    joint = None if dense else joint_weights(counts, intercept, np.ones_like(emphasis))
    if not isinstance(joint, SparseWeights):
        return row_weights(
            counts, intercept, emphasis, _contrast(counts, only_rest), already_logs=True
        )
    if only_rest:
        joint = replace(
            joint, slope=joint.slope * 0, common=joint.common * 0, values=joint.values * 0
        )
    of_word, of_class, of_cell = _rest_logs(counts)
    return replace(
        joint,
        slope=joint.slope - of_class,
        common=emphasis * (joint.common - of_word),
        mass=emphasis * counts.known,
        values=emphasis[counts.term] * (joint.values - of_cell),
    )


def row_weights(
    counts: WordCounts,
    intercept: FloatArray,
    emphasis: FloatArray,
    rows: MakeRows,
    already_logs: bool = False,
) -> RowWeights:
    """Return weights that are made row by row, from probabilities or from logarithms."""

    mass = emphasis * counts.known

    def make(first: int, last: int) -> FloatArray:
        made = rows(first, last)
        with np.errstate(divide="ignore"):
            logs = made if already_logs else np.log(made)
        weights = np.zeros_like(logs)
        return np.multiply(
            logs, emphasis[first:last, None], out=weights, where=mass[first:last, None] > 0
        )

    # What rows need of all counts is read now, while the tally is as it was.
    make(0, 0)
    return RowWeights(intercept, np.zeros_like(intercept), mass, make)


def class_contrast_weights(
    counts: WordCounts, intercept: FloatArray, weighting: ClassWeighting, only_rest: bool
) -> RowWeights:
    r"""Return the weights of :math:`\sum_w x_w \frac{V w_{cw}}{\sum_v w_{cv}} [\dots]`."""
    scale, contrast = weighting.scale(), _contrast(counts, only_rest)
    return row_weights(
        counts,
        intercept,
        np.ones(counts.reading.n_terms),
        lambda first, last: contrast(first, last) * weighting.rows(first, last) * scale,
        already_logs=True,
    )


def _contrast(counts: WordCounts, only_rest: bool) -> MakeRows:
    def rows(first: int, last: int) -> FloatArray:
        inside = None if only_rest else counts.rows(first, last)
        return contrast_logs(inside, counts.rest_rows(first, last))

    return rows


def contrast_logs(inside: FloatArray | None, outside: FloatArray) -> FloatArray:
    """Return log p(w|c) - log p(w|rest of c), or the latter alone.

    Without smoothing a word may be impossible in the class, in its rest, or in both: then it says a
    great deal, but not infinitely much, or nothing.
    """
    rest = np.log(np.maximum(outside, _LEAST))
    return -rest if inside is None else np.log(np.maximum(inside, _LEAST)) - rest


def _gain(counts: WordCounts, freed: FloatArray) -> FloatArray:
    seen = counts.cells_seen
    spread = freed[counts.reading.classes] * counts.spread[counts.term]
    ratio = np.divide(seen, spread, out=np.zeros_like(seen), where=spread > 0)
    return _log_where(ratio) if counts.smoothing.exclusive else np.log1p(ratio)


def _rest_logs(counts: WordCounts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log A(w), log B(c), and for each cell log p(w|rest of c) - log A(w) B(c)."""
    reading, rests = counts.reading, counts.rests
    freed = counts.smoothing.freed(rests)
    first = int(np.argmax(rests.tokens))
    absent = counts.seen(counts.words, rests, np.full(reading.n_terms, first))
    of_word = _log_where(absent + freed[first] * counts.spread)
    one = np.array([counts.total])
    any_word = counts.seen(np.repeat(one, len(freed)), rests) + freed * counts.spread_of(one)
    of_class = _log_where(any_word) - _log_where(any_word[[first]])
    rest = np.maximum(counts.words[counts.term] - counts.cells, 0.0)
    here = counts.seen(rest, rests, reading.classes)
    log_here = _log_where(here + freed[reading.classes] * counts.spread[counts.term])
    return of_word, of_class, log_here - of_word[counts.term] - of_class[reading.classes]


def _log_where(values: FloatArray) -> FloatArray:
    """Return logarithms, zero where there is nothing to take one of."""
    values = np.asarray(values)
    return np.log(values, out=np.zeros_like(values), where=values > 0)
