"""The one scorer: linear in the counts of a document, over few cells or over whole rows.

.. math:: s_c(d) = a_c + u_c\\,|d| + \\sum_w x_w\\, (v_w + r(w, c)), \\qquad |d| = \\sum_w x_w m_w

a is the intercept, u the slope in the length, v common to all classes, m what a token of w adds to
the length. r is given for the cells of a word's postings (:class:`SparseWeights`), zero elsewhere,
or as whole rows made on demand (:class:`RowWeights`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import add_rows, score_sparse, top_sparse

Numbers: TypeAlias = NDArray[np.floating[Any]]
MakeRows: TypeAlias = Callable[[int, int], Numbers]

_ROW_NUMBERS = 1 << 21  # of one block of rows: 16 MB


class Documents(NamedTuple):
    """Documents as the scorer reads them: rows of term numbers and of what each term counts."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    values: Numbers
    tokens: Numbers | None = None  # of each document, where values are no longer counts

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.starts) - 1

    @property
    def row(self) -> NDArray[np.intp]:
        """The document that each entry belongs to."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.starts))

    @property
    def sizes(self) -> Numbers:
        """How many tokens each document has."""
        return sums_of_rows(self.values, self.starts) if self.tokens is None else self.tokens

    def some(self, first: int, last: int) -> Documents:
        """Return the documents from ``first`` up to ``last``."""
        start, stop = self.starts[first], self.starts[last]
        starts = self.starts[first : last + 1] - start
        tokens = None if self.tokens is None else self.tokens[first:last]
        return Documents(starts, self.terms[start:stop], self.values[start:stop], tokens)


class Best(NamedTuple):
    """The best classes of each document, best first, and their scores."""

    classes: NDArray[np.int32]
    scores: Numbers


@dataclass(frozen=True)
class SparseWeights:
    """Weights of which all but a few per word are what is common to all classes."""

    intercept: Numbers
    slope: Numbers
    common: Numbers
    mass: Numbers
    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    values: Numbers

    def cast(self, dtype: Any) -> SparseWeights:
        """Return the weights in another precision."""
        intercept, slope, common, mass, values = (
            np.ascontiguousarray(part, dtype=dtype)
            for part in (self.intercept, self.slope, self.common, self.mass, self.values)
        )
        return SparseWeights(intercept, slope, common, mass, self.starts, self.classes, values)

    def filled(self) -> SparseWeights:
        """Return the same weights with words of most classes written out for all.

        A row of every class is added as a vector, without a look at its classes. Worth it for
        weights of all words that many documents will meet.
        """
        starts, classes, values = filled_rows(
            self.starts, self.classes, self.values, len(self.intercept)
        )
        return replace(self, starts=starts, classes=classes, values=values)

    def scores(self, documents: Documents, n_threads: int) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and the length of each document."""
        return self._run(score_sparse, documents, n_threads)

    def top(self, documents: Documents, k: int, order: NDArray[np.int32], n_threads: int) -> Best:
        """Return the k best classes of each document; of equal ones the first in ``order``."""
        return Best(*self._run(top_sparse, documents, order, k, n_threads))

    def rows(self, first: int, last: int) -> Numbers:
        """Return the weight of one count of each term, in all classes, length and all."""
        weights = self.mass[first:last, None] * self.slope + self.common[first:last, None]
        cells = slice(self.starts[first], self.starts[last])
        term = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        weights[term, self.classes[cells]] += self.values[cells]
        return weights

    def _run(self, kernel: Callable[..., Any], documents: Documents, *more: Any) -> Any:
        values = documents.values.astype(self.values.dtype, copy=False)
        postings = self.starts, self.classes, self.values
        rest = self.common, self.mass, self.intercept, self.slope
        return kernel(documents.starts, documents.terms, values, *postings, *rest, *more)


