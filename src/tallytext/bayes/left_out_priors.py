"""How likely each class is without a document: one row of logarithms for each document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.priors import class_priors, log_priors, weighted_priors
from tallytext.smoothing.base import Numbers

if TYPE_CHECKING:
    from tallytext.bayes.model import NaiveBayes


def left_intercept(model: NaiveBayes, left: LeftOut) -> Numbers:
    """Return the logarithms of the priors without each document, minus infinity for classes gone.

    Documents of the same classes and weight leave the same behind, so it is found once for them.
    """
    classes, (documents, whole) = left.reading.order.classes, left.prior_documents
    announced = [label in model.ordering_.announced for label in classes.tolist()]
    alive = (left.labelled_documents > 0) | np.array(announced, dtype=bool)
    first, kind = _kinds(left)
    rows = [_row(model, documents[at], float(whole[at]), alive[at], classes) for at in first]
    return np.array(rows).reshape(-1, len(classes))[kind]


def _kinds(left: LeftOut) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first document of each kind, and the kind of each: same labels, same weight."""
    training = left.training
    if training.weights is None and (training.n_labels == 1).all():
        _, first, kind = np.unique(training.labels, return_index=True, return_inverse=True)
        return first, kind
    bounds = zip(training.label_starts[:-1], training.label_starts[1:], strict=True)
    labels = [training.labels[start:stop].tobytes() for start, stop in bounds]
    weights = [1.0] * left.n if training.weights is None else training.weights.tolist()
    firsts: dict[Any, int] = {}
    kinds = [firsts.setdefault(key, at) for at, key in enumerate(zip(labels, weights, strict=True))]
    first, kind = np.unique(kinds, return_inverse=True)
    return first, kind


def _row(
    model: NaiveBayes,
    documents: Numbers,
    n_documents: float,
    alive: NDArray[np.bool_],
    classes: NDArray[Any],
) -> Numbers:
    row = np.full(len(classes), -np.inf)
    if not alive.any():
        return row
    several, prior = model.multi_label_, model.prior
    if isinstance(prior, str | Mapping):
        whole = n_documents if several else None
        priors = class_priors(prior, model.prior_beta, documents[alive], classes[alive], whole)
    else:
        # Numbers in the order of all classes stay as they are.
        priors = np.asarray(prior, dtype=np.float64)[alive]
    weighed = weighted_priors(priors, model.class_weight, classes[alive], several)
    row[alive] = log_priors(weighed, model._contrasts)
    return row
