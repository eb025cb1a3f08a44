"""What is left of a tally when a document is left out: for some documents, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallytext._core import own_cells
from tallytext._typing import FloatArray
from tallytext.errors import NegativeCountError
from tallytext.models.reading import Column, Reading
from tallytext.models.scorer import Documents, sums_of_rows
from tallytext.models.smoothing.discounting import TokenDocuments
from tallytext.tally.labels import LabelIndex
from tallytext.tally.planes import UNIT, Plane

# ------------------------------------------------------------------------------------------------
# Training documents next to their labels: what each of them put into a tally.


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
    weights: FloatArray | None

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

    def contributions(self, column: Column) -> FloatArray:
        """Return what each term of each document put into a column."""
        values = self.documents.values
        if not isinstance(column, Plane):
            return values if column == "occurrences" else (values > 0) * 1.0
        return self._frequencies(column) * self.scales(column)[self.documents.row]

    def scales(self, column: Column) -> FloatArray:
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

    def _frequencies(self, column: Plane) -> FloatArray:
        values = self.documents.values
        if column.tf == "binary":
            return (values > 0) * 1.0
        return np.log1p(values) if column.tf == "log" else values

    def _norm_scales(self, column: Plane) -> FloatArray:
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
    documents: Documents, labels: list[Any], index: LabelIndex, weights: FloatArray | None
) -> Training:
    """Return documents with their labels by the numbers of a tally."""
    starts, numbers = index.encode(labels, documents.n_documents)
    return Training(documents, starts, numbers, weights)


_ROOM = 1 << 17  # numbers of one array: 1 MB
_NOTHING = UNIT / 2  # less than the least that can be counted


@dataclass(frozen=True)
class LeftOut:
    """Some training documents, and what the tally is without each of them.

    There is a *place* for each document and word of it, a *slot* for each document and label of it,
    and an *own* entry for each document, label and word.

    Attributes
    ----------
    reading : Reading
        Of all terms and documents; the last column counts documents.
    columns : sequence of Column
        What was read.
    documents : Documents
        As they are judged.
    training : Training
        As they were counted: the same words, in the same places.
    """

    reading: Reading
    columns: Sequence[Column]
    documents: Documents
    training: Training

    @property
    def n(self) -> int:
        """Number of documents."""
        return self.documents.n_documents

    @cached_property
    def row(self) -> NDArray[np.intp]:
        """The document of each place."""
        return self.documents.row

    @property
    def terms(self) -> NDArray[np.int32]:
        """The word of each place."""
        return self.documents.terms

    @cached_property
    def slot_row(self) -> NDArray[np.intp]:
        """The document of each slot."""
        return np.repeat(np.arange(self.n), self.training.n_labels)

    @cached_property
    def slot_class(self) -> NDArray[np.int32]:
        """The class of each slot."""
        return self.reading.order.places[self.training.labels]

    @cached_property
    def own_place(self) -> NDArray[np.intp] | slice:
        """The place of each own entry."""
        if self._one_label:
            return slice(None)
        return self.training.entries

    @cached_property
    def own_slot(self) -> NDArray[np.intp]:
        """The slot of each own entry."""
        if self._one_label:
            return self.row
        lengths = np.diff(self.documents.starts)[self.slot_row]
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def own_cell(self) -> NDArray[np.int64]:
        """The cell of each own entry, -1 for a word that was too little to be counted."""
        cells = self.training.cells(self.reading, n_threads=1)
        if cells.size and cells.min() < 0:
            missing = (cells < 0) & (self.amount(self._telling)[self.own_place] > 0)
            if missing.any():
                raise _never_learned(self, int(np.argmax(missing)))
        return cells

    @property
    def own_at(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """The place and the class of each own entry."""
        return np.arange(len(self.terms))[self.own_place], self.slot_class[self.own_slot]

    def amount(self, column: int) -> FloatArray:
        """Return what each word of each document put into a column."""
        key = column % len(self.columns)
        if key not in self._amounts:
            amounts = self.training.contributions(self.columns[column])
            plane = isinstance(self.columns[column], Plane)
            self._amounts[key] = _in_steps(amounts) if plane else amounts
        return self._amounts[key]

    @cached_property
    def _amounts(self) -> dict[int, FloatArray]:
        return {}

    def scale(self, column: int) -> FloatArray:
        """Return what each document added to the scale of a column, or one for each document."""
        return _in_steps(self.training.scales(self.columns[column]))

    @property
    def _telling(self) -> int:
        """The column that tells exactly when nothing is left."""
        return -1 if isinstance(self.columns[0], Plane) else 0

    def _is_telling(self, column: int) -> bool:
        return (column - self._telling) % len(self.columns) == 0

    @cached_property
    def _telling_words(self) -> FloatArray:
        return self._words_less(self._telling)

    @cached_property
    def _telling_own(self) -> FloatArray:
        left = self.own_before(self._telling) - self.amount(self._telling)[self.own_place]
        if left.size and left.min() < -_NOTHING:
            raise _never_learned(self, int(np.argmin(left)))
        return left

    def _words_less(self, column: int) -> FloatArray:
        return self.reading.term_totals[column].take(self.terms) - self.amount(column)

    @cached_property
    def gone(self) -> NDArray[np.bool_]:
        """Whether no other document has the word of each place."""
        return self._telling_words < _NOTHING

    @cached_property
    def own_gone(self) -> NDArray[np.bool_]:
        """Whether no other document of the class has the word of each own entry."""
        gone = self._telling_own < _NOTHING
        return gone if self._all_counted else gone & (self.own_cell >= 0)

    def words(self, column: int) -> FloatArray:
        """Return what is left of the word of each place."""
        if self._is_telling(column):
            return self._telling_words
        left = self._words_less(column)
        left[self.gone] = 0.0
        return left

    def own(self, column: int) -> FloatArray:
        """Return what is left of each own cell."""
        if self._is_telling(column):
            return self._telling_own
        left = self.own_before(column) - self.amount(column)[self.own_place]
        left[self.own_gone] = 0.0
        return left

    def own_before(self, column: int) -> FloatArray:
        """Return what each own cell is with the document."""
        cells = self.reading.cells[column]
        if self._all_counted:
            return cells.take(self.own_cell)
        return np.where(self.own_cell >= 0, np.append(cells, 0.0)[self.own_cell], 0.0)

    @cached_property
    def _all_counted(self) -> bool:
        return not self.own_cell.size or bool(self.own_cell.min() >= 0)

    def removed(self, column: int) -> FloatArray:
        """Return what each document put into a column in all."""
        return self.by_document(self.amount(column))

    @cached_property
    def n_gone(self) -> FloatArray:
        """How many words each document takes with it."""
        return self.by_document(self.gone & (self.amount(self._telling) > 0))

    @cached_property
    def own_terms(self) -> FloatArray:
        """How many words are left in the class of each slot."""
        return self.reading.class_terms[self.slot_class] - self.by_slot(self.own_gone)

    @cached_property
    def class_documents(self) -> FloatArray:
        """Documents left in each class, documents by classes."""
        return self._documents_left(self.reading.class_documents)

    @cached_property
    def labelled_documents(self) -> FloatArray:
        """The same of documents that have labels."""
        return self._documents_left(self.reading.labelled_documents)

    @cached_property
    def prior_documents(self) -> tuple[FloatArray, FloatArray]:
        """Documents left in each class, and in all, of those that say how likely classes are."""
        inside, whole = self.reading.prior_documents
        return self._documents_left(inside), np.maximum(whole - self.scale(-1), 0.0)

    def _documents_left(self, documents: FloatArray) -> FloatArray:
        left = np.tile(documents, (self.n, 1))
        left[self.slot_row, self.slot_class] -= self.scale(-1)[self.slot_row]
        return np.where(left < _NOTHING, 0.0, left)

    @cached_property
    def n_documents(self) -> FloatArray:
        """Documents left."""
        return np.maximum(self.reading.n_documents - self.scale(-1), 0.0)

    def pieces(self, wide: bool) -> list[LeftOut]:
        """Return the documents in runs that fit into memory.

        Parameters
        ----------
        wide : bool
            Whether each place needs room for a number per class.
        """
        width = self.reading.n_classes
        room = np.diff(self.documents.starts) * (width if wide else 1) + width
        run = (np.cumsum(room) - room) // _ROOM
        ends = [*np.flatnonzero(np.diff(run, prepend=-1)).tolist(), self.n]
        return [self.some(first, last) for first, last in pairwise(ends)]

    def some(self, first: int, last: int) -> LeftOut:
        """Return the documents from ``first`` up to ``last``."""
        documents, training = self.documents.some(first, last), self.training.some(first, last)
        return LeftOut(self.reading, self.columns, documents, training)

    def by_document(self, values: FloatArray | NDArray[np.bool_]) -> FloatArray:
        """Return the sum over the places of each document."""
        return sums_of_rows(values, self.documents.starts)

    def by_slot(self, values: FloatArray | NDArray[np.bool_]) -> FloatArray:
        """Return the sum over the own entries of each slot."""
        if self._one_label:
            return sums_of_rows(values, self.documents.starts)
        lengths = np.diff(self.documents.starts)[self.slot_row]
        return sums_of_rows(values, np.concatenate([[0], np.cumsum(lengths)]))

    @cached_property
    def _one_label(self) -> bool:
        return bool((self.training.n_labels == 1).all())


def _in_steps(values: FloatArray) -> FloatArray:
    """Round as the tally does, so that what is taken out is what was put in."""
    return np.rint(values / UNIT) * UNIT


def _never_learned(left: LeftOut, entry: int) -> NegativeCountError:
    slot = left.own_slot[entry]
    place = np.arange(len(left.terms))[left.own_place][entry]
    label = left.reading.order.classes.tolist()[left.slot_class[slot]]
    return NegativeCountError(
        f"cannot leave out: class {label!r} has less of term {left.terms[place]} than a document "
        "of it. Was this document ever learned by this model, with this label?"
    )


# ------------------------------------------------------------------------------------------------
# Documents left out a piece at a time: in bounded memory, on all cores.

_MOST_THREADS = 4  # each has arrays of its own


class Leaving(Protocol):
    """Scores documents by models that have forgotten them."""

    @property
    def wide(self) -> bool:
        """Whether it needs room for a number per place and class."""
        ...

    def __call__(self, left: LeftOut, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and its length."""
        ...


