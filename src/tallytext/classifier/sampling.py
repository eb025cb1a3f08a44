"""Some of the training documents, drawn while they stream by: what models are judged on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.tally.labels import sort_labels
from tallytext.text.vectorizer import TextVectorizer

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


# ------------------------------------------------------------------------------------------------
# Count rows of all documents, for models that are trained on documents.


class KeptRows:
    """Documents as rows of counts, kept batch by batch while the vocabulary grows.

    Parameters
    ----------
    vectorizer : TextVectorizer
        What counts them.
    """

    def __init__(self, vectorizer: TextVectorizer) -> None:
        self.vectorizer = vectorizer
        self.n_documents = 0
        self._rows: list[Any] = []

    def add(self, X: Any) -> None:
        """Keep more rows."""
        self.n_documents += X.shape[0]
        self._rows.append(X)

    def count(self, texts: Any) -> None:
        """Count more documents, and keep their rows."""
        self.add(self.vectorizer.partial_fit_transform(texts))

    def matrix(self) -> Any:
        """Return all rows, one under the other."""
        width = len(self.vectorizer.vocabulary_)
        for X in self._rows:
            X.resize(X.shape[0], width)
        if len(self._rows) != 1:
            self._rows = [sparse.vstack(self._rows, format="csr")]
        # So that nothing depends on the batches that documents came in.
        self._rows[0].sort_indices()
        return self._rows[0]


@dataclass(frozen=True)
class TrainingDocuments:
    """All training documents: as rows of counts for each set of features, and their labels.

    Attributes
    ----------
    kept : dict of KeptRows
        By names of features.
    labels : list
    pool : dict of KeptRows
        The documents without labels, where a model learns from these, too.
    """

    kept: dict[str, KeptRows]
    labels: list[Any]
    pool: dict[str, KeptRows]

    def has_words(self, features: str) -> bool:
        """Whether documents were counted by these features, and one of them has a word."""
        return features in self.kept and len(self.kept[features].vectorizer.vocabulary_) > 0


# ------------------------------------------------------------------------------------------------
# Which of the drawn documents are kept from a model together.

Rows = NDArray[np.intp]

_LARGEST = 2048
_ENOUGH_TO_HOLD_OUT = 5000
_LARGEST_TO_HOLD_OUT = 8192
_MOST_FOR_ITSELF = 5


def dealt_out(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Deal documents out, so that each fold is like all of them.

    A fold is at most a fifth of the training documents, a tenth where there are few, so that a
    model without it is nearly the model of all.

    Parameters
    ----------
    labels : list
        Of the documents that were drawn, in random order.
    n_documents : int
        Number of training documents, drawn or not.
    several : bool
        Whether documents may have several labels; otherwise classes are dealt out evenly.
    """
    return dealt_into(-(-len(labels) // fold_size(n_documents)), labels, multi_label)


def few_for_refitting(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Return folds for models that are trained anew for each: a fifth to hold out, or three thirds.

    Parameters are those of :func:`dealt_out`.

    Examples
    --------
    >>> len(few_for_refitting([*"ab"] * 50, 100, False))
    3
    >>> [len(fold) for fold in few_for_refitting([*"ab"] * 4000, 8000, False)]
    [1600]
    """
    if n_documents < _ENOUGH_TO_HOLD_OUT:
        return dealt_into(3, labels, multi_label)
    size = fold_size(n_documents, _LARGEST_TO_HOLD_OUT)
    return dealt_into(max(round(len(labels) / size), 2), labels, multi_label)[:1]


def some_for_itself(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Return folds for models that judge themselves, which takes a part of a training for each.

    Of what has a label of its own nothing can be said without it, so that such documents are in no
    fold. Parameters are those of :func:`dealt_out`.

    Examples
    --------
    >>> [fold.tolist() for fold in some_for_itself([*"abbc"], 4, False)]
    [[1], [2]]
    """
    common = Counter(labels)
    kept = np.array([at for at, label in enumerate(labels) if common[label] > 1], dtype=np.intp)
    folds = dealt_into(_MOST_FOR_ITSELF, [labels[at] for at in kept], multi_label)
    return [kept[fold] for fold in folds]


def dealt_into(n_folds: int, labels: list[Any], multi_label: bool) -> list[Rows]:
    """Deal documents out to so many folds, or to fewer where documents are fewer."""
    n = len(labels)
    if n < 2:
        return []
    folds = min(n, n_folds)
    order = np.arange(n)
    if not multi_label:
        number = {label: at for at, label in enumerate(sort_labels(set(labels)))}
        order = np.argsort([number[label] for label in labels], kind="stable")
    return [order[first::folds] for first in range(folds)]


def grouped(keys: NDArray[np.uint64], n_documents: int) -> list[Rows]:
    """Cut documents that are sorted by key into folds, those of one key into one.

    Examples
    --------
    >>> [fold.tolist() for fold in grouped(np.array([3, 3, 5, 8, 8], dtype=np.uint64), 5)]
    [[0, 1], [2], [3, 4]]
    """
    if not len(keys) or keys[0] == keys[-1]:
        return [np.arange(len(keys))] if 0 < len(keys) < n_documents else []
    size, first_of_key = fold_size(n_documents), np.flatnonzero(keys[1:] != keys[:-1]) + 1
    wanted = np.arange(size, len(keys), size)
    cuts = np.unique(first_of_key[np.searchsorted(first_of_key[:-1], wanted)])
    return np.split(np.arange(len(keys)), cuts)


def whole(keys: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return the first n keys or some less, so that none is parted from its equals; but one.

    Examples
    --------
    >>> whole(np.array([3, 3, 5, 5, 8], dtype=np.uint64), 3)
    array([3, 3], dtype=uint64)
    """
    if n >= len(keys):
        return keys
    # Those of the first key may be more than n: then all of them, since there must be some.
    end = int(np.searchsorted(keys, keys[n]))
    return keys[: end or int(np.searchsorted(keys, keys[0], side="right"))]


def latest(keys: NDArray[np.uint64], n_documents: int) -> list[Rows]:
    """Return the latest documents, about a fifth of all; those of one moment stay together.

    Parameters
    ----------
    keys : ndarray of uint64
        Of the documents that were drawn, which come latest first.
    n_documents : int
        Number of training documents, drawn or not.

    Examples
    --------
    >>> latest(np.array([0, 1, 1, 2, 3], dtype=np.uint64), 10)
    [array([0])]
    """
    ends = np.append(np.flatnonzero(keys[1:] != keys[:-1]) + 1, len(keys))
    ends = ends[ends < n_documents]
    wanted = n_documents // 5
    if not len(ends) or not wanted:
        return []
    # At most a fifth, but for a latest moment that has more.
    return [np.arange(max([ends[0], *ends[ends <= wanted][-1:]]))]


def fold_size(n_documents: int, largest: int = _LARGEST) -> int:
    """Return how many documents a fold may have.

    Examples
    --------
    >>> fold_size(200), fold_size(5000), fold_size(1_000_000)
    (20, 1000, 2048)
    """
    share = 10 if n_documents <= 1000 else 5
    return max(1, min(n_documents // share, largest))
