"""Histograms of out-of-sample scores, the additive statistic of calibration and thresholds.

A multi-label classifier decides about each class separately, by the log-odds per token of the
class. :class:`ScoreHistograms` counts these scores by class and interval, for the documents that
have the class and for the others. Counts can be added, subtracted and merged, so that calibration
and thresholds follow as the model learns and forgets: each document is scored before it is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.errors import ScoreError
from tallytext.tally.labels import Label, plain_label, sort_labels

# Intervals are of equal width in asinh(score / _UNIT): 4 % of large scores, and 0.002 close to 0.
# Log-odds per token lie from about -15 to 5; scores beyond ±1,000 count as ±1,000.
_UNIT = 0.05
_PER_UNIT = 24
N_INTERVALS = 512
_MIDDLE = N_INTERVALS // 2

#: The score at the centre of each interval.
CENTRES = _UNIT * np.sinh((np.arange(N_INTERVALS) - _MIDDLE) / _PER_UNIT)
CENTRES.setflags(write=False)

_OTHERS, _OWN = 0, 1


@dataclass(frozen=True, eq=False)
class ScoreHistograms:
    """Counts of out-of-sample scores by class and interval of the score.

    Objects are immutable: :meth:`add`, :meth:`subtract` and ``+`` return new ones.

    Attributes
    ----------
    classes : tuple of labels
        In sorted order.
    counts : ndarray of int64 of shape (n_classes, 2, 512)
        For each class the number of scores in each interval: first of documents without the class,
        then of documents with it.
    unscored : ndarray of int64 of shape (n_classes,)
        Number of documents with the class that had no score for it, since the model did not know
        the class.
    n_documents : int
        Number of documents.

    Examples
    --------
    >>> histograms = ScoreHistograms.from_scores(
    ...     ["sea", "sky"], np.array([[0.5, -1.0], [-np.inf, 1.0]]), np.eye(2, dtype=bool)
    ... )
    >>> histograms.n_own, histograms.counts.sum(axis=(1, 2))
    (array([1, 1]), array([1, 2]))
    >>> (histograms + histograms).n_documents
    4
    """

    classes: tuple[Label, ...]
    counts: NDArray[np.int64]
    unscored: NDArray[np.int64]
    n_documents: int

    def __post_init__(self) -> None:
        shape = (len(self.classes), 2, N_INTERVALS)
        is_valid = self.counts.shape == shape and self.unscored.shape == shape[:1]
        is_valid &= type(self.n_documents) is int and self.n_documents >= 0
        is_valid &= len(set(self.classes)) == len(self.classes)
        if not is_valid or (self.counts < 0).any() or (self.unscored < 0).any():
            raise ScoreError("histograms of scores need a count of at least 0 for each interval.")

    @classmethod
    def empty(cls) -> ScoreHistograms:
        """Return histograms of no documents."""
        return cls((), np.zeros((0, 2, N_INTERVALS), np.int64), np.zeros(0, np.int64), 0)

    @classmethod
    def from_scores(
        cls, classes: Sequence[Label] | NDArray[Any], scores: FloatArray, truth: NDArray[np.bool_]
    ) -> ScoreHistograms:
        """Count the scores of documents.

        Parameters
        ----------
        classes : sequence of labels
            The classes of the columns, in sorted order.
        scores : ndarray of shape (n_documents, n_classes)
            Log-odds per token by a model that has not learned these documents; -inf for a class
            that the model did not know.
        truth : ndarray of bool of shape (n_documents, n_classes)
            True where a document has a class.
        """
        names = tuple(plain_label(label, f"class {c}") for c, label in enumerate(classes))
        known = np.isfinite(scores)
        cells = 2 * np.arange(len(names)) + truth
        cells = (cells * N_INTERVALS + interval_numbers(scores))[known]
        counts = np.bincount(cells, minlength=len(names) * 2 * N_INTERVALS)
        return cls(
            names,
            counts.reshape(len(names), 2, N_INTERVALS),
            (truth & ~known).sum(axis=0),
            len(scores),
        )

    @property
    def n_own(self) -> NDArray[np.int64]:
        """Number of scored documents with each class."""
        return np.asarray(self.counts[:, _OWN].sum(axis=1))

    @property
    def with_class(self) -> NDArray[np.int64]:
        """Counts of documents with the class, of shape (n_classes, 512)."""
        return self.counts[:, _OWN]

    @property
    def without_class(self) -> NDArray[np.int64]:
        """Counts of documents without the class, of shape (n_classes, 512)."""
        return self.counts[:, _OTHERS]

    @property
    def n_labels(self) -> int:
        """Number of labels of all documents, including those without a score."""
        return int(self.with_class.sum() + self.unscored.sum())

    def compact(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the intervals that have a count: centres, and counts with and without the class.

        The centres are of shape (n_intervals,), the counts of shape (n_classes, n_intervals).
        """
        at = np.flatnonzero(self.counts.any(axis=(0, 1)))
        return CENTRES[at], self.with_class[:, at], self.without_class[:, at]

    def pool(self) -> ScoreHistograms:
        """Return the histograms of all classes as those of one class."""
        pooled, unscored = self.counts.sum(axis=0)[None], self.unscored.sum(keepdims=True)
        return ScoreHistograms(("all",), pooled, unscored, self.n_documents)

    def take(self, columns: NDArray[np.intp]) -> ScoreHistograms:
        """Return the histograms of some of the classes."""
        names = tuple(self.classes[c] for c in columns)
        return ScoreHistograms(
            names, self.counts[columns], self.unscored[columns], self.n_documents
        )

    def __add__(self, other: ScoreHistograms) -> ScoreHistograms:
        """Return the histograms of the documents of both."""
        classes, (ours, theirs) = _union(self, other)
        counts = np.zeros((len(classes), 2, N_INTERVALS), np.int64)
        unscored = np.zeros(len(classes), np.int64)
        for places, each in ((ours, self), (theirs, other)):
            counts[places] += each.counts
            unscored[places] += each.unscored
        return ScoreHistograms(classes, counts, unscored, self.n_documents + other.n_documents)

    def subtract(self, other: ScoreHistograms) -> ScoreHistograms:
        """Return the histograms without some documents.

        A document that was learned long ago has other scores now. If its interval has no count
        left, the count of the nearest interval is taken, so that no count falls below 0 and the
        number of documents of each class stays right.

        Parameters
        ----------
        other : ScoreHistograms
            Those of the documents, scored by the model without them.
        """
        classes, (ours, theirs) = _union(self, other)
        counts = np.zeros((len(classes), 2, N_INTERVALS), np.int64)
        unscored = np.zeros(len(classes), np.int64)
        counts[ours], unscored[ours] = self.counts, self.unscored
        counts[theirs] -= other.counts
        unscored[theirs] -= other.unscored
        for c, half in np.argwhere((counts < 0).any(axis=2)):
            _fill_deficits(counts[c, half])
        # A class without any document left would otherwise stay for ever.
        counted = counts.any(axis=(1, 2)) | (unscored > 0)
        unscored = np.maximum(unscored, 0)
        # Every document has at most one score of each class.
        n_scores = int((counts.sum(axis=(1, 2)) + unscored).max(initial=0))
        n_documents = max(self.n_documents - other.n_documents, n_scores)
        left = ScoreHistograms(classes, counts, unscored, n_documents)
        return left if counted.all() else left.take(np.flatnonzero(counted))


