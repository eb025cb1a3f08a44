"""Documents made ready to be searched: weighed, and indexed by their words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import InvertedIndex
from tallytext.errors import CountError
from tallytext.progress import progress_bar
from tallytext.weighting import document_frequencies, smart_weights

_AT_ONCE = 4096  # documents that are searched for before a bar moves


class Neighbours(NamedTuple):
    """The nearest documents of each query, nearest first; of equal ones the first learned is first.

    Attributes
    ----------
    similarities : ndarray of shape (n_queries, k)
        0 where there are no more documents that share a word.
    documents : ndarray of shape (n_queries, k)
        Their numbers in order of learning; −1 where there are no more.
    """

    similarities: NDArray[np.float64]
    documents: NDArray[np.int32]

    def matrix(self, n_documents: int) -> sparse.csr_array[Any]:
        """Return the similarities as a sparse matrix, queries by documents.

        Parameters
        ----------
        n_documents : int
            How many documents there are to find, which are the columns.
        """
        there = self.documents >= 0
        starts = np.append(0, np.cumsum(there.sum(axis=1)))
        shape = len(self.documents), n_documents
        return sparse.csr_array(
            (self.similarities[there], self.documents[there], starts), shape=shape
        )


class Searchable:
    """Documents that can be searched for those nearest to others.

    Parameters
    ----------
    counts : csr_array of shape (n_documents, n_terms)
    weighting : str
        A scheme of :class:`~tallytext.weighting.SmartWeighting`.

    Examples
    --------
    >>> counts = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> Searchable(counts, "ltc").nearest(counts[[0]], k=2, n_threads=1)
    Neighbours(similarities=array([[1.       , 0.6088451]]), documents=array([[0, 1]], dtype=int32))
    """

    def __init__(self, counts: Any, weighting: str) -> None:
        self.counts, self.weighting = counts, weighting
        self.frequencies = document_frequencies(counts)
        weighted = self.weigh(counts)
        try:
            self.index = InvertedIndex(*_arrays(weighted), counts.shape[1])
        except ValueError as problem:
            raise _beyond_reach(weighting, problem) from None

    def weigh(self, counts: Any) -> Any:
        """Return the weights of documents, by the frequencies of those that are searched."""
        return smart_weights(counts, self.weighting, self.frequencies, self.counts.shape[0])

    def nearest(self, counts: Any, k: int, n_threads: int, shown: bool | None = None) -> Neighbours:
        """Return the k nearest documents of each of others, fewer where there are no more."""
        firsts, found = range(0, max(1, counts.shape[0]), _AT_ONCE), []
        with progress_bar("Searching", len(firsts), shown) as step:
            for first in firsts:
                found.append(self._nearest(counts[first : first + _AT_ONCE], k, n_threads))
                step()
        return Neighbours(*map(np.concatenate, zip(*found, strict=True)))

    def _nearest(self, counts: Any, k: int, n_threads: int) -> Neighbours:
        try:
            documents, similarities = self.index.nearest(*_arrays(self.weigh(counts)), k, n_threads)
        except ValueError as problem:
            raise _beyond_reach(self.weighting, problem) from None
        return Neighbours(similarities, documents)


def _arrays(weighted: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    return weighted.indptr.astype(np.int64), weighted.indices.astype(np.int32), weighted.data


def _beyond_reach(weighting: str, problem: ValueError) -> CountError:
    return CountError(
        f"documents weighed by {weighting!r} cannot be compared: {problem}. "
        "Are these counts, and does the scheme normalise them?"
    )
