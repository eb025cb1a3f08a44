"""LLSF: linear least squares fit of the classes to the words of documents.

:class:`LLSF` stores its linear function in one of the forms of :class:`LinearMap`, the one that
needs the least memory. :class:`Ridge` solves the penalised least squares problem by
:func:`conjugate_gradient`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.errors import FileError
from tallytext.features.svd import truncated_svd
from tallytext.features.tf_idf import TermWeighting
from tallytext.io.array_checks import (
    check_array_names,
    check_float_array,
    check_int_array,
    check_offsets,
)
from tallytext.models.base import ArraysByName, Summands, TrainedClassifier, to_documents
from tallytext.runtime import progress_bar, rows_per_block, thread_count

# Classes that are solved together: enough that one pass over the documents serves many of them,
# few enough that a table of terms by classes stays small.
_BLOCK_CLASSES = 32


class LLSF(TrainedClassifier):
    r"""Linear least squares fit of classes to words (Yang and Chute, 1994).

    The weighted documents are the columns of A, and B is the indicator matrix of their classes.
    ``solver="svd"`` is the published method, which truncates :math:`A = U S Z^T` to the k largest
    singular values:

    .. math:: \min_W |W A - B|^2, \quad W = (B Z_k S_k^{-1})\, U_k^T

    The model stores the two factors and never computes W. ``solver="ridge"`` penalises large
    weights instead of dropping small singular values, which is faster and more accurate:

    .. math:: \min_{W, b} |W A + b - B|^2 + \alpha |W|^2

    The score of a class is an element of :math:`W x + b`. It approximates a probability: 0.5 means
    even odds.

    Parameters
    ----------
    solver : {"ridge", "svd"}, default="ridge"
    n_components : int, default=200
        For "svd": k. The study used 200 for speed, and was most accurate with 1000. Up to 256
        singular values are exact to machine precision; more are approximated by random
        projections.
    alpha : float, default=1.0
        For "ridge": the penalty, for documents of unit length.
    weighting : str or None, default="ltc"
        The SMART scheme of the word weights; None for unweighted counts.
    fit_intercept : bool, default=True
        For "ridge": True to fit b, which is not penalised.
    keep : {"auto", "terms", "documents"}, default="auto"
        For "ridge": the form in which the model is solved and stored. "terms": W, a weight for
        each term and class. "documents": a coefficient for each training document and class, and
        the documents, so that no table of the size of W is needed. The results are the same.
        "auto": the smaller one.
    tol : float, default=1e-4
        For "ridge": a class has converged when its gradient is this share of the initial one.
    max_iter : int, default=500
        For "ridge": the largest number of steps.
    multi_label : bool, default=None
        True if documents may have several labels or none; None to infer it from the labels.
    n_jobs : int, default=None
        Number of threads; None for all cores.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if training takes long.
    random_state : int, RandomState or None, default=0
        For "svd": seed of the singular value decomposition.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    n_iter_ : int
        The largest number of steps of a class; 1 for "svd".
    singular_values_ : ndarray
        For "svd": the singular values of the truncated decomposition, descending.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> model = LLSF(weighting="lnc").fit(X, ["X", "X", "Y"])
    >>> model.predict([[1, 1, 0, 1], [0, 0, 1, 2]])
    array(['X', 'Y'], dtype='<U1')
    >>> svd = LLSF("svd", n_components=2, weighting="lnc", multi_label=True)
    >>> svd.fit(X, [["X"], ["X"], ["Y"]]).decision_function([[1, 1, 0, 1]]).round(4)
    array([[0.7337, 0.1211]])
    """

    map_: LinearMap
    term_weighting_: TermWeighting

    def __init__(
        self,
        solver: Literal["ridge", "svd"] = "ridge",
        n_components: int = 200,
        alpha: float = 1.0,
        weighting: str | None = "ltc",
        *,
        fit_intercept: bool = True,
        keep: Literal["auto", "terms", "documents"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 500,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        random_state: Any = 0,
    ) -> None:
        self.solver = solver
        self.n_components = n_components
        self.alpha = alpha
        self.weighting = weighting
        self.fit_intercept = fit_intercept
        self.keep = keep
        self.tol = tol
        self.max_iter = max_iter
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def term_weights(self, terms: Any) -> FloatArray:
        """Return the weights of some columns for each class, terms by classes.

        Parameters
        ----------
        terms : array-like of int
            The columns.

        Examples
        --------
        >>> model = LLSF(weighting="lnc").fit([[1, 0], [0, 1]], ["sea", "sky"])
        >>> model.term_weights([0]).round(4)
        array([[ 0.25, -0.25]])
        """
        check_is_fitted(self)
        chosen = np.asarray(terms, dtype=np.intp)
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self.n_features_in_):
            raise IndexError(
                f"terms must be columns from 0 to {self.n_features_in_ - 1}, but they range from "
                f"{chosen.min()} to {chosen.max()}."
            )
        return self.map_.rows(chosen)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file: arrays by name, and values for JSON.

        Examples
        --------
        >>> arrays, values = LLSF().fit([[1, 0], [0, 1]], ["sea", "sky"]).to_arrays()
        >>> sorted(arrays), values
        (['bias', 'document_frequencies', 'n_documents', 'weights'], {'kept': 'terms'})
        """
        check_is_fitted(self)
        form = next(name for name, kind in _MAPS.items() if isinstance(self.map_, kind))
        return {**self.map_.to_arrays(), **self.term_weighting_.to_arrays()}, {"kept": form}

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before.

        Raises
        ------
        FileError
            If the arrays or values are not those of an LLSF, or contradict each other.
        """
        if not isinstance(values, Mapping) or values.keys() != {"kept"}:
            raise FileError(f"these are not the values of an LLSF: {values!r:.80}.")
        form = values["kept"]
        if not isinstance(form, str) or form not in _MAPS:
            raise FileError(
                f"an LLSF is stored as one of {', '.join(_MAPS)}, not as {form!r:.80}. Is the file "
                "damaged?"
            )
        weighting, own = TermWeighting.from_arrays(
            arrays, self.weighting, getattr(self, "n_features_in_", None)
        )
        n_terms = len(weighting.frequencies)
        self.map_ = _MAPS[form].from_arrays(own, n_terms, len(self.classes_))
        self.term_weighting_, self.n_features_in_ = weighting, n_terms
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        self.term_weighting_ = TermWeighting.from_documents(X, self.weighting)
        fit = self._fit_svd if self.solver == "svd" else self._fit_ridge
        self.map_ = fit(self.term_weighting_(X), truth)

    def _fit_svd(self, X: sparse.csr_array[Any], truth: sparse.csr_array[Any]) -> LinearMap:
        found = truncated_svd(X, self.n_components, self.random_state)
        self.singular_values_, self.n_iter_ = found.values, 1
        loadings = np.asarray(truth.T @ (found.left / found.values)).T
        return Factors(found.right, loadings, np.zeros(truth.shape[1]))

    def _fit_ridge(self, X: sparse.csr_array[Any], truth: sparse.csr_array[Any]) -> LinearMap:
        threads = thread_count(self.n_jobs)
        ridge = Ridge(self.alpha, self.tol, self.max_iter, threads, self.verbose)
        documents = CentredDocuments.from_matrix(X, self.fit_intercept)
        means = self.class_documents_ / X.shape[0] * bool(self.fit_intercept)
        if self._stores_terms(X, truth.shape[1]):
            weights = self._check_converged(ridge.primal(documents, truth, means))
            return TermWeights(weights, means - documents.mean @ weights)
        coefficients = self._check_converged(ridge.dual(documents, truth, means))
        # The coefficients of centred documents sum to zero, so the mean does not change weights.
        shift = (X @ documents.mean) @ coefficients
        return DocumentCoefficients(X, coefficients, means - shift)

    def _stores_terms(self, X: sparse.csr_array[Any], n_classes: int) -> bool:
        if self.keep != "auto":
            return self.keep == "terms"
        # A stored document needs two numbers per entry: the count and its column.
        return X.shape[1] * n_classes <= X.shape[0] * n_classes + 2 * X.nnz

    def _check_converged(self, solution: Solution) -> FloatArray:
        """Set ``n_iter_``, warn if the solver has not converged, and return the solution."""
        self.n_iter_ = solution.n_iter
        if not solution.converged:
            from sklearn.exceptions import ConvergenceWarning

            warnings.warn(
                f"least squares did not converge to tol={self.tol:g} in max_iter={self.max_iter} "
                "steps. Increase max_iter, or increase alpha, which needs fewer steps.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return solution.values

    def _decide(self, X: Any) -> FloatArray:
        return self.map_.scores(self.term_weighting_(X))

    def _odds(self, decisions: FloatArray) -> FloatArray:
        # A score approximates a probability p, and 4 (p - 1/2) is the tangent of its log-odds.
        return 4.0 * (decisions - 0.5)

    def _summands(self, row: Any) -> Summands:
        document = to_documents(row)
        weighted = self.term_weighting_(row)
        values = weighted[:, document.terms].toarray()[0]
        terms = values[:, None] * self.map_.rows(document.terms)
        bias, zeros = self.map_.bias, np.zeros(len(self.classes_))
        scores = self.map_.scores(weighted)[0]
        return Summands(
            classes=self.classes_,
            counts=document.values,
            known=self.term_weighting_.frequencies[document.terms] > 0,
            terms=terms,
            prior=bias,
            constant=zeros,
            length=zeros,
            scores=scores,
        )

    def _check_parameters(self) -> None:
        if self.solver not in ("ridge", "svd"):
            raise ValueError(f'solver must be "ridge" or "svd", not {self.solver!r}.')
        if self.keep not in ("auto", "terms", "documents"):
            raise ValueError(f'keep must be "auto", "terms" or "documents", not {self.keep!r}.')
        for name in ("n_components", "max_iter"):
            check_whole(name, getattr(self, name), 1)
        check_between("alpha", self.alpha, 0.0, np.inf)
        check_between("tol", self.tol, 0.0, 1.0)


class LinearMap(Protocol):
    """A linear function from weighted documents to a score for each class."""

    @property
    def bias(self) -> FloatArray:
        """The score of each class for a document without words."""

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return the scores of documents, documents by classes."""

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return the weights of some terms, terms by classes."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores, by name."""


