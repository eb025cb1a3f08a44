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
from tallytext.planes import UNIT, Plane
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
            return values if column == "occurrences" else (values > 0) * 1.0
        return self._frequencies(column) * self.scales(column)[self.documents.row]

    def scales(self, column: Column) -> Numbers:
        """Return s(d) of each document in a column."""
        ones = np.ones(self.documents.n_documents)
        if not isinstance(column, Plane):
            return ones
        weights = ones if self.weights is None or not column.weighted else self.weights
        return weights * (ones if column.norm is None else self._norm_scales(column))

    def some(self, first: int, last: int) -> Training:
        """Return the documents from ``first`` up to ``last``."""
        start, stop = self.label_starts[first], self.label_starts[last]
        return Training(
            self.documents.some(first, last),
            self.label_starts[first : last + 1] - start,
            self.labels[start:stop],
            None if self.weights is None else self.weights[first:last],
        )

    @cached_property
    def entries(self) -> NDArray[np.intp]:
        """Which (document, word) each (document, label, word) stands for."""
        starts, lengths = self.documents.starts[:-1], np.diff(self.documents.starts)
        first, length = np.repeat(starts, self.n_labels), np.repeat(lengths, self.n_labels)
        offsets = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        return np.repeat(first, length) + offsets

    def without_weightless(self) -> Training:
        """Return the same places, but nothing counted of documents that weigh nothing."""
        if self.weights is None or self.weights.all():
            return self
        there = self.weights > 0
        n_labels = np.where(there, self.n_labels, 0)
        starts = np.concatenate([[0], np.cumsum(n_labels)]).astype(np.int64)
        values = self.documents.values * there[self.documents.row]
        labels = self.labels[np.repeat(there, self.n_labels)]
        return Training(self.documents._replace(values=values), starts, labels, self.weights)

    def _frequencies(self, column: Plane) -> Numbers:
        values = self.documents.values
        if column.tf == "binary":
            return (values > 0) * 1.0
        return np.log1p(values) if column.tf == "log" else values

    def _norm_scales(self, column: Plane) -> Numbers:
        parts = self._frequencies(column)
        parts = parts * parts if column.norm == "l2" else parts
        # As the tally adds them: in steps, so that the order of words cannot matter.
        parts = np.rint(parts / UNIT) * UNIT if column.tf == "log" else parts
        length = sums_of_rows(parts, self.documents.starts)
        if column.norm in ("log_length", "log_length_squared"):
            return np.log1p(length) ** (2 if column.norm == "log_length_squared" else 1)
        below = np.sqrt(length) if column.norm == "l2" else length
        return np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)


def training_of(
    documents: Documents, labels: list[Any], index: LabelIndex, weights: Numbers | None
) -> Training:
    """Return documents with their labels by the numbers of a tally."""
    starts, numbers = index.encode(labels, documents.n_documents)
    return Training(documents, starts, numbers, weights)
