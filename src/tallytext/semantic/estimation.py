"""From documents to translations: for each signature, a distribution over words."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import Translation
from tallytext.errors import CountError
from tallytext.runtime import progress_bar

Solver = Literal["exact", "em"]
SOLVERS = ("exact", "em")
LARGEST_BETA = 0.999999
"""Nearer to one, what a signature has of its own would drown in rounding."""

_AT_ONCE = 1 << 26  # values to add up before a bar moves: about a tenth of a second


def translation_rows(
    documents: Any,
    background: ArrayLike,
    *,
    signatures: Any = None,
    beta: float = 0.5,
    solver: Solver = "exact",
    n_steps: int = 15,
    min_probability: float = 0.001,
    max_entries: int | None = 200,
    min_df: int = 2,
    trim: bool = False,
    n_threads: int = 1,
    progress: bool | None = None,
) -> sparse.csr_array[np.float64]:
    r"""Estimate what words each signature brings with it.

    The documents that hold a signature t count :math:`c_t(w)` of each word w, the words of t
    itself included. These counts are explained by the background :math:`p(w)` and by something of
    their own,

    .. math:: \max_{p(\cdot \mid t)} \sum_w c_t(w) \log[(1 - \beta)\, p(w \mid t) + \beta\, p(w)]

    which is reached, with :math:`k = \beta / (1 - \beta)`, by

    .. math:: p(w \mid t) = \max\left(0, \frac{c_t(w)}{\mu_t} - k\, p(w)\right), \quad
        \mu_t = \frac{\sum_{w \in A} c_t(w)}{1 + k \sum_{w \in A} p(w)}

    where A are the words above zero: all words at first, those that come to nothing are dropped
    and :math:`\mu_t` is found anew until none is. Small probabilities are left out then, and each
    row is divided by its sum.

    Parameters
    ----------
    documents : sparse matrix of shape (n_documents, n_words)
        What each word counts in each document. Not negative.
    background : array-like of shape (n_words,)
        :math:`p(w)`; sums to one.
    signatures : sparse matrix of shape (n_documents, n_signatures), default=None
        Which documents hold which signature: those with a value other than zero. None: the words
        are the signatures.
    beta : float, default=0.5
        The share of the background, from 0 to 0.999999. With 0 a row is the counts, divided by
        their sum.
    solver : {"exact", "em"}, default="exact"
        The maximum itself, or ``n_steps`` of expectation and maximisation towards it.
    n_steps : int, default=15
        How many; from counts divided by their sum.
    min_probability : float, default=0.001
        Smaller probabilities are left out in the end. A row with nothing else is empty.
    max_entries : int or None, default=200
        Words of a row, at most: the most probable; of equal ones the first columns.
    min_df : int, default=2
        A signature of fewer documents has an empty row.
    trim : bool, default=False
        Whether words of less than the mean count, or of a thousandth of the sum, are left out
        first, and the background of those left is divided by its sum.
    n_threads : int, default=1
        The result does not depend on it.
    progress : bool, default=None
        Whether to show a bar; None: once it takes long, on a terminal.

    Returns
    -------
    csr_array of shape (n_signatures, n_words)
        :math:`p(w \mid t)`. Each row sums to one, or is empty; columns ascend.

    Notes
    -----
    Time grows with the squares of the lengths of documents, :math:`\sum_d |d|\, |t \in d|`, where
    lengths are numbers of different words. Memory: the documents and the rows, and a number for
    each word and thread.

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
    shares = _checked_background(background, counts.shape[1])
    settings = {
        "beta": between("beta", beta, 0, LARGEST_BETA),
        "exact": _known_solver(solver) == "exact",
        "n_steps": whole("n_steps", n_steps, 0),
        "trim": bool(trim),
        "least": between("min_probability", min_probability, 0, 1),
        "most": counts.shape[1] if max_entries is None else whole("max_entries", max_entries, 1),
        "min_df": whole("min_df", min_df, 1),
        "n_threads": n_threads,
    }
    if held.shape[0] != counts.shape[0]:
        raise CountError(
            f"{counts.shape[0]} documents, but signatures of {held.shape[0]}: one row each is "
            "needed."
        )
    estimator = _estimator(counts, shares, held)
    return _all_rows(estimator, counts.shape[1], settings, progress)


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


def _all_rows(
    estimator: Translation, n_words: int, settings: dict[str, Any], progress: bool | None
) -> sparse.csr_array[np.float64]:
    """Make the rows in blocks of about equal cost, so that a bar moves and one can interrupt."""
    bounds = _bounds(estimator.costs())
    starts, words, shares = [np.zeros(1, np.int64)], [], []
    with progress_bar("Translating", len(bounds) - 1, progress) as step:
        for first, last in pairwise(bounds):
            block = estimator.rows(first, last, **settings)
            starts.append(block[0][1:] + starts[-1][-1])
            words.append(block[1])
            shares.append(block[2])
            step()
    arrays = (_joined(shares, np.float64), _joined(words, np.int32), np.concatenate(starts))
    return sparse.csr_array(arrays, shape=(estimator.n_signatures, n_words))


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _bounds(costs: NDArray[np.int64]) -> list[int]:
    """Return where blocks of signatures begin, and where the last one ends."""
    if not len(costs):
        return [0]
    # A signature costs something even if its documents are empty.
    block_of = np.cumsum(costs + 64) // _AT_ONCE
    changes = np.flatnonzero(np.diff(block_of)) + 1
    return [0, *changes.tolist(), len(costs)]


def _csr(matrix: Any, name: str) -> sparse.csr_array[Any]:
    """Return a matrix in rows without zeros or doubles, leaving the caller's as it is."""
    if not sparse.issparse(matrix) and np.ndim(matrix) != 2:
        raise CountError(f"{name} should be a matrix of two dimensions.")
    found = sparse.csr_array(matrix)
    if found.has_canonical_format and found.data.all():
        return found
    found = found.copy()
    found.sum_duplicates()
    found.eliminate_zeros()
    return found


def _checked_background(background: ArrayLike, n_words: int) -> NDArray[np.float64]:
    shares = np.ascontiguousarray(background, dtype=np.float64)
    if shares.shape != (n_words,):
        raise CountError(f"documents of {n_words} words, but a background of shape {shares.shape}.")
    if not (np.isfinite(shares) & (shares >= 0)).all() or (
        n_words and abs(shares.sum() - 1) > 1e-6
    ):
        raise CountError(
            f"a background of probabilities is needed: its sum is {shares.sum():.6g}, its least "
            f"entry {shares.min(initial=0):.6g}."
        )
    return np.minimum(shares, 1.0)


def _known_solver(solver: object) -> str:
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'exact' or 'em', not {solver!r}.")
    return str(solver)


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number if it is no less than another."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return int(value)


def between(name: str, value: object, least: float, most: float) -> float:
    """Return a number if it lies within some limits."""
    if not isinstance(value, Real) or not least <= float(value) <= most:
        raise ValueError(f"{name} must be a number from {least} to {most}, not {value!r}.")
    return float(value)


# ------------------------------------------------------------------------------------------------
# What a word of a document counts when signatures are translated, and the background of it.

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
