"""Multivariate Bernoulli naive Bayes: documents as sets of words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.models.left_out import Leaving, LeftOut
from tallytext.models.left_out_multinomial import add_places
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.priors import Prior
from tallytext.models.reading import Column, Reading
from tallytext.models.scorer import RowWeights, SparseWeights, Weights
from tallytext.tally.planes import Plane

# ------------------------------------------------------------------------------------------------
# From documents per word and class to the weights of a Bernoulli model.

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
    def cells(self) -> FloatArray:
        """:math:`\\mathrm{df}_{cw}`."""
        return self.reading.cells[-1]

    @property
    def words(self) -> FloatArray:
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
    def below(self) -> FloatArray:
        """:math:`D_c`."""
        return self.reading.class_documents + self.pseudo_documents

    @cached_property
    def rest_below(self) -> FloatArray:
        """:math:`D` of all documents outside each class."""
        outside = np.maximum(self.reading.n_documents - self.reading.class_documents, 0.0)
        return outside + self.pseudo_documents

    def absence(self, counts: FloatArray, below: FloatArray) -> FloatArray:
        """Return log(1 - p)."""
        return np.log(np.maximum(1 - (counts + self.gamma) / below, LEAST))

    def logit(self, counts: FloatArray, below: FloatArray) -> FloatArray:
        """Return log p - log(1 - p)."""
        return np.log(counts + self.gamma) - np.log(below) - self.absence(counts, below)


def joint_weights(counts: BernoulliCounts, intercept: FloatArray) -> SparseWeights:
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


def contrast_weights(counts: BernoulliCounts, intercept: FloatArray) -> RowWeights:
    """Return the weights of the contrast of each class with all documents outside it."""
    reading = counts.reading
    constant = _all_absent(counts) - _all_absent_outside(counts)

    def rows(first: int, last: int) -> FloatArray:
        inside = reading.dense(counts.cells, first, last)
        outside = np.maximum(counts.words[first:last, None] - inside, 0.0)
        contrast = counts.logit(inside, counts.below) - counts.logit(outside, counts.rest_below)
        return np.where(counts.known[first:last, None], contrast, 0.0)

    slope = np.zeros(reading.n_classes)
    return RowWeights(intercept + constant, slope, counts.known * 1.0, rows)


def _all_absent(counts: BernoulliCounts) -> FloatArray:
    """Return the sum of log(1 - p) over the vocabulary, for each class."""
    whole = replace(counts, reading=counts.reading.all_terms())
    classes, nothing = whole.reading.classes, np.zeros(whole.reading.n_classes)
    unseen = whole.absence(nothing, whole.below)
    moved = whole.absence(whole.cells, whole.below[classes]) - unseen[classes]
    return whole.n_terms * unseen + whole.reading.class_sum(moved)


def _all_absent_outside(counts: BernoulliCounts) -> FloatArray:
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


# ------------------------------------------------------------------------------------------------
# A Bernoulli model without a document.
#
# The mean number of words of a document changes for all classes, and with it the probability that a
# word is absent: :math:`\sum_w \log(1 - p(w \mid c))` is a sum over the few distinct document
# frequencies of a class.

_ROOM = 1 << 19


class Frequencies(NamedTuple):
    """How many words of a class have which document frequency; those of zero are left out."""

    values: FloatArray
    how_many: FloatArray


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

    def __call__(self, left: LeftOut, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
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

    def _rest(
        self, left: LeftOut, before: FloatArray, after: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log P(no word at all | rest), and the logit of each place in each rest."""
        below = left.n_documents[:, None] - left.class_documents
        below = np.maximum(below, 0.0) + self._pseudo(left)
        absent, at = self._all_absent(left, below, self._outside), below[left.row]
        add_places(left, np.ones(len(left.terms)), self._step(after, before, at), absent)
        return absent, self._logit(after, at)

    def _all_absent(
        self, left: LeftOut, below: FloatArray, frequencies: list[Frequencies]
    ) -> FloatArray:
        """Return log P(no word at all | class), but for the words of the document itself."""
        unseen = self.counts.absence(np.zeros_like(below), below)
        return self._n_terms(left)[:, None] * unseen + self._moved(frequencies, below)

    def _step(self, after: FloatArray, before: FloatArray, below: FloatArray) -> FloatArray:
        """Return by how much log(1 - p) moves between two counts."""
        left = np.maximum(1 - (after + self.counts.gamma) / below, LEAST)
        return np.log(left / np.maximum(1 - (before + self.counts.gamma) / below, LEAST))

    def _logit(self, counts: FloatArray, below: FloatArray) -> FloatArray:
        """Return log p - log(1 - p)."""
        p = (counts + self.counts.gamma) / below
        return np.log(p / np.maximum(1 - p, LEAST))

    def _moved(self, frequencies: list[Frequencies], below: FloatArray) -> FloatArray:
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

    def _sum(self, values: FloatArray, how_many: FloatArray, below: FloatArray) -> FloatArray:
        nothing = self.counts.absence(np.zeros(1), below)
        return (self.counts.absence(values, below) - nothing) @ how_many

    def _n_terms(self, left: LeftOut) -> FloatArray:
        gone = np.zeros(left.n) if self.counts.closed else left.n_gone
        return self.counts.n_terms - gone

    def _pseudo(self, left: LeftOut) -> FloatArray:
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

    def _by_class(self, values: FloatArray) -> list[NDArray[np.floating]]:
        reading = self.counts.reading
        by_class = np.argsort(reading.classes, kind="stable")
        ends = np.cumsum(np.bincount(reading.classes, minlength=reading.n_classes))[:-1]
        return np.split(values[by_class], ends)


