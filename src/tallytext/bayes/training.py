"""Training documents next to their labels: what each of them put into a tally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._core import own_cells
from tallytext.bayes.reading import Column, Reading
from tallytext.labels import LabelIndex
from tallytext.planes import Plane
from tallytext.scorer import Documents, sums_of_rows
from tallytext.smoothing.base import Numbers


@dataclass(frozen=True)
class Training:
    """Documents that a tally has learned, in the units in which it counted them.

    Attributes
    ----------
    documents : Documents
        Counts in whole units.
    label_starts, labels : ndarray
        The tally's numbers of the classes of each document.
    weights : ndarray of shape (n_documents,) or None
        What each document weighs.
    """

    documents: Documents
    label_starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    weights: Numbers | None

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """Number of labels of each document."""
        return np.diff(self.label_starts)

    def cells(self, reading: Reading, n_threads: int) -> NDArray[np.int64]:
        """Return, for each document, label and term, the cell of a reading of all terms, or -1."""
        return own_cells(
            self.documents.starts,
            self.documents.terms,
            self.label_starts,
            reading.order.places[self.labels],
            reading.starts,
            reading.classes,
            n_threads,
        )

    def contributions(self, column: Column) -> Numbers:
        """Return what each term of each document put into a column."""
        values = self.documents.values
        if not isinstance(column, Plane):
            return values if column == "occurrences" else np.ones_like(values)
        made = np.log1p(values) if column.tf == "log" else values
        made = np.ones_like(values) if column.tf == "binary" else made
        return made * self.scales(column)[self.documents.row]

    def scales(self, column: Column) -> Numbers:
        """Return s(d) of each document in a column."""
        ones = np.ones(self.documents.n_documents)
        if not isinstance(column, Plane):
            return ones
        weights = ones if self.weights is None or not column.weighted else self.weights
        return weights * (ones if column.norm is None else self._norm_scales(column))

    def _norm_scales(self, column: Plane) -> Numbers:
        tf = self.contributions(Plane(column.tf))
        squared = column.norm == "l2"
        length = sums_of_rows(tf * tf if squared else tf, self.documents.starts)
        below = np.sqrt(length) if squared else length
        return np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)


def training_of(
    documents: Documents, labels: list[Any], index: LabelIndex, weights: Numbers | None
) -> Training:
    """Return documents with their labels by the numbers of a tally."""
    starts, numbers = index.encode(labels, documents.n_documents)
    return Training(documents, starts, numbers, weights)
