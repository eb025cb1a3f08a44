"""How good an order of documents is; those with equal scores count as one step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Wanted = NDArray[np.bool_]


class Steps(NamedTuple):
    """After each group of equal scores, from the highest on: how many there were, and wanted ones.

    Attributes
    ----------
    seen : ndarray
    hits : ndarray
    """

    seen: Numbers
    hits: Numbers

    @classmethod
    def of(cls, scores: Numbers, wanted: Wanted) -> Steps:
        """Sort documents by their scores."""
        order = np.argsort(-scores, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
        hits = np.cumsum(wanted[order])[ends].astype(float)
        return cls(ends + 1.0, hits)

    def average_precision(self) -> float:
        """Return the precision at each step, weighted by the recall that it adds.

        Examples
        --------
        >>> Steps.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])).average_precision()
        0.8333333333333333
        """
        gained = np.diff(self.hits, prepend=0.0)
        return float((self.hits / self.seen * gained).sum() / self.hits[-1])

    def area(self) -> float:
        """Return the area under the ROC curve.

        Examples
        --------
        >>> Steps.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])).area()
        0.5
        """
        false = self.seen - self.hits
        heights = (self.hits + np.append(0.0, self.hits[:-1])) / 2
        return float((np.diff(false, prepend=0.0) * heights).sum() / self.hits[-1] / false[-1])

    def precision_at(self, n: float) -> float:
        """Return the precision among the first n; a group that n cuts through gives its share."""
        hits = np.interp(n, np.append(0.0, self.seen), np.append(0.0, self.hits))
        return float(hits / n)


def tied(values: Numbers) -> float:
    """Return the share of values that are there more than once.

    Examples
    --------
    >>> tied(np.array([1.0, 1.0, 0.5, 0.2]))
    0.5
    """
    _, inverse, often = np.unique(values, return_inverse=True, return_counts=True)
    return float((often[inverse] > 1).mean())
