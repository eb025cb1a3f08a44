"""Export fitted models as scikit-learn estimators that predict without tallytext.

The estimators are not trained: their fitted attributes are set to the weights of the model.
"""

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
from tallytext.models.base import Weights


def dense_weights(weights: Weights, n_terms: int) -> FloatArray:
    """Return the weight of one count of each term, classes by terms; zero for unknown terms."""
    n_known = min(n_terms, len(weights.mass))
    table = np.zeros((len(weights.intercept), n_terms))
    table[:, :n_known] = weights.rows(0, n_known).T
    if not np.isfinite(table).all():
        raise ScoreError(
            "a model with words of probability zero cannot be exported to scikit-learn: zero "
            "occurrences times minus infinity is not a number. Use a smoothing."
        )
    return table


def to_multinomial_nb(table: FloatArray, intercept: FloatArray, like: Any) -> Any:
    """Return scikit-learn's multinomial model with these joint log-probabilities."""
    estimator = _set_features(MultinomialNB(), like)
    estimator.feature_log_prob_, estimator.class_log_prior_ = table, intercept
    estimator.classes_ = like.classes_
    return estimator


def to_bernoulli_nb(table: FloatArray, intercept: FloatArray, like: Any) -> Any:
    r"""Return scikit-learn's Bernoulli model with these logits of words.

    Its prior is the intercept minus the sum of all :math:`\log(1 - p)`, which scikit-learn adds
    itself, so that joint log-probabilities are the same.
    """
    estimator = _set_features(BernoulliNB(binarize=0.0), like)
    estimator.feature_log_prob_ = -np.logaddexp(0.0, -table)
    absent = np.log(1 - np.exp(estimator.feature_log_prob_)).sum(axis=1)
    estimator.class_log_prior_ = intercept - absent
    estimator.classes_ = like.classes_
    return estimator


def to_one_vs_rest(table: FloatArray, intercept: FloatArray, like: Any, multi_label: bool) -> Any:
    """Return one logistic model for each class, with these log-odds against its complement."""
    estimator = _set_features(OneVsRestClassifier(LogisticRegression()), like)
    estimator.classes_ = like.classes_
    estimator.label_binarizer_ = _label_binarizer(like.classes_, multi_label)
    estimator.estimators_ = [
        _logistic_model(weights, constant, like)
        for weights, constant in zip(table, intercept, strict=True)
    ]
    return estimator


def add_count_step(tf: str, estimator: Any) -> Any:
    """Return the model in a pipeline with a step that transforms counts by ``tf_test``."""
    if tf == "raw":
        return estimator
    step = Binarizer() if tf == "binary" else FunctionTransformer(np.log1p, accept_sparse=True)
    pipeline: Pipeline = make_pipeline(step, estimator)
    return pipeline


def _logistic_model(weights: FloatArray, constant: float, like: Any) -> Any:
    estimator = _set_features(LogisticRegression(), like)
    estimator.coef_, estimator.intercept_ = weights[None], np.array([constant])
    estimator.classes_ = np.array([0, 1])
    return estimator


def _label_binarizer(classes: NDArray[Any], multi_label: bool) -> LabelBinarizer:
    binarizer = LabelBinarizer()
    binarizer.classes_, binarizer.sparse_input_ = classes, False
    # Two classes would otherwise share one model, but each has its own log-odds.
    binarizer.y_type_ = "multilabel-indicator" if multi_label else "multiclass"
    return binarizer


def _set_features(estimator: Any, like: Any) -> Any:
    estimator.n_features_in_ = like.n_features_in_
    if hasattr(like, "feature_names_in_"):
        estimator.feature_names_in_ = like.feature_names_in_
    return estimator
