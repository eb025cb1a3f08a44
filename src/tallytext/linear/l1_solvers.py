"""Weights of terms of which most are zero, for one class against the rest, by scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from sklearn.linear_model import Lasso, LogisticRegression

from tallytext.smoothing.base import Numbers

# Before scikit-learn 1.8 the penalty had a name; later, l1_ratio alone says what it is.
_named = signature(LogisticRegression).parameters["penalty"].default == "l2"
_PENALTY: dict[str, Any] = {"penalty": "l1"} if _named else {"l1_ratio": 1.0}

# liblinear penalises the intercept as one more weight, of a column with this value: of a large
# one it takes a small weight.
_COLUMN = 1e3


class Fitted(NamedTuple):
    """Weights of terms, and what is added whatever the terms.

    Attributes
    ----------
    weights : ndarray of shape (n_terms,)
    intercept : float
    n_iter : int
        Passes over the terms.
    """

    weights: Numbers
    intercept: float
    n_iter: int

    def __call__(self, X: Any) -> Numbers:
        """Return what each document gets."""
        return np.asarray(X @ self.weights) + self.intercept


@dataclass(frozen=True)
class Effort:
    """How closely to solve, and whether with an intercept, which is not penalised."""

    fit_intercept: bool
    tol: float
    max_iter: int
    random_state: Any


class Solver(Protocol):
    """One class against the rest.

    Attributes
    ----------
    threads_agree : bool
        Whether several may be solved at a time with the same result.
    """

    threads_agree: bool

    def largest(self) -> float:
        """Return the penalty from which all weights are zero."""

    def solve(self, penalty: float) -> Fitted:
        """Return the best weights for a penalty."""

    def objective(self, fitted: Fitted, penalty: float) -> float:
        """Return what the best weights make least."""

    @staticmethod
    def loss(found: Numbers, y: Numbers) -> float:
        """Return what is to be small where documents are judged."""


class Squared:
    r"""Squared error: :math:`\sum_i (w \cdot x_i - y_i)^2 + \lambda \sum_j |w_j|`.

    Each solution is found from the one before, by cyclic coordinate descent.
    """

    threads_agree = True

    def __init__(self, X: sparse.csc_array[Any], y: Numbers, effort: Effort) -> None:
        self.X, self.y, self.effort = X, y, effort
        self.lasso = Lasso(
            fit_intercept=effort.fit_intercept,
            tol=effort.tol,
            max_iter=effort.max_iter,
            warm_start=True,
        )

    def largest(self) -> float:
        """Return the penalty from which all weights are zero."""
        centre = self.y.mean() if self.effort.fit_intercept else 0.0
        return 2.0 * float(np.abs(self.X.T @ (self.y - centre)).max(initial=0.0))

    def solve(self, penalty: float) -> Fitted:
        """Return the best weights for a penalty."""
        self.lasso.set_params(alpha=penalty / (2 * len(self.y))).fit(self.X, self.y)
        return Fitted(self.lasso.coef_.copy(), float(self.lasso.intercept_), _most(self.lasso))

    def objective(self, fitted: Fitted, penalty: float) -> float:
        """Return what the best weights make least."""
        return self.loss(fitted(self.X), self.y) + penalty * float(np.abs(fitted.weights).sum())

    @staticmethod
    def loss(found: Numbers, y: Numbers) -> float:
        """Return the sum of squared errors."""
        return float(np.square(found - y).sum())


class Logistic:
    r"""Log-loss: :math:`\sum_i \ln(1 + e^{-y_i w \cdot x_i}) + \lambda \sum_j |w_j|`."""

    # All threads would draw from the one random generator that liblinear has.
    threads_agree = False

    def __init__(self, X: sparse.csc_array[Any], y: Numbers, effort: Effort) -> None:
        self.X, self.y, self.effort = X.tocsr(), y, effort

    def largest(self) -> float:
        """Return the penalty from which all weights are zero."""
        share = (self.y > 0).mean() if self.effort.fit_intercept else 0.5
        return float(np.abs(self.X.T @ ((self.y > 0) - share)).max(initial=0.0))

    def solve(self, penalty: float) -> Fitted:
        """Return the best weights for a penalty."""
        if len(np.unique(self.y)) < 2:
            # Nothing to tell apart: no word is needed for it.
            sure = float(self.y[0]) * float(np.log(2 * len(self.y)))
            return Fitted(np.zeros(self.X.shape[1]), sure, 1)
        model = LogisticRegression(
            C=1 / penalty,
            solver="liblinear",
            fit_intercept=self.effort.fit_intercept,
            intercept_scaling=_COLUMN,
            tol=self.effort.tol,
            max_iter=self.effort.max_iter,
            random_state=self.effort.random_state,
            **_PENALTY,
        ).fit(self.X, self.y)
        return Fitted(model.coef_[0], float(np.ravel(model.intercept_)[0]), _most(model))

    def objective(self, fitted: Fitted, penalty: float) -> float:
        """Return what the best weights make least."""
        return self.loss(fitted(self.X), self.y) + penalty * float(np.abs(fitted.weights).sum())

    @staticmethod
    def loss(found: Numbers, y: Numbers) -> float:
        """Return the sum of log-losses."""
        return float(np.logaddexp(0.0, -y * found).sum())


def _most(model: Any) -> int:
    # One that had nothing to do took a look all the same.
    return max(1, int(np.max(model.n_iter_)))


SOLVERS: dict[str, Any] = {"squared": Squared, "logistic": Logistic}
"""By the name of the loss."""
