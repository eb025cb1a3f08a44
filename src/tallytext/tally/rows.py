"""Count matrices of every kind as one: rows of positive integers, each column once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import rows_are_clean
from tallytext.errors import CountError, CountOverflowError
from tallytext.runtime import thread_count

_MOST_COLUMNS = np.iinfo(np.int32).max


class Rows(NamedTuple):
    """Documents as the core reads them: row d is ``terms[starts[d]:starts[d + 1]]``."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.int64]
    width: int

    @property
    def n_documents(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1


def rows_of(X: Any) -> Rows:
    """Read a SciPy sparse matrix or array of any format, or a dense one.

    Examples
    --------
    >>> rows_of([[2, 0, 1], [0, 0, 3]]).counts
    array([2, 1, 3])
    >>> rows_of([[2, 0, 1], [0, 0, 0.5]])
    Traceback (most recent call last):
    tallytext.errors.CountError: row 1, column 2 holds 0.5, which is not a whole number.
    """
    if rows := _clean_rows(X):
        return rows
    matrix = _canonical(X)
    counts = _integers(matrix)
    if matrix.shape[1] > _MOST_COLUMNS:
        raise CountError(f"{matrix.shape[1]} columns are more than a vocabulary can hold.")
    return Rows(
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int32),
        np.ascontiguousarray(counts, dtype=np.int64),
        matrix.shape[1],
    )


def counts_of(counts: Mapping[str, Any]) -> dict[str, int]:
    """Read one document given as term and count; terms that count zero are left out.

    Examples
    --------
    >>> counts_of({"sea": 2.0, "sky": 0})
    {'sea': 2}
    """
    for term, count in counts.items():
        _check_count(f"term {term!r}", count)
    return {term: int(count) for term, count in counts.items() if count}


def _clean_rows(X: Any) -> Rows | None:
    # The common case, and the one where a single document must not wait: nothing to repair.
    if not isinstance(X, sparse.csr_array | sparse.csr_matrix) or X.data.dtype.kind != "i":
        return None
    starts = np.ascontiguousarray(X.indptr, dtype=np.int64)
    counts = np.ascontiguousarray(X.data, dtype=np.int64)
    if X.shape[1] > _MOST_COLUMNS or starts[-1] != len(counts):
        return None
    if X.indices.dtype != np.int32:
        _check_inside(X)
    terms = np.ascontiguousarray(X.indices, dtype=np.int32)
    try:
        clean = rows_are_clean(starts, terms, counts, X.shape[1], thread_count())
    except (IndexError, ValueError) as problem:
        raise CountError(f"this is no sparse matrix: {problem}.") from None
    return Rows(starts, terms, counts, X.shape[1]) if clean else None


def _canonical(X: Any) -> Any:
    if not sparse.issparse(X):
        return sparse.csr_array(_dense(X))
    given: Any = X
    if given.ndim != 2:
        raise CountError("counts must have two dimensions: documents by terms.")
    _check_inside(given)
    matrix = given.tocsr()
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _check_inside(X: Any) -> None:
    # SciPy takes these arrays as they come.
    if X.format not in ("csr", "csc", "bsr") or not X.indices.size:
        return
    across = X.shape[0] if X.format == "csc" else X.shape[1]
    limit = across // (X.blocksize[1] if X.format == "bsr" else 1)
    if X.indices.min() < 0 or X.indices.max() >= limit:
        name = "row" if X.format == "csc" else "column"
        raise CountError(f"this is no sparse matrix: a {name} is out of range.")


def _dense(X: Any) -> Any:
    try:
        dense = np.asarray(X)
    except ValueError:
        raise CountError("counts must have rows of one length.") from None
    if dense.ndim != 2 or dense.dtype.kind not in "biuf":
        raise CountError("counts must be a matrix of numbers: documents by terms.")
    return dense


def _integers(matrix: Any) -> Any:
    data = matrix.data
    if data.size == 0 or data.dtype.kind == "b":
        return data
    if data.dtype.kind not in "iuf":
        raise CountError(f"counts must be numbers, not {data.dtype}.")
    good = (data > 0) & (data < 2.0**63)
    if data.dtype.kind == "f":
        good &= data == np.floor(data)
    if not good.all():
        at = int(np.argmin(good))
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        _check_count(f"row {row}, column {matrix.indices[at]}", data[at].item())
    return data


def _check_count(where: str, value: Any) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float) or value != value or value in (np.inf, -np.inf):
        raise CountError(f"{where} holds {value!r}, which is not a count.")
    if value < 0:
        raise CountError(f"{where} holds {value}, and a count cannot be negative.")
    if value != int(value):
        raise CountError(f"{where} holds {value}, which is not a whole number.")
    if value >= 2**63:
        raise CountOverflowError(f"{where} holds {value}, which is more than 64 bits can count.")
