"""From documents per word and class to the weights of a Bernoulli model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Reading
from tallytext.scorer import RowWeights, SparseWeights
from tallytext.smoothing.base import Numbers

LEAST = 1e-12
"""What is left of a probability of one."""


@dataclass(frozen=True)
class BernoulliCounts:
    r"""Documents per word and class, and :math:`p(w \mid c) = (\mathrm{df} + \gamma) / D_c`.

    Attributes
    ----------
    reading : Reading
        Its last column counts documents.
    gamma : float
    n_terms : int
        V.
    closed : bool
        Whether all columns are in the vocabulary, or only the words that occur.
    """

    reading: Reading
    gamma: float
    n_terms: int
    closed: bool

    @property
    def cells(self) -> Numbers:
        """:math:`\\mathrm{df}_{cw}`."""
        return self.reading.cells[-1]

    @property
    def words(self) -> Numbers:
        """:math:`\\mathrm{df}_w`."""
        return self.reading.term_totals[-1]

    @cached_property
    def term(self) -> NDArray[np.intp]:
        """Which word each cell belongs to."""
        return self.reading.term_of_cell()

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether a word counts at all."""
        return np.full(len(self.words), True) if self.closed else self.words > 0

    @cached_property
    def pseudo_documents(self) -> float:
        r""":math:`\gamma V / d_a`."""
        n, distinct = float(self.reading.n_documents), float(self.reading.totals[-1])
        return self.gamma * max(self.n_terms, 1) * (n / distinct if distinct else 1.0)

    @cached_property
    def below(self) -> Numbers:
        """:math:`D_c`."""
        return self.reading.class_documents + self.pseudo_documents

    @cached_property
    def rest_below(self) -> Numbers:
        """:math:`D` of all documents outside each class."""
        outside = np.maximum(self.reading.n_documents - self.reading.class_documents, 0.0)
        return outside + self.pseudo_documents

    def absence(self, counts: Numbers, below: Numbers) -> Numbers:
        """Return log(1 - p)."""
        return np.log(np.maximum(1 - (counts + self.gamma) / below, LEAST))

    def logit(self, counts: Numbers, below: Numbers) -> Numbers:
        """Return log p - log(1 - p)."""
        return np.log(counts + self.gamma) - np.log(below) - self.absence(counts, below)


def joint_weights(counts: BernoulliCounts, intercept: Numbers) -> SparseWeights:
    r"""Return the weights of :math:`\log p(c) + \log P(d \mid c)`.

    The absence of all words is a constant of the class; a word that is there moves it by its
    logit, and only cells differ from the logit of a word that the class has not shown.
    """
    reading, nothing = counts.reading, np.zeros(counts.reading.n_classes)
    unseen = counts.logit(nothing, counts.below)
    logit = counts.logit(counts.cells, counts.below[reading.classes])
    return SparseWeights(
        intercept=intercept + _all_absent(counts),
        slope=unseen,
        common=np.zeros(reading.n_terms),
        mass=counts.known * 1.0,
        starts=reading.starts,
        classes=reading.classes,
        values=logit - unseen[reading.classes],
    )


def contrast_weights(counts: BernoulliCounts, intercept: Numbers) -> RowWeights:
    """Return the weights of the contrast of each class with all documents outside it."""
    reading = counts.reading
    constant = _all_absent(counts) - _all_absent_outside(counts)

    def rows(first: int, last: int) -> Numbers:
        inside = reading.dense(counts.cells, first, last)
        outside = np.maximum(counts.words[first:last, None] - inside, 0.0)
        contrast = counts.logit(inside, counts.below) - counts.logit(outside, counts.rest_below)
        return np.where(counts.known[first:last, None], contrast, 0.0)

    slope = np.zeros(reading.n_classes)
    return RowWeights(intercept + constant, slope, counts.known * 1.0, rows)


def _all_absent(counts: BernoulliCounts) -> Numbers:
    """Return the sum of log(1 - p) over the vocabulary, for each class."""
    whole = replace(counts, reading=counts.reading.all_terms())
    classes, nothing = whole.reading.classes, np.zeros(whole.reading.n_classes)
    unseen = whole.absence(nothing, whole.below)
    moved = whole.absence(whole.cells, whole.below[classes]) - unseen[classes]
    return whole.n_terms * unseen + whole.reading.class_sum(moved)


def _all_absent_outside(counts: BernoulliCounts) -> Numbers:
    """Return the same for all documents outside each class.

    Words with the same document frequency are alike in all classes that do not have them.
    """
    whole = replace(counts, reading=counts.reading.all_terms())
    reading = whole.reading
    frequencies, how_many = np.unique(whole.words, return_counts=True)
    beyond = whole.n_terms - how_many[frequencies > 0].sum()  # words that never occurred
    how_many = np.append(how_many[frequencies > 0], beyond)
    frequencies = np.append(frequencies[frequencies > 0], 0.0)
    anywhere = how_many @ whole.absence(frequencies[:, None], whole.rest_below)
    words, below = whole.words[whole.term], whole.rest_below[reading.classes]
    outside = whole.absence(np.maximum(words - whole.cells, 0.0), below)
    return anywhere + reading.class_sum(outside - whole.absence(words, below))