@dataclass(frozen=True)
class RowWeights:
    """Weights that differ in every class: rows of words by classes, never all at a time."""

    intercept: Numbers
    slope: Numbers
    mass: Numbers
    make: MakeRows
    dtype: Any = np.float64

    def cast(self, dtype: Any) -> RowWeights:
        """Return the weights in another precision."""
        return RowWeights(self.intercept, self.slope, self.mass, self.make, dtype)

    def scores(self, documents: Documents, n_threads: int) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and the length of each document."""
        mass = np.append(self.mass, 0.0)
        inside = (documents.terms >= 0) & (documents.terms < len(self.mass))
        at = np.where(inside, documents.terms, len(self.mass))
        lengths = sums_of_rows(documents.values * mass[at], documents.starts)
        scores = (self.intercept + self.slope * lengths[:, None]).astype(self.dtype)
        values = documents.values.astype(self.dtype, copy=False)
        step = max(1, _ROW_NUMBERS // max(1, len(self.intercept)))
        for first in range(0, len(self.mass), step):
            last = min(first + step, len(self.mass))
            rows = np.ascontiguousarray(self.make(first, last), dtype=self.dtype)
            add_rows(documents.starts, documents.terms, values, rows, first, scores, n_threads)
        return scores, lengths.astype(self.dtype, copy=False)

    def top(self, documents: Documents, k: int, order: NDArray[np.int32], n_threads: int) -> Best:
        """Return the k best classes of each document; of equal ones the first in ``order``."""
        scores, _ = self.scores(documents, n_threads)
        return best_of(scores, k, order)

    def rows(self, first: int, last: int) -> Numbers:
        """Return the weight of one count of each term, in all classes, length and all."""
        return self.mass[first:last, None] * self.slope + self.make(first, last)


Weights: TypeAlias = SparseWeights | RowWeights


def best_of(scores: Numbers, k: int, order: NDArray[np.int32]) -> Best:
    """Return the k best columns of each row, of equal ones the first in ``order``.

    Examples
    --------
    >>> best_of(np.array([[1.0, 3.0, 3.0]]), 2, np.array([0, 2, 1])).classes
    array([[2, 1]], dtype=int32)
    """
    ranked = np.argsort(order, kind="stable")
    by = np.argsort(-scores[:, ranked], axis=1, kind="stable")[:, :k]
    classes = ranked[by].astype(np.int32)
    return Best(classes, np.take_along_axis(scores, classes, axis=1))


def order_of_ties(intercept: Numbers) -> NDArray[np.int32]:
    """Return the rank of each class by its intercept, which decides between equal scores.

    Examples
    --------
    >>> order_of_ties(np.array([-2.0, -1.0]))
    array([1, 0], dtype=int32)
    """
    order = np.empty(len(intercept), dtype=np.int32)
    order[np.argsort(-intercept, kind="stable")] = np.arange(len(order))
    return order


def filled_rows(
    starts: NDArray[np.int64], classes: NDArray[np.int32], values: Numbers, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Numbers]:
    """Return cells by term in which terms of more than half of the classes have all of them.

    Examples
    --------
    >>> filled_rows(np.array([0, 2, 3]), np.array([0, 2], np.int32).repeat([1, 2]),
    ...             np.array([1.0, 2.0, 3.0]), 3)
    (array([0, 3, 4]), array([0, 1, 2, 2], dtype=int32), array([1., 0., 2., 3.]))
    """
    sizes = np.diff(starts)
    full = 2 * sizes > n_classes
    new_sizes = np.where(full, n_classes, sizes)
    new_starts = np.append(0, np.cumsum(new_sizes))
    # Where a cell goes: to the place of its class, or as far from the first as it was.
    first = np.repeat(new_starts[:-1], sizes)
    offset = np.arange(len(classes)) - np.repeat(starts[:-1], sizes)
    place = first + np.where(np.repeat(full, sizes), classes, offset)
    new_values = np.zeros(new_starts[-1], dtype=values.dtype)
    new_values[place] = values
    within = np.arange(new_starts[-1]) - np.repeat(new_starts[:-1], new_sizes)
    new_classes = within.astype(np.int32)
    new_classes[place] = classes
    return new_starts, new_classes, new_values


def sums_of_rows(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each row, zero for an empty one.

    Examples
    --------
    >>> sums_of_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    sums = np.zeros(len(starts) - 1)
    some = np.flatnonzero(np.diff(starts))
    if some.size:
        sums[some] = np.add.reduceat(values, starts[some], dtype=np.float64)
    return sums
