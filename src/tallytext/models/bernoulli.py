"""Multivariate Bernoulli naive Bayes: documents as sets of words.

:class:`BernoulliCounts` turns numbers of documents into probabilities, from which
:class:`BernoulliNB` computes its weights. :class:`BernoulliLeaveOneOut` scores documents by models
without them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.models.base import RowWeights, SparseWeights, Weights
from tallytext.models.class_counts import ClassCounts, Column, Prior
from tallytext.models.leave_one_out import LeaveOneOutCounts, LeaveOneOutScorer
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.runtime import rows_per_block
from tallytext.tally.planes import Plane

_MIN_PROBABILITY = 1e-12  # of the absence of a word, instead of zero


class BernoulliNB(NaiveBayes):
    r"""Multivariate Bernoulli naive Bayes (Aggarwal, 5.11-5.17) of present and absent words.

    .. math:: p(w \mid c) = \frac{\mathrm{df}_{cw} + \gamma}{N_c + \gamma V / d_a}, \qquad
              s_c(d) = \log p(c) + \sum_{w \in d} \log p(w \mid c)
              + \sum_{w \notin d} \log(1 - p(w \mid c))

    :math:`d_a` is the mean number of distinct words of a training document, so that an unseen word
    is expected in a share :math:`d_a / V` of documents, not in half of them.

    Parameters
    ----------
    gamma : float, default=1.0
        Pseudo-documents per word, positive.
    complement : bool, default=False
        Compare each class with all documents outside it.
    prior, prior_beta, class_weight, multi_label, dtype, n_jobs
        As in :class:`MultinomialNB`; the prior is "smoothed" by default, as in the source.

    Attributes
    ----------
    tally_ : Tally
        The counts that all weights are computed from.
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_between("gamma", self.gamma, 1e-12, 1e12)
        if self.complement not in (False, True):
            raise ValueError(f"complement must be True or False, not {self.complement!r}.")

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        return [Plane("binary", weighted=True) if weighted else "documents"]

    def _joint_sklearn(self, table: FloatArray, intercept: FloatArray) -> Any:
        from tallytext.models.sklearn_export import to_bernoulli_nb

        return to_bernoulli_nb(table, intercept, self)

    def _estimate(self, class_counts: ClassCounts, intercept: FloatArray) -> Weights:
        r"""Return the weights of :math:`\log p(c) + \log P(d \mid c)`, or of contrasts.

        The probability that no word occurs is a constant of the class. A word that occurs adds its
        logit, and only words of the class differ from the logit of an unseen word.
        """
        counts, classes = self.document_counts(class_counts), class_counts.classes
        if self.contrasts:
            return contrast_bernoulli_weights(counts, intercept)
        unseen = counts.logit(np.zeros(class_counts.n_classes), counts.denominators)
        logit = counts.logit(counts.cells, counts.denominators[classes])
        return SparseWeights(
            intercept=intercept + _all_absent(counts),
            slope=unseen,
            common=np.zeros(class_counts.n_terms),
            mass=counts.in_vocabulary * 1.0,
            starts=class_counts.starts,
            classes=classes,
            values=logit - unseen[classes],
        )

    def _leave_one_out_scorer(self, class_counts: ClassCounts) -> LeaveOneOutScorer:
        return BernoulliLeaveOneOut(self.document_counts(class_counts), self.contrasts)

    def document_counts(self, class_counts: ClassCounts) -> BernoulliCounts:
        """Return the smoothed counts that weights are computed from.

        Parameters
        ----------
        class_counts : ClassCounts
            The sums of one version of the tally.
        """
        n_terms = class_counts.n_live_terms if self.open_ else self.n_features_in_
        return BernoulliCounts(class_counts, self.gamma, n_terms, closed=not self.open_)


