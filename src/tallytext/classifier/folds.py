"""Which of the drawn documents are kept from a model together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.labels import sort_labels

Rows = NDArray[np.intp]

_LARGEST = 2048
_ENOUGH_TO_HOLD_OUT = 5000
_LARGEST_TO_HOLD_OUT = 8192
_MOST_FOR_ITSELF = 5


def dealt_out(labels: list[Any], n_documents: int, several: bool) -> list[Rows]:
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
    return dealt_into(-(-len(labels) // fold_size(n_documents)), labels, several)


def few_for_refitting(labels: list[Any], n_documents: int, several: bool) -> list[Rows]:
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
        return dealt_into(3, labels, several)
    size = fold_size(n_documents, _LARGEST_TO_HOLD_OUT)
    return dealt_into(max(round(len(labels) / size), 2), labels, several)[:1]


def some_for_itself(labels: list[Any], n_documents: int, several: bool) -> list[Rows]:
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
    folds = dealt_into(_MOST_FOR_ITSELF, [labels[at] for at in kept], several)
    return [kept[fold] for fold in folds]


def dealt_into(n_folds: int, labels: list[Any], several: bool) -> list[Rows]:
    """Deal documents out to so many folds, or to fewer where documents are fewer."""
    n = len(labels)
    if n < 2:
        return []
    folds = min(n, n_folds)
    order = np.arange(n)
    if not several:
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
