"""Precision, recall and F1 of decisions, pooled and averaged over classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import indicator, same_length

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
