"""Which document to ask for next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray

_CANDIDATES = 1_000
# Cosines with so many documents are in memory at once.
_BLOCK = 1_000
# With so many labels, half of what the model says of its sureness is believed.
_HALF_BELIEVED = 10


@dataclass(frozen=True)
class Asking:
    r"""The document that stands for most of those which the model is unsure of.

    Of a thousand candidates :math:`e`, drawn anew for every question, the one is asked for that
    brings most of them nearer to a label:

    .. math:: \sum_e u_e \max\left(0, \cos(d, e) - k_e\right)

    where :math:`k_e` is the largest cosine between e and a document with a label, and
    :math:`u_e = 1 - \frac{m}{m + 10} l_e` how unsure the model of m labels is of e: :math:`l_e` is
    the lead of its best class over the second best. So outliers are not asked for, nor are
    neighbours of what is known; and the first few labels spread over all documents, because a
    model of few labels does not know what it does not know.

    Parameters
    ----------
    latent : ndarray of shape (n_documents, n_components)
        Documents in a latent space.
    seed : int, default=0

    Examples
    --------
    >>> asking = Asking(np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 2.0], [0.1, 2.1]]))
    >>> everything = np.arange(5)
    >>> asking.best(everything, None, [])
    3
    >>> asking.best(everything, None, [3]) in (0, 1)
    True
    """

    latent: FloatArray
    seed: int = 0

    def candidates(self, taken: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return at most a thousand documents that are not taken, in order.

        Which they are depends on how many are taken, and on nothing else that came before.
        """
        free = np.flatnonzero(~taken)
        if len(free) <= _CANDIDATES:
            return free
        chance = np.random.default_rng([self.seed, int(taken.sum())])
        return np.sort(chance.choice(free, _CANDIDATES, replace=False))

    def best(
        self,
        candidates: NDArray[np.intp],
        leads: FloatArray | None,
        labelled: NDArray[np.intp] | list[int],
    ) -> int:
        """Return the document to ask for.

        Parameters
        ----------
        candidates : ndarray of int
        leads : ndarray of shape (n_candidates,) or None
            How far the best class of each leads over the second best; None without a model.
        labelled : ndarray or list of int
            Documents with labels.
        """
        some = self._directions(candidates)
        nearer = np.maximum(some @ some.T - self._nearness(some, labelled), 0.0)
        n = len(labelled)
        unsure = 1.0 if leads is None else 1.0 - n / (n + _HALF_BELIEVED) * leads
        return int(candidates[np.argmax((nearer * unsure).sum(axis=1))])

    def _nearness(self, some: FloatArray, labelled: NDArray[np.intp] | list[int]) -> FloatArray:
        """Return the largest cosine of each with a document that has a label; 0 at least."""
        near = np.zeros(len(some))
        for start in range(0, len(labelled), _BLOCK):
            known = self._directions(labelled[start : start + _BLOCK])
            np.maximum(near, (some @ known.T).max(axis=1), out=near)
        return near

    def _directions(self, rows: NDArray[np.intp] | list[int]) -> FloatArray:
        some = np.asarray(self.latent[np.asarray(rows, dtype=np.intp)], dtype=np.float64)
        return some / np.maximum(np.linalg.norm(some, axis=1, keepdims=True), 1e-12)


def leads_of(shares: FloatArray) -> FloatArray:
    """Return how far the best class of each document leads over the second best.

    Examples
    --------
    >>> leads_of(np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0]])).round(3)
    array([0. , 0.8, 1. ])
    """
    if shares.shape[1] < 2:
        return np.ones(len(shares))
    two = np.partition(shares, shares.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])
