"""Several models on one count of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallytext.bayes.class_order import sort_labels
from tallytext.bayes.matrices import checked_matrix, unit_of, vocabulary_for
from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.targets import targets_of
from tallytext.planes import Plane
from tallytext.tally import Tally


def fit_together(
    models: Sequence[NaiveBayes], X: Any, y: Any, sample_weight: Any = None
) -> Sequence[NaiveBayes]:
    """Fit models that differ in their parameters, counting each document once for all of them.

    They share one tally with all the planes that any of them reads, so that what one of them
    learns later all will know.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> plain, contrast = MultinomialNB(), MultinomialNB(tf="log", complement=True)
    >>> _ = fit_together([plain, contrast], [[2, 0], [0, 1]], ["sea", "sky"])
    >>> plain.tally_ is contrast.tally_, contrast.predict([[1, 0]])
    (True, array(['sea'], dtype='<U3'))
    """
    first, weighted = models[0], sample_weight is not None
    X = checked_matrix(first, X, reset=True, open_width=False)
    X, targets, weights = first._weighed(X, targets_of(y), sample_weight)
    unit = unit_of(X)
    for model in models:
        model._settle(targets.several)
    columns = [column for model in models for column in model._columns(unit, weighted)]
    planes = [column for column in columns if isinstance(column, Plane)]
    tally = Tally(vocabulary_for(first), planes=planes)
    tally.number_labels(sort_labels(targets.distinct))
    for model in models:
        model._start(tally, unit, weighted, open_=False)
        model._announce(range(targets.columns or 0))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(model, name, getattr(first, name))
    first._learn(X, targets, weights, +1)
    for model in models:
        model._choose(X, targets, weights)
    return models
