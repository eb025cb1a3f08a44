"""Fractional planes whose sums would leave 64 bits are left out, and the rest goes on.

Sums of planes are kept in units of :math:`2^{-32}`, so that they end at :math:`2^{31}`: a plane
that adds one for each token is full after two thousand million tokens, where plain counts have
hardly begun. Nothing that is added is negative, so that whether a plane is full in the end does not
depend on the order of adding.
"""

from __future__ import annotations

from tallytext.planes import Plane
from tallytext.tally.tally import Tally

FULL = 2.0**31 * (1 - 2.0**-30)
"""Where the sum of a plane ends, as far as sums of floats can tell."""


def added(one: Tally, other: Tally) -> Tally:
    """Return the sum of two tallies, of the planes that both have and that have room for it.

    Parameters
    ----------
    one : Tally
        May become the sum itself.
    other : Tally
        Is left as it is.

    Examples
    --------
    >>> half = Tally(planes=[Plane()]).learn({"sea": 2**30}, "x")
    >>> added(half.copy(), half).planes, added(half.copy(), half).n_tokens
    ((), 2147483648)
    """
    planes = [each for each in one.planes if each in other.planes and _fits(each, one, other)]
    mine, theirs = (_only(each, planes) for each in (one, other))
    mine += theirs
    return mine


def _only(tally: Tally, planes: list[Plane]) -> Tally:
    return tally if list(tally.planes) == planes else tally.keep_planes(planes)


def _fits(plane: Plane, one: Tally, other: Tally) -> bool:
    totals = [tally.plane_totals(plane) for tally in (one, other)]
    sums = sum(each.total for each in totals), sum(each.scale for each in totals)
    return max(sums) < FULL
