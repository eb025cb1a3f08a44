"""The largest singular values of a sparse matrix, and their vectors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd

from tallytext._core import sparse_times

Numbers = NDArray[np.floating[Any]]
Method = Literal["auto", "exact", "fast"]

DROPPED = 1e-10
"""Singular values below this share of the largest are rounding, and nothing of the matrix."""

# Beyond so many vectors Lanczos' method spends its time on keeping them apart.
_FEW = 256
# A matrix of so many numbers is cheaper to take apart as a whole.
_SMALL = 1 << 18


class SingularVectors(NamedTuple):
    """The part of a matrix that its largest singular values make up.

    Attributes
    ----------
    left : ndarray of shape (n_rows, k)
    values : ndarray of shape (k,)
        Descending.
    right : ndarray of shape (n_columns, k)
        Of each vector, the number of the largest magnitude is positive; of equals the first.
    """

    left: Numbers
    values: Numbers
    right: Numbers


def singular_vectors(
    X: Any, k: int, random_state: Any = 0, method: Method = "auto"
) -> SingularVectors:
    r"""Return the k largest singular values with their vectors, :math:`X \approx U S V^T`.

    Nothing is subtracted from the matrix before. There are fewer than k where the rank is lower:
    values below :math:`10^{-10} s_1` are dropped.

    Parameters
    ----------
    X : sparse matrix or ndarray of shape (n_rows, n_columns)
    k : int
    random_state : int, RandomState or None, default=0
        For the vectors to begin with; an int gives the same result each time, but where values tie
        at the cut: rounding decides then which of their vectors are kept.
    method : {"auto", "exact", "fast"}, default="auto"
        "exact": by Lanczos' method, to machine precision. "fast": by random projections; the
        leading values are right to many digits, the last ones to a few per cent. "auto": exact up
        to 256 values. A small matrix is taken apart as a whole, which is exact.

    Examples
    --------
    >>> found = singular_vectors(np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), 1)
    >>> found.values.round(4), found.right.round(4).ravel()
    (array([2.4495]), array([0.8944, 0.4472]))
    """
    if k < 1:
        raise ValueError(f"at least one singular value must be asked for, not {k}.")
    rank = min(X.shape)
    if X.shape[0] * X.shape[1] <= _SMALL or k >= rank:
        found = _whole(X)
    elif method == "fast" or (method == "auto" and k > _FEW):
        found = _projected(X, k, random_state, method)
    else:
        found = _lanczos(X, k, random_state)
    return _in_order(found, k)


def _whole(X: Any) -> tuple[Numbers, Numbers, Numbers]:
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    if 0 in dense.shape:
        return np.zeros((len(dense), 0)), np.zeros(0), np.zeros((0, dense.shape[1]))
    left, values, right = linalg.svd(dense.astype(np.float64), full_matrices=False)
    return left, values, right


def _lanczos(X: Any, k: int, random_state: Any) -> tuple[Numbers, Numbers, Numbers]:
    start = check_random_state(random_state).uniform(-1.0, 1.0, min(X.shape))
    if not X.nnz:
        return _nothing(X)
    left, values, right = svds(X, k=k, v0=start, tol=0)
    return left, values, right


def _projected(
    X: Any, k: int, random_state: Any, method: Method
) -> tuple[Numbers, Numbers, Numbers]:
    spare, passes = (10, 2) if method == "fast" else (k // 2, 4)
    left, values, right = randomized_svd(
        X, k, n_oversamples=spare, n_iter=passes, random_state=random_state, flip_sign=False
    )
    return left, values, right


def _nothing(X: Any) -> tuple[Numbers, Numbers, Numbers]:
    return np.zeros((X.shape[0], 1)), np.zeros(1), np.zeros((1, X.shape[1]))


def _in_order(found: tuple[Numbers, Numbers, Numbers], k: int) -> SingularVectors:
    """Put the largest first, drop what is rounding, and settle signs."""
    left, values, right = found[0], found[1], found[2].T
    order = np.argsort(-values, kind="stable")[:k]
    order = order[(values[order] > 0) & (values[order] >= DROPPED * values.max(initial=0.0))]
    left, values, right = left[:, order], values[order], right[:, order]
    signs = _signs(right)
    return SingularVectors(left * signs, values, right * signs)


def _signs(vectors: Numbers) -> Numbers:
    """Return what makes the largest number of each column positive, of equals the first."""
    if not vectors.size:
        return np.ones(vectors.shape[1])
    sizes = np.abs(vectors)
    # Numbers that are equal but for rounding must not decide by it.
    largest = (sizes >= sizes.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
    found = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.where(found == 0, 1.0, found)


# ------------------------------------------------------------------------------------------------
# A sparse matrix and its transpose, to be multiplied with dense ones again and again.

Numbers_of_products = NDArray[np.floating[Any]]


class Products:
    """Products of a sparse matrix with dense ones, by several threads.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_rows, n_columns)
    n_threads : int, default=1
        The result does not depend on it.

    Examples
    --------
    >>> products = Products(sparse.csr_array([[1.0, 0.0, 2.0]]))
    >>> products.times(np.array([[1.0], [1.0], [4.0]]))
    array([[9.]])
    >>> products.transposed_times(np.array([[3.0]])).ravel()
    array([3., 0., 6.])
    """

    def __init__(self, matrix: Any, n_threads: int = 1) -> None:
        self.matrix = sparse.csr_array(matrix, dtype=np.float64)
        self._n_threads = n_threads
        self._rows = _parts(self.matrix)
        self._columns: tuple[Any, Any, Any] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.matrix.shape

    def times(self, dense: Numbers_of_products) -> Numbers_of_products:
        """Return the matrix times a dense one of shape (n_columns, k)."""
        return self._product(self._rows, dense, self.shape[1])

    def transposed_times(self, dense: Numbers_of_products) -> Numbers_of_products:
        """Return the transpose of the matrix times a dense one of shape (n_rows, k)."""
        if self._columns is None:
            self._columns = _parts(self.matrix.T.tocsr())
        return self._product(self._columns, dense, self.shape[0])

    def _product(
        self, parts: tuple[Any, Any, Any], dense: Numbers_of_products, height: int
    ) -> Numbers_of_products:
        table = np.asarray(dense, dtype=np.float64)
        if table.ndim != 2 or len(table) != height:
            raise ValueError(f"a table of {height} rows is needed, not one of {table.shape}.")
        table = np.ascontiguousarray(table)
        return sparse_times(*parts, table, self._n_threads)


def _parts(rows: Any) -> tuple[Any, Any, Any]:
    return (
        rows.indptr.astype(np.int64, copy=False),
        rows.indices.astype(np.int32, copy=False),
        rows.data,
    )
