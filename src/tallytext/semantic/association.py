r"""Association scores of two neighbouring words, from counts. Pure and vectorised.

All functions take :math:`n_{ab}`, the number of times that b follows a, and :math:`n_a` and
:math:`n_b`, the numbers of occurrences of a and b. All but ``gensim_score`` take :math:`N`, the
total number of words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pmi(n_ab: ArrayLike, n_a: ArrayLike, n_b: ArrayLike, n: ArrayLike) -> NDArray[np.float64]:
    r"""Return the pointwise mutual information of two words, in nats.

    .. math:: \mathrm{PMI} = \log \frac{p(ab)}{p(a)\,p(b)} = \log \frac{n_{ab} N}{n_a n_b}

    Parameters
    ----------
    n_ab, n_a, n_b, n : array-like
        Counts; they are broadcast against each other.

    Returns
    -------
    ndarray of float64
        :math:`-\infty` for words that never occur together.

    Examples
    --------
    >>> pmi([20, 1], [50, 500], [40, 400], 10_000).round(6)
    array([ 4.60517 , -2.995732])
    """
    together, first, second, total = _floats(n_ab, n_a, n_b, n)
    with np.errstate(divide="ignore"):
        return np.log((together / first) * (total / second))


def npmi(n_ab: ArrayLike, n_a: ArrayLike, n_b: ArrayLike, n: ArrayLike) -> NDArray[np.float64]:
    r"""Return the normalised pointwise mutual information of two words.

    .. math:: \mathrm{NPMI} = \frac{\mathrm{PMI}}{-\log p(ab)}

    It is 1 for words that only occur together, 0 for independent words, and -1 for words that
    never occur together.

    Parameters
    ----------
    n_ab, n_a, n_b, n : array-like
        Counts; they are broadcast against each other.

    Examples
    --------
    >>> npmi([20, 0], 50, 40, 10_000).round(6)
    array([ 0.741023, -1.      ])
    """
    together, total = _floats(n_ab, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        normalised = pmi(n_ab, n_a, n_b, n) / np.log(total / together)
    # 0 / 0 if there is no other pair, infinity / infinity if the pair never occurs.
    return np.where(together == 0, -1.0, np.where(together == total, 1.0, normalised))


def log_likelihood(
    n_ab: ArrayLike, n_a: ArrayLike, n_b: ArrayLike, n: ArrayLike
) -> NDArray[np.float64]:
    r"""Return Dunning's log-likelihood ratio of two words, with a sign.

    .. math:: G^2 = 2 \sum_{ij} k_{ij} \log \frac{k_{ij} N}{k_{i+} k_{+j}}

    over the contingency table of the first word (a or not) and the second (b or not):
    :math:`k_{11} = n_{ab}`, :math:`k_{12} = n_a - n_{ab}`, :math:`k_{21} = n_b - n_{ab}`, and
    :math:`k_{22}` so that the table sums to N. It is negative if the words occur together less
    often than by chance. Of independent pairs, one in a thousand exceeds 10.83.

    Parameters
    ----------
    n_ab, n_a, n_b, n : array-like
        Counts; they are broadcast against each other.

    Examples
    --------
    >>> log_likelihood([20, 1], [50, 500], [40, 400], 10_000).round(4)
    array([165.9119, -33.725 ])
    """
    together, first, second, total = _floats(n_ab, n_a, n_b, n)
    only_first, only_second = first - together, second - together
    # For a word that follows itself, the last cell of the table can be negative.
    rest = np.maximum(total - first - only_second, 0.0)
    n_all = first + only_second + rest
    ratio = 2 * (
        _n_log(together, together * n_all, first * second)
        + _n_log(only_first, only_first * n_all, first * (only_first + rest))
        + _n_log(only_second, only_second * n_all, (only_second + rest) * second)
        + _n_log(rest, rest * n_all, (only_second + rest) * (only_first + rest))
    )
    return np.where(together * n_all >= first * second, ratio, -ratio)


def gensim_score(
    n_ab: ArrayLike, n_a: ArrayLike, n_b: ArrayLike, n_vocabulary: ArrayLike, min_count: ArrayLike
) -> NDArray[np.float64]:
    r"""Return the score of two words that gensim's ``Phrases`` uses by default.

    .. math:: \frac{(n_{ab} - n_{\min})\, |V|}{n_a\, n_b}

    Parameters
    ----------
    n_ab, n_a, n_b : array-like
        Counts; they are broadcast against each other.
    n_vocabulary : array-like
        :math:`|V|`; in gensim, the number of distinct words plus that of distinct pairs.
    min_count : array-like
        :math:`n_{\min}`, the number of occurrences that is subtracted.

    Examples
    --------
    >>> gensim_score([20, 5], 50, 40, 2000, 5)
    array([15.,  0.])
    """
    together, first, second, size, least = _floats(n_ab, n_a, n_b, n_vocabulary, min_count)
    return (together - least) * size / (first * second)


def _n_log(
    n: NDArray[np.float64], above: NDArray[np.float64], below: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return n log(above / below), 0 where n is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 0, n * np.log(above / below), 0.0)


def _floats(*counts: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.asarray(count, dtype=np.float64) for count in counts)
