"""Folds of documents with several labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stratified_folds(truth: NDArray[np.bool_], n_folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each document, such that each class is in as many folds as it can be.

    Documents of the rarest class are dealt first, those without a class last.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 1], [0, 0]], dtype=bool)
    >>> folds = stratified_folds(truth, 2, 0)
    >>> [truth[folds == fold].sum(axis=0).tolist() for fold in (0, 1)]
    [[1, 2], [1, 2]]
    """
    order = np.random.default_rng(seed).permutation(len(truth))
    rarity = np.where(truth, truth.sum(axis=0), len(truth) + 1)
    rarest = rarity.argmin(axis=1) if truth.shape[1] else np.zeros(len(truth), dtype=np.intp)
    rank = rarity.min(axis=1, initial=len(truth) + 1)
    folds = np.full(len(truth), -1)
    dealt, sizes = np.zeros((n_folds, truth.shape[1] + 1), dtype=int), np.zeros(n_folds, dtype=int)
    for row in order[np.argsort(rank[order], kind="stable")]:
        own = dealt[:, rarest[row]] if truth[row].any() else sizes
        fold = int(np.lexsort((sizes, own))[0])
        folds[row] = fold
        dealt[fold, :-1] += truth[row]
        sizes[fold] += 1
    return folds