@dataclass(eq=False)
class BernoulliCounts:
    r"""Documents per word and class, and :math:`p(w \mid c) = (\mathrm{df} + \gamma) / D_c`.

    Attributes
    ----------
    class_counts : ClassCounts
        The sums of a tally; the last column counts documents.
    gamma : float
        Pseudo-documents per word.
    n_terms : int
        V.
    closed : bool
        True if the vocabulary has all columns, False if only the words that occur.
    cells : ndarray of shape (n_cells,)
        :math:`\mathrm{df}_{cw}`.
    document_frequencies : ndarray of shape (n_words,)
        :math:`\mathrm{df}_w`.
    in_vocabulary : ndarray of bool of shape (n_words,)
        True for words of the vocabulary.
    denominators, complement_denominators : ndarray of shape (n_classes,)
        :math:`D_c = N_c + \gamma V / d_a`, and the same for the complement of each class.
    """

    class_counts: ClassCounts
    gamma: float
    n_terms: int
    closed: bool
    cells: FloatArray = field(init=False)
    document_frequencies: FloatArray = field(init=False)
    in_vocabulary: NDArray[np.bool_] = field(init=False)
    denominators: FloatArray = field(init=False)
    complement_denominators: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        sums = self.class_counts
        self.cells, self.document_frequencies = sums.cells[-1], sums.term_totals[-1]
        live = self.document_frequencies > 0
        self.in_vocabulary = np.ones_like(live) if self.closed else live
        # 1 / d_a is documents by pairs of document and word; without any pair there is no mean.
        n, pairs = float(sums.n_documents), float(sums.totals[-1])
        pseudo_documents = self.gamma * max(self.n_terms, 1) * (n / pairs if pairs else 1.0)
        self.denominators = sums.class_documents + pseudo_documents
        outside = np.maximum(sums.n_documents - sums.class_documents, 0.0)
        self.complement_denominators = outside + pseudo_documents

    @cached_property
    def cell_term(self) -> NDArray[np.intp]:
        """The word of each cell."""
        # On demand: only contrasts need it, and it is as large as all counts.
        return self.class_counts.term_of_cell()

    def absence(self, counts: FloatArray, denominators: FloatArray) -> FloatArray:
        """Return log(1 - p)."""
        # If documents have almost all words, d_a is near V, and p of a common word reaches one.
        return np.log(np.maximum(1 - (counts + self.gamma) / denominators, _MIN_PROBABILITY))

    def logit(self, counts: FloatArray, denominators: FloatArray) -> FloatArray:
        """Return log p - log(1 - p)."""
        return (
            np.log(counts + self.gamma) - np.log(denominators) - self.absence(counts, denominators)
        )


def contrast_bernoulli_weights(counts: BernoulliCounts, intercept: FloatArray) -> RowWeights:
    """Return the weights of the contrast of each class with its complement."""
    class_counts = counts.class_counts
    constant = _all_absent(counts) - _all_absent_outside(counts)

    # Outside a class almost every word occurs, each with its own frequency: the weights are dense.
    def rows(first: int, last: int) -> FloatArray:
        inside = class_counts.dense(counts.cells, first, last)
        outside = np.maximum(counts.document_frequencies[first:last, None] - inside, 0.0)
        contrast = counts.logit(inside, counts.denominators)
        contrast -= counts.logit(outside, counts.complement_denominators)
        return np.where(counts.in_vocabulary[first:last, None], contrast, 0.0)

    slope = np.zeros(class_counts.n_classes)
    return RowWeights(intercept + constant, slope, counts.in_vocabulary * 1.0, rows)


def _all_absent(counts: BernoulliCounts) -> FloatArray:
    """Return the sum of log(1 - p) over the vocabulary, for each class."""
    whole = replace(counts, class_counts=counts.class_counts.all_terms())
    classes, nothing = whole.class_counts.classes, np.zeros(whole.class_counts.n_classes)
    # Every word of the vocabulary as if unseen, then a correction for the words of the class: the
    # cost is that of the cells, not of words times classes.
    unseen = whole.absence(nothing, whole.denominators)
    moved = whole.absence(whole.cells, whole.denominators[classes]) - unseen[classes]
    return whole.n_terms * unseen + whole.class_counts.class_sum(moved)


