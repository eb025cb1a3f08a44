"""What can be read off a tally. Nothing here changes it, so many threads may read at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import Tally as NativeTally
from tallytext.errors import RecipeError
from tallytext.labels import Label, LabelIndex
from tallytext.planes import UNIT, Plane, PlaneTotals
from tallytext.vocabulary import Vocabulary

_OCCURRENCES, _DOCUMENTS, _FIRST_PLANE = 0, 1, 2


class Statistics:
    """Sums per (term, class), per term, per class and in all.

    Arrays over terms follow the ids of :attr:`vocabulary`, arrays over classes the order of
    :attr:`classes`. All are copies.
    """

    _native: NativeTally
    _labels: LabelIndex
    _planes: tuple[Plane, ...]
    _vocabulary: Vocabulary

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms, by id. Some may no longer, or not yet, occur: see :attr:`live`."""
        return self._vocabulary

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The recipes of the fractional planes that are kept."""
        return self._planes

    @property
    def classes(self) -> list[Label]:
        """The labels that some document has, in order of arrival."""
        return [self._labels.names[id] for id in self._live_classes()]

    @property
    def n_documents(self) -> int:
        """Number of documents, those without a label included."""
        return self._native.n_documents

    @property
    def n_several(self) -> int:
        """Number of documents that came with two labels or more."""
        return self._native.n_several

    @property
    def n_unlabelled(self) -> int:
        """Number of documents that came without a label."""
        return self._native.n_unlabelled

    @property
    def n_classes(self) -> int:
        """Number of classes that have a document."""
        return len(self._live_classes())

    @property
    def n_terms(self) -> int:
        """Number of terms that occur."""
        return self._native.n_live_terms

    @property
    def n_cells(self) -> int:
        """Number of pairs of a term and a class that it occurs in."""
        return self._native.n_cells

    @property
    def n_tokens(self) -> int:
        """Occurrences of all terms in all documents."""
        return int(self._native.totals()[_OCCURRENCES])

    @property
    def n_document_terms(self) -> int:
        """Sum over the documents of their number of distinct terms."""
        return int(self._native.totals()[_DOCUMENTS])

    @property
    def class_documents(self) -> NDArray[np.int64]:
        """Number of documents of each class."""
        return _integers(self._native.class_documents())[self._live_classes()]

    @property
    def class_tokens(self) -> NDArray[np.int64]:
        """Occurrences of all terms in each class."""
        return self._class_column(_OCCURRENCES)

    @property
    def class_terms(self) -> NDArray[np.int64]:
        """Number of distinct terms of each class."""
        return _integers(self._native.class_terms())[self._live_classes()]

    @property
    def class_document_terms(self) -> NDArray[np.int64]:
        """Sum over the documents of each class of their number of distinct terms."""
        return self._class_column(_DOCUMENTS)

    @property
    def term_occurrences(self) -> NDArray[np.int64]:
        """Occurrences of each term in all documents, each document once."""
        return self._term_column(_OCCURRENCES)

    @property
    def term_documents(self) -> NDArray[np.int64]:
        """Number of documents with each term, each document once."""
        return self._term_column(_DOCUMENTS)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which terms of the vocabulary occur."""
        return self.term_occurrences > 0

    @property
    def occurrences(self) -> sparse.csr_array[np.int64]:
        """Occurrences of each term in each class."""
        return self._matrix(_OCCURRENCES)

    @property
    def documents(self) -> sparse.csr_array[np.int64]:
        """Number of documents of each class with each term."""
        return self._matrix(_DOCUMENTS)

    def plane(self, recipe: Plane) -> sparse.csr_array[np.float64]:
        """Return the sums of a fractional plane over each term and class.

        Raises
        ------
        RecipeError
            If the tally does not keep this plane.
        """
        matrix = self._matrix(self._plane_column(recipe)).astype(np.float64)
        matrix.data *= UNIT
        return matrix

    def plane_totals(self, recipe: Plane) -> PlaneTotals:
        """Return the sums of a fractional plane per term, per class and in all."""
        column = self._plane_column(recipe)
        at = column - _FIRST_PLANE
        return PlaneTotals(
            terms=np.multiply(self._term_column(column), UNIT, dtype=np.float64),
            classes=np.multiply(self._class_column(column), UNIT, dtype=np.float64),
            total=int(self._native.totals()[column]) * UNIT,
            class_scales=np.multiply(self._class_scales()[:, at], UNIT, dtype=np.float64),
            scale=int(self._native.scales()[at]) * UNIT,
        )

    def counts_of_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return how many events were counted exactly r times, for each r that occurs.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            Pairs of term and class, or terms whatever their class.
        """
        if events not in ("cells", "pooled"):
            raise ValueError(f"events must be 'cells' or 'pooled', not {events!r}")
        return self._native.counts_of_counts(events == "pooled")

    def _plane_column(self, recipe: Plane) -> int:
        if recipe in self._planes:
            return _FIRST_PLANE + self._planes.index(recipe)
        kept = ", ".join(map(repr, self._planes)) or "none"
        raise RecipeError(
            f"this tally does not keep {recipe!r} (it keeps {kept}). "
            f"Tally the documents with planes=[{recipe!r}]."
        )

    def _width(self) -> int:
        return _FIRST_PLANE + len(self._planes)

    def _live_classes(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._native.class_documents()[: len(self._labels)])

    def _class_column(self, column: int) -> NDArray[np.int64]:
        totals = _integers(self._native.class_totals()).reshape(-1, self._width())
        picked: NDArray[np.int64] = totals[self._live_classes(), column]
        return picked

    def _class_scales(self) -> NDArray[np.int64]:
        scales = _integers(self._native.class_scales())
        return scales.reshape(self._native.n_classes, len(self._planes))[self._live_classes()]

    def _term_column(self, column: int) -> NDArray[np.int64]:
        totals = self._native.term_totals().reshape(-1, self._width())
        padded = np.zeros(len(self._vocabulary), dtype=np.int64)
        padded[: len(totals)] = totals[:, column]
        return padded

    def _matrix(self, column: int) -> sparse.csr_array[np.int64]:
        starts, classes, values = self._native.cells(column)
        n_terms = len(self._vocabulary)
        starts = np.append(starts, np.full(n_terms + 1 - len(starts), starts[-1]))
        cells = (_integers(values), self._places()[classes], starts)
        return sparse.csr_array(cells, shape=(n_terms, self.n_classes))

    def _places(self) -> NDArray[np.int32]:
        live = self._live_classes()
        places = np.zeros(len(self._labels), dtype=np.int32)
        places[live] = np.arange(len(live))
        return places

    def __repr__(self) -> str:
        return (
            f"<Tally of {self.n_documents:,} documents: {self.n_tokens:,} tokens, "
            f"{self.n_terms:,} terms, {self.n_classes:,} classes>"
        )


def _integers(values: NDArray[np.int64]) -> NDArray[np.int64]:
    # C's long long is NumPy's int64 under another name, which would show in every repr.
    return values.view(np.int64)
