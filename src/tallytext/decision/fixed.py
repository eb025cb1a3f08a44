"""Arrays that cannot be written to, for what is fitted once and then shared."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError


def fixed(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return one number per class as an array of its own that refuses to be changed.

    Examples
    --------
    >>> fixed([0.5, 0.25], "thresholds").flags.writeable
    False
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise ScoreError(f"{name} must be one number per class, not {values!r:.80}.")
    array.setflags(write=False)
    return array


def expect_classes(n_known: int, n_scored: int, name: str) -> None:
    """Refuse scores of more or fewer classes than a rule knows."""
    if n_known != n_scored:
        raise ScoreError(
            f"{name} knows {n_known} classes, but there are scores of {n_scored}. "
            "Has a class been added since it was fitted?"
        )