@dataclass(frozen=True)
class TermWeights:
    """A weight for each term and class."""

    weights: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return the scores of documents, documents by classes."""
        return np.asarray(X @ self.weights) + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return the weights of some terms, terms by classes."""
        return self.weights[terms]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores, by name."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Read the arrays of :meth:`to_arrays`; raise FileError if they are invalid."""
        check_array_names(arrays, {"weights", "bias"})
        weights = check_float_array(arrays, "weights", (n_terms, n_classes))
        return cls(weights, check_float_array(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class Factors:
    """A product of two factors: directions, terms by k, and loadings, k by classes."""

    directions: FloatArray
    loadings: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return the scores of documents, documents by classes."""
        return np.asarray(X @ self.directions) @ self.loadings + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return the weights of some terms, terms by classes."""
        return self.directions[terms] @ self.loadings

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores, by name."""
        return {"directions": self.directions, "loadings": self.loadings, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Read the arrays of :meth:`to_arrays`; raise FileError if they are invalid."""
        check_array_names(arrays, {"directions", "loadings", "bias"})
        directions = check_float_array(arrays, "directions", (n_terms, None))
        loadings = check_float_array(arrays, "loadings", (directions.shape[1], n_classes))
        return cls(directions, loadings, check_float_array(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class DocumentCoefficients:
    """A coefficient for each training document and class.

    The score of a query document is the sum of its inner products with the training documents,
    each times its coefficient.
    """

    documents: sparse.csr_array[Any]
    coefficients: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return the scores of documents, documents by classes."""
        # A block holds the similarities of its documents to all training documents.
        step = rows_per_block(len(self.coefficients))
        scores = np.empty((X.shape[0], len(self.bias)))
        transposed = self.documents.T
        for first in range(0, X.shape[0], step):
            similarities = X[first : first + step] @ transposed
            scores[first : first + step] = similarities @ self.coefficients + self.bias
        return scores

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return the weights of some terms, terms by classes."""
        return np.asarray(self.documents[:, terms].T @ self.coefficients)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores, by name."""
        return {
            "starts": self.documents.indptr.astype(np.int64),
            "terms": self.documents.indices.astype(np.int64),
            "values": self.documents.data,
            "coefficients": self.coefficients,
            "bias": self.bias,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Read the arrays of :meth:`to_arrays`; raise FileError if they are invalid."""
        check_array_names(arrays, {"starts", "terms", "values", "coefficients", "bias"})
        coefficients = check_float_array(arrays, "coefficients", (None, n_classes))
        values = check_float_array(arrays, "values", (None,))
        terms = check_int_array(arrays, "terms", (len(values),), 0, n_terms)
        starts = check_offsets(arrays, "starts", len(coefficients), len(values))
        documents = sparse.csr_array((values, terms, starts), shape=(len(coefficients), n_terms))
        return cls(documents, coefficients, check_float_array(arrays, "bias", (n_classes,)))


# The forms of a map, by their names in model files.
_MAPS: dict[str, Any] = {
    "terms": TermWeights,
    "documents": DocumentCoefficients,
    "factors": Factors,
}


class Solution(NamedTuple):
    """Solution of linear equations with one or more right-hand sides, one per column.

    Attributes
    ----------
    values : ndarray of shape (n_unknowns, n_columns)
    n_iter : int
        The largest number of steps of a column.
    converged : bool
        True if all columns reached the tolerance.
    """

    values: FloatArray
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class CentredDocuments:
    """Products with documents minus their mean.

    The mean is subtracted from products, because the centred matrix would not be sparse.

    Attributes
    ----------
    documents : sparse array of shape (n_documents, n_terms)
    mean : ndarray of shape (n_terms,)
        Zeros for documents that are not centred.
    """

    documents: sparse.csr_array[Any]
    mean: FloatArray

    @classmethod
    def from_matrix(cls, X: sparse.csr_array[Any], centre: bool) -> Self:
        """Compute the mean of documents; without ``centre``, use zeros."""
        mean = np.asarray(X.mean(axis=0)).ravel() if centre else np.zeros(X.shape[1])
        return cls(X, mean)

    def times(self, weights: FloatArray) -> FloatArray:
        """Return X W, documents by columns, for weights of terms."""
        return np.asarray(self.documents @ weights) - self.mean @ weights

    def transposed_times(self, coefficients: FloatArray) -> FloatArray:
        """Return Xᵀ D, terms by columns, for coefficients of documents."""
        product = np.asarray(self.documents.T @ coefficients)
        return product - np.outer(self.mean, coefficients.sum(axis=0))

    def term_gram_times(self, weights: FloatArray) -> FloatArray:
        """Return XᵀX W, without computing XᵀX."""
        return self.transposed_times(self.times(weights))

    def document_gram_times(self, coefficients: FloatArray) -> FloatArray:
        """Return XXᵀ D, without computing XXᵀ."""
        return self.times(self.transposed_times(coefficients))


@dataclass(frozen=True)
class Ridge:
    r"""Ridge regression on the indicators of all classes, in blocks of classes.

    .. math:: \min_{W, b} \sum_d \sum_c (w_c \cdot x_d + b_c - y_{dc})^2 + \alpha \sum_c |w_c|^2

    Parameters
    ----------
    alpha : float
        :math:`\alpha`.
    tol : float
        A class has converged when its gradient is this share of the initial one.
    max_iter : int
        The largest number of steps.
    n_threads : int
    verbose : bool or None
    """

    alpha: float
    tol: float
    max_iter: int
    n_threads: int
    verbose: bool | None

    def primal(
        self, X: CentredDocuments, truth: sparse.csr_array[Any], means: FloatArray
    ) -> Solution:
        """Solve (XᵀX + αI) W = Xᵀ Y for the weights of terms."""
        return self._solve(X.term_gram_times, X.transposed_times, truth, means)

    def dual(
        self, X: CentredDocuments, truth: sparse.csr_array[Any], means: FloatArray
    ) -> Solution:
        """Solve (XXᵀ + αI) D = Y for coefficients of documents; then W = Xᵀ D."""
        return self._solve(X.document_gram_times, lambda targets: targets, truth, means)

    def _solve(
        self,
        product: Callable[[FloatArray], FloatArray],
        right_side: Callable[[FloatArray], FloatArray],
        truth: sparse.csr_array[Any],
        means: FloatArray,
    ) -> Solution:
        columns = truth.tocsc()
        starts = range(0, truth.shape[1], _BLOCK_CLASSES)
        with progress_bar("least squares", len(starts) * self.max_iter, self.verbose) as step:

            def solve_block(first: int) -> Solution:
                chosen = slice(first, first + _BLOCK_CLASSES)
                targets = columns[:, chosen].toarray() - means[chosen]
                right = right_side(targets)
                return conjugate_gradient(product, right, self.alpha, self.tol, self.max_iter, step)

            with ThreadPoolExecutor(min(self.n_threads, len(starts))) as pool:
                blocks = list(pool.map(solve_block, starts))
        values = np.concatenate([block.values for block in blocks], axis=1)
        n_iter = max(block.n_iter for block in blocks)
        return Solution(values, n_iter, all(block.converged for block in blocks))


def conjugate_gradient(
    product: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    alpha: float,
    tol: float,
    max_iter: int,
    step: Callable[[], None],
) -> Solution:
    """Solve (A + αI) W = B by the method of conjugate gradients, each column independently.

    Parameters
    ----------
    product : callable
        Returns A W for W.
    right : ndarray of shape (n_unknowns, n_columns)
        B.
    alpha, tol, max_iter
        As in :class:`Ridge`.
    step : callable
        Called after each step, for a progress bar.
    """
    solution, residual, direction = np.zeros_like(right), right.copy(), right.copy()
    size = np.square(residual).sum(axis=0)
    goal = tol**2 * size
    for n_iter in range(max_iter):
        active = size > goal
        if not active.any():
            return Solution(solution, n_iter, True)
        image = product(direction) + alpha * direction
        length = _divide(size, np.einsum("ij,ij->j", direction, image), active)
        solution += length * direction
        residual -= length * image
        # A column that has converged keeps its size, so that it stays converged.
        before, size = size, np.where(active, np.square(residual).sum(axis=0), size)
        direction = residual + _divide(size, before, active) * direction
        step()
    return Solution(solution, max_iter, bool((size <= goal).all()))


def _divide(above: FloatArray, below: FloatArray, active: Any) -> FloatArray:
    """Return above / below for active columns, and zero for the others."""
    return np.divide(above, below, out=np.zeros_like(above), where=active & (below > 0))
