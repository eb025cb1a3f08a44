"""Count matrices as models take them: whole numbers counted as they are, others in small units."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from tallytext.errors import CountError
from tallytext.scorer import Documents
from tallytext.tally.rows import rows_of
from tallytext.vocabulary import Vocabulary

FRACTION = 2.0**-20
"""The unit in which counts that are not whole are counted."""


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
    _expect_no_negative(checked, estimator)
    return checked if sparse.issparse(checked) else sparse.csr_array(checked)


def is_plain_csr(X: Any) -> bool:
    """Whether X is a sparse matrix that needs no conversion, and holds finite numbers."""
    if not isinstance(X, sparse.csr_array | sparse.csr_matrix) or X.ndim != 2:
        return False
    kind = X.data.dtype.kind
    return X.shape[0] > 0 and (kind in "iu" or (kind == "f" and bool(np.isfinite(X.data).all())))


def unit_of(X: Any) -> float:
    """Return the unit that the counts of a matrix are counted in: 1 for whole numbers."""
    data = X.data
    whole = data.dtype.kind in "iub" or bool((data == np.floor(data)).all())
    return 1.0 if whole else FRACTION


def in_units(X: Any, unit: float) -> Any:
    """Return the matrix in whole units; refuse fractions where whole numbers were counted."""
    if unit == 1.0:
        if unit_of(X) != 1.0:
            raise CountError("these counts are fractional, but the model began with whole numbers.")
        return X
    scaled = np.rint(X.data.astype(np.float64) / unit)
    return X.__class__((scaled, X.indices, X.indptr), shape=X.shape)


def documents_of(X: Any) -> Documents:
    """Return a CSR matrix as the scorer reads it, each term of a document once, none zero."""
    if X.data.dtype.kind in "iub":
        rows = rows_of(X)
        return Documents(rows.starts, rows.terms, rows.counts.astype(np.float64))
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return Documents(
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def transformed(documents: Documents, tf: str) -> Documents:
    """Return documents with x, ln(1 + x) or 1 in the place of each count."""
    if tf == "raw":
        return documents
    if tf not in ("log", "binary"):
        raise ValueError(f"tf_test must be 'raw', 'log' or 'binary', not {tf!r}.")
    values = documents.values
    made = np.log1p(values) if tf == "log" else np.ones_like(values)
    return documents._replace(values=made, tokens=documents.sizes)


def vocabulary_for(estimator: Any) -> Vocabulary:
    """Return the names of the columns that the estimator was given, or x0, x1 and so on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return numbered(estimator.n_features_in_)
    vocabulary = Vocabulary(list(names))
    vocabulary.freeze()
    return vocabulary


@lru_cache(maxsize=4)
def numbered(n_terms: int) -> Vocabulary:
    """Return a vocabulary of x0, x1 and so on."""
    vocabulary = Vocabulary([f"x{at}" for at in range(n_terms)])
    vocabulary.freeze()
    return vocabulary


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


def _expect_no_negative(X: Any, estimator: Any) -> None:
    data = X if isinstance(X, np.ndarray) else X.data
    if data.size and data.min() < 0:
        raise CountError(
            f"Negative values in data passed to {type(estimator).__name__}: "
            "a count cannot be negative."
        )
