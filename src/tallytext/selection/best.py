"""The best terms of a tally, the same whatever order they came in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.contingency import Floats
from tallytext.selection.scores import Method, scores
from tallytext.tally import Tally

# Of the largest score. Smaller differences may come of rounding, which ties must not depend on.
_STEP = 2.0**-40


def top_terms(
    tally: Tally, method: Method = "ig", k: int = 1000, **options: Any
) -> NDArray[np.intp]:
    """Return the ids of the k terms with the highest scores, best first.

    Of terms with the same score the one in more documents is better, then the one that is first
    by code points. Terms that do not occur are left out, so there may be fewer than k.

    Parameters
    ----------
    tally : Tally
        What was counted.
    method : {"ig", "chi", "mi", "prr", "df"}, default="ig"
        As for :func:`scores`.
    k : int, default=1000
        How many terms at most.
    **options
        Others of :func:`scores`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> [tally.vocabulary.term(id) for id in top_terms(tally, k=2)]
    ['sea', 'sky']
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}.")
    now = tally._snapshot()
    return ranked(now, scores(now, method, **options), k=k)


def selected(tally: Tally, method: Method = "ig", k: int = 1000, **options: Any) -> Tally:
    """Return the tally of the :func:`top_terms` alone. To select by a threshold, mask by it.

    Parameters
    ----------
    tally : Tally
        The counts.
    method : str, default="ig"
        The score, as for :func:`scores`.
    k : int, default=1000
        How many terms to keep.
    **options : Any
        As for :func:`top_terms`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> selected(tally, k=2)
    <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
    >>> selected(tally, k=2) == tally.mask(scores(tally) > 0.1)
    True
    """
    return tally.mask(top_terms(tally, method, k, **options))


def ranked(
    tally: Tally,
    found: Floats,
    *,
    k: int | None = None,
    above: float | None = None,
    min_df: int = 1,
) -> NDArray[np.intp]:
    """Return the ids of terms by their scores, best first, with ties as in :func:`top_terms`.

    Parameters
    ----------
    tally : Tally
        What the terms were scored by.
    found : ndarray of shape (n_terms,)
        The score of each term.
    k : int, default=None
        How many terms at most; None for all.
    above : float, default=None
        Only terms whose score is higher, by more than rounding may account for.
    min_df : int, default=1
        Only terms in so many documents.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> ranked(tally, np.array([0.25, 0.5, 0.25])).tolist()
    [1, 2, 0]
    """
    documents, step = tally.term_documents[: len(found)], step_of(found)
    steps = in_steps(found, step)
    among = documents >= min_df
    if above is not None:
        among &= steps > in_steps(np.array([above]), step)[0]
    ids = np.flatnonzero(among)
    ids = ids if k is None else _at_least_the_best(ids, steps, k)
    order = tally.vocabulary.sorted()
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    picked: NDArray[np.intp] = ids[np.lexsort((place[ids], -documents[ids], -steps[ids]))[:k]]
    return picked


def step_of(found: Floats) -> float:
    """Return the smallest difference of scores that is none of rounding; 0 if all are zero."""
    largest = np.abs(found, where=np.isfinite(found), out=np.zeros_like(found)).max(initial=0.0)
    return float(largest) * _STEP


def in_steps(found: Floats, step: float) -> Floats:
    """Return scores in whole steps, equal where they differ by rounding alone."""
    return np.round(found / step) if step else found


def _at_least_the_best(ids: NDArray[np.intp], found: Floats, k: int) -> NDArray[np.intp]:
    """Leave out what cannot be among the best k, before sorting."""
    if len(ids) <= k:
        return ids
    bound = np.partition(found[ids], len(ids) - k)[len(ids) - k]
    near: NDArray[np.intp] = ids[found[ids] >= bound]
    return near
