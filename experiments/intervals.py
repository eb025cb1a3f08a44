"""How far the mean of a few samples may be off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def mean_and_error(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float | None]:
    """Return the mean, and how far it may be off: 95 %, by Student's t; None for one sample."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None
    return mean, float(stats.sem(values) * stats.t.ppf(0.975, len(values) - 1))
