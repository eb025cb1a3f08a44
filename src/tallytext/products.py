"""A sparse matrix and its transpose, to be multiplied with dense ones again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import sparse_times

Numbers = NDArray[np.floating[Any]]


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

    def times(self, dense: Numbers) -> Numbers:
        """Return the matrix times a dense one of shape (n_columns, k)."""
        return self._product(self._rows, dense, self.shape[1])

    def transposed_times(self, dense: Numbers) -> Numbers:
        """Return the transpose of the matrix times a dense one of shape (n_rows, k)."""
        if self._columns is None:
            self._columns = _parts(self.matrix.T.tocsr())
        return self._product(self._columns, dense, self.shape[0])

    def _product(self, parts: tuple[Any, Any, Any], dense: Numbers, height: int) -> Numbers:
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