def _all_absent_outside(counts: BernoulliCounts) -> FloatArray:
    """Return the sum of log(1 - p) over the vocabulary, for the complement of each class.

    Outside a class, words that the class does not have differ by their document frequency only.
    """
    whole = replace(counts, class_counts=counts.class_counts.all_terms())
    class_counts = whole.class_counts
    frequencies, n_words = np.unique(whole.document_frequencies, return_counts=True)
    # Zero is counted apart: the vocabulary may have words beyond the columns of these counts.
    n_unseen = whole.n_terms - n_words[frequencies > 0].sum()
    n_words = np.append(n_words[frequencies > 0], n_unseen)
    frequencies = np.append(frequencies[frequencies > 0], 0.0)
    anywhere = n_words @ whole.absence(frequencies[:, None], whole.complement_denominators)
    words = whole.document_frequencies[whole.cell_term]
    denominators = whole.complement_denominators[class_counts.classes]
    outside = whole.absence(np.maximum(words - whole.cells, 0.0), denominators)
    return anywhere + class_counts.class_sum(outside - whole.absence(words, denominators))


class DocumentFrequencies(NamedTuple):
    """Distinct document frequencies above zero, and the number of words that have each."""

    values: FloatArray
    n_words: FloatArray


@dataclass(frozen=True)
class BernoulliLeaveOneOut:
    r"""Scores documents by Bernoulli models without them.

    Without a document the mean number of words of a document changes, and with it the probability
    that a word is absent, in all classes: :math:`\sum_w \log(1 - p(w \mid c))` is computed as a sum
    over the few distinct document frequencies of a class.

    Attributes
    ----------
    counts : BernoulliCounts
        The counts of all documents.
    contrasts : bool
        True to contrast each class with its complement.
    """

    counts: BernoulliCounts
    contrasts: bool

    dense = True

    def __call__(
        self, left: LeaveOneOutCounts, intercept: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and its length."""
        known = ~left.vanished | self.counts.closed
        before = left.class_counts.rows(self.counts.cells, left.terms)
        after = before.copy()
        column = left.column(-1)
        after[left.cell_at] = column.cells
        denominators = left.class_documents + self._pseudo_documents(left)
        scores = self._all_absent(left, denominators, self._inside)
        at = denominators[left.pair_row, left.pair_class][left.cell_pair]
        moved = self._step(column.cells, column.cells_before, at)
        scores[left.pair_row, left.pair_class] += left.by_pair(moved)
        logits = self._logit(after, denominators[left.row])
        if self.contrasts:
            before = np.maximum(self.counts.document_frequencies[left.terms][:, None] - before, 0.0)
            after = np.maximum(column.occurrences[:, None] - after, 0.0)
            outside, logits_outside = self._score_complement(left, before, after)
            scores, logits = scores - outside, logits - logits_outside
        scores += intercept
        left.add_rows(known * 1.0, logits, scores)
        return scores, left.by_document(known)

    def _score_complement(
        self, left: LeaveOneOutCounts, before: FloatArray, after: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log P(no word | complement), and the logit of each entry in each complement."""
        denominators = left.n_documents[:, None] - left.class_documents
        denominators = np.maximum(denominators, 0.0) + self._pseudo_documents(left)
        absent, at = self._all_absent(left, denominators, self._outside), denominators[left.row]
        left.add_rows(np.ones(len(left.terms)), self._step(after, before, at), absent)
        return absent, self._logit(after, at)

    def _all_absent(
        self,
        left: LeaveOneOutCounts,
        denominators: FloatArray,
        frequencies: list[DocumentFrequencies],
    ) -> FloatArray:
        """Return log P(no word | class), without the change by the words of the document."""
        unseen = self.counts.absence(np.zeros_like(denominators), denominators)
        return self._n_terms(left)[:, None] * unseen + self._sum_differences(
            frequencies, denominators
        )

    def _step(self, after: FloatArray, before: FloatArray, denominators: FloatArray) -> FloatArray:
        """Return the difference of log(1 - p) between two counts."""
        # One logarithm of the ratio instead of two: entries times classes are many.
        absent = np.maximum(1 - (after + self.counts.gamma) / denominators, _MIN_PROBABILITY)
        return np.log(
            absent / np.maximum(1 - (before + self.counts.gamma) / denominators, _MIN_PROBABILITY)
        )

    def _logit(self, counts: FloatArray, denominators: FloatArray) -> FloatArray:
        """Return log p - log(1 - p)."""
        p = (counts + self.counts.gamma) / denominators
        return np.log(p / np.maximum(1 - p, _MIN_PROBABILITY))

    def _sum_differences(
        self, frequencies: list[DocumentFrequencies], denominators: FloatArray
    ) -> FloatArray:
        """Return the sum over the words of a class of log(1 - p) minus that of an unseen word."""
        sums = np.zeros_like(denominators)
        for label, (values, n_words) in enumerate(frequencies):
            distinct, which = np.unique(denominators[:, label], return_inverse=True)
            step = rows_per_block(len(values))
            parts = []
            # Many documents share a denominator, so that each is computed once.
            for at in range(0, len(distinct), step):
                below = distinct[at : at + step, None]
                unseen = self.counts.absence(np.zeros(1), below)
                parts.append((self.counts.absence(values, below) - unseen) @ n_words)
            sums[:, label] = np.concatenate(parts)[which]
        return sums

    def _n_terms(self, left: LeaveOneOutCounts) -> FloatArray:
        """Return the size of the vocabulary without each document."""
        vanished = np.zeros(left.n) if self.counts.closed else left.n_vanished
        return self.counts.n_terms - vanished

    def _pseudo_documents(self, left: LeaveOneOutCounts) -> FloatArray:
        """Return the pseudo-documents of each class without each document, as a column."""
        pairs = self.counts.class_counts.totals[-1] - left.by_document(left.column(-1).removed)
        none_left = left.class_counts.n_live_terms - left.n_vanished <= 0
        share = np.divide(
            left.n_documents,
            pairs,
            out=np.ones_like(pairs),
            where=~none_left & (pairs > 0),
        )
        return (self.counts.gamma * np.maximum(self._n_terms(left), 1) * share)[:, None]

    @cached_property
    def _inside(self) -> list[DocumentFrequencies]:
        """The document frequencies in each class."""
        return [_count_frequencies(cells) for cells in self._by_class(self.counts.cells)]

    @cached_property
    def _outside(self) -> list[DocumentFrequencies]:
        """The document frequencies outside each class."""
        # Start from the frequencies in all documents, and exchange those of the words of the class.
        counts = self.counts
        everywhere = counts.document_frequencies
        words = everywhere[counts.cell_term]
        old = self._by_class(words)
        new = self._by_class(np.maximum(words - counts.cells, 0.0))
        return [
            _count_frequencies(
                np.concatenate([everywhere, before, after]),
                np.concatenate(
                    [np.ones(len(everywhere)), -np.ones(len(before)), np.ones(len(after))]
                ),
            )
            for before, after in zip(old, new, strict=True)
        ]

    def _by_class(self, values: FloatArray) -> list[FloatArray]:
        """Split a value per cell by class."""
        class_counts = self.counts.class_counts
        # Stable, so that the values of two calls for the same cells stay aligned.
        by_class = np.argsort(class_counts.classes, kind="stable")
        ends = np.cumsum(np.bincount(class_counts.classes, minlength=class_counts.n_classes))[:-1]
        return np.split(values[by_class], ends)


def _count_frequencies(
    values: FloatArray, n_words: FloatArray | None = None
) -> DocumentFrequencies:
    distinct, which = np.unique(values, return_inverse=True)
    number = np.bincount(which, n_words, len(distinct)).astype(np.float64)
    # Exchanged frequencies cancel: a number of zero means that no word has this frequency.
    kept = (distinct > 0) & (number > 0)
    return DocumentFrequencies(distinct[kept], number[kept])
