"""Groups of words, what each says of a document, and a weight for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from tallytext import MultinomialNB, Tally
from tallytext.features import score_terms

Floats = NDArray[np.floating[Any]]
Groups = NDArray[np.intp]

_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_PARTS = 4  # of a group of frequency, by gain


def by_frequency(tally: Tally) -> Groups:
    """Return the group of each word: found in 1, 2, 3-4, 5-8 ... documents.

    Examples
    --------
    >>> by_frequency(Tally.from_counts([[1, 1, 0], [1, 0, 2], [3, 1, 0]], ["X", "X", "Y"]))
    array([2, 1, 0])
    """
    return np.ceil(np.log2(np.maximum(tally.term_documents, 1))).astype(np.intp)


def by_frequency_and_gain(tally: Tally) -> Groups:
    """Return the same, each group in four by information gain; some may be empty."""
    frequency, gain = by_frequency(tally), score_terms(tally, "ig")
    part = np.zeros(len(gain), dtype=np.intp)
    for group in np.unique(frequency):
        rows = np.flatnonzero(frequency == group)
        edges = np.quantile(gain[rows], np.arange(1, _PARTS) / _PARTS)
        part[rows] = np.searchsorted(edges, gain[rows])
    return frequency * _PARTS + part


@dataclass(frozen=True)
class Contributions:
    """What the prior (first) and each group of words add to the score of each class.

    Attributes
    ----------
    values : ndarray of shape (n_documents, n_classes, 1 + n_groups)
    """

    values: Floats

    @classmethod
    def of(cls, model: MultinomialNB, X: Any, groups: Groups, n_groups: int) -> Contributions:
        """Return what groups say of documents that the model has not seen."""
        return cls._of(X, groups, n_groups, model.scores)

    @classmethod
    def left_out(
        cls, model: MultinomialNB, X: Any, y: Any, groups: Groups, n_groups: int
    ) -> Contributions:
        """Return what they say of documents by the model that has forgotten the words of the group.

        The other words of the document stay in the total of its class, which is some thousands
        of times as large.
        """
        return cls._of(X, groups, n_groups, lambda some: model.leave_one_out(some, y).scores)

    @classmethod
    def _of(cls, X: Any, groups: Groups, n_groups: int, judge: Any) -> Contributions:
        X = sparse.csr_array(X)
        nothing = judge(sparse.csr_array(X.shape, dtype=X.dtype))
        values = np.zeros((*nothing.shape, 1 + n_groups), dtype=np.float32)
        values[:, :, 0] = nothing
        for group in np.unique(groups):
            values[:, :, 1 + group] = judge(_only(X, groups == group)) - nothing
        return cls(values)

    def per_token(self, lengths: Floats) -> Contributions:
        """Return what groups say divided by the length of the document; the prior stays."""
        values = self.values.copy()
        values[:, :, 1:] /= np.maximum(lengths, 1.0)[:, None, None]
        return Contributions(values)

    def weighed(self, weights: Floats) -> Floats:
        """Return the scores of documents for given weights."""
        return self.values @ weights.astype(np.float32)


def _only(X: Any, kept: NDArray[np.bool_]) -> Any:
    """Return documents with some of their words, in the same columns."""
    some = X.copy()
    some.data = np.where(kept[some.indices], some.data, 0)
    some.eliminate_zeros()
    return some


def fitted_weights(known: Contributions, number: NDArray[np.intp], pull: float = 1e-3) -> Floats:
    """Return the weights that make the classes of documents most likely.

    Multinomial logistic regression with the weights as its only parameters, drawn to their common
    start by ``pull`` times their squared distance from it.
    """
    start = _start(known, number)
    rows = np.arange(len(number))

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = known.weighed(weights).astype(np.float64)
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        off = np.exp(logs)
        off[rows, number] -= 1.0
        slope = np.einsum("dc,dcg->g", off, known.values) / len(rows)
        away = (weights - start) / start
        value = -float(logs[rows, number].mean()) + pull * float(away @ away)
        return value, slope + 2 * pull * away / start

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x)


def _start(known: Contributions, number: NDArray[np.intp]) -> Floats:
    """Return one weight for all that is best of a few: scores of naive Bayes are too large."""
    ones, rows = np.ones(known.values.shape[2]), np.arange(len(number))
    scores = known.weighed(ones).astype(np.float64)

    def loss(scale: float) -> float:
        logs = scale * scores - logsumexp(scale * scores, axis=1, keepdims=True)
        return -float(logs[rows, number].mean())

    return ones * min(_SCALES, key=loss)
