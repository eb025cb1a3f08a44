"""What a word of a document counts when signatures are translated, and the background of it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Counts = Literal["occurrences", "documents", "log"]
COUNTS = ("occurrences", "documents", "log")


class Weighed(NamedTuple):
    """Documents as rows of what each word counts, and the share of each word in all of them."""

    documents: sparse.csr_array[np.float64]
    background: NDArray[np.float64]


def weighed(X: Any, counts: Counts = "occurrences") -> Weighed:
    r"""Weigh counts of words.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_words)
        Counts.
    counts : {"occurrences", "documents", "log"}, default="occurrences"
        Occurrences as they are; one for each word of a document; or
        :math:`\ln(1 + x_{dw}) / \sum_v \ln(1 + x_{dv})`, so that all documents weigh the same. The
        background is that of the numbers before they are divided.

    Examples
    --------
    >>> documents, background = weighed(sparse.csr_array([[3, 0, 1], [0, 1, 0]]), "log")
    >>> documents.toarray().round(3)
    array([[0.667, 0.   , 0.333],
           [0.   , 1.   , 0.   ]])
    >>> background
    array([0.5 , 0.25, 0.25])
    """
    if counts not in COUNTS:
        raise ValueError(f"counts must be one of {', '.join(map(repr, COUNTS))}, not {counts!r}.")
    documents = sparse.csr_array(X).astype(np.float64, copy=True)
    documents.sum_duplicates()
    documents.eliminate_zeros()
    if counts == "documents":
        documents.data[:] = 1.0
    if counts == "log":
        documents.data = np.log1p(documents.data)
    background = shares(np.asarray(documents.sum(axis=0), dtype=np.float64).ravel())
    if counts == "log":
        totals = np.asarray(documents.sum(axis=1)).ravel()
        documents.data /= np.repeat(totals, np.diff(documents.indptr))
    return Weighed(documents, background)


def shares(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each; all alike where there is nothing."""
    total = sums.sum()
    return sums / total if total > 0 else np.full(len(sums), 1 / max(1, len(sums)))
