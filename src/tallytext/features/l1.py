"""Selection of terms by a linear model that does without most of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.utils import check_array
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_counts_to_weigh, check_whole
from tallytext.errors import LabelError
from tallytext.evaluation.folds import stratified_folds
from tallytext.features.selector import resized, without_others
from tallytext.features.smart import Weigher
from tallytext.runtime import progress_bar, thread_count
from tallytext.tally.labels import Targets, array_of_labels, check_lengths, targets_of, truth_of

# ------------------------------------------------------------------------------------------------
# Weights of terms of which most are zero, for one class against the rest, by scikit-learn.

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

    weights: FloatArray
    intercept: float
    n_iter: int

    def __call__(self, X: Any) -> FloatArray:
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
    def loss(found: FloatArray, y: FloatArray) -> float:
        """Return what is to be small where documents are judged."""


class Squared:
    r"""Squared error: :math:`\sum_i (w \cdot x_i - y_i)^2 + \lambda \sum_j |w_j|`.

    Each solution is found from the one before, by cyclic coordinate descent.
    """

    threads_agree = True

    def __init__(self, X: sparse.csc_array[Any], y: FloatArray, effort: Effort) -> None:
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
    def loss(found: FloatArray, y: FloatArray) -> float:
        """Return the sum of squared errors."""
        return float(np.square(found - y).sum())


class Logistic:
    r"""Log-loss: :math:`\sum_i \ln(1 + e^{-y_i w \cdot x_i}) + \lambda \sum_j |w_j|`."""

    # All threads would draw from the one random generator that liblinear has.
    threads_agree = False

    def __init__(self, X: sparse.csc_array[Any], y: FloatArray, effort: Effort) -> None:
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
    def loss(found: FloatArray, y: FloatArray) -> float:
        """Return the sum of log-losses."""
        return float(np.logaddexp(0.0, -y * found).sum())


def _most(model: Any) -> int:
    # One that had nothing to do took a look all the same.
    return max(1, int(np.max(model.n_iter_)))


SOLVERS: dict[str, Any] = {"squared": Squared, "logistic": Logistic}
"""By the name of the loss."""


# ------------------------------------------------------------------------------------------------
# One class after the other against the rest, for penalties that become smaller and smaller.

# When so many penalties in a row were worse than the best, the smaller ones are not tried.
_PATIENCE = 5


@dataclass(frozen=True)
class Questions:
    """Of each class: which documents have it.

    Attributes
    ----------
    solvers : list of Solver
    threads : int
    """

    solvers: list[Solver]
    threads: int

    @classmethod
    def of(cls, X: Any, signs: FloatArray, loss: str, effort: Effort, threads: int) -> Self:
        """Ask for each column of signs, +1 for documents of the class and -1 for the others."""
        columns, solver = sparse.csc_array(X), SOLVERS[loss]
        at_once = threads if solver.threads_agree else 1
        return cls([solver(columns, y, effort) for y in signs.T], at_once)

    def largest(self) -> float:
        """Return the penalty from which no class needs a word."""
        return max(solver.largest() for solver in self.solvers)

    def solve(self, penalty: float) -> list[Fitted]:
        """Return the best weights of all classes."""
        work = (delayed(solver.solve)(penalty) for solver in self.solvers)
        return list(Parallel(n_jobs=self.threads, prefer="threads")(work))

    def objectives(self, found: list[Fitted], penalty: float) -> FloatArray:
        """Return what each class made as small as could be."""
        each = zip(self.solvers, found, strict=True)
        return np.array([solver.objective(fitted, penalty) for solver, fitted in each])


def penalties(largest: float, n: int) -> FloatArray:
    """Return penalties from the largest that matters down to a thousandth of it.

    Examples
    --------
    >>> penalties(6.0, 4).round(3)
    array([6.   , 0.6  , 0.06 , 0.006])
    """
    return largest * np.logspace(0, -3, n)


@dataclass(frozen=True)
class CrossValidation:
    """Penalties judged on documents that were left out.

    Attributes
    ----------
    folds : ndarray of int of shape (n_documents,)
    loss : str
    effort : Effort
    threads : int
    verbose : bool or None
    """

    folds: NDArray[np.intp]
    loss: str
    effort: Effort
    threads: int
    verbose: bool | None

    @classmethod
    def dealt(
        cls,
        signs: FloatArray,
        cv: int,
        loss: str,
        effort: Effort,
        threads: int,
        verbose: bool | None,
    ) -> Self:
        """Deal documents so that each class is spread over the folds."""
        seed = effort.random_state if isinstance(effort.random_state, int) else 0
        folds = stratified_folds(signs > 0, min(cv, len(signs)), seed)
        return cls(folds, loss, effort, threads, verbose)

    def losses(self, X: sparse.csr_array[Any], signs: FloatArray, tried: FloatArray) -> FloatArray:
        """Return the mean loss of a document for each penalty, infinite for those not tried."""
        found = np.full(len(tried), np.inf)
        parts = [self._part(X, signs, fold) for fold in range(int(self.folds.max()) + 1)]
        with progress_bar("penalties", len(tried), self.verbose) as step:
            for at, penalty in enumerate(tried.tolist()):
                lost = [self._lost(questions, held, penalty) for questions, held in parts]
                found[at] = sum(lost) / len(signs)
                step()
                if at - int(found.argmin()) >= _PATIENCE:
                    break
        return found

    def _part(
        self, X: sparse.csr_array[Any], signs: FloatArray, fold: int
    ) -> tuple[Questions, tuple[Any, FloatArray]]:
        rest, held = np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)
        questions = Questions.of(X[rest], signs[rest], self.loss, self.effort, self.threads)
        return questions, (X[held], signs[held])

    def _lost(self, questions: Questions, held: tuple[Any, FloatArray], penalty: float) -> float:
        X, signs = held
        loss = SOLVERS[self.loss].loss
        fitted = questions.solve(penalty)
        return sum(loss(each(X), y) for each, y in zip(fitted, signs.T, strict=True))


@contextmanager
def patiently() -> Iterator[None]:
    """Let penalties on the way be solved as far as they were."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


