"""Truncated singular value decomposition of sparse matrices, and their products in parallel.

:func:`truncated_svd` is the decomposition behind latent semantic analysis; :class:`SparseProducts`
multiplies a sparse matrix with dense ones by several threads.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, sparse

from tallytext._core import sparse_times
from tallytext._typing import FloatArray
from tallytext._validation import check_random_state, check_sparse

Method = Literal["auto", "exact", "fast"]

RELATIVE_TOLERANCE = 1e-10
"""Singular values below this share of the largest are due to rounding and are dropped."""

# With more vectors than this, Lanczos' method spends its time on orthogonalising them.
_MAX_LANCZOS = 256
# A full decomposition is cheaper for a matrix of at most this many cells.
_MAX_DENSE_CELLS = 1 << 18


class SingularVectors(NamedTuple):
    """The largest singular values of a matrix, with their vectors.

    Attributes
    ----------
    left : ndarray of shape (n_rows, k)
    values : ndarray of shape (k,)
        Descending.
    right : ndarray of shape (n_columns, k)
        The element of the largest magnitude of each vector, the first of equals, is positive.
    """

    left: FloatArray
    values: FloatArray
    right: FloatArray


def truncated_svd(
    X: Any, k: int, random_state: Any = 0, method: Method = "auto"
) -> SingularVectors:
    r"""Return the k largest singular values and their vectors, :math:`X \approx U S V^T`.

    The matrix is not centred. Fewer than k are returned if the rank is lower: values below
    :math:`10^{-10} s_1` are dropped.

    Parameters
    ----------
    X : sparse matrix or ndarray of shape (n_rows, n_columns)
    k : int
    random_state : int, RandomState or None, default=0
        Seed of the initial vectors. An int gives the same result each time, except for ties at the
        k-th value, where rounding decides which vectors are returned.
    method : {"auto", "exact", "fast"}, default="auto"
        "exact": by Lanczos' method, to machine precision. "fast": by random projections; the
        leading values are right to many digits, the last ones to a few per cent. "auto": exact up
        to 256 values. A small matrix is decomposed in full, which is exact.

    Examples
    --------
    >>> found = truncated_svd(np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), 1)
    >>> found.values.round(4), found.right.round(4).ravel()
    (array([2.4495]), array([0.8944, 0.4472]))
    """
    if k < 1:
        raise ValueError(f"the number of singular values must be at least 1, not {k}.")
    rank = min(X.shape)
    if X.shape[0] * X.shape[1] <= _MAX_DENSE_CELLS or k >= rank:
        found = _dense_svd(X)
    elif method == "fast" or (method == "auto" and k > _MAX_LANCZOS):
        found = _randomized_svd(X, k, random_state, method)
    else:
        found = _lanczos_svd(X, k, random_state)
    return _sort_and_orient(found, k)


def _dense_svd(X: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    if 0 in dense.shape:
        return np.zeros((len(dense), 0)), np.zeros(0), np.zeros((0, dense.shape[1]))
    left, values, right = linalg.svd(dense.astype(np.float64), full_matrices=False)
    return left, values, right


def _lanczos_svd(X: Any, k: int, random_state: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    # ARPACK would otherwise start from random numbers of its own.
    start = check_random_state(random_state).uniform(-1.0, 1.0, min(X.shape))
    if not X.nnz:
        return np.zeros((X.shape[0], 1)), np.zeros(1), np.zeros((1, X.shape[1]))
    from scipy.sparse.linalg import svds

    left, values, right = svds(X, k=k, v0=start, tol=0)
    return left, values, right


def _randomized_svd(
    X: Any, k: int, random_state: Any, method: Method
) -> tuple[FloatArray, FloatArray, FloatArray]:
    from sklearn.utils.extmath import randomized_svd

    spare, passes = (10, 2) if method == "fast" else (k // 2, 4)
    # Signs are not flipped here, because _sort_and_orient sets them for all methods.
    left, values, right = randomized_svd(
        X, k, n_oversamples=spare, n_iter=passes, random_state=random_state, flip_sign=False
    )
    return left, values, right


def _sort_and_orient(found: tuple[FloatArray, FloatArray, FloatArray], k: int) -> SingularVectors:
    """Sort the values, drop those due to rounding, and make the signs unique."""
    left, values, right = found[0], found[1], found[2].T
    order = np.argsort(-values, kind="stable")[:k]
    order = order[
        (values[order] > 0) & (values[order] >= RELATIVE_TOLERANCE * values.max(initial=0.0))
    ]
    left, values, right = left[:, order], values[order], right[:, order]
    signs = _signs(right)
    return SingularVectors(left * signs, values, right * signs)


def _signs(vectors: FloatArray) -> FloatArray:
    """Return the sign of the element of the largest magnitude of each column."""
    if not vectors.size:
        return np.ones(vectors.shape[1])
    sizes = np.abs(vectors)
    # Of elements that are equal apart from rounding the first decides.
    largest = (sizes >= sizes.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
    found = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.where(found == 0, 1.0, found)


class SparseProducts:
    """Multiply a sparse matrix, or its transpose, with dense ones by several threads.

    Parameters
    ----------
    matrix : sparse matrix of shape (n_rows, n_columns)
    n_threads : int, default=1
        The result does not depend on their number.

    Examples
    --------
    >>> products = SparseProducts(sparse.csr_array([[1.0, 0.0, 2.0]]))
    >>> products.times(np.array([[1.0], [1.0], [4.0]]))
    array([[9.]])
    >>> products.transposed_times(np.array([[3.0]])).ravel()
    array([3., 0., 6.])
    """

    def __init__(self, matrix: Any, n_threads: int = 1) -> None:
        self.matrix = sparse.csr_array(check_sparse(matrix), dtype=np.float64)
        self.n_threads = n_threads
        self._rows = _csr_arrays(self.matrix)
        self._columns: tuple[Any, Any, Any] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.matrix.shape

    def times(self, dense: FloatArray) -> FloatArray:
        """Return the matrix times a dense one of shape (n_columns, k)."""
        return self._product(self._rows, dense, self.shape[1])

    def transposed_times(self, dense: FloatArray) -> FloatArray:
        """Return the transpose of the matrix times a dense one of shape (n_rows, k)."""
        if self._columns is None:
            # A copy of the matrix, made only if it is needed: threads divide the rows of a product.
            self._columns = _csr_arrays(self.matrix.T.tocsr())
        return self._product(self._columns, dense, self.shape[0])

    def _product(self, parts: tuple[Any, Any, Any], dense: FloatArray, height: int) -> FloatArray:
        table = np.asarray(dense, dtype=np.float64)
        if table.ndim != 2 or len(table) != height:
            raise ValueError(
                f"the dense matrix must have {height} rows, but its shape is {table.shape}."
            )
        table = np.ascontiguousarray(table)
        return sparse_times(*parts, table, self.n_threads)


def _csr_arrays(rows: Any) -> tuple[Any, Any, Any]:
    return (
        rows.indptr.astype(np.int64, copy=False),
        rows.indices.astype(np.int32, copy=False),
        rows.data,
    )
