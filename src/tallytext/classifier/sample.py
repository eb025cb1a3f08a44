"""Some of the training documents, drawn while they stream by: what models are judged on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Keys = NDArray[np.uint64]


class Drawn(NamedTuple):
    """Documents that were drawn, by ascending keys."""

    X: Any
    labels: list[Any]
    keys: Keys
    rows: NDArray[np.int64]


class Sample:
    """The documents with the lowest keys.

    A key is a function of the place of a document among all, so the sample does not depend on the
    batches that documents came in.

    Parameters
    ----------
    size : int
        Number of documents to keep.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pieces: list[Drawn] = []
        self._below = np.iinfo(np.uint64).max
        self._n_seen = 0

    def add(self, X: Any, labels: list[Any], keys: Keys | None = None) -> None:
        """Look at more documents.

        Parameters
        ----------
        X : CSR matrix
        labels : list
        keys : ndarray of uint64, default=None
            What to draw by; None for keys that are as good as random.
        """
        if keys is None:
            keys = random_keys(self._n_seen, X.shape[0])
        below = self._below
        if len(keys) > self._size:
            below = min(below, int(np.partition(keys, self._size - 1)[self._size - 1]))
        rows = np.flatnonzero(keys <= below)
        piece = Drawn(X[rows], [labels[row] for row in rows], keys[rows], rows + self._n_seen)
        self._pieces.append(piece)
        self._n_seen += X.shape[0]
        if sum(len(piece.keys) for piece in self._pieces) > 2 * self._size:
            self._prune()

    def drawn(self, n_terms: int) -> Drawn:
        """Return the documents that were drawn, as rows of this many columns."""
        self._prune()
        if not self._pieces:
            nothing: Any = sparse.csr_matrix(np.zeros((0, n_terms), dtype=np.int64))
            return Drawn(nothing, [], np.empty(0, np.uint64), np.empty(0, np.int64))
        rows = [_widened(piece.X, n_terms) for piece in self._pieces]
        labels = [label for piece in self._pieces for label in piece.labels]
        keys = np.concatenate([piece.keys for piece in self._pieces])
        numbers = np.concatenate([piece.rows for piece in self._pieces])
        order = np.argsort(keys, kind="stable")
        X = sparse.vstack(rows, format="csr")[order]
        return Drawn(X, [labels[at] for at in order], keys[order], numbers[order])

    def _prune(self) -> None:
        keys = np.concatenate([np.empty(0, np.uint64), *(piece.keys for piece in self._pieces)])
        if len(keys) <= self._size:
            return
        self._below = int(np.partition(keys, self._size - 1)[self._size - 1])
        self._pieces = [_some(piece, piece.keys <= self._below) for piece in self._pieces]


def random_keys(first: int, n: int) -> Keys:
    """Return a key for each of n documents, the first of them being document ``first``.

    Examples
    --------
    >>> np.array_equal(random_keys(0, 5)[2:], random_keys(2, 3))
    True
    """
    numbers = np.arange(first + 1, first + n + 1, dtype=np.uint64)
    return scattered(numbers * np.uint64(0x9E3779B97F4A7C15))


def scattered(z: Keys) -> Keys:
    """Return numbers that are scattered over 64 bits, by the finalizer of splitmix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _some(piece: Drawn, kept: NDArray[np.bool_]) -> Drawn:
    labels = [label for label, keep in zip(piece.labels, kept, strict=True) if keep]
    return Drawn(piece.X[kept], labels, piece.keys[kept], piece.rows[kept])


def _widened(X: Any, n_terms: int) -> Any:
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], n_terms))