def in_pieces(
    judge: Callable[[LeftOut], tuple[FloatArray, FloatArray]], pieces: list[LeftOut], n_threads: int
) -> tuple[FloatArray, FloatArray]:
    """Return the scores and lengths of all documents."""
    n_threads = min(n_threads, _MOST_THREADS, len(pieces))
    if n_threads <= 1:
        found = list(map(judge, pieces))
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            found = list(pool.map(judge, pieces))
    scores, lengths = zip(*found, strict=True)
    return np.concatenate(scores), np.concatenate(lengths)


# ------------------------------------------------------------------------------------------------
# Training documents token by token, to choose a discount for fractional counts.


def token_documents(
    training: Training, column: Column, reading: Reading, scale: float, unit: float
) -> TokenDocuments:
    """Return one entry per document, label and word.

    Parameters
    ----------
    training : Training
    column : Column
        What is counted.
    reading : Reading
        Of all terms.
    scale : float
        What counts are multiplied by.
    unit : float
        What one count of a training document is worth in tokens.
    """
    tokens = training.documents.values * unit
    weights = training.contributions(column) * scale / tokens
    entry = training.entries
    cells = training.cells(reading, n_threads=1)
    return TokenDocuments(
        documents=training.documents.row[entry],
        tokens=tokens[entry],
        weights=weights[entry],
        classes=reading.classes[cells],
        cells=cells,
        cell_counts=reading.cells[0] * scale,
        cell_classes=reading.classes,
        term_totals=reading.term_totals[0, training.documents.terms[entry]] * scale,
        class_totals=reading.class_totals[0] * scale,
        total=float(reading.totals[0]) * scale,
        n_tokens=float(tokens.sum()),
    )
