"""Precision along a ranking: eleven-point average precision, and the break-even point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation.inputs import scores_and_truth

_TENTHS = np.arange(11)


def average_precision_11(
    scores: ArrayLike, truth: ArrayLike, *, interpolated: bool = True
) -> float:
    """Return the eleven-point average precision of rankings of classes, averaged over documents.

    The classes of each document are ranked by score, equal scores by class index; precision is
    read at the recalls 0, .1, ..., 1 and averaged over these, then over the documents. Documents
    without a class are left out. A class without a score is not in the ranking: at recalls that
    cannot be reached without it, precision is 0.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        Higher is better; -inf or NaN where there is no score.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.
    interpolated : bool, default=True
        See :func:`precision_at_recall`.

    See Also
    --------
    sklearn.metrics.label_ranking_average_precision_score : without the eleven points; ties count
        against the ranking.

    Examples
    --------
    >>> scores = [[5, 4, 3, 2, 1], [1, 3, 2, 0, 0]]
    >>> truth = [[True, False, False, True, True], [False, True, False, False, False]]
    >>> round(average_precision_11(scores, truth), 6)
    0.872727
    """
    matrix, wanted = scores_and_truth(scores, truth)
    n_relevant = wanted.sum(axis=1)
    labelled = n_relevant > 0
    if not labelled.any():
        raise LabelError("no document has a class, so there is no ranking to judge.")
    matrix, wanted = matrix[labelled], wanted[labelled] & (matrix[labelled] > -np.inf)
    order = np.argsort(-matrix, axis=1, kind="stable")
    ranked = np.take_along_axis(wanted, order, axis=1)
    return float(precision_at_recall(ranked, n_relevant[labelled], interpolated).mean())


def precision_at_recall(
    ranked_relevance: ArrayLike, n_relevant: ArrayLike, interpolated: bool = True
) -> NDArray[np.float64]:
    r"""Return precision at the recalls 0, .1, ..., 1 of one ranking or of many.

    Recall t/10 of R relevant items is reached with the :math:`\max(1, \lceil tR/10 \rceil)`-th of
    them. Integers throughout: 3 · 0.1 is more than 0.3 in floating point.

    Parameters
    ----------
    ranked_relevance : array-like of bool of shape (..., n_positions)
        Whether the item at each position is relevant, best position first.
    n_relevant : int or array-like of shape (...)
        How many relevant items there are, in the ranking or not; at least one.
    interpolated : bool, default=True
        Take the highest precision at this recall or a higher one; otherwise the precision where
        the recall is first reached.

    Returns
    -------
    ndarray of shape (..., 11)
        Zero at the recalls that the ranking does not reach.

    Examples
    --------
    >>> precision_at_recall([True, False, False, True, True], 3).round(2)
    array([1. , 1. , 1. , 1. , 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6])
    >>> precision_at_recall([True, False, False, True, True], 3, interpolated=False).round(2)
    array([1. , 1. , 1. , 1. , 0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6])
    """
    relevance, wanted = np.asarray(ranked_relevance, dtype=np.bool_), np.asarray(n_relevant)
    _check_ranking(relevance, wanted)
    hits = _precision_of_hits(relevance.reshape(wanted.size, relevance.shape[-1]))
    if interpolated:
        hits = np.maximum.accumulate(hits[:, ::-1], axis=1)[:, ::-1]
    needed = np.maximum(1, -(-_TENTHS * wanted.reshape(wanted.size, 1) // 10))
    # The last column is zero: the precision of a hit that never comes.
    found = np.take_along_axis(hits, np.minimum(needed, hits.shape[1]) - 1, axis=1)
    return found.reshape(*relevance.shape[:-1], len(_TENTHS))


def break_even(scores: ArrayLike, truth: ArrayLike) -> float:
    r"""Return the micro-averaged precision at the one threshold where it equals recall.

    All pairs of document and class are ranked together. Of k pairs assigned, tp rightly, precision
    is tp/k and recall is tp/T, where T pairs are right: they are equal at k = T. If the T-th pair
    shares its score with others, no threshold cuts there, and tp is interpolated linearly between
    the two neighbouring thresholds, which is its mean over all orders of the tied pairs. Pairs
    without a score (-inf or NaN) count as wrong.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        Comparable across classes and documents: posteriors or log-odds.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Examples
    --------
    >>> break_even([[0.9, 0.2], [0.8, 0.7]], [[True, False], [False, True]])
    0.5
    >>> break_even([[0.9, 0.2], [0.8, 0.8]], [[True, False], [False, True]])
    0.75
    """
    matrix, wanted = scores_and_truth(scores, truth)
    n_right = int(wanted.sum())
    if n_right == 0:
        raise LabelError("no document has a class, so recall is not defined.")
    pooled, right = matrix.ravel(), (wanted & (matrix > -np.inf)).ravel()
    last = np.partition(pooled, len(pooled) - n_right)[len(pooled) - n_right]
    above, tied = pooled > last, pooled == last
    share = (n_right - above.sum()) / tied.sum()
    return float((right[above].sum() + share * right[tied].sum()) / n_right)


def _check_ranking(relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]) -> None:
    if relevance.ndim == 0 or n_relevant.shape != relevance.shape[:-1]:
        raise ScoreError(
            f"rankings of shape {relevance.shape} need as many numbers of relevant items, "
            f"not shape {n_relevant.shape}."
        )
    if (n_relevant < np.maximum(1, relevance.sum(axis=-1))).any():
        raise ScoreError(
            "a ranking has more relevant items than n_relevant says, or there is none."
        )


def _precision_of_hits(relevance: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the precision at each hit, one row per ranking, followed by zeros, one at least."""
    n_hits = relevance.sum(axis=1)
    rows, positions = np.nonzero(relevance)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(n_hits) - n_hits, n_hits)
    precision = np.zeros((len(relevance), n_hits.max(initial=0) + 1))
    precision[rows, nth] = (nth + 1) / (positions + 1)
    return precision
