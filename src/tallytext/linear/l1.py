"""Selection of terms by a linear model that does without most of them."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from tallytext.errors import LabelError
from tallytext.labels import array_of_labels
from tallytext.linear.l1_path import CrossValidation, Questions, patiently, penalties
from tallytext.linear.l1_solvers import SOLVERS, Effort, Fitted
from tallytext.matrices import expect_counts_to_weigh
from tallytext.selection.masking import resized, without_others
from tallytext.smoothing.base import Numbers, expect_between, expect_whole
from tallytext.targets import Targets, expect_lengths, targets_of, truth_of
from tallytext.threads import thread_count
from tallytext.weighting.weigher import Weigher


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
        self._expect_parameters()
        X = self._weighed(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
        targets = targets_of(y)
        expect_lengths(X, targets)
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
        expect_counts_to_weigh(rows, self)
        return Weigher.of(rows, self.weighting)(rows)

    def _signs(self, targets: Targets) -> Numbers:
        """Learn what classes there are; return +1 and -1 for each question."""
        self.classes_ = array_of_labels(targets.classes)
        if len(self.classes_) < (1 if targets.several else 2):
            raise LabelError(
                "terms can only be selected to tell classes apart, and there is one class: "
                f"{self.classes_.tolist()!r:.80}."
            )
        signs = np.where(truth_of(targets.labels, self.classes_), 1.0, -1.0)
        return signs[:, 1:] if len(self.classes_) == 2 and not targets.several else signs

    def _up_to_best(
        self, judge: CrossValidation, X: sparse.csr_array[Any], signs: Numbers, tried: Numbers
    ) -> Numbers:
        with patiently():
            self.cv_losses_ = judge.losses(X, signs, tried)
        return tried[: int(self.cv_losses_.argmin()) + 1]

    def _descend(self, questions: Questions, tried: Numbers) -> Self:
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

    def _expect_parameters(self) -> None:
        if self.loss not in SOLVERS:
            raise ValueError(f'loss must be "squared" or "logistic", not {self.loss!r}.')
        for name, least in (("n_lambdas", 1), ("cv", 2), ("max_iter", 1)):
            expect_whole(name, getattr(self, name), least)
        if self.n_terms is not None:
            expect_whole("n_terms", self.n_terms, 1)
        if self.l1_lambda is not None:
            expect_between("l1_lambda", self.l1_lambda, np.finfo(np.float64).tiny, np.inf)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        tags.input_tags.positive_only = self.weighting is not None
        return tags


def _largest(found: list[Fitted]) -> Numbers:
    """Return the largest weight of each term in any class, without its sign."""
    return np.max([np.abs(fitted.weights) for fitted in found], axis=0)


def _best(sizes: Numbers, n_terms: int | None) -> NDArray[np.bool_]:
    """Return which terms have a weight, or the largest ones; of equals the first."""
    kept = sizes > 0
    if n_terms is not None and kept.sum() > n_terms:
        kept[np.argsort(-sizes, kind="stable")[n_terms:]] = False
    return kept
