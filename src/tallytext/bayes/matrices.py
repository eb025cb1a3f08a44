"""Count matrices as models take them: whole numbers counted as they are, others in small units."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tallytext.errors import CountError
from tallytext.scorer import Documents
from tallytext.tally.rows import rows_of
from tallytext.vocabulary import Vocabulary

FRACTION = 2.0**-20
"""The unit in which counts that are not whole are counted."""


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
