"""How far the mean of a few samples may be off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def interval(values: Sequence[float], digits: int) -> str:
    """Return the mean and how far it may be off, as text; nothing for no samples.

    Examples
    --------
    >>> interval([0.5, 0.7, 0.6], 2), interval([0.5], 1), interval([], 1)
    ('0.60 ± 0.25', '0.5', '')
    """
    if not values:
        return ""
    mean, error = mean_and_error(values)
    return f"{mean:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def mean_and_error(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float | None]:
    """Return the mean, and how far it may be off: 95 %, by Student's t; None for one sample."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None
    return mean, float(stats.sem(values) * stats.t.ppf(0.975, len(values) - 1))
