"""Checks of parameters, count matrices and weights, each with one error message.

scikit-learn and SciPy are imported inside the functions that need them, so that a module that
only checks numbers stays quick to import.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._core import MAX_TERMS, check_compressed
from tallytext.errors import CountError


def check_between(
    name: str, value: Any, low: float, high: float, error: type[Exception] = ValueError
) -> None:
    """Raise ``error`` unless ``value`` is a number with ``low <= value <= high``.

    Examples
    --------
    >>> check_between("alpha", 1.5, 0.0, 1.0)
    Traceback (most recent call last):
    ValueError: alpha must be a number from 0 to 1, not 1.5.
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not low <= float(value) <= high:
        raise error(f"{name} must be a number from {low:g} to {high:g}, not {value!r:.80}.")


def check_whole(
    name: str,
    value: Any,
    least: int,
    most: int | None = None,
    error: type[Exception] = ValueError,
) -> None:
    """Raise ``error`` unless ``value`` is a whole number from ``least`` to ``most``.

    Examples
    --------
    >>> check_whole("passes", 0, 1)
    Traceback (most recent call last):
    ValueError: passes must be a whole number of at least 1, not 0.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and least <= int(value) and (most is None or int(value) <= most):
        return
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise error(f"{name} must be a whole number {limits}, not {value!r:.80}.")


def check_sparse(X: Any) -> Any:
    """Return X; raise CountError if it is a sparse matrix whose arrays contradict each other.

    SciPy does not check the arrays that a matrix is made of, and its functions read and write
    wherever these point. So this comes before them.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[2, 0, 1], [0, 0, 3]])
    >>> X.indptr[1] = 9
    >>> check_sparse(X)
    Traceback (most recent call last):
    tallytext.errors.CountError: this is not a valid sparse matrix: row 1 starts at 9 and ends at 3.
    """
    from scipy import sparse

    if not sparse.issparse(X):
        return X
    given: Any = X
    if given.shape[-1] > MAX_TERMS:
        raise CountError(
            f"{given.shape[-1]:,} columns are too many: a vocabulary holds up to {MAX_TERMS:,}."
        )
    try:
        _check_places(given)
    except TypeError:
        raise CountError(
            "this is not a valid sparse matrix: its starts and indices are not arrays of integers, "
            "in one dimension."
        ) from None
    except ValueError as problem:
        raise CountError(f"this is not a valid sparse matrix: {problem}.") from None
    if given.dtype.kind not in "biuf":
        raise CountError(f"counts must be numbers, not {given.dtype}.")
    return X


def _check_places(X: Any) -> None:
    if X.format == "csr":
        n_rows = X.shape[0] if X.ndim == 2 else 1
        check_compressed(X.indptr, X.indices, _n_values(X.data, 1), n_rows, X.shape[-1])
    elif X.format == "csc":
        words = ("column", "row")
        check_compressed(X.indptr, X.indices, _n_values(X.data, 1), X.shape[1], X.shape[0], *words)
    elif X.format == "bsr":
        n_rows, width = (n // size for n, size in zip(X.shape, X.blocksize, strict=True))
        words = ("block row", "block column")
        check_compressed(X.indptr, X.indices, _n_values(X.data, 3), n_rows, width, *words)
    elif X.format == "coo":
        # SciPy 1.12 has no vectors, and no coords.
        coords = (X.row, X.col) if X.ndim == 2 else X.coords
        for places, size, name in zip(coords, X.shape, ("row", "column")[-X.ndim :], strict=True):
            if len(places) != _n_values(X.data, 1) or places.dtype.kind not in "iu":
                raise ValueError(f"its {name} indices are not a whole number for each value")
            ends = int(places.min(initial=0)), int(places.max(initial=-1))
            if ends[0] < 0 or ends[1] >= size:
                wrong = ends[0] if ends[0] < 0 else ends[1]
                raise ValueError(f"a {name} index is out of range, {wrong} of {size}")
    elif X.format in ("lil", "dok"):
        # These are Python objects, which a conversion can only turn into wrong numbers.
        _check_places(X.tocsr())


def _n_values(data: Any, n_dimensions: int) -> int:
    if not isinstance(data, np.ndarray) or data.ndim != n_dimensions:
        raise ValueError(f"its values are not an array of {n_dimensions} dimensions")
    return len(data)


def check_matrix(estimator: Any, X: Any, *, reset: bool, open_width: bool) -> Any:
    """Return X as a CSR matrix of finite, non-negative numbers.

    Parameters
    ----------
    estimator : estimator
        The estimator, for its number of features and for error messages.
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        The counts.
    reset : bool
        True to set the number of features of the estimator, False to compare with it.
    open_width : bool
        True if the vocabulary can grow, so that any number of features is allowed.

    Raises
    ------
    CountError
        If a count is negative, the number of features is not that of the training matrix, or the
        matrix is malformed.
    """
    from scipy import sparse

    check_sparse(X)
    if not reset and is_plain_csr(X) and not hasattr(estimator, "feature_names_in_"):
        # scikit-learn's checks take longer than predicting one document.
        if not open_width and X.shape[1] != estimator.n_features_in_:
            raise CountError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input."
            )
        checked = X
    elif reset and is_plain_csr(X) and X.shape[1]:
        # What scikit-learn's checks do for such a matrix, without importing scikit-learn.
        checked = X
        if not open_width:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
    elif open_width:
        checked = check_array(X, accept_sparse="csr", estimator=estimator)
    else:
        checked = validate_data(estimator, X, accept_sparse="csr", reset=reset)
    _check_nonnegative(checked, estimator)
    return checked if sparse.issparse(checked) else sparse.csr_array(checked)


def check_array(X: Any, **options: Any) -> Any:
    """Check an array by scikit-learn's function of the same name."""
    from sklearn.utils import check_array as sklearn_check

    return sklearn_check(check_sparse(X), **options)


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Check an array for an estimator by scikit-learn's function of the same name."""
    from sklearn.utils.validation import validate_data as sklearn_validate

    return sklearn_validate(estimator, check_sparse(X), **options)


