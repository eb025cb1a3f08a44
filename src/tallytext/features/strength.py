"""Term strength: how likely a word of one document is to be in another that is alike."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import InvertedIndex
from tallytext.errors import CountError
from tallytext.features.smart import canonical, document_frequencies, smart_weights
from tallytext.features.term_scores import Floats
from tallytext.runtime import progress_bar, thread_count

MOST_DOCUMENTS = 20_000
"""Of more documents than these, so many are drawn to be compared with each other."""

BINS = 1000
"""Bins of the histogram of similarities from which a threshold is read."""

_STEP = 512  # documents at a time
_PAIRS = 8192  # pairs at a time


class RelatedPairs(NamedTuple):
    """Pairs of documents that are alike.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        The rows of the two documents of each pair, the later one first.
    threshold : float
        The least similarity.
    mean_related : float
        How many others a document is alike to, on average of those compared.
    """

    pairs: NDArray[np.intp]
    threshold: float
    mean_related: float


def term_strength(
    X: Any,
    related: float = 15,
    threshold: float | None = None,
    *,
    weighting: str = "ltc",
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> Floats:
    r"""Return for each column how likely a word is in y, given that it is in x, for related x, y.

    .. math:: s(w) = P(w \in y \mid w \in x)
        = \frac{2\, |\{\{x, y\}: w \in x \cap y\}|}
               {|\{\{x, y\}: w \in x\}| + |\{\{x, y\}: w \in y\}|}

    over the pairs of :func:`related_pairs`; 0 for a word in none of them. No labels are needed
    (Yang and Pedersen 1997).

    Parameters
    ----------
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        Counts.
    related, threshold, weighting, random_state, n_jobs, verbose
        As for :func:`related_pairs`.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> term_strength(X, threshold=0.3)
    array([0.66666667, 0.        , 0.66666667, 0.        ])
    """
    rows = _counts(X)
    found = related_pairs(
        rows,
        related,
        threshold,
        weighting=weighting,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return strength_of_pairs(rows, found.pairs)


def strength_of_pairs(X: Any, pairs: ArrayLike) -> Floats:
    """Return the :func:`term_strength` of each column, given which documents are related.

    Parameters
    ----------
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        Counts.
    pairs : array-like of shape (n_pairs, 2)
        Rows of X. The order within a pair does not matter; each pair is given once.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> strength_of_pairs(X, [(0, 1), (1, 2)])
    array([0.66666667, 0.        , 0.66666667, 0.        ])
    """
    rows = _counts(X)
    rows = sparse.csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
    listed = _pairs_of(pairs, rows.shape[0])
    degrees = np.bincount(listed.ravel(), minlength=rows.shape[0]).astype(np.float64)
    either, both = degrees @ rows, np.zeros(rows.shape[1])
    for first in range(0, len(listed), _PAIRS):
        one, other = listed[first : first + _PAIRS].T
        shared = rows[one].multiply(rows[other]).tocsr()
        both += np.bincount(shared.indices, minlength=rows.shape[1])
    return 2.0 * both / np.maximum(either, 1.0)


def related_pairs(
    X: Any,
    related: float = 15,
    threshold: float | None = None,
    *,
    weighting: str = "ltc",
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> RelatedPairs:
    """Return the pairs of documents whose weighted words have a large enough cosine.

    Of more than 20,000 documents, 20,000 are drawn and compared with each other. They are compared
    by an inverted index, so that memory is that of the documents and of the pairs found.

    Parameters
    ----------
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        Counts.
    related : float, default=15
        How many others a document should be related to, on average. The threshold is then the
        highest multiple of 1/1000 that gives so many, as a histogram of all similarities tells;
        where there are not enough, all pairs that share a word are related.
    threshold : float, default=None
        The least similarity, if it is known. A pair must share a word all the same.
    weighting : str, default="ltc"
        The scheme of :class:`~tallytext.SmartWeighting`. Its norm should be ``c``: the
        histogram ends at 1.
    random_state : int, default=0
        Where drawing begins.
    n_jobs : int, default=None
        Threads; None for all cores.
    verbose : bool, default=None
        Whether to show a bar; None: on a terminal, where it takes its time.

    Examples
    --------
    >>> related_pairs([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], related=1)
    RelatedPairs(pairs=array([[1, 0],
           [2, 1]]), threshold=0.357, mean_related=1.3333333333333333)
    """
    if not related > 0:
        raise ValueError(f"related must be positive, not {related!r}.")
    if threshold is not None and not threshold >= 0:
        raise ValueError(f"threshold must not be negative, not {threshold!r}.")
    rows = _counts(X)
    drawn = _drawn(rows.shape[0], random_state)
    rows = rows if drawn is None else rows[drawn]
    index = _index_of(rows, weighting)
    chunks = [(at, min(at + _STEP, rows.shape[0])) for at in range(0, rows.shape[0], _STEP)]
    n_threads = thread_count(n_jobs)
    with progress_bar("comparing documents", 2 * len(chunks), verbose) as step:
        if threshold is None:
            threshold = _threshold(index, chunks, related, n_threads, step)
        found = [np.empty((0, 2), dtype=np.intp)]
        for chunk in chunks:
            found.append(np.column_stack(index.pairs(threshold, *chunk, n_threads)[:2]))
            step()
    pairs = np.concatenate(found)
    mean = 2 * len(pairs) / max(1, rows.shape[0])
    return RelatedPairs(pairs if drawn is None else drawn[pairs], float(threshold), mean)


def _threshold(index: Any, chunks: Any, related: float, n_threads: int, step: Any) -> float:
    bins = np.zeros(BINS, dtype=np.int64)
    for chunk in chunks:
        bins += index.count_pairs(BINS, *chunk, n_threads)
        step()
    at_least = bins[::-1].cumsum()[::-1]
    enough = np.flatnonzero(2 * at_least >= related * index.n_documents)
    return float(enough[-1] / BINS) if len(enough) else 0.0


def _index_of(rows: Any, weighting: str) -> InvertedIndex:
    weighted = smart_weights(rows, weighting, document_frequencies(rows), rows.shape[0])
    starts, terms = weighted.indptr.astype(np.int64), weighted.indices.astype(np.int32)
    return InvertedIndex(starts, terms, weighted.data, weighted.shape[1])


def _drawn(n_documents: int, random_state: int) -> NDArray[np.intp] | None:
    if n_documents <= MOST_DOCUMENTS:
        return None
    random = np.random.default_rng(random_state)
    return np.sort(random.choice(n_documents, MOST_DOCUMENTS, replace=False))


def _counts(X: Any) -> Any:
    rows = canonical(X if sparse.issparse(X) else sparse.csr_array(np.atleast_2d(np.asarray(X))))
    if rows.data.size and not (rows.data > 0).all():
        raise CountError("a count is negative or not a number.")
    return rows


def _pairs_of(pairs: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    listed = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    if listed.size and (listed.min() < 0 or listed.max() >= n_documents):
        raise CountError(f"a pair names a document that is not among the {n_documents}.")
    if (listed[:, 0] == listed[:, 1]).any():
        raise CountError("a pair is made of two documents, not of one and itself.")
    return listed
