"""The documents that were learned: they can be added, found again, and taken out."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from threading import RLock
from typing import Any

import numpy as np
from scipy import sparse

from tallytext.errors import NegativeCountError
from tallytext.neighbours.search import Searchable
from tallytext.weighting.smart import canonical

Matrix = sparse.csr_array[Any]


class Collection:
    """Rows of counts, and which labels each has, in order of learning.

    Labels are columns of a matrix of zeros and ones; the names of the columns are kept elsewhere.
    Learning costs what is learned, and what is found out about all documents together, such as
    weights, is found out when it is next asked for.

    Parameters
    ----------
    n_terms, n_labels : int
        How wide the two matrices are at least.

    Examples
    --------
    >>> row, label = sparse.csr_array([[2, 0, 1]]), sparse.csr_array([[1.0]])
    >>> documents = Collection(3, 1)
    >>> documents.learn(row, label)
    >>> documents.forget(row, label)
    >>> len(documents)
    0
    """

    def __init__(self, n_terms: int, n_labels: int) -> None:
        self._parts: list[tuple[Matrix, Matrix]] = [(_empty(n_terms), _empty(n_labels))]
        self._numbers = np.empty(0, dtype=np.int64)  # never used twice, and ascending
        self._next = 0
        self._places: dict[bytes, list[int]] | None = None
        self._ready: Searchable | None = None
        #: Held by whoever reads several things that must be of one moment, or changes them.
        self.lock = RLock()

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def counts(self) -> Matrix:
        """The counts of all documents."""
        return self._joined()[0]

    @property
    def labels(self) -> Matrix:
        """Which document has which label."""
        return self._joined()[1]

    def learn(self, counts: Any, labels: Matrix) -> None:
        """Add documents."""
        part = _clean(counts), _clean(labels)
        n = part[0].shape[0]
        if self._places is not None:
            for number, key in enumerate(_keys(*part), self._next):
                self._places[key].append(number)
        self._parts.append(part)
        self._numbers = np.append(self._numbers, np.arange(self._next, self._next + n))
        self._next += n
        self._ready = None

    def forget(self, counts: Any, labels: Matrix) -> None:
        """Take documents out; of equal ones those that were learned last.

        Raises
        ------
        NegativeCountError
            If a document is not here with these labels, or not so often. Nothing changes then.
        """
        found = self._find(_keys(_clean(counts), _clean(labels)))
        places = self._index()
        for key, numbers in found.items():
            del places[key][-len(numbers) :]
            if not places[key]:
                del places[key]
        gone = [number for numbers in found.values() for number in numbers]
        kept = ~np.isin(self._numbers, gone)
        joined = self._joined()
        self._parts = [(joined[0][kept], joined[1][kept])]
        self._numbers = self._numbers[kept]
        self._ready = None

    def searchable(self, weighting: str) -> Searchable:
        """Return the documents as they are now, weighed by a scheme and indexed."""
        ready = self._ready
        if ready is None or ready.weighting != weighting:
            self._ready = ready = Searchable(self.counts, weighting)
        return ready

    def _find(self, keys: list[bytes]) -> dict[bytes, list[int]]:
        """Return for each key the numbers of as many documents as it is wanted for."""
        wanted: dict[bytes, int] = defaultdict(int)
        places = self._index()
        for at, key in enumerate(keys):
            wanted[key] += 1
            if wanted[key] > len(places.get(key, ())):
                raise NegativeCountError(
                    f"cannot forget document {at}: no document with these counts and labels is "
                    "left here. Was it learned by this model, with this label?"
                )
        return {key: places[key][-n:] for key, n in wanted.items()}

    def _index(self) -> dict[bytes, list[int]]:
        if self._places is None:
            self._places = defaultdict(list)
            for number, key in zip(self._numbers.tolist(), _keys(*self._joined()), strict=True):
                self._places[key].append(number)
        return self._places

    def _joined(self) -> tuple[Matrix, Matrix]:
        if len(self._parts) > 1:
            counts, labels = zip(*self._parts, strict=True)
            self._parts = [(_stacked(counts), _stacked(labels))]
        return self._parts[0]

    def __getstate__(self) -> dict[str, Any]:
        # Both can be found again, and the index is not made of Python objects.
        state = {**self.__dict__, "_ready": None, "_places": None}
        del state["lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = RLock()


def _empty(width: int) -> Matrix:
    return sparse.csr_array((0, width), dtype=np.float64)


def _clean(matrix: Any) -> Matrix:
    rows = canonical(matrix)
    parts = rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr
    return sparse.csr_array(parts, shape=rows.shape)


def _stacked(parts: tuple[Matrix, ...]) -> Matrix:
    width = max(part.shape[1] for part in parts)
    data, columns = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("data", "indices")
    )
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    starts = np.append(0, np.cumsum(lengths))
    return sparse.csr_array((data, columns, starts), shape=(len(lengths), width))


def _keys(counts: Matrix, labels: Matrix) -> list[bytes]:
    """Return for each document what only an equal one has."""
    return [
        blake2b(_content(counts, at) + b"|" + _content(labels, at), digest_size=16).digest()
        for at in range(counts.shape[0])
    ]


def _content(rows: Matrix, at: int) -> bytes:
    cells = slice(rows.indptr[at], rows.indptr[at + 1])
    # SciPy takes wider numbers for columns where it likes.
    return rows.indices[cells].astype(np.int64).tobytes() + b":" + rows.data[cells].tobytes()
