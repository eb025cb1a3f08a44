"""Estimation of translation models: for each signature, a distribution over words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import Translation
from tallytext._validation import check_between, check_sparse, check_whole
from tallytext.errors import CountError
from tallytext.runtime import progress_bar

Solver = Literal["exact", "em"]
SOLVERS = ("exact", "em")
MAX_BETA = 0.999999
"""Closer to one, rounding errors would exceed the signature's own share of the counts."""

_BLOCK_COST = 1 << 26  # additions between two updates of the progress bar: about 0.1 s


def translation_rows(
    documents: Any,
    background: ArrayLike,
    *,
    signatures: Any = None,
    beta: float = 0.5,
    solver: Solver = "exact",
    n_steps: int = 15,
    min_probability: float = 0.0001,
    max_entries: int | None = 1000,
    min_df: int = 2,
    trim: bool = False,
    n_threads: int = 1,
    progress: bool | None = None,
) -> sparse.csr_array[np.float64]:
    r"""Estimate the word probabilities given each signature.

    The documents that contain a signature t have the counts :math:`c_t(w)` of each word w,
    including the words of t. These counts are modelled as a mixture of the background
    :math:`p(w)` and of the translation :math:`p(w \mid t)`,

    .. math:: \max_{p(\cdot \mid t)} \sum_w c_t(w) \log[(1 - \beta)\, p(w \mid t) + \beta\, p(w)]

    With :math:`k = \beta / (1 - \beta)`, the maximum is

    .. math:: p(w \mid t) = \max\left(0, \frac{c_t(w)}{\mu_t} - k\, p(w)\right), \quad
        \mu_t = \frac{\sum_{w \in A} c_t(w)}{1 + k \sum_{w \in A} p(w)}

    where A is the set of words with a probability above zero. It starts with all words; words
    that fall to zero are removed and :math:`\mu_t` is recomputed until none is removed. Finally,
    small probabilities are removed and each row is normalised.

    Parameters
    ----------
    documents : sparse matrix of shape (n_documents, n_words)
        The weight of each word in each document. Not negative.
    background : array-like of shape (n_words,)
        :math:`p(w)`; sums to one.
    signatures : sparse matrix of shape (n_documents, n_signatures), default=None
        Signatures of each document: the columns with a value other than zero. None: the words
        are the signatures.
    beta : float, default=0.5
        The share of the background, from 0 to 0.999999. With 0, a row is the normalised counts.
    solver : {"exact", "em"}, default="exact"
        The closed-form maximum, or ``n_steps`` of expectation maximisation.
    n_steps : int, default=15
        The number of steps, starting from the normalised counts.
    min_probability : float, default=0.0001
        Smaller probabilities are removed at the end. A row without others is empty.
    max_entries : int or None, default=1000
        The maximal number of words in a row: the most probable; of equal ones the first columns.
    min_df : int, default=2
        A signature that occurs in fewer documents has an empty row.
    trim : bool, default=False
        True to first remove words with less than the mean count, or less than a thousandth of the
        sum, and to normalise the background of the remaining words.
    n_threads : int, default=1
        The number of threads. The result does not depend on it.
    progress : bool, default=None
        True to show a progress bar; None: on a terminal, if the work takes long.

    Returns
    -------
    csr_array of shape (n_signatures, n_words)
        :math:`p(w \mid t)`. Each row sums to one, or is empty; columns ascend.

    Notes
    -----
    The time is proportional to :math:`\sum_d |d|\, |t \in d|`, the distinct words times the
    distinct signatures of each document. Memory: the documents, the rows, and one number for each
    word and thread.

    Examples
    --------
    >>> documents = sparse.csr_array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> background = documents.sum(axis=0) / documents.sum()
    >>> translation_rows(documents, background).toarray().round(3)
    array([[0.8  , 0.156, 0.044, 0.   ],
           [0.238, 0.349, 0.238, 0.175],
           [0.   , 0.111, 0.667, 0.222],
           [0.   , 0.   , 0.   , 0.   ]])
    """
    counts = _csr(documents, "documents")
    held = counts if signatures is None else _csr(signatures, "signatures")
    shares = _check_background(background, counts.shape[1])
    check_between("beta", beta, 0, MAX_BETA)
    check_between("min_probability", min_probability, 0, 1)
    check_whole("n_steps", n_steps, 0)
    check_whole("min_df", min_df, 1)
    if max_entries is not None:
        check_whole("max_entries", max_entries, 1)
    settings = {
        "beta": float(beta),
        "exact": _check_solver(solver) == "exact",
        "n_steps": int(n_steps),
        "trim": bool(trim),
        "least": float(min_probability),
        "most": counts.shape[1] if max_entries is None else int(max_entries),
        "min_df": int(min_df),
        "n_threads": n_threads,
    }
    if held.shape[0] != counts.shape[0]:
        raise CountError(
            f"there are {counts.shape[0]} documents, but signatures of {held.shape[0]}: pass one "
            "row of signatures for each document."
        )
    estimator = _estimator(counts, shares, held)
    return _estimate_rows(estimator, counts.shape[1], settings, progress)


