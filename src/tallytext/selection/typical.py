"""Which terms are typical of a class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.special import xlogy

from tallytext.tally import Tally


def typical_terms(tally: Tally, classes: Iterable[int], top: int) -> Iterator[list[str]]:
    """Yield the terms most typical of each of these classes, by :func:`signed_g2`."""
    occurrences = csc_array(tally.occurrences)
    for c in classes:
        cells = slice(occurrences.indptr[c], occurrences.indptr[c + 1])
        ids = occurrences.indices[cells]
        scores = signed_g2(
            occurrences.data[cells],
            int(tally.class_tokens[c]),
            tally.term_occurrences[ids],
            int(tally.n_tokens),
        )
        best = np.argsort(-scores, kind="stable")[:top]
        yield [str(term) for term in tally.vocabulary.terms(ids[best])]


def signed_g2(
    inside: NDArray[Any], class_tokens: int, everywhere: NDArray[Any], tokens: int
) -> NDArray[np.float64]:
    r"""Compare how often terms occur inside a class and outside of it.

    The log-likelihood ratio of two binomials against one, negative for a term that is rarer
    inside than outside:

    .. math:: G^2 = 2 \sum_{i} O_i \log \frac{O_i}{E_i}

    over the four cells of term or other term, inside or outside. Unlike a ratio of frequencies it
    does not prefer terms that were seen once.

    Parameters
    ----------
    inside : ndarray
        Occurrences of each term inside the class.
    class_tokens : int
        Occurrences of all terms inside the class.
    everywhere : ndarray
        Occurrences of each term in all classes together.
    tokens : int
        Occurrences of all terms in all classes together.

    Returns
    -------
    ndarray of float
        The score of each term.

    Examples
    --------
    >>> signed_g2(np.array([10, 5, 0]), 50, np.array([10, 10, 10]), 100).round(1)
    array([ 15.,   0., -15.])
    """
    a = np.asarray(inside, dtype=np.float64)
    b = np.asarray(everywhere, dtype=np.float64) - a
    observed = np.stack([a, b, class_tokens - a, tokens - class_tokens - b])
    term = observed[0] + observed[1]
    expected = np.stack(
        [
            term * class_tokens,
            term * (tokens - class_tokens),
            (tokens - term) * class_tokens,
            (tokens - term) * (tokens - class_tokens),
        ]
    ) / max(tokens, 1)
    ratio = np.divide(observed, expected, out=np.ones_like(observed), where=expected > 0)
    g2 = 2 * xlogy(observed, ratio).sum(axis=0)
    return np.asarray(np.where(observed[0] >= expected[0], g2, -g2))
