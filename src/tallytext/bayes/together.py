"""Several models on one count of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallytext.bayes.learning import expect_documents
from tallytext.bayes.matrices import unit_of, vocabulary_for
from tallytext.bayes.model import NaiveBayes
from tallytext.labels import sort_labels
from tallytext.matrices import checked_matrix
from tallytext.planes import Plane
from tallytext.tally import Tally
from tallytext.targets import targets_of


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
    if not models:
        raise ValueError("there is no model to fit: models is empty.")
    first = models[0]
    X = checked_matrix(first, X, reset=True, open_width=False)
    X, targets, weights = first._weighed(X, targets_of(y), sample_weight)
    expect_documents(X)
    unit, weighted = unit_of(X), weights is not None
    for model in models:
        model._settle(targets.several)
    columns = [column for model in models for column in model._columns(unit, weighted)]
    planes = [column for column in columns if isinstance(column, Plane)]
    tally = Tally(vocabulary_for(first), planes=planes)
    tally.number_labels(sort_labels(targets.distinct))
    for model in models:
        model._start(tally, unit, weighted, open_=False)
        model._announce(range(targets.columns or 0))
        _take_columns(model, first)
    first._learn(X, targets, weights, +1)
    for model in models:
        model._choose(X, targets, weights)
    return models


def _take_columns(model: NaiveBayes, first: NaiveBayes) -> None:
    """Give a model the columns that the first has seen, in the place of any from before."""
    model.n_features_in_ = first.n_features_in_
    if hasattr(first, "feature_names_in_"):
        model.feature_names_in_ = first.feature_names_in_
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