def _estimator(counts: Any, background: NDArray[np.float64], held: Any) -> Translation:
    try:
        return Translation(
            counts.indptr.astype(np.int64),
            counts.indices.astype(np.int32),
            np.ascontiguousarray(counts.data, dtype=np.float64),
            background,
            held.indptr.astype(np.int64),
            held.indices.astype(np.int32),
            held.shape[1],
        )
    except ValueError as problem:
        raise CountError(f"these documents cannot be translated: {problem}.") from None


def _estimate_rows(
    estimator: Translation, n_words: int, settings: dict[str, Any], progress: bool | None
) -> sparse.csr_array[np.float64]:
    """Estimate the rows in blocks of similar cost, for progress and for interrupts."""
    bounds = _block_bounds(estimator.costs())
    starts, words, shares = [np.zeros(1, np.int64)], [], []
    with progress_bar("Translating", len(bounds) - 1, progress) as step:
        for first, last in pairwise(bounds):
            block = estimator.rows(first, last, **settings)
            starts.append(block[0][1:] + starts[-1][-1])
            words.append(block[1])
            shares.append(block[2])
            step()
    arrays = (
        _concatenate(shares, np.float64),
        _concatenate(words, np.int32),
        np.concatenate(starts),
    )
    return sparse.csr_array(arrays, shape=(estimator.n_signatures, n_words))


def _concatenate(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _block_bounds(costs: NDArray[np.int64]) -> list[int]:
    """Return the bounds of consecutive blocks of signatures, of similar cost."""
    if not len(costs):
        return [0]
    # The constant is the cost of a signature whose documents are empty.
    block_of = np.cumsum(costs + 64) // _BLOCK_COST
    changes = np.flatnonzero(np.diff(block_of)) + 1
    return [0, *changes.tolist(), len(costs)]


def _csr(matrix: Any, name: str) -> sparse.csr_array[Any]:
    """Return a CSR matrix without explicit zeros or duplicates; the input is not modified."""
    if not sparse.issparse(matrix) and np.ndim(matrix) != 2:
        raise CountError(f"{name} must be a matrix, with two dimensions.")
    found = sparse.csr_array(check_sparse(matrix))
    if found.has_canonical_format and found.data.all():
        return found
    # csr_array() shares its arrays with the input.
    found = found.copy()
    found.sum_duplicates()
    found.eliminate_zeros()
    return found


def _check_background(background: ArrayLike, n_words: int) -> NDArray[np.float64]:
    shares = np.ascontiguousarray(background, dtype=np.float64)
    if shares.shape != (n_words,):
        raise CountError(
            f"documents have {n_words} words, but the background has shape {shares.shape}."
        )
    if not (np.isfinite(shares) & (shares >= 0)).all() or (
        n_words and abs(shares.sum() - 1) > 1e-6
    ):
        raise CountError(
            "the background must be probabilities that sum to 1, but its sum is "
            f"{shares.sum():.6g} and its smallest entry {shares.min(initial=0):.6g}."
        )
    # A single word may have a share that exceeds 1 by rounding.
    return np.minimum(shares, 1.0)


def _check_solver(solver: object) -> str:
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'exact' or 'em', not {solver!r}.")
    return str(solver)


Counts = Literal["occurrences", "documents", "log"]
COUNTS = ("occurrences", "documents", "log")


class WeightedCounts(NamedTuple):
    """Weights of words in documents, and the share of each word in all documents."""

    documents: sparse.csr_array[np.float64]
    background: NDArray[np.float64]


def weight_counts(X: Any, counts: Counts = "occurrences") -> WeightedCounts:
    r"""Return the weights of words in documents, and the background distribution.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_words)
        Counts.
    counts : {"occurrences", "documents", "log"}, default="occurrences"
        The counts; one for each word of a document; or
        :math:`\ln(1 + x_{dw}) / \sum_v \ln(1 + x_{dv})`, which gives all documents the same
        weight. The background is computed before this division.

    Examples
    --------
    >>> documents, background = weight_counts(sparse.csr_array([[3, 0, 1], [0, 1, 0]]), "log")
    >>> documents.toarray().round(3)
    array([[0.667, 0.   , 0.333],
           [0.   , 1.   , 0.   ]])
    >>> background
    array([0.5 , 0.25, 0.25])
    """
    if counts not in COUNTS:
        raise ValueError(f"counts must be one of {', '.join(map(repr, COUNTS))}, not {counts!r}.")
    documents = sparse.csr_array(check_sparse(X)).astype(np.float64, copy=True)
    documents.sum_duplicates()
    documents.eliminate_zeros()
    if counts == "documents":
        documents.data[:] = 1.0
    if counts == "log":
        documents.data = np.log1p(documents.data)
    background = to_shares(np.asarray(documents.sum(axis=0), dtype=np.float64).ravel())
    if counts == "log":
        totals = np.asarray(documents.sum(axis=1)).ravel()
        documents.data /= np.repeat(totals, np.diff(documents.indptr))
    return WeightedCounts(documents, background)


def to_shares(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums divided by their total; equal shares if the total is 0."""
    total = sums.sum()
    return sums / total if total > 0 else np.full(len(sums), 1 / max(1, len(sums)))
