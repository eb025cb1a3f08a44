"""From scores of classes to posteriors and odds, by which documents can be ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError


def log_posteriors(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Return the logarithms of posteriors.

    .. math:: \log p(c \mid d) = s_c - \log \sum_{c'} e^{s_{c'}}

    What is the same for all classes of a document, such as the multinomial coefficient, cancels:
    posteriors of different documents can be compared where scores cannot.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        Logarithms of joint probabilities, up to a constant of each document; -inf for a class that
        is impossible.

    Examples
    --------
    >>> np.exp(log_posteriors([[-1000.0, -1000.0], [0.0, np.log(3)]]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    matrix = _log_scores(scores)
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    normalised: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised


def log_odds(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Return the logarithms of the odds of each class against all others.

    .. math:: s_c - \log \sum_{c' \neq c} e^{s_{c'}}

    These order documents as posteriors do, but never saturate: posteriors of long documents are
    all 0 or 1 in floating point. With a single class they are infinite.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        As in :func:`log_posteriors`.

    Examples
    --------
    >>> log_odds([[-1000.0, -2000.0], [0.0, np.log(3)]]).round(4)
    array([[ 1000.    , -1000.    ],
           [   -1.0986,     1.0986]])
    """
    matrix = _log_scores(scores)
    rows, best = np.arange(len(matrix)), matrix.argmax(axis=1)
    highest = matrix[rows, best]
    shifted = np.exp(matrix - highest[:, None])
    shifted[rows, best] = 0
    # For all but the best class, the rest holds the best, which is 1 here, so that taking away the
    # own term, which is at most 1, loses nothing that matters.
    others = np.maximum(shifted.sum(axis=1, keepdims=True) - shifted, 0)
    odds: NDArray[np.float64] = matrix - highest[:, None] - np.log1p(others)
    odds[rows, best] = highest - _log_sum_without(matrix, best)
    return odds


def _log_sum_without(
    matrix: NDArray[np.float64], left_out: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the logarithm of each row's sum without one of its columns."""
    rest = matrix.copy()
    rest[np.arange(len(rest)), left_out] = -np.inf
    highest = rest.max(axis=1)
    # Where nothing is left, the sum is zero, whatever it is measured from.
    origin = np.where(highest > -np.inf, highest, 0.0)
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = origin + np.log(np.exp(rest - origin[:, None]).sum(axis=1))
    return logs


def _log_scores(scores: ArrayLike) -> NDArray[np.float64]:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ScoreError(f"scores must be documents by classes, not of shape {matrix.shape}.")
    if not (matrix < np.inf).all():
        raise ScoreError("a score is NaN or infinite, so it is not the logarithm of a probability.")
    impossible = np.flatnonzero((matrix == -np.inf).all(axis=1))
    if len(impossible):
        raise ScoreError(
            f"every class is impossible for document {impossible[0]}. Was the model smoothed?"
        )
    return matrix
