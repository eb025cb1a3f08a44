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
    found = _rounded(scores(now, method, **options))
    documents = now.term_documents[: len(found)]
    ids = _at_least_the_best(np.flatnonzero(documents), found, k)
    order = now.vocabulary.sorted()
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    best = np.lexsort((place[ids], -documents[ids], -found[ids]))[:k]
    picked: NDArray[np.intp] = ids[best]
    return picked


def selected(tally: Tally, method: Method = "ig", k: int = 1000, **options: Any) -> Tally:
    """Return the tally of the :func:`top_terms` alone. To select by a threshold, mask by it.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> selected(tally, k=2)
    <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
    >>> selected(tally, k=2) == tally.mask(scores(tally) > 0.1)
    True
    """
    return tally.mask(top_terms(tally, method, k, **options))


def _at_least_the_best(ids: NDArray[np.intp], found: Floats, k: int) -> NDArray[np.intp]:
    """Leave out what cannot be among the best k, before sorting."""
    if len(ids) <= k:
        return ids
    bound = np.partition(found[ids], len(ids) - k)[len(ids) - k]
    near: NDArray[np.intp] = ids[found[ids] >= bound]
    return near


def _rounded(found: Floats) -> Floats:
    largest = np.abs(found, where=np.isfinite(found), out=np.zeros_like(found)).max(initial=0.0)
    return np.round(found / (largest * _STEP)) if largest else found
