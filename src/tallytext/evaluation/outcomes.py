"""What became of the labels of a batch of documents: counts by class, by document, by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Encoded = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """True and predicted labels of documents, compared.

    Attributes
    ----------
    by_class : ndarray of int64 of shape (3, n_classes)
        How many documents were given the class rightly, were given it, and have it.
    by_document : ndarray of int64 of shape (n_documents, 3)
        How many labels each document was given rightly, was given, and has.
    pairs : ndarray of int64 of shape (n_pairs, 2)
        The true and the predicted label of documents that have and were given one, where they
        differ.

    Examples
    --------
    >>> truth = np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32)
    >>> predicted = np.array([0, 1, 2]), np.array([0, 0], dtype=np.int32)
    >>> found = Outcomes.of(truth, predicted, n_classes=2)
    >>> found.by_class.tolist(), found.pairs.tolist()
    ([[1, 0], [2, 0], [1, 1]], [[1, 0]])
    """

    by_class: NDArray[np.int64]
    by_document: NDArray[np.int64]
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, truth: _Encoded, predicted: _Encoded, n_classes: int) -> Outcomes:
        """Compare labels that are numbered: those of document d are at ``starts[d]`` and on."""
        wanted, given = _cells(truth, n_classes), _cells(predicted, n_classes)
        right = np.intersect1d(wanted, given, assume_unique=True)
        cells, n_documents = (right, given, wanted), len(truth[0]) - 1
        return cls(
            np.array([np.bincount(each % n_classes, minlength=n_classes) for each in cells]),
            np.stack([_by_row(each // n_classes, n_documents) for each in cells], axis=1),
            _differing(truth, predicted),
        )


def _cells(encoded: _Encoded, n_classes: int) -> NDArray[np.int64]:
    """Return the place of each label in a matrix of documents by classes."""
    starts, ids = encoded
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(rows * max(n_classes, 1) + ids, dtype=np.int64)


def _by_row(rows: NDArray[Any], n_documents: int) -> NDArray[np.int64]:
    return np.bincount(rows, minlength=n_documents).astype(np.int64)


def _differing(truth: _Encoded, predicted: _Encoded) -> NDArray[np.int64]:
    single = np.flatnonzero((np.diff(truth[0]) == 1) & (np.diff(predicted[0]) == 1))
    pairs = [ids[starts[single]].astype(np.int64) for starts, ids in (truth, predicted)]
    both = np.stack(pairs, axis=1)
    return both[both[:, 0] != both[:, 1]]
