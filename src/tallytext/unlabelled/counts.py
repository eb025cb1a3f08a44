"""Counts of documents as all that learns from a pool takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tallytext.errors import CountError
from tallytext.smoothing.base import Numbers
from tallytext.weighting import document_frequencies

Rows = sparse.csr_array


def plain_counts(X: Any) -> Rows[Any]:
    """Return counts in rows: each word of a document once, and none that it does not have.

    The matrix that was given stays as it is; where it is so already, no copy is made.

    Raises
    ------
    CountError
        If some are negative, infinite or not a number.

    Examples
    --------
    >>> twice = sparse.csr_array(([1.0, 2.0, 0.0], [0, 0, 1], [0, 3]), shape=(1, 2))
    >>> plain_counts(twice).data
    array([3.])
    """
    counts = sparse.csr_array(X, dtype=np.float64)
    if not np.isfinite(counts.data).all() or counts.data.min(initial=0.0) < 0:
        raise CountError("a count is negative, infinite or not a number.")
    if counts.has_canonical_format and counts.data.all():
        return counts
    counts = counts.copy()
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts


def inverse_frequencies(counts: Rows[Any]) -> Numbers:
    r"""Return :math:`\mathrm{idf}_w = 1 + \ln((1 + n) / (1 + \mathrm{df}_w))`.

    Examples
    --------
    >>> inverse_frequencies(sparse.csr_array([[1.0, 0.0], [2.0, 0.0]])).round(3)
    array([1.   , 2.099])
    """
    return np.log((counts.shape[0] + 1) / (document_frequencies(counts) + 1)) + 1
