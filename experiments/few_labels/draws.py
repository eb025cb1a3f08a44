"""Which documents have labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_WORDS = 3
"""Different words of a document that is given a label: mails without quotes may have none."""


def drawn(labels: NDArray[Any], words: NDArray[Any], k: int, seed: int) -> NDArray[np.intp]:
    """Return k documents of each class, or all where there are fewer.

    A larger k with the same seed has the documents of a smaller one among its own.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,)
    words : ndarray of shape (n_documents,)
        Different words of each; those of fewer than three are not drawn.
    k : int
    seed : int
    """
    chance = np.random.default_rng([seed, 17])
    parts = []
    for label in np.unique(labels):
        members = np.flatnonzero((labels == label) & (words >= LEAST_WORDS))
        parts.append(chance.permutation(members)[:k])
    return np.concatenate(parts)
