"""How far chance may have moved a share."""

from __future__ import annotations

from math import sqrt

_DEVIATIONS = 1.959963984540054  # of a normal distribution: 95 % lie within


def wilson_interval(
    right: float, asked: float, quantile: float = _DEVIATIONS
) -> tuple[float, float]:
    r"""Return between which shares the true one lies, in 95 of 100 cases.

    .. math:: \frac{p + \frac{q^2}{2 n} \pm q \sqrt{\frac{p (1 - p)}{n} + \frac{q^2}{4 n^2}}}
              {1 + \frac{q^2}{n}}

    where :math:`p` is the share of right ones and :math:`n` how many were asked. Unlike the plain
    interval it stays within 0 and 1, and is of use from a few on.

    Parameters
    ----------
    right, asked : float
        How many were right, and of how many.
    quantile : float, default=1.96
        q, in standard deviations; another one for another certainty.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(8, 10)]
    [0.49, 0.943]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not asked:
        return 0.0, 1.0
    share, more = right / asked, quantile**2 / asked
    middle = share + more / 2
    reach = quantile * sqrt(share * (1 - share) / asked + more / (4 * asked))
    low, high = ((middle + side * reach) / (1 + more) for side in (-1, 1))
    # Rounding must not put the share itself outside.
    return max(min(low, share), 0.0), min(max(high, share), 1.0)
