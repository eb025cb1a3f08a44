"""Where documents lie: which are typical of many, and which are far from those with labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.smoothing.base import Numbers

_COMPARED_WITH = 1_000
_NEAREST = 10
_AT_ONCE = 8_192


class Places:
    """Documents as directions in a latent space.

    Parameters
    ----------
    latent : ndarray of shape (n_documents, n_components)
    seed : int
        Each document is compared with a thousand others, drawn at random.

    Attributes
    ----------
    typicality : ndarray of shape (n_documents,)
        The mean cosine between a document and the ten nearest of these.
    nearness : ndarray of shape (n_documents,)
        The largest cosine between a document and one that was taken; 0 before any is.

    Examples
    --------
    >>> places = Places(np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0]]))
    >>> places.take(0)
    >>> places.nearness.round(3).tolist()
    [1.0, 0.999, 0.0]
    """

    def __init__(self, latent: Numbers, seed: int = 0) -> None:
        lengths = np.linalg.norm(latent, axis=1, keepdims=True)
        self._unit = (latent / np.maximum(lengths, 1e-12)).astype(np.float32)
        self.typicality = self._typicality(np.random.default_rng(seed))
        self.nearness: Numbers = np.zeros(len(latent))

    def take(self, row: int) -> None:
        """Take a document for one with a label."""
        cosine = np.maximum(self._unit @ self._unit[row], 0.0)
        self.nearness = np.maximum(self.nearness, cosine.astype(np.float64))

    def forget_all(self, rows: NDArray[Any]) -> None:
        """Begin anew with these documents taken."""
        self.nearness = np.zeros(len(self._unit))
        for row in rows:
            self.take(int(row))

    def _typicality(self, chance: np.random.Generator) -> Numbers:
        n = len(self._unit)
        others = chance.choice(n, min(_COMPARED_WITH, n), replace=False)
        near = min(_NEAREST, len(others))
        found = np.zeros(n)
        for start in range(0, n, _AT_ONCE):
            cosines = self._unit[start : start + _AT_ONCE] @ self._unit[others].T
            nearest = np.partition(cosines, len(others) - near, axis=1)[:, -near:]
            found[start : start + _AT_ONCE] = nearest.mean(axis=1)
        return np.maximum(found, 0.0)
