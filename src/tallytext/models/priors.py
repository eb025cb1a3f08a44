"""How likely each class is before a document is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._typing import FloatArray
from tallytext.errors import LabelError, did_you_mean

Prior: TypeAlias = Literal["ml", "smoothed", "uniform"] | Mapping[Any, float] | ArrayLike

_NAMES = ("ml", "smoothed", "uniform")


def class_priors(
    prior: Prior,
    beta: float,
    documents: FloatArray,
    classes: NDArray[Any],
    n_documents: float | None = None,
) -> FloatArray:
    r"""Return p(c) for each class.

    ==============  =================================================
    prior           p(c)
    ==============  =================================================
    ``"ml"``        :math:`N_c / \sum_c N_c`
    ``"smoothed"``  :math:`(N_c + \beta) / (\sum_c N_c + C \beta)`
    ``"uniform"``   :math:`1 / C`
    ==============  =================================================

    or what is given, as numbers in the order of ``classes`` or by label: the classes that are there
    share what those that are not would have had. For documents with several
    labels or none their number is given, too: shares of all documents,
    :math:`(N_c + \beta) / (N + 2 \beta)`, need not sum to one.

    Examples
    --------
    >>> class_priors("smoothed", 1.0, np.array([2.0, 1.0]), np.array(["X", "Y"]))
    array([0.6, 0.4])
    """
    n_classes = len(documents)
    if isinstance(prior, Mapping):
        return _by_label(prior, classes, n_documents is None)
    if not isinstance(prior, str):
        return _given(np.asarray(prior, dtype=np.float64), n_classes, n_documents is None)
    if prior == "uniform":
        return np.full(n_classes, 1.0 / max(n_classes, 1))
    check_prior(prior)
    beta = beta if prior == "smoothed" else 0.0
    counts = documents + beta
    below = float(counts.sum()) if n_documents is None else n_documents + 2 * beta
    return counts / max(below, float(np.finfo(np.float64).tiny))


def check_prior(prior: Prior) -> None:
    """Refuse a name that is no prior."""
    if isinstance(prior, str) and prior not in _NAMES:
        raise ValueError(f"prior must be one of {_NAMES}, a mapping or numbers, not {prior!r}.")


def weighted_priors(
    priors: FloatArray, class_weight: Any, classes: NDArray[Any], multi_label: bool = False
) -> FloatArray:
    """Multiply each prior by the weight of its class; ``"balanced"`` makes all equal.

    Where documents may have several labels, it is the odds of each class that are multiplied, and
    balanced ones are even.
    """
    if class_weight is None:
        return priors
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be 'balanced' or a dict, not {class_weight!r}.")
        return np.full(len(priors), 0.5 if multi_label else 1.0 / max(len(priors), 1))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be 'balanced' or a dict, not {class_weight!r:.80}.")
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("a class_weight is negative, infinite or not a number.")
    weighed = priors * weights
    below = weighed + (1 - priors) if multi_label else weighed.sum()
    if not np.all(below > 0):
        raise ValueError("class_weight leaves no class with a prior above zero.")
    return weighed / below


def log_priors(priors: FloatArray, contrast: bool) -> FloatArray:
    """Return the logarithms of priors, or of the odds of each class against all others."""
    with np.errstate(divide="ignore"):
        logs = np.log(priors)
        # A class that every document has still meets a document without it some day.
        return logs - np.log(np.maximum(1 - priors, 1e-12)) if contrast else logs


def _given(priors: FloatArray, n_classes: int, sum_to_one: bool) -> FloatArray:
    if priors.shape != (n_classes,):
        raise LabelError(f"{n_classes} classes, but priors of shape {priors.shape}.")
    if not ((priors >= 0) & (priors <= 1)).all():
        raise ValueError(f"priors must be from 0 to 1, not {priors.tolist()}.")
    if sum_to_one and not np.isclose(priors.sum(), 1):
        raise ValueError(f"priors must sum to one, not to {priors.sum():g}.")
    return priors


def _by_label(prior: Mapping[Any, float], classes: NDArray[Any], sum_to_one: bool) -> FloatArray:
    every = np.array(list(prior.values()), dtype=np.float64)
    labels = classes.tolist()
    for label in labels:
        if label not in prior:
            raise LabelError(f"prior has nothing for class {label!r}.{did_you_mean(label, prior)}")
    _given(every, len(prior), sum_to_one)
    here = np.array([prior[label] for label in labels], dtype=np.float64)
    # Some of them may have no document yet, or no more.
    return here / here.sum() if sum_to_one and here.sum() > 0 else here
