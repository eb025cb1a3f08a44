"""The best discount by a likelihood that has kinks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

_GRID = 40


def searched_discount(
    log_likelihood: Callable[[float], float], mean: float, most: float = 0.99
) -> float:
    """Return the b between 0.01 and ``most`` times ``mean`` that a likelihood is largest at.

    The likelihood has kinks where a count equals b, so it is first looked at on a logarithmic grid.

    Examples
    --------
    >>> round(searched_discount(lambda b: -abs(b - 0.25), 1.0), 4)
    0.25
    """
    grid = np.geomspace(0.01 * mean, most * mean, _GRID)
    values = np.array([log_likelihood(b) for b in grid])
    best = int(np.argmax(values))
    around = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(
        lambda b: -log_likelihood(b),
        bounds=around,
        method="bounded",
        options={"xatol": 1e-5 * mean},
    )
    better = -found.fun > values[best] + 1e-12 * abs(values[best])
    return float(found.x if better else grid[best])
