"""How likely each class is before a document is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError
from tallytext.labels import unknown_class
from tallytext.smoothing.base import Numbers

Prior: TypeAlias = Literal["ml", "smoothed", "uniform"] | Mapping[Any, float] | ArrayLike


def class_priors(prior: Prior, beta: float, documents: Numbers, classes: NDArray[Any]) -> Numbers:
    r"""Return p(c) for each class.

    ==============  =================================================
    prior           p(c)
    ==============  =================================================
    ``"ml"``        :math:`N_c / \sum_c N_c`
    ``"smoothed"``  :math:`(N_c + \beta) / (\sum_c N_c + C \beta)`
    ``"uniform"``   :math:`1 / C`
    ==============  =================================================

    or what is given, as numbers in the order of ``classes`` or by label.

    Examples
    --------
    >>> class_priors("smoothed", 1.0, np.array([2.0, 1.0]), np.array(["X", "Y"]))
    array([0.6, 0.4])
    """
    n_classes = len(documents)
    if isinstance(prior, Mapping):
        return _by_label(prior, classes)
    if not isinstance(prior, str):
        return _given(np.asarray(prior, dtype=np.float64), n_classes)
    if prior == "uniform":
        return np.full(n_classes, 1.0 / max(n_classes, 1))
    if prior not in ("ml", "smoothed"):
        raise ValueError(f"prior must be 'ml', 'smoothed', 'uniform' or numbers, not {prior!r}.")
    counts = documents + (beta if prior == "smoothed" else 0.0)
    return counts / max(counts.sum(), np.finfo(np.float64).tiny)


def weighted_priors(priors: Numbers, class_weight: Any, classes: NDArray[Any]) -> Numbers:
    """Multiply each prior by the weight of its class; ``"balanced"`` makes all equal."""
    if class_weight is None:
        return priors
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be 'balanced' or a dict, not {class_weight!r}.")
        return np.full(len(priors), 1.0 / max(len(priors), 1))
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("a class_weight is negative, infinite or not a number.")
    weighed = priors * weights
    return weighed / weighed.sum()


def log_priors(priors: Numbers, contrast: bool) -> Numbers:
    """Return the logarithms of priors, or of the odds of each class against all others."""
    with np.errstate(divide="ignore"):
        logs = np.log(priors)
        # A class that every document has still meets a document without it some day.
        return logs - np.log(np.maximum(1 - priors, 1e-12)) if contrast else logs


def _given(priors: Numbers, n_classes: int) -> Numbers:
    if priors.shape != (n_classes,):
        raise LabelError(f"{n_classes} classes, but priors of shape {priors.shape}.")
    if not (np.isfinite(priors) & (priors >= 0)).all() or not np.isclose(priors.sum(), 1):
        raise ValueError(f"priors must be from 0 to 1 and sum to one, not {priors.tolist()}.")
    return priors


def _by_label(prior: Mapping[Any, float], classes: NDArray[Any]) -> Numbers:
    labels = classes.tolist()
    for label in labels:
        if label not in prior:
            raise unknown_class(label, prior)
    return _given(np.array([prior[label] for label in labels], dtype=np.float64), len(labels))
