"""Fitted models as plain scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, LabelBinarizer

from tallytext._typing import FloatArray
from tallytext.errors import ScoreError
from tallytext.models.scorer import Weights


def dense_weights(weights: Weights, n_terms: int) -> FloatArray:
    """Return what one count of each term adds, classes by terms; columns beyond add nothing."""
    n_known = min(n_terms, len(weights.mass))
    table = np.zeros((len(weights.intercept), n_terms))
    table[:, :n_known] = weights.rows(0, n_known).T
    if not np.isfinite(table).all():
        raise ScoreError(
            "a model whose words can have the probability zero has no scikit-learn counterpart: "
            "zero occurrences times minus infinity is not a number. Use a smoothing."
        )
    return table


def as_multinomial(table: FloatArray, intercept: FloatArray, like: Any) -> Any:
    """Return scikit-learn's multinomial model with these joint log-probabilities."""
    carrier = _fitted(MultinomialNB(), like)
    carrier.feature_log_prob_, carrier.class_log_prior_ = table, intercept
    carrier.classes_ = like.classes_
    return carrier


def as_bernoulli(table: FloatArray, intercept: FloatArray, like: Any) -> Any:
    r"""Return scikit-learn's Bernoulli model whose words have these logits.

    The prior is what is left of the intercept when all :math:`\log(1 - p)` are taken out, so that
    joint log-probabilities agree, too.
    """
    carrier = _fitted(BernoulliNB(binarize=0.0), like)
    carrier.feature_log_prob_ = -np.logaddexp(0.0, -table)
    absent = np.log(1 - np.exp(carrier.feature_log_prob_)).sum(axis=1)
    carrier.class_log_prior_ = intercept - absent
    carrier.classes_ = like.classes_
    return carrier


def as_one_vs_rest(table: FloatArray, intercept: FloatArray, like: Any, multi_label: bool) -> Any:
    """Return one logistic model for each class, with these log-odds against all others."""
    carrier = _fitted(OneVsRestClassifier(LogisticRegression()), like)
    carrier.classes_ = like.classes_
    carrier.label_binarizer_ = _binarizer(like.classes_, multi_label)
    carrier.estimators_ = [
        _logistic(weights, constant, like)
        for weights, constant in zip(table, intercept, strict=True)
    ]
    return carrier


def behind(tf: str, carrier: Any) -> Any:
    """Return the model behind a step that does to counts what ``tf_test`` says."""
    if tf == "raw":
        return carrier
    step = Binarizer() if tf == "binary" else FunctionTransformer(np.log1p, accept_sparse=True)
    made: Pipeline = make_pipeline(step, carrier)
    return made


def _logistic(weights: FloatArray, constant: float, like: Any) -> Any:
    carrier = _fitted(LogisticRegression(), like)
    carrier.coef_, carrier.intercept_ = weights[None], np.array([constant])
    carrier.classes_ = np.array([0, 1])
    return carrier


def _binarizer(classes: NDArray[Any], multi_label: bool) -> LabelBinarizer:
    binarizer = LabelBinarizer()
    binarizer.classes_, binarizer.sparse_input_ = classes, False
    # Two classes would otherwise share one model, but each has its own log-odds.
    binarizer.y_type_ = "multilabel-indicator" if multi_label else "multiclass"
    return binarizer


def _fitted(carrier: Any, like: Any) -> Any:
    carrier.n_features_in_ = like.n_features_in_
    if hasattr(like, "feature_names_in_"):
        carrier.feature_names_in_ = like.feature_names_in_
    return carrier
