"""Count matrices with some of their entries only. Pure: matrix in, matrix out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.contingency import Floats


def without_others(X: Any, kept: NDArray[np.bool_]) -> Any:
    """Return X with the columns emptied that are not kept; its width stays.

    Examples
    --------
    >>> without_others(np.array([[2, 1, 3]]), np.array([True, False, True]))
    array([[2, 0, 3]])
    """
    if isinstance(X, np.ndarray):
        return np.where(kept, X, np.zeros((), dtype=X.dtype))
    return _entries(X, kept[X.indices])


def without_others_or_best(X: Any, kept: NDArray[np.bool_], found: Floats) -> Any:
    """Return X with the columns emptied that are not kept, but no document with all of them.

    A document that would become empty keeps its terms with the highest score among its own, all of
    them in a tie (Yang and Pedersen 1997). NaN in ``found`` marks terms that cannot be kept.

    Examples
    --------
    >>> X, kept = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 4]]), np.array([True, False, False])
    >>> without_others_or_best(X, kept, np.array([0.9, 0.2, 0.5]))
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 0, 4]])
    """
    if isinstance(X, np.ndarray):
        rows = sparse.csr_array(X)
        # An empty sparse matrix forgets what it was to hold.
        return without_others_or_best(rows, kept, found).toarray().astype(X.dtype, copy=False)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    theirs, there = found[X.indices], X.data != 0
    stays = kept[X.indices] & there
    empty = np.bincount(row[stays], minlength=X.shape[0]) == 0
    spare = empty[row] & there & ~np.isnan(theirs)
    best = np.full(X.shape[0], -np.inf)
    np.maximum.at(best, row[spare], theirs[spare])
    return _entries(X, stays | (spare & (theirs == best[row])))


def _entries(X: Any, stays: NDArray[np.bool_]) -> Any:
    """Return a CSR matrix of some of its entries."""
    before = np.concatenate([[0], np.cumsum(stays)])
    starts = before[X.indptr].astype(X.indptr.dtype)
    return X.__class__((X.data[stays], X.indices[stays], starts), shape=X.shape)


def presence(X: Any) -> Any:
    """Return one for each number of a CSR matrix that is above zero."""
    return X.__class__(((X.data > 0).astype(np.int64), X.indices, X.indptr), shape=X.shape)


def whole_or_present(X: Any) -> Any:
    """Return a CSR matrix of counts as it is, or its :func:`presence` where some are fractions."""
    return X if (X.data == np.floor(X.data)).all() else presence(X)


def resized(values: NDArray[Any], width: int, filler: Any) -> NDArray[Any]:
    """Return values for the first ``width`` columns, with a filler where there are none.

    Examples
    --------
    >>> resized(np.array([1, 2]), 3, 0), resized(np.array([1, 2]), 1, 0)
    (array([1, 2, 0]), array([1]))
    """
    found = np.full(width, filler, dtype=values.dtype)
    shared = min(width, len(values))
    found[:shared] = values[:shared]
    return found
