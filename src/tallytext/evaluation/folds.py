"""Folds of documents for cross-validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import LabelError


def stratified_folds(truth: NDArray[np.bool_], n_folds: int, random_state: int) -> NDArray[np.intp]:
    """Deal documents into folds so that each class is spread over as many as it can be.

    Classes are dealt from the rarest to the most frequent, each to the folds that have fewest of
    its documents; documents without a label come last.

    Parameters
    ----------
    truth : ndarray of bool of shape (n_documents, n_classes)
    n_folds : int
    random_state : int

    Returns
    -------
    ndarray of int of shape (n_documents,)
        The fold of each document.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    >>> folds = stratified_folds(truth, 2, 0)
    >>> [truth[folds == fold].sum(axis=0).tolist() for fold in (0, 1)]
    [[1, 1], [1, 1]]
    """
    if not 2 <= n_folds <= len(truth):
        raise LabelError(f"{len(truth)} documents cannot be dealt into {n_folds} folds.")
    order = np.random.default_rng(random_state).permutation(len(truth))
    folds = np.full(len(truth), -1, dtype=np.intp)
    rarest_first = truth.T[np.argsort(truth.sum(axis=0), kind="stable")]
    for members in (*rarest_first, np.ones(len(truth), dtype=bool)):
        left = order[members[order] & (folds[order] < 0)]
        own, sizes = (_sizes(folds[who & (folds >= 0)], n_folds) for who in (members, True))
        folds[left] = _fewest_first(own, sizes, len(left))
    return folds


def _sizes(folds: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    return np.bincount(folds, minlength=n_folds)


def _fewest_first(own: NDArray[np.intp], sizes: NDArray[np.intp], n_dealt: int) -> NDArray[np.intp]:
    """Return folds to deal to: always the one with fewest of the class, then fewest in all."""
    found = np.empty(n_dealt, dtype=np.intp)
    for at in range(n_dealt):
        fold = int(np.lexsort((sizes, own))[0])
        own[fold] += 1
        sizes[fold] += 1
        found[at] = fold
    return found
