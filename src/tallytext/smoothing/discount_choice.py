"""Which discount: from how many events were seen once, twice and more often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from scipy.optimize import brentq

_LEAST, _MOST = 0.01, 0.99


def closed_form_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return :math:`n_1 / (n_1 + 2 n_2)`, the upper bound of the leaving-one-out discount.

    Examples
    --------
    >>> round(closed_form_discount({1: 4, 2: 1, 3: 1}), 6)
    0.666667
    """
    once, twice = max(counts_of_counts.get(1, 0), 1), max(counts_of_counts.get(2, 0), 1)
    return float(np.clip(once / (once + 2 * twice), _LEAST, _MOST))


def leave_one_out_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return the b that maximises the likelihood of tokens left out one at a time.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r\, n_r \log(r - 1 - b), \qquad 0 < b < 1

    F is concave; the result is the root of its derivative, kept between 0.01 and 0.99.

    Examples
    --------
    >>> round(leave_one_out_discount({1: 4, 2: 1, 3: 1}), 6)
    0.580889
    """
    once = max(counts_of_counts.get(1, 0), 1)
    more = {r: n for r, n in counts_of_counts.items() if r >= 2 and n > 0} or {2: 1}
    if 2 not in more:
        more[2] = 1
    r = np.array(list(more), dtype=np.float64)
    weight = r * np.array(list(more.values()), dtype=np.float64)

    def slope(b: float) -> float:
        return once / b - float((weight / (r - 1 - b)).sum())

    return float(np.clip(brentq(slope, 1e-12, 1 - 1e-12, xtol=1e-14), _LEAST, _MOST))


def interpolated_discount(once: float, events: Iterable[tuple[float, float]]) -> float:
    r"""Return the b that maximises the interpolated model's likelihood of left-out tokens.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r \log(r - 1 - b (1 - q)), \qquad
              q_{cw} = K_c\, \beta(w)

    F is concave, its maximum never below that of :func:`leave_one_out_discount`, possibly above
    one, and infinite when every q is at least one. Not for choosing b on small data: the
    background still holds the token that is left out, so that ever more smoothing looks better.

    Parameters
    ----------
    once : float
        :math:`n_1`, how many events were seen once.
    events : iterable of (r, q)
        Each event that was seen r > 1 times, and its q.

    Examples
    --------
    >>> round(interpolated_discount(4, [(2, 0.0), (3, 0.0)]), 6)
    0.580889
    >>> round(interpolated_discount(4, [(2, 0.2), (3, 0.5)]), 6)
    0.776297
    """
    pairs = np.array(list(events), dtype=np.float64).reshape(-1, 2)
    r, pull = pairs[:, 0], 1 - pairs[:, 1]
    if not (pull > 0).any():
        return float("inf")
    most = float(((r - 1)[pull > 0] / pull[pull > 0]).min())

    def slope(b: float) -> float:
        return once / b - float((r * pull / (r - 1 - b * pull)).sum())

    return float(brentq(slope, 1e-12 * most, (1 - 1e-12) * most, xtol=1e-14))
