"""What a model reads of a tally: sums of one moment, for all terms or for some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallytext._core import TallySlice
from tallytext.bayes.class_order import ClassOrder, Ordering
from tallytext.planes import UNIT, Plane
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.vocabulary import Vocabulary

Column: TypeAlias = Plane | str  # "occurrences" or "documents"
Made = TypeVar("Made")


class Moved(Exception):
    """The tally has learned since it was read."""


@dataclass(frozen=True)
class Reading:
    """Sums by term, class and in all, one row per column that was asked for.

    Attributes
    ----------
    order : ClassOrder
        The classes, in the order of everything below.
    starts, classes : ndarray
        The cells: the classes of term i are ``classes[starts[i]:starts[i + 1]]``, ascending.
    cells : ndarray of shape (n_columns, n_cells)
    term_totals : ndarray of shape (n_columns, n_terms)
    class_totals, class_scales : ndarray of shape (n_columns, n_classes)
    totals, scales : ndarray of shape (n_columns,)
    class_documents, class_terms : ndarray of shape (n_classes,)
        Documents are weighed when the last column is a plane.
    n_documents : float
    n_live_terms, version : int
    terms : ndarray of int or None
        Which terms were asked for; None for all.
    source : Reader
        What more can be read from.
    labelled : tuple of ndarray and float, or None
        How many documents of each class, and in all, have labels; None if all these have.
    pooled : bool
        Whether priors are those of all documents, and not of those with labels.
    """

    order: ClassOrder
    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    cells: Numbers
    term_totals: Numbers
    class_totals: Numbers
    class_scales: Numbers
    totals: Numbers
    scales: Numbers
    class_documents: Numbers
    class_terms: Numbers
    n_documents: float
    n_live_terms: int
    version: int
    terms: NDArray[np.int32] | None
    source: Reader
    labelled: tuple[Numbers, float] | None = None
    pooled: bool = False

    @property
    def labelled_documents(self) -> Numbers:
        """How many documents of each class have labels."""
        return self.class_documents if self.labelled is None else self.labelled[0]

    @property
    def prior_documents(self) -> tuple[Numbers, float]:
        """The documents of each class, and all, that say how likely classes are."""
        if self.labelled is None or self.pooled:
            return self.class_documents, float(self.n_documents)
        return self.labelled

    @property
    def n_terms(self) -> int:
        """Number of terms that were asked for."""
        return len(self.starts) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_documents)

    @property
    def complete(self) -> bool:
        """Whether all terms were asked for."""
        return self.terms is None

    def all_terms(self) -> Reading:
        """Return the same of all terms, however few this is of.

        Raises
        ------
        Moved
            If the tally has changed since.
        """
        return self if self.complete else self.source.read().expect_version(self.version)

    def counts_of_counts(self, events: Literal["cells", "pooled"], few: bool) -> dict[int, int]:
        """Return how many events occurred r times, for small r only if these are enough."""
        found = self.source.counts_of_counts(events, few)
        self.expect_version(self.source.version)
        return found

    def expect_version(self, version: int) -> Reading:
        """Return the reading, unless it is of another moment."""
        if self.version != version:
            raise Moved
        return self

    def term_of_cell(self) -> NDArray[np.intp]:
        """Return which term each cell belongs to."""
        return np.repeat(np.arange(self.n_terms), np.diff(self.starts))

    def class_sum(self, values: Numbers) -> Numbers:
        """Return the sum of a value per cell over each class."""
        return np.bincount(self.classes, values, self.n_classes).astype(np.float64)

    def dense(self, values: Numbers, first: int, last: int) -> Numbers:
        """Return a value per cell as rows of terms by classes, zero where there is no cell."""
        rows = np.zeros((last - first, self.n_classes))
        cells = slice(self.starts[first], self.starts[last])
        term = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        rows[term, self.classes[cells]] = values[cells]
        return rows

    def rows(self, values: Numbers, terms: NDArray[np.int32]) -> Numbers:
        """Return a value per cell as rows of the terms asked for, each as often as it is."""
        first, n = self.starts[terms], np.diff(self.starts)[terms]
        row = np.repeat(np.arange(len(n)), n)
        cell = np.arange(len(row)) + np.repeat(first - (np.cumsum(n) - n), n)
        rows = np.zeros((len(n), self.n_classes))
        rows[row, self.classes[cell]] = values[cell]
        return rows


class Joining(Protocol):
    """Adds something to readings."""

    def joined(self, reading: Reading) -> Reading:
        """Return the reading with it."""
        ...


class Reader:
    """Reads the same columns again and again; the last counts the documents with each term.

    Parameters
    ----------
    tally : Tally
    columns : sequence of Plane, "occurrences" or "documents"
    ordering : Ordering
        The order of classes.
    expected : object, default=None
        What is added to each reading: see :class:`~tallytext.bayes.expected.Expected`.
    """

    def __init__(
        self,
        tally: Tally,
        columns: Sequence[Column],
        ordering: Ordering,
        expected: Joining | None = None,
    ) -> None:
        self._tally, self._ordering, self._expected = tally, ordering, expected
        self._columns, self._numbers = columns, [tally.column(column) for column in columns]
        self._units = np.array([UNIT if isinstance(column, Plane) else 1.0 for column in columns])

    def at_rest(self) -> Reader:
        """Return a reader of the tally as it is now, whatever it learns meanwhile."""
        return Reader(self._tally._snapshot(), self._columns, self._ordering, self._expected)

    def counts_of_counts(self, events: Literal["cells", "pooled"], few: bool) -> dict[int, int]:
        """Return how many events occurred r times, for small r only if these are enough."""
        tally = self._tally
        return tally.small_counts(events) if few else tally.counts_of_counts(events)

    @property
    def version(self) -> int:
        """The version of the tally."""
        return self._tally.version

    @property
    def n_terms(self) -> int:
        """Number of terms of the vocabulary."""
        return len(self._tally.vocabulary)

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms."""
        return self._tally.vocabulary

    def read(self, terms: NDArray[np.int32] | None = None) -> Reading:
        """Read the sums of some terms, or of all."""
        reading = self._read(terms)
        return reading if self._expected is None else self._expected.joined(reading)

    def _read(self, terms: NDArray[np.int32] | None) -> Reading:
        part = self._tally.slice(self._numbers, terms)
        order = self._ordering.of(self._tally, part.class_documents)
        classes, values = _ascending(part, order)
        units = self._units[:, None]
        weighed = isinstance(self._columns[-1], Plane)
        class_scales = order.arrange(part.class_scales) * UNIT
        n_documents = order.arrange(part.class_documents).astype(np.float64)
        return Reading(
            order=order,
            starts=part.starts,
            classes=classes,
            cells=values * units,
            term_totals=part.term_totals * units,
            class_totals=order.arrange(part.class_totals) * units,
            class_scales=class_scales,
            totals=part.totals * self._units,
            scales=part.scales * UNIT,
            class_documents=class_scales[-1] if weighed else n_documents,
            class_terms=order.arrange(part.class_terms).astype(np.float64),
            n_documents=part.scales[-1] * UNIT if weighed else part.n_documents,
            n_live_terms=part.n_live_terms,
            version=part.version,
            terms=terms,
            source=self,
        )


def at_one_moment(reader: Reader, make: Callable[[Reader], Made]) -> Made:
    """Return what is made from several looks at a tally: at a copy, if it learns between them."""
    try:
        return make(reader)
    except Moved:
        return make(reader.at_rest())


def _ascending(part: TallySlice, order: ClassOrder) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the classes and values of cells by the places of the classes."""
    classes = order.places[part.classes]
    if order.in_order:
        return classes, part.values
    terms = np.repeat(np.arange(len(part.starts) - 1), np.diff(part.starts))
    by_place = np.lexsort((classes, terms))
    return classes[by_place], part.values[:, by_place]
