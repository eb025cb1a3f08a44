"""How likely each class is without a document: one row of priors for each document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.priors import Prior, class_priors, log_priors, weighted_priors
from tallytext.smoothing.base import Numbers


def left_priors(
    prior: Prior,
    beta: float,
    documents: Numbers,
    alive: NDArray[np.bool_],
    classes: NDArray[Any],
) -> Numbers:
    """Return p(c) of the classes that are left; those given as numbers stay as they are.

    Examples
    --------
    >>> left_priors("ml", 1.0, np.array([[3.0, 1.0]]), np.array([[True, True]]), np.arange(2))
    array([[0.75, 0.25]])
    """
    if isinstance(prior, Mapping) or not isinstance(prior, str):
        return np.tile(class_priors(prior, beta, documents[0], classes), (len(documents), 1))
    counts = np.ones_like(documents) if prior == "uniform" else documents
    counts = counts + (beta if prior == "smoothed" else 0.0)
    return _shares(np.where(alive, counts, 0.0))


def left_shares(beta: float, documents: Numbers, n_documents: Numbers) -> Numbers:
    """Return the share of the documents left that have each class; they need not sum to one."""
    below = np.maximum(n_documents + 2 * beta, np.finfo(np.float64).tiny)
    return (documents + beta) / below[:, None]


def left_intercept(
    priors: Numbers,
    alive: NDArray[np.bool_],
    class_weight: Any,
    classes: NDArray[Any],
    contrast: bool,
) -> Numbers:
    """Return the logarithms of weighed priors, minus infinity for a class that is gone."""
    weighed = priors
    if isinstance(class_weight, str):
        weighed = weighted_priors(priors[0], class_weight, classes) * np.ones_like(priors)
        weighed = _shares(np.where(alive, weighed, 0.0))
    elif class_weight is not None:
        weights = weighted_priors(np.ones(len(classes)), class_weight, classes)
        weighed = _shares(np.where(alive, priors * weights, 0.0))
    return np.where(alive, log_priors(weighed, contrast), -np.inf)


def _shares(counts: Numbers) -> Numbers:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
