"""What labelled documents alone say: a linear classifier on two views of documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg, sparse
from scipy.special import log_softmax

from tallytext.errors import RecipeError
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.pool import Pool

_LEAST = np.log(1e-6)  # no anchor is surer than that a document is not of a class
_MOST_PAIRED = 2000  # labelled documents of which a table of all pairs is made


@dataclass(frozen=True)
class Anchor:
    """Weights of words and of latent dimensions for classes.

    Attributes
    ----------
    units : ndarray of shape (n_terms, n_classes)
    latent : ndarray of shape (n_components, n_classes)
    bias : ndarray of shape (n_classes,)
    """

    units: Numbers
    latent: Numbers
    bias: Numbers

    @classmethod
    def trained(cls, pool: Pool, rows: Any, truth: Numbers, cost: float, estimator: Any) -> Self:
        """Train on some rows of the pool.

        Parameters
        ----------
        pool : Pool
        rows : ndarray of int
            Which documents have labels.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels, one each.
        cost : float
            What errors cost a logistic regression.
        estimator : classifier or None
            A linear classifier of scikit-learn to take instead.
        """
        units, latent = pool.units.matrix[rows], pool.latent[rows]
        n_classes = truth.shape[1]
        labels = truth.argmax(axis=1)
        if n_classes == 1:
            return cls(np.zeros((units.shape[1], 1)), np.zeros((latent.shape[1], 1)), np.zeros(1))
        if estimator is None and len(labels) > _MOST_PAIRED:
            estimator = _logistic_regression(cost)
        if estimator is not None:
            views = sparse.hstack([units, latent], format="csr")
            weights, bias = _linear(estimator, views, labels)
            return cls(weights[: units.shape[1]], weights[units.shape[1] :], bias)
        coefficients, bias = _by_likeness(units, latent, labels, cost)
        return cls(np.asarray(units.T @ coefficients), latent.T @ coefficients, bias)

    def log_probabilities(self, pool: Pool) -> Numbers:
        """Return what is made of all documents of the pool, none of them quite impossible.

        Parameters
        ----------
        pool : Pool
            The documents.
        """
        return np.maximum(log_softmax(self.scores(pool), axis=1), _LEAST)

    def scores(self, pool: Pool) -> Numbers:
        """Return the score of all documents of the pool.

        Parameters
        ----------
        pool : Pool
            The documents.
        """
        return pool.units.times(self.units) + pool.latent @ self.latent + self.bias


def _by_likeness(units: Any, latent: Numbers, labels: Any, cost: float) -> tuple[Numbers, Numbers]:
    """Return coefficients of documents, and the bias, of a logistic regression.

    There are fewer labelled documents than words: in the space that they span the regression is
    the same, and small.
    """
    values, vectors = linalg.eigh(likeness(units, latent))
    kept = values > 1e-9 * max(values.max(initial=0.0), 1e-300)
    values, vectors = np.sqrt(values[kept]), vectors[:, kept]
    if not kept.any():
        values, vectors = np.ones(1), np.zeros((len(labels), 1))
    weights, bias = _linear(_logistic_regression(cost), vectors * values, labels)
    return vectors @ (weights / values[:, None]), bias


def _logistic_regression(cost: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=cost, max_iter=200, tol=1e-3)


def likeness(units: Any, latent: Numbers) -> Numbers:
    """Return how alike documents are, to each other, in both views."""
    return np.asarray((units @ units.T).todense()) + latent @ latent.T


def _linear(estimator: Any, X: Any, labels: Any) -> tuple[Numbers, Numbers]:
    """Fit a linear classifier and return its weights, by columns, and its bias."""
    with warnings.catch_warnings():
        # With a document or two of each class there are many classes, and none is a slip.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        fitted = estimator.fit(X, labels)
    if not (hasattr(fitted, "coef_") and hasattr(fitted, "decision_function")):
        raise _not_linear(estimator, "has no coef_ after fit, or no decision_function")
    weights = np.atleast_2d(_dense(fitted.coef_)).T
    bias = np.broadcast_to(np.ravel(fitted.intercept_), weights.shape[1:])
    said, own = fitted.decision_function(X), np.asarray(X @ weights + bias)
    if np.size(said) != np.size(own) or not np.allclose(said, own.reshape(said.shape), atol=1e-6):
        raise _not_linear(estimator, "does not decide by its coef_ for each class")
    if weights.shape[1] == 1:
        return np.hstack([-weights, weights]) / 2, np.array([-bias[0], bias[0]]) / 2
    return weights, bias


def _dense(coefficients: Any) -> Numbers:
    if hasattr(coefficients, "toarray"):
        coefficients = coefficients.toarray()
    return np.asarray(coefficients, dtype=np.float64)


def _not_linear(estimator: Any, why: str) -> RecipeError:
    return RecipeError(
        f"anchor={type(estimator).__name__} {why}: give a linear classifier such as "
        "LogisticRegression."
    )
