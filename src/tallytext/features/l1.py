"""L1 selection: select the terms to which an L1-penalised linear model gives a weight.

:class:`L1Selector` fits one model per class, one versus rest, for a path of falling penalties, by
the coordinate descent of scikit-learn or by liblinear.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_weighting_counts, check_whole, validate_data
from tallytext.errors import LabelError
from tallytext.evaluation.folds import iter_splits, stratified_folds
from tallytext.features.selector import ColumnSelector
from tallytext.features.tf_idf import TermWeighting
from tallytext.runtime import ignore_warnings, preserve_warning_filters, progress_bar, thread_count
from tallytext.tally.labels import (
    Targets,
    check_lengths,
    indicator_matrix,
    label_array,
    read_targets,
)

# liblinear penalises the intercept like the weight of a constant column. With a large constant the
# weight is small, and so is its penalty.
_INTERCEPT_SCALING = 1e3

# Smaller penalties are not tried after this many in a row that were worse than the best.
_PATIENCE = 5


class L1Selector(ColumnSelector):
    r"""Select the terms to which a linear model with an L1 penalty gives a weight.

    For each class versus the rest, y being +1 and -1, with ``loss="squared"`` (Aggarwal, eq. 5.10)

    .. math:: \min_w \sum_i (w \cdot x_i + b - y_i)^2 + \lambda \sum_j |w_j|

    or, with ``loss="logistic"``, the sum of :math:`\ln(1 + e^{-y_i (w \cdot x_i + b)})` instead of
    the squares. Most weights are exactly zero; a term is selected if it has a weight in any class.

    Parameters
    ----------
    loss : {"squared", "logistic"}, default="squared"
    l1_lambda : float, default=None
        :math:`\lambda`, the same for all classes. None: chosen from ``n_lambdas`` values, from the
        smallest that makes all weights zero down to a thousandth of it. The choice is the first
        with ``n_terms`` terms, or without ``n_terms`` the one with the smallest loss in
        cross-validation. After five values in a row that were worse than the best, smaller ones
        are not tried.
    n_terms : int, default=None
        The largest number of terms to select: those with the largest :math:`\max_c |w_{cj}|`. None:
        all that have a weight.
    weighting : str or None, default="ltc"
        The SMART weights of terms in documents; None for unweighted numbers. The model is
        fitted on weights, but ``transform`` returns the original columns.
    fit_intercept : bool, default=True
        True for a b, which is not penalised.
    n_lambdas : int, default=30
    cv : int, default=5
        The number of folds.
    tol : float, default=1e-4
    max_iter : int, default=1000
    n_jobs : int, default=None
        Threads; None for all cores. The logistic loss uses one in any case.
    verbose : bool, default=None
        True to show a progress bar; None: on a terminal, if it takes long.
    random_state : int, default=0
        Seed of the folds, and of the order in which liblinear updates terms.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : sparse array of shape (n_models, n_terms)
        A row per class; for two classes of which each document has one, a single row, for the
        second.
    intercept_ : ndarray of shape (n_models,)
    objective_ : ndarray of shape (n_models,)
        The minimum that was reached.
    n_iter_ : int
        The largest number of passes over the terms of any class, at the penalty that was used.
    l1_lambda_ : float
        The penalty that was used.
    l1_lambda_max_ : float
        The smallest penalty that makes all weights zero.
    cv_losses_ : ndarray of shape (n_lambdas,)
        The mean loss of a held-out document; infinite for penalties that were not tried. Only if
        cross-validation chose the penalty.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> selector = L1Selector(l1_lambda=3, weighting=None, fit_intercept=False)
    >>> selector.fit(X, [1, 1, -1]).coef_.toarray().round(6)
    array([[0.3, 0. , 0. , 0. ]])
    >>> selector.get_feature_names_out(["a", "b", "c", "d"])
    array(['a'], dtype=object)
    >>> selector.l1_lambda_max_
    6.0
    >>> selector.mask(np.array(X))[0]
    array([2, 0, 0, 0])
    """

    def __init__(
        self,
        loss: Literal["squared", "logistic"] = "squared",
        l1_lambda: float | None = None,
        n_terms: int | None = None,
        weighting: str | None = "ltc",
        *,
        fit_intercept: bool = True,
        n_lambdas: int = 30,
        cv: int = 5,
        tol: float = 1e-4,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        random_state: int = 0,
    ) -> None:
        self.loss = loss
        self.l1_lambda = l1_lambda
        self.n_terms = n_terms
        self.weighting = weighting
        self.fit_intercept = fit_intercept
        self.n_lambdas = n_lambdas
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the linear models and select the terms with a weight.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts; with ``weighting=None``, any numbers.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix.
        """
        self._check_parameters()
        rows = sparse.csr_array(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
        check_weighting_counts(rows, self)
        weighted = TermWeighting.from_documents(rows, self.weighting)(rows)
        targets = read_targets(y)
        check_lengths(weighted, targets)
        signs = self._class_signs(targets)
        models = self._one_versus_rest(weighted, signs)
        self.l1_lambda_max_ = models.max_penalty()
        if self.l1_lambda is not None:
            return self._fit_penalty(models, self.l1_lambda)
        # The largest penalty is 0 if no term is correlated with a class.
        path = penalty_path(self.l1_lambda_max_ or 1.0, self.n_lambdas)
        if self.n_terms is None:
            from sklearn.exceptions import ConvergenceWarning

            with ignore_warnings(ConvergenceWarning):
                self.cv_losses_ = self._cross_validate(weighted, signs, path)
            path = path[: int(self.cv_losses_.argmin()) + 1]
        return self._fit_path(models, path)

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        """
        check_is_fitted(self)
        checked = validate_data(self, X, accept_sparse="csr", reset=False)
        if not self.support_.any():
            warnings.warn(
                "No features were selected: the penalty l1_lambda is too large.", stacklevel=2
            )
        return checked[:, self.get_support(indices=True)]

    def restore(self, support: NDArray[np.bool_]) -> Self:
        """Set the selected terms to those of another selector; there are no weights.

        Parameters
        ----------
        support : ndarray of bool of shape (n_features,)
            True for the selected columns.
        """
        self.support_, self.n_features_in_ = support, len(support)
        return self

    def _class_signs(self, targets: Targets) -> FloatArray:
        """Set ``classes_``; return +1 and -1 for each document and model."""
        self.classes_ = label_array(targets.classes)
        if len(self.classes_) < (1 if targets.multi_label else 2):
            raise LabelError(
                "selecting terms needs documents of at least two classes, and there is only one "
                f"class: {self.classes_.tolist()!r:.80}."
            )
        signs = np.where(indicator_matrix(targets.labels, self.classes_), 1.0, -1.0)
        # The problem of the first of two classes has the same solution with opposite signs.
        return signs[:, 1:] if len(self.classes_) == 2 and not targets.multi_label else signs

    def _one_versus_rest(self, X: Any, signs: FloatArray) -> _OneVersusRest:
        settings = _SolverSettings(self.fit_intercept, self.tol, self.max_iter, self.random_state)
        columns, problem = sparse.csc_array(X), _PROBLEMS[self.loss]
        threads = thread_count(self.n_jobs) if problem.is_thread_safe else 1
        return _OneVersusRest([problem(columns, y, settings) for y in signs.T], threads)

    def _cross_validate(
        self, X: sparse.csr_array[Any], signs: FloatArray, path: FloatArray
    ) -> FloatArray:
        """Return the mean held-out loss for each penalty; infinite for those not tried."""
        losses = np.full(len(path), np.inf)
        seed = self.random_state if isinstance(self.random_state, int) else 0
        numbers = stratified_folds(signs > 0, min(self.cv, len(signs)), seed)
        # One solver per fold for all penalties: each solution starts from the one before.
        parts = [
            (self._one_versus_rest(X[train], signs[train]), X[test], signs[test])
            for train, test in iter_splits(numbers)
        ]
        with progress_bar("penalties", len(path), self.verbose) as step:
            for at, penalty in enumerate(path.tolist()):
                held_out = (models.total_loss(penalty, X_test, y) for models, X_test, y in parts)
                losses[at] = sum(held_out) / len(signs)
                step()
                if at - int(losses.argmin()) >= _PATIENCE:
                    break
        return losses

    def _fit_path(self, models: _OneVersusRest, path: FloatArray) -> Self:
        """Solve penalty after penalty, up to the last or to the first with enough terms."""
        from sklearn.exceptions import ConvergenceWarning

        # The logistic loss has no warm start, so that only n_terms is a reason to walk the path.
        for penalty in path[:-1].tolist() if self.loss == "squared" or self.n_terms else []:
            with ignore_warnings(ConvergenceWarning):
                found = models.solve(penalty)
            if self.n_terms is not None and np.count_nonzero(_max_weights(found)) >= self.n_terms:
                return self._fit_penalty(models, penalty)
        return self._fit_penalty(models, float(path[-1]))

    def _fit_penalty(self, models: _OneVersusRest, penalty: float) -> Self:
        """Solve for one penalty and set the fitted attributes."""
        found = models.solve(penalty)
        self.l1_lambda_ = penalty
        self.coef_ = sparse.csr_array(np.array([weights.coef for weights in found]))
        self.intercept_ = np.array([weights.intercept for weights in found])
        self.n_iter_ = max(weights.n_iter for weights in found)
        self.objective_ = models.objectives(found, penalty)
        self.support_ = _largest_weights(_max_weights(found), self.n_terms)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def _check_parameters(self) -> None:
        if self.loss not in _PROBLEMS:
            raise ValueError(f'loss must be "squared" or "logistic", not {self.loss!r}.')
        for name, least in (("n_lambdas", 1), ("cv", 2), ("max_iter", 1)):
            check_whole(name, getattr(self, name), least)
        if self.n_terms is not None:
            check_whole("n_terms", self.n_terms, 1)
        if self.l1_lambda is not None:
            check_between("l1_lambda", self.l1_lambda, np.finfo(np.float64).tiny, np.inf)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        tags.input_tags.positive_only = self.weighting is not None
        return tags


def penalty_path(largest: float, n: int) -> FloatArray:
    """Return n penalties, evenly spaced by ratio, from the largest to a thousandth of it.

    Examples
    --------
    >>> penalty_path(6.0, 4).round(3)
    array([6.   , 0.6  , 0.06 , 0.006])
    """
    return largest * np.logspace(0, -3, n)


def _max_weights(found: list[_LinearWeights]) -> FloatArray:
    """Return the largest absolute weight of each term in any class."""
    return np.max([np.abs(weights.coef) for weights in found], axis=0)


def _largest_weights(sizes: FloatArray, n_terms: int | None) -> NDArray[np.bool_]:
    """Return the mask of the terms with a weight, at most n_terms; of equals the first."""
    mask = sizes > 0
    if n_terms is not None and mask.sum() > n_terms:
        mask[np.argsort(-sizes, kind="stable")[n_terms:]] = False
    return mask


class _LinearWeights(NamedTuple):
    """The weights of terms, the intercept, and the number of passes over the terms."""

    coef: FloatArray
    intercept: float
    n_iter: int

    def decision_function(self, X: Any) -> FloatArray:
        return np.asarray(X @ self.coef) + self.intercept


@dataclass(frozen=True)
class _SolverSettings:
    fit_intercept: bool
    tol: float
    max_iter: int
    random_state: Any


class _SquaredProblem:
    r"""Squared loss: :math:`\sum_i (w \cdot x_i - y_i)^2 + \lambda \sum_j |w_j|`.

    Each solution is found from the one before, by cyclic coordinate descent.
    """

    is_thread_safe = True

    def __init__(self, X: sparse.csc_array[Any], y: FloatArray, settings: _SolverSettings) -> None:
        self.X, self.y, self.settings = X, y, settings
        from sklearn.linear_model import Lasso

        self.lasso = Lasso(
            fit_intercept=settings.fit_intercept,
            tol=settings.tol,
            max_iter=settings.max_iter,
            warm_start=True,
        )

    def max_penalty(self) -> float:
        """Return the smallest penalty that makes all weights zero."""
        centre = self.y.mean() if self.settings.fit_intercept else 0.0
        # The largest slope of the loss at w = 0: with this penalty, no weight can leave zero.
        return 2.0 * float(np.abs(self.X.T @ (self.y - centre)).max(initial=0.0))

    def solve(self, penalty: float) -> _LinearWeights:
        """Return the best weights for a penalty."""
        # Lasso minimises the squared error divided by 2n, and this problem its sum.
        lasso = self.lasso.set_params(alpha=penalty / (2 * len(self.y))).fit(self.X, self.y)
        # Copied, because the next penalty starts from this array and may overwrite it.
        return _LinearWeights(lasso.coef_.copy(), float(lasso.intercept_), _n_iter(lasso))

    @staticmethod
    def loss(scores: FloatArray, y: FloatArray) -> float:
        """Return the sum of squared errors."""
        return float(np.square(scores - y).sum())


class _LogisticProblem:
    r"""Logistic loss: :math:`\sum_i \ln(1 + e^{-y_i w \cdot x_i}) + \lambda \sum_j |w_j|`."""

    # liblinear has one random generator for all threads.
    is_thread_safe = False

    def __init__(self, X: sparse.csc_array[Any], y: FloatArray, settings: _SolverSettings) -> None:
        # liblinear reads documents row by row.
        self.X, self.y, self.settings = X.tocsr(), y, settings

    def max_penalty(self) -> float:
        """Return the smallest penalty that makes all weights zero."""
        share = (self.y > 0).mean() if self.settings.fit_intercept else 0.5
        # The largest slope of the loss at w = 0, where the intercept predicts the share of the
        # class.
        return float(np.abs(self.X.T @ ((self.y > 0) - share)).max(initial=0.0))

    def solve(self, penalty: float) -> _LinearWeights:
        """Return the best weights for a penalty."""
        if len(np.unique(self.y)) < 2:
            # All documents are of one class, so that the intercept alone predicts it.
            intercept = float(self.y[0]) * float(np.log(2 * len(self.y)))
            return _LinearWeights(np.zeros(self.X.shape[1]), intercept, 1)
        from sklearn.linear_model import LogisticRegression

        # Before scikit-learn 1.8 it needs penalty="l1"; later versions need l1_ratio=1.
        has_penalty = signature(LogisticRegression).parameters["penalty"].default == "l2"
        l1_penalty: dict[str, Any] = {"penalty": "l1"} if has_penalty else {"l1_ratio": 1.0}
        model = LogisticRegression(
            C=1 / penalty,
            solver="liblinear",
            fit_intercept=self.settings.fit_intercept,
            intercept_scaling=_INTERCEPT_SCALING,
            tol=self.settings.tol,
            max_iter=self.settings.max_iter,
            random_state=self.settings.random_state,
            **l1_penalty,
        ).fit(self.X, self.y)
        intercept = float(np.ravel(model.intercept_)[0])
        return _LinearWeights(model.coef_[0], intercept, _n_iter(model))

    @staticmethod
    def loss(scores: FloatArray, y: FloatArray) -> float:
        """Return the sum of log-losses."""
        return float(np.logaddexp(0.0, -y * scores).sum())


_PROBLEMS: dict[str, type[_SquaredProblem] | type[_LogisticProblem]] = {
    "squared": _SquaredProblem,
    "logistic": _LogisticProblem,
}


def _n_iter(model: Any) -> int:
    # At least one pass, also if all weights were zero from the start.
    return max(1, int(np.max(model.n_iter_)))


@dataclass(frozen=True)
class _OneVersusRest:
    """The problems of all classes, each versus the rest."""

    problems: list[_SquaredProblem | _LogisticProblem]
    threads: int

    def max_penalty(self) -> float:
        """Return the smallest penalty that makes the weights of all classes zero."""
        return max(problem.max_penalty() for problem in self.problems)

    def solve(self, penalty: float) -> list[_LinearWeights]:
        """Return the best weights of all classes."""
        work = (delayed(problem.solve)(penalty) for problem in self.problems)
        # Not the Parallel of scikit-learn, whose threads reset the filters of warnings.
        with preserve_warning_filters():
            return list(Parallel(n_jobs=self.threads, prefer="threads")(work))

    def objectives(self, found: list[_LinearWeights], penalty: float) -> FloatArray:
        """Return the minimum that each class reached: its loss and its penalty."""
        return np.array(
            [
                problem.loss(weights.decision_function(problem.X), problem.y)
                + penalty * float(np.abs(weights.coef).sum())
                for problem, weights in zip(self.problems, found, strict=True)
            ]
        )

    def total_loss(self, penalty: float, X: Any, signs: FloatArray) -> float:
        """Return the summed loss of all classes on other documents."""
        solved = zip(self.problems, self.solve(penalty), signs.T, strict=True)
        return sum(problem.loss(weights.decision_function(X), y) for problem, weights, y in solved)
