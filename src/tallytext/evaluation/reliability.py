"""Whether probabilities mean what they say: calibration error, Brier score, reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import flags, in_unit_interval, same_length, scores_and_truth

Strategy = Literal["equal-width", "equal-count"]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Documents in bins of similar confidence; bins without documents are left out.

    Attributes
    ----------
    low, high : ndarray of float64 of shape (n_bins,)
        The bounds of each bin, the lower one within it, the upper one only in the last bin.
    confidence : ndarray of float64 of shape (n_bins,)
        The mean probability of the documents in each bin.
    accuracy : ndarray of float64 of shape (n_bins,)
        The share of them that is right.
    count : ndarray of int64 of shape (n_bins,)
        How many they are.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    confidence: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    count: NDArray[np.int64]

    @property
    def error(self) -> float:
        """The expected calibration error; see :func:`calibration_error`."""
        return float(np.average(np.abs(self.accuracy - self.confidence), weights=self.count))


def top_label(
    probabilities: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return how sure a classifier is of its first choice, and whether that is right.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
        Of each class; ties go to the lower index.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Returns
    -------
    probability, correct : ndarray of shape (n_documents,)
        What :func:`calibration_error` and :func:`reliability_curve` take.

    Examples
    --------
    >>> top_label([[0.75, 0.25], [0.375, 0.625]], [0, 0])
    (array([0.75 , 0.625]), array([ True, False]))
    """
    matrix, wanted = scores_and_truth(probabilities, truth)
    rows, best = np.arange(len(matrix)), matrix.argmax(axis=1)
    return matrix[rows, best], wanted[rows, best]


def reliability_curve(
    probabilities: ArrayLike,
    correct: ArrayLike,
    bins: int = 15,
    *,
    strategy: Strategy = "equal-width",
) -> ReliabilityCurve:
    """Sort documents into bins by probability, and compare each bin's accuracy with it.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        How sure the classifier was: of its first choice (see :func:`top_label`) or of one class.
    correct : array-like of bool of shape (n_documents,)
        Whether it was right.
    bins : int, default=15
        How many bins at most.
    strategy : {"equal-width", "equal-count"}, default="equal-width"
        Bins of equal width from 0 to 1, or with equal numbers of documents as far as equal
        probabilities, which stay together, allow.

    Examples
    --------
    >>> curve = reliability_curve([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2)
    >>> curve.confidence, curve.accuracy, curve.count
    (array([0.15, 0.8 ]), array([0.5, 1. ]), array([2, 2]))
    """
    confidence = _probabilities(probabilities)
    right = flags(correct, "correct")
    same_length(len(confidence), len(right), "in correct")
    edges = _edges(confidence, bins, strategy)
    bin_of = np.minimum(np.searchsorted(edges, confidence, side="right"), len(edges) - 1) - 1
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    kept = count > 0
    return ReliabilityCurve(
        edges[:-1][kept],
        edges[1:][kept],
        np.bincount(bin_of, weights=confidence, minlength=len(count))[kept] / count[kept],
        np.bincount(bin_of, weights=right, minlength=len(count))[kept] / count[kept],
        count[kept],
    )


def calibration_error(
    probabilities: ArrayLike,
    correct: ArrayLike,
    bins: int = 15,
    *,
    strategy: Strategy = "equal-width",
) -> float:
    r"""Return the expected calibration error.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} \, | \mathrm{acc}_b - \mathrm{conf}_b |

    over bins b of documents of similar probability; parameters as in :func:`reliability_curve`.
    It depends on the bins and is too high for few documents, so compare like with like.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        How sure the classifier is.
    correct : array-like of shape (n_documents,)
        Whether it is right.
    bins : int, default=15
        How many bins to make at most.
    strategy : {"equal-width", "equal-count"}, default="equal-width"
        Whether bins are of one width, or hold as many documents each.

    Examples
    --------
    >>> round(calibration_error([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2), 4)
    0.275
    """
    return reliability_curve(probabilities, correct, bins, strategy=strategy).error


def brier_score(probabilities: ArrayLike, truth: ArrayLike) -> float:
    r"""Return the mean squared distance of probabilities to the truth, over all classes.

    .. math:: \frac{1}{n} \sum_d \sum_c (p_{dc} - y_{dc})^2

    From 0 to 2 for probabilities that sum to one; for two such classes it is twice the
    ``brier_score_loss`` of scikit-learn.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
        Of each class.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Examples
    --------
    >>> brier_score([[0.75, 0.25], [0.5, 0.5]], [0, 1])
    0.3125
    """
    matrix, wanted = scores_and_truth(probabilities, truth)
    _probabilities(matrix.ravel())
    return float(((matrix - wanted) ** 2).sum(axis=1).mean())


def _probabilities(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ScoreError(f"one probability per document is needed, not shape {array.shape}.")
    return in_unit_interval(array)


def _edges(values: NDArray[np.float64], bins: int, strategy: Strategy) -> NDArray[np.float64]:
    if bins < 1 or strategy not in ("equal-width", "equal-count"):
        raise ScoreError(f"there are no {strategy!r} bins, {bins} of them.")
    if strategy == "equal-width":
        return np.linspace(0, 1, bins + 1)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)))
    return edges if len(edges) > 1 else np.append(edges, edges)
