"""Leave-one-out the slow way: forget the document, score it, for one document after the other."""

import copy

import numpy as np

from tallytext import MultinomialNB
from tallytext.models.smoothing.base import (
    ClassWeighting,
    class_contrast_weights,
    contrast_weights,
    joint_weights,
    term_emphasis,
)


def leave_one_out(model, X, y, sample_weight=None):
    """Return scores and lengths; those of a document that leaves nothing behind are nan."""
    scores = np.full((len(y), len(model.classes_)), np.nan)
    lengths = np.full(len(y), np.nan)
    for at in range(len(y)):
        weight = None if sample_weight is None else sample_weight[at : at + 1]
        rest = copy.deepcopy(model).forget(X[at : at + 1], y[at : at + 1], sample_weight=weight)
        kept = np.isin(model.classes_, rest.classes_)
        if rest.tally_.classes:
            scores[at] = -np.inf
            scores[at, kept], lengths[at] = _scores(model, rest, X[at : at + 1], kept)
    return scores, lengths


def _scores(model, rest, document, kept):
    if not isinstance(model, MultinomialNB):
        documents = rest._documents(document)
        scores, lengths = rest._score(documents, rest._weights_for(documents))
        return scores[0], lengths[0]
    class_counts = rest._reader().read()
    documents = rest._documents(document)
    weights = _held_weights(model, rest, class_counts, kept)
    with np.errstate(over="ignore", invalid="ignore"):
        scores, lengths = weights.scores(documents, 1)
    if not (scores > -np.inf).any():
        scores[0] = weights.intercept
    return rest._add_length_scores(scores, documents, class_counts)[0], lengths[0]


def _held_weights(model, rest, class_counts, kept):
    full = model._reader().read()
    counts = model.word_counts(full)
    rest.smoothing = counts.smoothing
    if rest.normalize is not None:
        rest.norm_length = counts.scale
    left, intercept = rest.word_counts(class_counts), rest._log_priors(class_counts)
    if model.weight_by_class:
        held = _HeldWeighting(ClassWeighting(full, model.weighting, model.weight_power), kept)
        return class_contrast_weights(left, intercept, held, model.complement == "only")
    emphasis = term_emphasis(full, model.weighting, model.weight_power)
    if model.contrasts:
        return contrast_weights(left, intercept, emphasis, model.complement == "only")
    return joint_weights(left, intercept, emphasis)


class _HeldWeighting:
    def __init__(self, full, kept):
        self.full, self.kept = full, kept

    def rows(self, first, last):
        return self.full.rows(first, last)[:, self.kept]

    def scale(self):
        return self.full.scale()[self.kept]
