"""Precision, recall, F1, average precision and break-even point, and checks of their arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError

Empty = float | Literal["skip"]

_TENTHS = np.arange(11)


def score_matrix(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as a matrix of documents by classes, with NaN (never scored) as -inf.

    Examples
    --------
    >>> score_matrix([[1, np.nan]])
    array([[  1., -inf]])
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ScoreError(
            f"scores must be documents by classes, not an array of shape {matrix.shape}."
        )
    unscored = np.isnan(matrix)
    return np.where(unscored, -np.inf, matrix) if unscored.any() else matrix


def finite_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Return scores as a matrix of documents by classes; raise ScoreError if one is not finite."""
    matrix = score_matrix(scores)
    if not np.isfinite(matrix).all():
        document, c = np.argwhere(~np.isfinite(matrix))[0]
        raise ScoreError(
            f"the score of document {document} for class {c} is not a finite number. "
            "Calibration needs a score for every class; was the model smoothed?"
        )
    return matrix


def check_probabilities(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities; raise ScoreError if one is not from 0 to 1.

    Examples
    --------
    >>> check_probabilities(np.array([0.5, 1.0000000001]))
    array([0.5, 1. ])
    """
    # A sum of many probabilities may exceed 1 by rounding.
    wrong = values[~((values >= -1e-9) & (values <= 1 + 1e-9))]
    if len(wrong):
        raise ScoreError(f"{wrong[0]} is not a probability. Are these scores or log-probabilities?")
    return np.clip(values, 0, 1)


def probability_matrix(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return probabilities as a matrix of documents by classes."""
    return check_probabilities(score_matrix(probabilities))


def truth_matrix(truth: ArrayLike, n_classes: int | None = None) -> NDArray[np.bool_]:
    """Return the classes of documents as a boolean matrix.

    Parameters
    ----------
    truth : array-like
        A matrix of documents by classes with True or 1 for the classes of each document, or one
        class index per document.
    n_classes : int, default=None
        The width of the matrix; needed for class indices.

    Examples
    --------
    >>> truth_matrix([1, 0], n_classes=2)
    array([[False,  True],
           [ True, False]])
    >>> truth_matrix([[0, 1], [1, 1]])
    array([[False,  True],
           [ True,  True]])
    """
    values = np.asarray(truth)
    if values.ndim == 1 and n_classes is not None:
        return np.equal.outer(check_class_indices(values, n_classes), np.arange(n_classes))
    if values.ndim != 2 or (n_classes is not None and values.shape[1] != n_classes):
        raise LabelError(
            f"the truth must be a matrix of documents by {n_classes or 'classes'}, not an array of "
            f"shape {values.shape}."
        )
    return _check_booleans(values)


def check_class_indices(truth: ArrayLike, n_classes: int) -> NDArray[np.intp]:
    """Return one class index per document; raise LabelError if one is out of range."""
    values = np.asarray(truth)
    if values.ndim != 1 or (len(values) and not np.issubdtype(values.dtype, np.integer)):
        raise LabelError(
            f"class indices must be one integer per document, not {values.dtype} of shape "
            f"{values.shape}."
        )
    wrong = values[(values < 0) | (values >= n_classes)]
    if len(wrong):
        raise LabelError(
            f"class indices must be from 0 to {n_classes - 1}, but there is {wrong[0]}."
        )
    return values.astype(np.intp)


def check_same_length(n_documents: int, n_others: int, others: str) -> None:
    """Raise ScoreError unless two arrays are of the same number of documents."""
    if n_documents != n_others:
        raise ScoreError(f"there are {n_documents} documents, but {n_others} {others}.")


def scores_and_truth(
    scores: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return scores and truth as two matrices of one shape."""
    matrix = score_matrix(scores)
    wanted = truth_matrix(truth, matrix.shape[1])
    check_same_length(len(matrix), len(wanted), "rows of truth")
    return matrix, wanted


def calibration_sample(
    scores: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return finite scores and truth as two matrices with at least one document."""
    matrix, wanted = scores_and_truth(finite_scores(scores), truth)
    if not len(matrix):
        raise ScoreError("there are no documents to calibrate with.")
    return matrix, wanted


def check_flags(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Return one boolean per document; raise ScoreError or LabelError for anything else."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ScoreError(f"{name} must have one value per document, not the shape {array.shape}.")
    return _check_booleans(array)


def _check_booleans(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    booleans = values.astype(np.bool_)
    if not np.array_equal(booleans, values):
        raise LabelError("values must be True and False, or 1 and 0, but there are others.")
    return booleans


@dataclass(frozen=True, eq=False)
class FMeasures:
    """Precision, recall and F1 of yes-or-no decisions.

    Attributes
    ----------
    micro_precision, micro_recall, micro_f1 : float
        Averages over all decisions pooled, so that frequent classes count most.
    macro_precision, macro_recall, macro_f1 : float
        Means over the classes, so that all classes count the same.
    tp, fp, fn : ndarray of int64 of shape (n_classes,)
        True positives, false positives and false negatives of each class.
    precision, recall, f1 : ndarray of float64 of shape (n_classes,)
        The measures of each class; NaN for the classes that ``empty="skip"`` leaves out.
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
        """Compute the measures from the counts of each class; see :func:`f_measures`.

        Parameters
        ----------
        tp : array-like of shape (n_classes,)
            True positives.
        fp : array-like of shape (n_classes,)
            False positives.
        fn : array-like of shape (n_classes,)
            False negatives.
        empty : float or "skip"
            As for :func:`f_measures`.

        Examples
        --------
        >>> round(FMeasures.from_counts([8, 1], [2, 0], [4, 3]).micro_f1, 4)
        0.6667
        """
        value = _empty_value(empty)
        counts = np.array([tp, fp, fn], dtype=np.int64)
        precision, recall, f1 = _precision_recall_f1(counts, value)
        pooled = _precision_recall_f1(counts.sum(axis=1), value)
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
    r"""Return precision, recall and F1 of decisions, per class, pooled and averaged.

    .. math:: F_1 = \frac{2\,\mathrm{tp}}{2\,\mathrm{tp} + \mathrm{fp} + \mathrm{fn}}

    Micro-averages are the measures of the summed counts; macro-averages are means over classes.
    ``empty`` is the ``zero_division`` of scikit-learn's ``f1_score`` for one case only: a class
    without true and without assigned documents. Any other ratio without a denominator is 0.

    Parameters
    ----------
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.
    decided : array-like of shape (n_documents, n_classes)
        True where a class was assigned.
    empty : float or "skip", default=0.0
        Precision, recall and F1 of a class without true and without assigned documents. Most of
        the literature uses 0; 1 counts the class as faultless, and "skip" leaves it out of the
        macro-averages.

    Returns
    -------
    FMeasures
        The averages, and the counts that they are computed from.

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
    given = truth_matrix(decided)
    wanted = truth_matrix(truth, given.shape[1])
    check_same_length(len(wanted), len(given), "rows of decisions")
    tp = (wanted & given).sum(axis=0)
    return FMeasures.from_counts(tp, given.sum(axis=0) - tp, wanted.sum(axis=0) - tp, empty=empty)


def relative_gain(value: float, baseline: float) -> float:
    """Return the gain of a measure over a baseline, in percent of the baseline.

    Parameters
    ----------
    value : float
        The measure.
    baseline : float
        The measure of the baseline, above 0.

    Examples
    --------
    >>> round(relative_gain(0.8190, 0.7212), 2)
    13.56
    """
    if not baseline > 0:
        raise ScoreError(f"the baseline of a relative gain must be positive, not {baseline}.")
    return 100 * (value - baseline) / baseline


def _empty_value(empty: Empty) -> float:
    if empty == "skip":
        return np.nan
    if isinstance(empty, str) or not 0 <= empty <= 1:
        raise ScoreError(f'empty must be a number from 0 to 1, or "skip", not {empty!r}.')
    return float(empty)


def _precision_recall_f1(counts: NDArray[np.int64], empty: float) -> NDArray[np.float64]:
    """Return precision, recall and F1 from tp, fp and fn."""
    tp, fp, fn = counts
    tops, bottoms = np.array([tp, tp, 2 * tp]), np.array([tp + fp, tp + fn, 2 * tp + fp + fn])
    return np.where(counts.any(axis=0), tops / np.maximum(bottoms, 1), empty)


def _mean(values: NDArray[np.float64]) -> float:
    # With empty="skip", classes without documents are NaN.
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


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
        Higher is better; -inf or NaN for a class without a score.
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
        raise LabelError("no document has a class, so there is no ranking to evaluate.")
    matrix, wanted = matrix[labelled], wanted[labelled] & (matrix[labelled] > -np.inf)
    order = np.argsort(-matrix, axis=1, kind="stable")
    ranked = np.take_along_axis(wanted, order, axis=1)
    return float(precision_at_recall(ranked, n_relevant[labelled], interpolated).mean())


def precision_at_recall(
    ranked_relevance: ArrayLike, n_relevant: ArrayLike, interpolated: bool = True
) -> NDArray[np.float64]:
    r"""Return precision at the recalls 0, .1, ..., 1 of one ranking or of many.

    Recall t/10 of R relevant items is reached with the :math:`\max(1, \lceil tR/10 \rceil)`-th of
    them. It is computed in integers, because 3 · 0.1 is more than 0.3 in floating point.

    Parameters
    ----------
    ranked_relevance : array-like of bool of shape (..., n_positions)
        True for relevant items, best position first.
    n_relevant : int or array-like of shape (...)
        The number of relevant items, in the ranking or not; at least one.
    interpolated : bool, default=True
        True for the highest precision at this recall or a higher one; otherwise the precision at
        the position where the recall is first reached.

    Returns
    -------
    ndarray of shape (..., 11)
        Zero at recalls that the ranking does not reach.

    Examples
    --------
    >>> precision_at_recall([True, False, False, True, True], 3).round(2)
    array([1. , 1. , 1. , 1. , 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6])
    >>> precision_at_recall([True, False, False, True, True], 3, interpolated=False).round(2)
    array([1. , 1. , 1. , 1. , 0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6])
    """
    relevance, wanted = np.asarray(ranked_relevance, dtype=np.bool_), np.asarray(n_relevant)
    _check_ranking(relevance, wanted)
    hits = _precision_at_hits(relevance.reshape(wanted.size, relevance.shape[-1]))
    if interpolated:
        # Interpolated precision is the highest at this recall or any higher one.
        hits = np.maximum.accumulate(hits[:, ::-1], axis=1)[:, ::-1]
    needed = np.maximum(1, -(-_TENTHS * wanted.reshape(wanted.size, 1) // 10))
    # The last column is zero: the precision at a recall that is never reached.
    found = np.take_along_axis(hits, np.minimum(needed, hits.shape[1]) - 1, axis=1)
    return found.reshape(*relevance.shape[:-1], len(_TENTHS))


def break_even(scores: ArrayLike, truth: ArrayLike) -> float:
    r"""Return the micro-averaged break-even point: the precision where it equals recall.

    All pairs of document and class are ranked together. With k pairs assigned, tp of them correct,
    precision is tp/k and recall is tp/T, where T pairs are true: they are equal at k = T. If the
    T-th pair shares its score with others, no threshold cuts there, and tp is interpolated linearly
    between the two neighbouring thresholds, which is its mean over all orders of the tied pairs.
    Pairs without a score (-inf or NaN) count as wrong.

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
    # The score of the T-th pair, without sorting all pairs.
    last = np.partition(pooled, len(pooled) - n_right)[len(pooled) - n_right]
    above, tied = pooled > last, pooled == last
    share = (n_right - above.sum()) / tied.sum()
    return float((right[above].sum() + share * right[tied].sum()) / n_right)


def _check_ranking(relevance: NDArray[np.bool_], n_relevant: NDArray[np.int64]) -> None:
    if relevance.ndim == 0 or n_relevant.shape != relevance.shape[:-1]:
        raise ScoreError(
            f"rankings of shape {relevance.shape} need one number of relevant items each, "
            f"not an array of shape {n_relevant.shape}."
        )
    if (n_relevant < np.maximum(1, relevance.sum(axis=-1))).any():
        raise ScoreError(
            "n_relevant must be at least 1 and at least the relevant items of the ranking."
        )


def _precision_at_hits(relevance: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the precision at each hit, one row per ranking, followed by at least one zero."""
    n_hits = relevance.sum(axis=1)
    rows, positions = np.nonzero(relevance)
    # np.nonzero() lists hits row by row, so this is the number of earlier hits in the same row.
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(n_hits) - n_hits, n_hits)
    precision = np.zeros((len(relevance), n_hits.max(initial=0) + 1))
    precision[rows, nth] = (nth + 1) / (positions + 1)
    return precision