def check_random_state(seed: Any) -> np.random.RandomState:
    """Return a random generator for ``seed``, as scikit-learn's function of the same name does."""
    if isinstance(seed, Integral):
        return np.random.RandomState(seed)  # type: ignore[arg-type]
    from sklearn.utils import check_random_state as sklearn_check

    return sklearn_check(seed)


def is_plain_csr(X: Any) -> bool:
    """Return True if X is a CSR matrix of finite numbers that needs no conversion."""
    from scipy import sparse

    if not isinstance(X, sparse.csr_array | sparse.csr_matrix) or X.ndim != 2:
        return False
    kind = X.data.dtype.kind
    return X.shape[0] > 0 and (kind in "iu" or (kind == "f" and bool(np.isfinite(X.data).all())))


def check_weights(sample_weight: Any, n_documents: int) -> NDArray[np.float64] | None:
    """Return a weight for each document; None if no weights are given.

    A single number is the weight of every document.

    Raises
    ------
    CountError
        If the shape is wrong, or a weight is negative, infinite or NaN.
    """
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_documents, float(weights))
    if weights.shape != (n_documents,):
        raise CountError(f"{n_documents} documents, but sample_weight of shape {weights.shape}.")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise CountError("a sample_weight is negative, infinite or not a number.")
    return weights


def check_weighting_counts(X: Any, estimator: Any) -> None:
    """Raise CountError for negative numbers, unless the estimator has ``weighting=None``."""
    if estimator.weighting is not None:
        hint = " For numbers that are not counts, use weighting=None."
        _check_nonnegative(X, estimator, hint)


def _check_nonnegative(X: Any, estimator: Any, hint: str = "") -> None:
    data = X if isinstance(X, np.ndarray) else X.data
    if data.size and data.min() < 0:
        at = np.unravel_index(int(np.argmax(data < 0)), data.shape)
        row = at[0] if data is X else np.searchsorted(X.indptr, at[0], side="right") - 1
        raise CountError(
            f"Negative values in data passed to {type(estimator).__name__}: row {row} holds "
            f"{data[at]}, and a count cannot be negative.{hint}"
        )
