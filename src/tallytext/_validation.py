"""Count matrices as estimators take them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from tallytext.errors import CountError


def checked_matrix(estimator: Any, X: Any, *, reset: bool, open_width: bool) -> Any:
    """Return X as a CSR matrix of finite numbers that are not negative.

    The width must be that of the training matrix, unless the vocabulary is open.
    """
    if not reset and is_plain_csr(X) and not hasattr(estimator, "feature_names_in_"):
        if not open_width and X.shape[1] != estimator.n_features_in_:
            raise CountError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input."
            )
        checked = X
    elif open_width:
        checked = check_array(X, accept_sparse="csr", estimator=estimator)
    else:
        checked = validate_data(estimator, X, accept_sparse="csr", reset=reset)
    _check_no_negative(checked, estimator)
    return checked if sparse.issparse(checked) else sparse.csr_array(checked)


def is_plain_csr(X: Any) -> bool:
    """Whether X is a sparse matrix that needs no conversion, and holds finite numbers."""
    if not isinstance(X, sparse.csr_array | sparse.csr_matrix) or X.ndim != 2:
        return False
    kind = X.data.dtype.kind
    return X.shape[0] > 0 and (kind in "iu" or (kind == "f" and bool(np.isfinite(X.data).all())))


def weights_of(sample_weight: Any, n_documents: int) -> NDArray[np.float64] | None:
    """Return a weight for each document, or None for documents that weigh one each."""
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


def check_counts_to_weigh(X: Any, estimator: Any) -> None:
    """Refuse negative numbers where words are weighed, as ``weighting`` of the estimator says."""
    if estimator.weighting is not None and X.nnz and X.data.min() < 0:
        raise CountError(
            f"Negative values in data passed to {type(estimator).__name__}: a count cannot be "
            "negative. For numbers that are no counts, weighting=None."
        )


def _check_no_negative(X: Any, estimator: Any) -> None:
    data = X if isinstance(X, np.ndarray) else X.data
    if data.size and data.min() < 0:
        raise CountError(
            f"Negative values in data passed to {type(estimator).__name__}: "
            "a count cannot be negative."
        )


# ------------------------------------------------------------------------------------------------
# Checks of parameters.


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Refuse a parameter outside ``low <= value <= high``."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not low <= float(value) <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}.")


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse a parameter that is not a whole number of at least so much."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")
