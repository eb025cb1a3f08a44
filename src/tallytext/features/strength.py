"""Term strength: the probability that a word of a document is in a similar document, too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import InvertedIndex
from tallytext._typing import FloatArray
from tallytext.errors import CountError
from tallytext.features.tf_idf import canonical_csr, document_frequencies, smart_weights
from tallytext.runtime import progress_bar, rows_per_block, thread_count

MAX_DOCUMENTS = 20_000
"""The largest number of documents to compare with each other; of more, a sample."""

HISTOGRAM_BINS = 1000
"""Bins of the histogram of similarities that the threshold is found from."""

_BLOCK_DOCUMENTS = 512  # documents compared between two steps of the progress bar


class RelatedPairs(NamedTuple):
    """Pairs of similar documents, as :func:`related_pairs` finds them.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        The rows of the two documents of each pair, the later one first.
    threshold : float
        The smallest similarity.
    mean_related : float
        The mean number of related documents of a document, over all that were compared.
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
) -> FloatArray:
    r"""Return the strength of each term: its probability in y, given that it is in the related x.

    .. math:: s(w) = P(w \in y \mid w \in x)
        = \frac{2\, |\{\{x, y\}: w \in x \cap y\}|}
               {|\{\{x, y\}: w \in x\}| + |\{\{x, y\}: w \in y\}|}

    over the pairs of :func:`related_pairs`; 0 for a term in none of them. No labels are needed
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
    rows = _check_counts(X)
    found = related_pairs(
        rows,
        related,
        threshold,
        weighting=weighting,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return term_strength_from_pairs(rows, found.pairs)


def term_strength_from_pairs(X: Any, pairs: ArrayLike) -> FloatArray:
    """Return the :func:`term_strength` of each column for given pairs of related documents.

    Parameters
    ----------
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        Counts.
    pairs : array-like of shape (n_pairs, 2)
        Rows of X. The order within a pair does not matter; each pair is given once.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> term_strength_from_pairs(X, [(0, 1), (1, 2)])
    array([0.66666667, 0.        , 0.66666667, 0.        ])
    """
    rows = _check_counts(X)
    rows = sparse.csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
    listed = _check_pairs(pairs, rows.shape[0])
    # A document of several pairs counts once in each of them.
    degrees = np.bincount(listed.ravel(), minlength=rows.shape[0]).astype(np.float64)
    either, both = degrees @ rows, np.zeros(rows.shape[1])
    # By the mean number of words, so that memory does not grow with the number of pairs.
    step = rows_per_block(-(-rows.nnz // max(1, rows.shape[0])))
    for first in range(0, len(listed), step):
        one, other = listed[first : first + step].T
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
    """Return the pairs of documents with a large cosine similarity of their weighted words.

    Of more than 20,000 documents, a random sample of 20,000 is compared. An inverted index finds
    the pairs, so that memory is needed for the documents and the pairs found only.

    Parameters
    ----------
    X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        Counts.
    related : float, default=15
        The wanted mean number of related documents of a document. The threshold is the highest
        multiple of 1/1000 that gives as many, by a histogram of all similarities; if there are not
        enough, all pairs that share a word are related.
    threshold : float, default=None
        The smallest similarity of related documents, instead of ``related``. A pair must share a
        word in any case.
    weighting : str, default="ltc"
        The scheme of :class:`~tallytext.SmartWeighting`. Its norm should be ``c``: the
        histogram ends at 1.
    random_state : int, default=0
        Seed of the sample.
    n_jobs : int, default=None
        Threads; None for all cores.
    verbose : bool, default=None
        True to show a progress bar; None: on a terminal, if it takes long.

    Examples
    --------
    >>> related_pairs([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], related=1)
    RelatedPairs(pairs=array([[1, 0],
           [2, 1]]), threshold=0.357, mean_related=1.3333333333333333)
    """
    if not related > 0:
        raise ValueError(f"related must be positive, not {related!r}.")
    if threshold is not None and not threshold >= 0:
        raise ValueError(f"threshold must be at least 0, not {threshold!r}.")
    rows = _check_counts(X)
    sample = _sample_rows(rows.shape[0], random_state)
    rows = rows if sample is None else rows[sample]
    index = _build_index(rows, weighting)
    n = rows.shape[0]
    blocks = [(at, min(at + _BLOCK_DOCUMENTS, n)) for at in range(0, n, _BLOCK_DOCUMENTS)]
    n_threads = thread_count(n_jobs)
    with progress_bar("comparing documents", 2 * len(blocks), verbose) as step:
        if threshold is None:
            threshold = _find_threshold(index, blocks, related, n_threads, step)
        found = [np.empty((0, 2), dtype=np.intp)]
        for block in blocks:
            found.append(np.column_stack(index.pairs(threshold, *block, n_threads)[:2]))
            step()
    pairs = np.concatenate(found)
    mean = 2 * len(pairs) / max(1, n)
    return RelatedPairs(pairs if sample is None else sample[pairs], float(threshold), mean)


def _find_threshold(index: Any, blocks: Any, related: float, n_threads: int, step: Any) -> float:
    bins = np.zeros(HISTOGRAM_BINS, dtype=np.int64)
    for block in blocks:
        bins += index.count_pairs(HISTOGRAM_BINS, *block, n_threads)
        step()
    at_least = bins[::-1].cumsum()[::-1]
    # A pair relates two documents, hence the factor.
    enough = np.flatnonzero(2 * at_least >= related * index.n_documents)
    return float(enough[-1] / HISTOGRAM_BINS) if len(enough) else 0.0


def _build_index(rows: Any, weighting: str) -> InvertedIndex:
    weighted = smart_weights(rows, weighting, document_frequencies(rows), rows.shape[0])
    starts, terms = weighted.indptr.astype(np.int64), weighted.indices.astype(np.int32)
    return InvertedIndex(starts, terms, weighted.data, weighted.shape[1])


def _sample_rows(n_documents: int, random_state: int) -> NDArray[np.intp] | None:
    if n_documents <= MAX_DOCUMENTS:
        return None
    random = np.random.default_rng(random_state)
    return np.sort(random.choice(n_documents, MAX_DOCUMENTS, replace=False))


def _check_counts(X: Any) -> Any:
    if not sparse.issparse(X):
        X = sparse.csr_array(np.atleast_2d(np.asarray(X)))
    rows = canonical_csr(X)
    if rows.data.size and not (rows.data > 0).all():
        raise CountError("counts must be positive numbers: a count is negative or not a number.")
    return rows


def _check_pairs(pairs: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    listed = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    if listed.size and (listed.min() < 0 or listed.max() >= n_documents):
        raise CountError(
            f"pairs must be rows of the {n_documents} documents: a pair is out of range."
        )
    if (listed[:, 0] == listed[:, 1]).any():
        raise CountError("a pair must be of two different documents, not of one and itself.")
    return listed