def interval_numbers(scores: FloatArray) -> NDArray[np.int64]:
    """Return the number of the interval of each score.

    Examples
    --------
    >>> interval_numbers(np.array([-np.inf, 0.0, 0.05, 1e9]))
    array([  0, 256, 277, 511])
    """
    with np.errstate(over="ignore"):
        places = np.rint(np.arcsinh(scores / _UNIT) * _PER_UNIT) + _MIDDLE
    return np.clip(places, 0, N_INTERVALS - 1).astype(np.int64)


def _union(
    one: ScoreHistograms, other: ScoreHistograms
) -> tuple[tuple[Label, ...], list[NDArray[np.intp]]]:
    """Return the classes of both in sorted order, and the places of each one's classes there."""
    if one.classes == other.classes:
        same = np.arange(len(one.classes))
        return one.classes, [same, same]
    classes = tuple(sort_labels({*one.classes, *other.classes}))
    place = {label: at for at, label in enumerate(classes)}
    return classes, [
        np.array([place[label] for label in each.classes], np.intp) for each in (one, other)
    ]


def _fill_deficits(counts: NDArray[np.int64]) -> None:
    """Take what is missing in some intervals from the nearest others, in place."""
    for at in np.flatnonzero(counts < 0):
        missing, counts[at] = -int(counts[at]), 0
        for nearest in np.argsort(np.abs(np.arange(len(counts)) - at), kind="stable"):
            taken = min(missing, max(int(counts[nearest]), 0))
            counts[nearest] -= taken
            missing -= taken
            if not missing:
                break
