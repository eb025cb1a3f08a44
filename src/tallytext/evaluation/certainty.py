"""Sums that tell whether probabilities mean what they say; exact, in whatever order they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.evaluation.reliability import ReliabilityCurve, top_label

_BINS = 15
_UNIT = 2.0**-32
_ROWS = ("count", "confidence", "right")


class Certainty:
    """How likely the likeliest classes were, how often they were right, and squared errors.

    What a document adds is rounded once, to units of 2^-32, and summed up as whole numbers
    without limit, so that sums do not depend on who added what.

    Attributes
    ----------
    count, confidence, right : list of int
        For each of 15 bins of probabilities, how many documents are in it, the sum of their
        probabilities in units of 2^-32, and how many of them are right.
    squares : int
        The sum over documents of squared distances of probabilities to the truth, in units of
        2^-32.

    Examples
    --------
    >>> certainty = Certainty()
    >>> certainty.add(np.array([[0.75, 0.25]]), np.array([[True, False]]), np.array([0]))
    >>> certainty.brier
    0.125
    """

    def __init__(self) -> None:
        self.count, self.confidence, self.right = ([0] * _BINS for _ in _ROWS)
        self.squares = 0

    def add(
        self, matrix: NDArray[np.float64], truth: NDArray[np.bool_], n_unknown: NDArray[np.int64]
    ) -> None:
        """Add documents.

        Parameters
        ----------
        matrix, truth : ndarray of shape (n_documents, n_classes)
            Probabilities, and which classes apply.
        n_unknown : ndarray of shape (n_documents,)
            How many classes apply besides, whose probability is 0.
        """
        probability, correct = top_label(matrix, truth)
        edges = np.linspace(0, 1, _BINS + 1)
        bins = np.minimum(np.searchsorted(edges, probability, side="right"), _BINS) - 1
        self._add_to_bins(self.count, bins, np.ones(len(bins), np.int64))
        self._add_to_bins(self.confidence, bins, _units(probability))
        self._add_to_bins(self.right, bins, correct.astype(np.int64))
        squares = np.ascontiguousarray((matrix - truth) ** 2).sum(axis=1) + n_unknown
        self.squares += sum(_units(squares).tolist())

    def __iadd__(self, other: Certainty) -> Certainty:
        for name in _ROWS:
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [a + b for a, b in pairs])
        self.squares += other.squares
        return self

    @property
    def curve(self) -> ReliabilityCurve | None:
        """How often the most likely class was right, by its probability; None without these."""
        count = np.array(self.count, dtype=np.int64)
        kept = np.flatnonzero(count)
        if not len(kept):
            return None
        edges = np.linspace(0, 1, _BINS + 1)
        means = [_UNIT * (self.confidence[b] / self.count[b]) for b in kept]
        shares = [self.right[b] / self.count[b] for b in kept]
        return ReliabilityCurve(
            edges[kept], edges[kept + 1], np.array(means), np.array(shares), count[kept]
        )

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        n_judged = sum(self.count)
        return _UNIT * (self.squares / n_judged) if n_judged else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return {name: getattr(self, name) for name in (*_ROWS, "squares")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Certainty:
        """Read what :meth:`to_dict` returned, and check it."""
        made = cls()
        made.count, made.confidence, made.right = (_sums(values[name]) for name in _ROWS)
        (made.squares,) = _sums([values["squares"]], 1)
        sums = zip(made.count, made.confidence, made.right, strict=True)
        if not all(right <= n and sure <= n << 32 for n, sure, right in sums):
            raise FileError("its probabilities are of more documents than there are.")
        return made

    @staticmethod
    def _add_to_bins(sums: list[int], bins: NDArray[np.intp], values: NDArray[np.int64]) -> None:
        added = np.zeros(_BINS, dtype=np.int64)
        np.add.at(added, bins, values)
        for b, value in enumerate(added.tolist()):
            sums[b] += value


def _units(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values / _UNIT).astype(np.int64)


def _sums(values: Any, size: int = _BINS) -> list[int]:
    fits = isinstance(values, list) and len(values) == size
    if not fits or not all(type(value) is int and value >= 0 for value in values):
        raise FileError(f"{values!r:.80} are no sums over documents.")
    return list(values)
