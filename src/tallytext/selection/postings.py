"""Documents by term and class, laid out for sums and maxima over the classes of each term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.contingency import Floats, Table
from tallytext.planes import Plane
from tallytext.tally import Tally


@dataclass(frozen=True)
class Postings:
    """The cells of a tally, term after term, and the totals they are compared with.

    Attributes
    ----------
    starts : ndarray of shape (n_terms + 1,)
        Where the cells of each term begin.
    classes : ndarray of shape (n_cells,)
        The class of each cell.
    counts : ndarray of shape (n_cells,)
        Documents of the class with the term.
    terms : ndarray of shape (n_terms,)
        Documents with each term.
    sizes : ndarray of shape (n_classes,)
        Documents of each class.
    total : float
        All documents.
    """

    starts: NDArray[Any]
    classes: NDArray[Any]
    counts: Floats
    terms: Floats
    sizes: Floats
    total: float

    @classmethod
    def of(cls, tally: Tally) -> Postings:
        """Read a tally: a document counts once for each of its labels."""
        # Before the cells: a vocabulary may grow meanwhile, by terms that are not counted here.
        terms = tally.term_documents.astype(np.float64)
        sizes = tally.class_documents.astype(np.float64)
        return cls._of(tally.documents, terms, sizes, tally.n_documents)

    @classmethod
    def shared(cls, tally: Tally) -> Postings:
        """Read a tally: a document counts for one in all, shared out among its labels."""
        if not tally.n_several:
            return cls.of(tally)
        terms = tally.term_documents.astype(np.float64)
        plane = Plane("binary", shared=True)
        sizes = tally.plane_totals(plane).class_scales
        return cls._of(tally.plane(plane), terms, sizes, tally.n_documents)

    @classmethod
    def _of(
        cls, cells: sparse.csr_array[Any], terms: Floats, sizes: Floats, total: int
    ) -> Postings:
        starts = cells.indptr[: len(terms) + 1]
        return cls(starts, cells.indices, cells.data.astype(np.float64), terms, sizes, float(total))

    def over(self, terms: Floats, total: float) -> Postings:
        """Return the same cells, compared with other totals."""
        return replace(self, terms=terms, total=total)

    def tables(self, counts: Floats | float | None = None) -> Table:
        """Return the table of each cell, with its own count or another in place of it."""
        own = self.counts if counts is None else counts
        with_term = np.repeat(self.terms, np.diff(self.starts))
        return Table.of(own, with_term, self.sizes[self.classes], self.total)

    def sums(self, values: Floats) -> Floats:
        """Add up the values of the cells of each term."""
        return self._reduced(np.add, values, 0.0)

    def largest(self, values: Floats) -> Floats:
        """Return the largest value of the cells of each term; −inf for a term without any."""
        return self._reduced(np.maximum, values, -np.inf)

    def _reduced(self, how: np.ufunc, values: Floats, empty: float) -> Floats:
        # reduceat would give an empty term the first value of the next one.
        filled = np.flatnonzero(np.diff(self.starts))
        found = np.full(len(self.terms), empty)
        if len(filled):
            found[filled] = how.reduceat(values, self.starts[filled])
        return found

    def summed(self, value: Callable[[Table], Floats], weights: Floats) -> Floats:
        """Return the weighted sum of a value over all classes, for each term.

        What a class adds that a term does not occur in depends on no more than the frequency of
        the term and the size of the class; both take few different values. So all classes are
        taken to be such, once for each pair of these values, and the cells make up the difference.
        """
        difference = value(self.tables()) - value(self.tables(0.0))
        return self._if_absent(value, weights) + self.sums(weights[self.classes] * difference)

    def _if_absent(self, value: Callable[[Table], Floats], weights: Floats) -> Floats:
        frequencies, of_term = np.unique(self.terms, return_inverse=True)
        sizes, of_class = np.unique(self.sizes, return_inverse=True)
        together = np.bincount(of_class, weights=weights, minlength=len(sizes))
        values = value(Table.of(0.0, frequencies[:, None], sizes, self.total))
        # Not by a product of matrices: its last bit depends on how many frequencies there are.
        picked: Floats = (values * together).sum(axis=1)[of_term]
        return picked

    def topmost(self, value: Callable[[Table], Floats]) -> Floats:
        """Return the largest value over all classes, for each term; −inf if there are no classes.

        Of the classes that a term does not occur in, only the largest and the smallest are looked
        at: the value must have no maximum in between.
        """
        found = self.largest(value(self.tables()))
        absent = len(self.sizes) - np.diff(self.starts) > 0
        for sizes in self._extremes_absent():
            theirs = value(Table.of(0.0, self.terms, sizes, self.total))
            found = np.where(absent, np.maximum(found, theirs), found)
        return found

    def _extremes_absent(self) -> tuple[Floats, Floats]:
        """The sizes of the largest and of the smallest class that each term does not occur in."""
        width, n_cells = len(self.sizes), np.diff(self.starts)
        by_size = np.argsort(-self.sizes, kind="stable")
        place = np.empty(width, dtype=np.int64)
        place[by_size] = np.arange(width)
        firsts = np.repeat(np.arange(len(n_cells)) * width, n_cells)
        places = np.sort(firsts + place[self.classes], kind="stable") - firsts
        # Among the sorted places of a term, those that are as if no class before were absent.
        nth = np.arange(len(places)) - np.repeat(self.starts[:-1], n_cells)
        before = self.sums((places == nth).astype(np.float64))
        from_end = width - np.repeat(n_cells, n_cells) + nth
        after = self.sums((places == from_end).astype(np.float64))
        ordered = np.append(self.sizes[by_size], 0.0)
        return ordered[before.astype(np.intp)], ordered[(width - 1 - after).astype(np.intp)]
