"""Scores, truth and decisions as arrays whose shapes are known to fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError


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