def _frequencies(values: FloatArray, how_many: FloatArray | None = None) -> Frequencies:
    distinct, which = np.unique(values, return_inverse=True)
    number = np.bincount(which, how_many, len(distinct)).astype(np.float64)
    kept = (distinct > 0) & (number > 0)
    return Frequencies(distinct[kept], number[kept])


class BernoulliNB(NaiveBayes):
    r"""Multivariate Bernoulli naive Bayes (Aggarwal, 5.11-5.17): which words occur, which do not.

    .. math:: p(w \mid c) = \frac{\mathrm{df}_{cw} + \gamma}{N_c + \gamma V / d_a}, \qquad
              s_c(d) = \log p(c) + \sum_{w \in d} \log p(w \mid c)
              + \sum_{w \notin d} \log(1 - p(w \mid c))

    :math:`d_a` is the mean number of distinct words of a training document, so that a word nobody
    has seen is expected in a share :math:`d_a / V` of documents, not in half of them.

    Parameters
    ----------
    gamma : float, default=1.0
        Pseudo-documents per word, positive.
    complement : bool, default=False
        Judge each class against all documents outside it.
    prior, prior_beta, class_weight, multi_label, dtype, n_jobs
        As in :class:`MultinomialNB`; the prior is "smoothed" by default, as in the source.

    Attributes
    ----------
    tally_ : Tally
        The counts, all there is to know.
    classes_ : ndarray
        The labels, sorted.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    tf_test = "binary"
    has_leave_one_out = True

    def __init__(
        self,
        gamma: float = 1.0,
        *,
        complement: bool = False,
        prior: Prior = "smoothed",
        prior_beta: float = 1.0,
        class_weight: Any = None,
        multi_label: bool | None = None,
        dtype: Literal["float64", "float32"] = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.complement = complement
        self.prior = prior
        self.prior_beta = prior_beta
        self.class_weight = class_weight
        self.multi_label = multi_label
        self.dtype = dtype
        self.n_jobs = n_jobs

    @property
    def _contrasts(self) -> bool:
        return self.multi_label_ or bool(self.complement)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_between("gamma", self.gamma, 1e-12, 1e12)
        if self.complement not in (False, True):
            raise ValueError(f"complement must be True or False, not {self.complement!r}.")

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        return [Plane("binary", weighted=True) if weighted else "documents"]

    def _joint_sklearn(self, table: FloatArray, intercept: FloatArray) -> Any:
        from tallytext.models.sklearn_export import as_bernoulli

        return as_bernoulli(table, intercept, self)

    def _estimate(self, reading: Reading, intercept: FloatArray) -> Weights:
        counts = self.document_counts(reading)
        if self._contrasts:
            return contrast_weights(counts, intercept)
        return joint_weights(counts, intercept)

    def _leaving(self, reading: Reading) -> Leaving:
        return BernoulliScores(self.document_counts(reading), self._contrasts)

    def document_counts(self, reading: Reading) -> BernoulliCounts:
        """Return the smoothed counts behind the weights.

        Parameters
        ----------
        reading : Reading
            Sums of a tally, of one moment.
        """
        n_terms = reading.n_live_terms if self.open_ else self.n_features_in_
        return BernoulliCounts(reading, self.gamma, n_terms, closed=not self.open_)
