"""Documents left out a piece at a time: in bounded memory, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from tallytext.bayes.left_out import LeftOut
from tallytext.smoothing.base import Numbers

_MOST_THREADS = 4  # each has arrays of its own


class Leaving(Protocol):
    """Scores documents by models that have forgotten them."""

    @property
    def wide(self) -> bool:
        """Whether it needs room for a number per place and class."""
        ...

    def __call__(self, left: LeftOut, intercept: Numbers) -> tuple[Numbers, Numbers]:
        """Return the score of each document for each class, and its length."""
        ...


def in_pieces(
    judge: Callable[[LeftOut], tuple[Numbers, Numbers]], pieces: list[LeftOut], n_threads: int
) -> tuple[Numbers, Numbers]:
    """Return the scores and lengths of all documents."""
    n_threads = min(n_threads, _MOST_THREADS, len(pieces))
    if n_threads <= 1:
        found = list(map(judge, pieces))
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            found = list(pool.map(judge, pieces))
    scores, lengths = zip(*found, strict=True)
    return np.concatenate(scores), np.concatenate(lengths)
