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
    classes, documents = left.reading.order.classes, left.class_documents
    announced = [label in model.ordering_.announced for label in classes.tolist()]
    alive = (documents > 0) | np.array(announced, dtype=bool)
    rows: dict[Any, Numbers] = {}
    intercept = np.empty_like(documents)
    for at, kind in enumerate(_kinds(left)):
        if kind not in rows:
            n_documents = float(left.n_documents[at])
            rows[kind] = _row(model, documents[at], n_documents, alive[at], classes)
        intercept[at] = rows[kind]
    return intercept


def _kinds(left: LeftOut) -> list[Any]:
    """Return what tells documents apart: their labels and their weight."""
    training = left.training
    labels = np.split(training.labels, training.label_starts[1:-1])
    weights = [1.0] * len(labels) if training.weights is None else training.weights.tolist()
    return [(tuple(own.tolist()), weight) for own, weight in zip(labels, weights, strict=True)]


def _row(
    model: NaiveBayes,
    documents: Numbers,
    n_documents: float,
    alive: NDArray[np.bool_],
    classes: NDArray[Any],
) -> Numbers:
    several, prior = model.multi_label_, model.prior
    if isinstance(prior, str | Mapping):
        whole = n_documents if several else None
        priors = class_priors(prior, model.prior_beta, documents[alive], classes[alive], whole)
    else:
        # Numbers in the order of all classes stay as they are.
        priors = np.asarray(prior, dtype=np.float64)[alive]
    weighed = weighted_priors(priors, model.class_weight, classes[alive], several)
    row = np.full(len(classes), -np.inf)
    row[alive] = log_priors(weighed, model._contrasts)
    return row
