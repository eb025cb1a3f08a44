"""Precision, recall and F1 of decisions, pooled and averaged over classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError

# ------------------------------------------------------------------------------------------------
# Scores, truth and decisions as arrays whose shapes are known to fit.


def score_matrix(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as a matrix of documents by classes, with NaN (never scored) as -inf.

    Examples
    --------
    >>> score_matrix([[1, np.nan]])
    array([[  1., -inf]])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ScoreError(f"scores must be documents by classes, not of shape {matrix.shape}.")
    unscored = np.isnan(matrix)
    return np.where(unscored, -np.inf, matrix) if unscored.any() else matrix


def finite_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as a matrix of documents by classes, all of them finite."""
    matrix = score_matrix(scores)
    if not np.isfinite(matrix).all():
        document, c = np.argwhere(~np.isfinite(matrix))[0]
        raise ScoreError(
            f"the score of document {document} for class {c} is not a finite number. "
            "Calibration needs a score for every class; was the model smoothed?"
        )
    return matrix


def in_unit_interval(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities, each checked to be one, from 0 to 1.

    Examples
    --------
    >>> in_unit_interval(np.array([0.5, 1.0000000001]))
    array([0.5, 1. ])
    """
    # A sum of many small parts may miss one by a little.
    wrong = values[~((values >= -1e-9) & (values <= 1 + 1e-9))]
    if len(wrong):
        raise ScoreError(f"{wrong[0]} is not a probability. Are these scores or log-probabilities?")
    return np.clip(values, 0, 1)


def probability_matrix(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities as a matrix of documents by classes."""
    return in_unit_interval(score_matrix(probabilities))


def indicator(truth: ArrayLike, n_classes: int | None = None) -> NDArray[np.bool_]:
    """Return the classes of documents as a boolean matrix.

    Parameters
    ----------
    truth : array-like
        A matrix of documents by classes that holds True or 1 where a class applies, or one class
        index per document.
    n_classes : int, default=None
        The width of the matrix; needed for class indices.

    Examples
    --------
    >>> indicator([1, 0], n_classes=2)
    array([[False,  True],
           [ True, False]])
    >>> indicator([[0, 1], [1, 1]])
    array([[False,  True],
           [ True,  True]])
    """
    values = np.asarray(truth)
    if values.ndim == 1 and n_classes is not None:
        return np.equal.outer(class_indices(values, n_classes), np.arange(n_classes))
    if values.ndim != 2 or (n_classes is not None and values.shape[1] != n_classes):
        raise LabelError(
            f"documents by {n_classes or 'classes'} are needed, not an array of shape "
            f"{values.shape}."
        )
    return _booleans(values)


def class_indices(truth: ArrayLike, n_classes: int) -> NDArray[np.intp]:
    """Return one class index per document, each checked to be the index of a class."""
    values = np.asarray(truth)
    if values.ndim != 1 or (len(values) and not np.issubdtype(values.dtype, np.integer)):
        raise LabelError(
            f"one class index per document is needed, not {values.dtype} of shape {values.shape}."
        )
    wrong = values[(values < 0) | (values >= n_classes)]
    if len(wrong):
        raise LabelError(f"there are {n_classes} classes, so {wrong[0]} is the index of none.")
    return values.astype(np.intp)


def same_length(n_documents: int, n_others: int, others: str) -> None:
    """Refuse arrays that are not about the same documents."""
    if n_documents != n_others:
        raise ScoreError(f"there are {n_documents} documents, but {n_others} {others}.")


def scores_and_truth(
    scores: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return scores and truth as two matrices of one shape."""
    matrix = score_matrix(scores)
    wanted = indicator(truth, matrix.shape[1])
    same_length(len(matrix), len(wanted), "rows of truth")
    return matrix, wanted


def calibration_sample(
    scores: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return scores and truth as two matrices, all scores finite, of one document at least."""
    matrix, wanted = scores_and_truth(finite_scores(scores), truth)
    if not len(matrix):
        raise ScoreError("there are no documents to calibrate with.")
    return matrix, wanted


def flags(values: ArrayLike, what: str) -> NDArray[np.bool_]:
    """Return one boolean per document."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ScoreError(f"{what} needs one value per document, not shape {array.shape}.")
    return _booleans(array)


def _booleans(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    booleans = values.astype(np.bool_)
    if not np.array_equal(booleans, values):
        raise LabelError("True and False, or 1 and 0, are needed, but there are other values.")
    return booleans


Empty = float | Literal["skip"]


@dataclass(frozen=True, eq=False)
class FMeasures:
    """Precision, recall and F1 of yes-or-no decisions.

    Attributes
    ----------
    micro_precision, micro_recall, micro_f1 : float
        Of all decisions pooled, so that frequent classes count most.
    macro_precision, macro_recall, macro_f1 : float
        Means over the classes, so that all classes count the same.
    tp, fp, fn : ndarray of int64 of shape (n_classes,)
        True positives, false positives and false negatives of each class.
    precision, recall, f1 : ndarray of float64 of shape (n_classes,)
        Of each class; NaN for the classes that ``empty="skip"`` leaves out.
    """

    micro_precision: float
    micro_recall: float
    micro_f1: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    fn: NDArray[np.int64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]

    @classmethod
    def from_counts(
        cls, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, empty: Empty = 0.0
    ) -> FMeasures:
        """Measure from the counts of each class; see :func:`f_measures`.

        Parameters
        ----------
        tp : array-like of shape (n_classes,)
            How many decisions for each class were right.
        fp : array-like of shape (n_classes,)
            How many were wrong.
        fn : array-like of shape (n_classes,)
            How many documents of each class were missed.
        empty : float or "skip"
            As for :func:`f_measures`.

        Examples
        --------
        >>> round(FMeasures.from_counts([8, 1], [2, 0], [4, 3]).micro_f1, 4)
        0.6667
        """
        value = _value_of_empty(empty)
        counts = np.array([tp, fp, fn], dtype=np.int64)
        precision, recall, f1 = _of_each(counts, value)
        pooled = _of_each(counts.sum(axis=1), value)
        return cls(
            micro_precision=float(pooled[0]),
            micro_recall=float(pooled[1]),
            micro_f1=float(pooled[2]),
            macro_precision=_mean(precision),
            macro_recall=_mean(recall),
            macro_f1=_mean(f1),
            tp=counts[0],
            fp=counts[1],
            fn=counts[2],
            precision=precision,
            recall=recall,
            f1=f1,
        )


def f_measures(truth: ArrayLike, decided: ArrayLike, *, empty: Empty = 0.0) -> FMeasures:
    r"""Measure decisions by precision, recall and F1, per class, pooled and averaged.

    .. math:: F_1 = \frac{2\,\mathrm{tp}}{2\,\mathrm{tp} + \mathrm{fp} + \mathrm{fn}}

    Micro-averages are those of the summed counts; macro-averages are means over classes. What
    scikit-learn's ``f1_score`` calls ``zero_division`` is asked here for one case only: a class
    that no document has and none was given. Otherwise a ratio without a denominator is 0.

    Parameters
    ----------
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.
    decided : array-like of shape (n_documents, n_classes)
        True where a class was assigned.
    empty : float or "skip", default=0.0
        Precision, recall and F1 of a class that no document has and none was given. 0 is what most
        of the literature does, 1 says that nothing was done wrong, and "skip" leaves such classes
        out of the macro-averages.

    Returns
    -------
    FMeasures
        The averages, and the counts they come from.

    See Also
    --------
    sklearn.metrics.f1_score : one average of one measure.
    sklearn.metrics.accuracy_score : the share of documents that are right in every class.

    Examples
    --------
    >>> found = f_measures([[1, 0], [1, 1], [0, 1]], [[1, 0], [1, 0], [1, 1]])
    >>> found.tp, found.fp, found.fn
    (array([2, 1]), array([1, 0]), array([0, 1]))
    >>> round(found.micro_f1, 4), round(found.macro_f1, 4)
    (0.75, 0.7333)
    """
    given = indicator(decided)
    wanted = indicator(truth, given.shape[1])
    same_length(len(wanted), len(given), "rows of decisions")
    tp = (wanted & given).sum(axis=0)
    return FMeasures.from_counts(tp, given.sum(axis=0) - tp, wanted.sum(axis=0) - tp, empty=empty)


def relative_gain(value: float, baseline: float) -> float:
    """Return by how many percent a measure exceeds that of a baseline.

    Parameters
    ----------
    value : float
        The measure.
    baseline : float
        That of the baseline, above 0.

    Examples
    --------
    >>> round(relative_gain(0.8190, 0.7212), 2)
    13.56
    """
    if not baseline > 0:
        raise ScoreError(f"a gain is relative to a positive baseline, not to {baseline}.")
    return 100 * (value - baseline) / baseline


def _value_of_empty(empty: Empty) -> float:
    if empty == "skip":
        return np.nan
    if isinstance(empty, str) or not 0 <= empty <= 1:
        raise ScoreError(f'empty must be a number from 0 to 1, or "skip", not {empty!r}.')
    return float(empty)


def _of_each(counts: NDArray[np.int64], empty: float) -> NDArray[np.float64]:
    """Return precision, recall and F1 from tp, fp and fn."""
    tp, fp, fn = counts
    tops, bottoms = np.array([tp, tp, 2 * tp]), np.array([tp + fp, tp + fn, 2 * tp + fp + fn])
    return np.where(counts.any(axis=0), tops / np.maximum(bottoms, 1), empty)


def _mean(values: NDArray[np.float64]) -> float:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else np.nan


# ------------------------------------------------------------------------------------------------
# Precision along a ranking: eleven-point average precision, and the break-even point.

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