class L1Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Keep the terms that a linear model with an L1 penalty gives a weight.

    For each class against the rest, y being +1 and -1, with ``loss="squared"`` (Aggarwal, eq. 5.10)

    .. math:: \min_w \sum_i (w \cdot x_i + b - y_i)^2 + \lambda \sum_j |w_j|

    or, with ``loss="logistic"``, the sum of :math:`\ln(1 + e^{-y_i (w \cdot x_i + b)})` in the
    place of the squares. Most weights are exactly zero; a term is kept if any class gives it one.

    Parameters
    ----------
    loss : {"squared", "logistic"}, default="squared"
    l1_lambda : float, default=None
        :math:`\lambda`, the same for all classes. None: chosen from ``n_lambdas`` values from the
        least that makes all weights zero down to a thousandth of it, so that there are ``n_terms``
        terms, or else by the loss in cross-validation. When five values in a row were worse than
        the best, smaller ones are not tried.
    n_terms : int, default=None
        How many terms to keep at most: those with the largest :math:`\max_c |w_{cj}|`. None: all
        that have a weight.
    weighting : str or None, default="ltc"
        How words are weighted before, in the letters of SMART; None: not at all. What is
        selected are the columns as they were given.
    fit_intercept : bool, default=True
        Whether there is a b, which is not penalised.
    n_lambdas : int, default=30
    cv : int, default=5
        The number of folds.
    tol : float, default=1e-4
    max_iter : int, default=1000
    n_jobs : int, default=None
        Threads; None for all cores. Logistic loss has one in any case.
    verbose : bool, default=None
        Whether to show how far it is; None: where it takes long, on a terminal.
    random_state : int, default=0
        For the folds, and the order in which liblinear looks at terms.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : sparse array of shape (n_questions, n_terms)
        A row per class; for two classes of which each document has one, a single row, for the
        second.
    intercept_ : ndarray of shape (n_questions,)
    objective_ : ndarray of shape (n_questions,)
        What was made as small as could be.
    n_iter_ : int
        The most passes over the terms that a class took, at the penalty that was used.
    l1_lambda_ : float
        The penalty that was used.
    l1_lambda_max_ : float
        The least that makes all weights zero.
    cv_losses_ : ndarray of shape (n_lambdas,)
        The mean loss of a document left out; infinite where it was not tried. Only if
        cross-validation chose.

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
        """Find the terms to keep.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts; with ``weighting=None``, any numbers.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix.
        """
        self._check_parameters()
        X = self._weighed(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
        targets = targets_of(y)
        check_lengths(X, targets)
        signs = self._signs(targets)
        threads = thread_count(self.n_jobs)
        effort = Effort(self.fit_intercept, self.tol, self.max_iter, self.random_state)
        questions = Questions.of(X, signs, self.loss, effort, threads)
        self.l1_lambda_max_ = questions.largest()
        if self.l1_lambda is not None:
            return self._keep(questions, self.l1_lambda)
        tried = penalties(self.l1_lambda_max_ or 1.0, self.n_lambdas)
        if self.n_terms is None:
            judge = CrossValidation.dealt(signs, self.cv, self.loss, effort, threads, self.verbose)
            tried = self._up_to_best(judge, X, signs, tried)
        return self._descend(questions, tried)

    def masked(self, X: Any) -> Any:
        """Return X with the columns emptied that are not kept; its width stays.

        Columns beyond those that were chosen from are emptied, too.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> X = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
        >>> L1Selector(l1_lambda=3, weighting=None).fit(X, [1, 1, -1]).masked(X)[0]
        array([2, 0, 0, 0])
        """
        check_is_fitted(self)
        given = check_array(X, accept_sparse="csr", estimator=self)
        return without_others(given, resized(self.support_, given.shape[1], False))

    def restored(self, support: NDArray[np.bool_]) -> Self:
        """Become what another one was when it had chosen; the weights are not kept.

        Parameters
        ----------
        support : ndarray of bool of shape (n_features,)
            Which columns were kept.
        """
        self.support_, self.n_features_in_ = support, len(support)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def _weighed(self, X: Any) -> sparse.csr_array[Any]:
        rows = sparse.csr_array(X)
        check_counts_to_weigh(rows, self)
        return Weigher.of(rows, self.weighting)(rows)

    def _signs(self, targets: Targets) -> FloatArray:
        """Learn what classes there are; return +1 and -1 for each question."""
        self.classes_ = array_of_labels(targets.classes)
        if len(self.classes_) < (1 if targets.multi_label else 2):
            raise LabelError(
                "terms can only be selected to tell classes apart, and there is one class: "
                f"{self.classes_.tolist()!r:.80}."
            )
        signs = np.where(truth_of(targets.labels, self.classes_), 1.0, -1.0)
        return signs[:, 1:] if len(self.classes_) == 2 and not targets.multi_label else signs

    def _up_to_best(
        self, judge: CrossValidation, X: sparse.csr_array[Any], signs: FloatArray, tried: FloatArray
    ) -> FloatArray:
        with patiently():
            self.cv_losses_ = judge.losses(X, signs, tried)
        return tried[: int(self.cv_losses_.argmin()) + 1]

    def _descend(self, questions: Questions, tried: FloatArray) -> Self:
        """Go from penalty to penalty, to the last, or until there are terms enough."""
        for penalty in tried[:-1].tolist() if self.loss == "squared" or self.n_terms else []:
            with patiently():
                found = questions.solve(penalty)
            if self.n_terms is not None and _largest(found).astype(bool).sum() >= self.n_terms:
                return self._keep(questions, penalty)
        return self._keep(questions, float(tried[-1]))

    def _keep(self, questions: Questions, penalty: float) -> Self:
        found = questions.solve(penalty)
        self.l1_lambda_ = penalty
        self.coef_ = sparse.csr_array(np.array([fitted.weights for fitted in found]))
        self.intercept_ = np.array([fitted.intercept for fitted in found])
        self.n_iter_ = max(fitted.n_iter for fitted in found)
        self.objective_ = questions.objectives(found, penalty)
        self.support_ = _best(_largest(found), self.n_terms)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _check_parameters(self) -> None:
        if self.loss not in SOLVERS:
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


def _largest(found: list[Fitted]) -> FloatArray:
    """Return the largest weight of each term in any class, without its sign."""
    return np.max([np.abs(fitted.weights) for fitted in found], axis=0)


def _best(sizes: FloatArray, n_terms: int | None) -> NDArray[np.bool_]:
    """Return which terms have a weight, or the largest ones; of equals the first."""
    kept = sizes > 0
    if n_terms is not None and kept.sum() > n_terms:
        kept[np.argsort(-sizes, kind="stable")[n_terms:]] = False
    return kept
