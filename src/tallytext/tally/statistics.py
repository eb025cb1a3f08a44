"""What can be read off a tally. Nothing here changes it, so many threads may read at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import Tally as NativeTally
from tallytext._core import TallySlice
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
        """Number of documents that came with two labels or more.

        It stays when :meth:`~tallytext.tally.Tally.subset` leaves one of the labels out.
        """
        return self._native.n_several

    @property
    def n_unlabelled(self) -> int:
        """Number of documents that came without a label, not those whose class was left out."""
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
        documents = _integers(self._native.class_documents())
        return documents[documents > 0]

    @property
    def class_tokens(self) -> NDArray[np.int64]:
        """Occurrences of all terms in each class."""
        return self._class_column(_OCCURRENCES)

    @property
    def class_terms(self) -> NDArray[np.int64]:
        """Number of distinct terms of each class."""
        live = self._live_classes()
        return _integers(self._native.class_terms())[live]

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

        Parameters
        ----------
        recipe : Plane
            Which plane.

        Raises
        ------
        RecipeError
            If the tally does not keep this plane.
        """
        matrix = self._matrix(self._plane_column(recipe)).astype(np.float64)
        matrix.data *= UNIT
        return matrix

    def plane_totals(self, recipe: Plane) -> PlaneTotals:
        """Return the sums of a fractional plane per term, per class and in all.

        Parameters
        ----------
        recipe : Plane
            Which plane.
        """
        column = self._plane_column(recipe)
        at, now = column - _FIRST_PLANE, self._snapshot()
        return PlaneTotals(
            terms=np.multiply(now._term_column(column), UNIT, dtype=np.float64),
            classes=np.multiply(now._class_column(column), UNIT, dtype=np.float64),
            total=int(now._native.totals()[column]) * UNIT,
            class_scales=np.multiply(now._class_scales()[:, at], UNIT, dtype=np.float64),
            scale=int(now._native.scales()[at]) * UNIT,
        )

    def column(self, name: Plane | str) -> int:
        """Return the number of a column: "occurrences", "documents" or a plane that is kept.

        Parameters
        ----------
        name : Plane or str
            Which column.
        """
        if isinstance(name, Plane):
            return self._plane_column(name)
        return {"occurrences": _OCCURRENCES, "documents": _DOCUMENTS}[name]

    def slice(self, columns: Sequence[int], terms: NDArray[np.int32] | None = None) -> TallySlice:
        """Return the sums of some columns and terms, all of one moment.

        Planes come in units of ``planes.UNIT``, classes by number: see :attr:`label_names`. Costs
        as much as there are terms asked for, and classes.

        Parameters
        ----------
        columns : sequence of int
            Their numbers, as by :meth:`column`.
        terms : ndarray of int32, default=None
            The ids of the terms; None for all.
        """
        return self._native.slice(list(columns), terms)

    @property
    def label_index(self) -> LabelIndex:
        """The numbers of the labels; a copy."""
        return self._labels.copy()

    @property
    def label_names(self) -> list[Label]:
        """The label of each class number, classes without a document included."""
        return self._labels.names

    @property
    def version(self) -> int:
        """A number that changes whenever the sums do."""
        return self._native.version

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

    def small_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return the first entries of :meth:`counts_of_counts`, at no cost.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            As for :meth:`counts_of_counts`.

        Examples
        --------
        >>> from tallytext import Tally
        >>> Tally().learn({"to": 2, "be": 1, "or": 1}, "x").small_counts()[1]
        2
        """
        few = self._native.small_counts(events == "pooled").tolist()
        return {r: n for r, n in enumerate(few) if r and n}

    def _snapshot(self) -> Self:
        # To read from: what several calls see of it is of one moment. The sums come first, since
        # terms and labels are there before they are counted.
        native = NativeTally(self._native)
        snapshot = self.__class__.__new__(self.__class__)
        snapshot.__dict__.update(self.__dict__ | {"_native": native})
        return snapshot

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
        live = self._live_classes()
        totals = _integers(self._native.class_totals()).reshape(-1, self._width())
        picked: NDArray[np.int64] = totals[live, column]
        return picked

    def _class_scales(self) -> NDArray[np.int64]:
        live = self._live_classes()
        if not self._planes:
            return np.zeros((len(live), 0), dtype=np.int64)
        return _integers(self._native.class_scales()).reshape(-1, len(self._planes))[live]

    def _term_column(self, column: int) -> NDArray[np.int64]:
        totals = self._native.term_totals().reshape(-1, self._width())
        padded = np.zeros(len(self._vocabulary), dtype=np.int64)
        padded[: len(totals)] = totals[:, column]
        return padded

    def _matrix(self, column: int) -> sparse.csr_array[np.int64]:
        now = self._snapshot()
        starts, classes, values = now._native.cells(column)
        n_terms = len(now._vocabulary)
        starts = np.append(starts, np.full(n_terms + 1 - len(starts), starts[-1]))
        cells = (_integers(values), now._places()[classes], starts)
        return sparse.csr_array(cells, shape=(n_terms, now.n_classes))

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
