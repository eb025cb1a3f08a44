"""Linear least squares fit: classes as a linear function of the words of documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.errors import FileError
from tallytext.features.smart import WEIGHER_PARTS, Weigher
from tallytext.features.svd import singular_vectors
from tallytext.io.array_checks import check_parts, float_part, starts_part, whole_part
from tallytext.models.explaining import Summands
from tallytext.models.reading import documents_of
from tallytext.models.trained import Arrays, TrainedClassifier
from tallytext.runtime import progress_bar, thread_count

# ------------------------------------------------------------------------------------------------
# Linear maps from weighted documents to classes, kept in the smallest of their forms.

# Similarities to all training documents of so many numbers are held at a time.
_AT_ONCE = 1 << 22


class LinearMap(Protocol):
    """What gives each class a number for a document, as a sum over its terms."""

    @property
    def bias(self) -> FloatArray:
        """What a document without words gets, by class."""

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return what each document gets, documents by classes."""

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return what one of each of these terms adds, terms by classes."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""


@dataclass(frozen=True)
class TermWeights:
    """A weight for each term and class."""

    weights: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return what each document gets, documents by classes."""
        return np.asarray(X @ self.weights) + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return what one of each of these terms adds, terms by classes."""
        return self.weights[terms]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Return the map that arrays of a file are."""
        check_parts(arrays, {"weights", "bias"})
        weights = float_part(arrays, "weights", (n_terms, n_classes))
        return cls(weights, float_part(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class Factors:
    """Directions among the terms, and what each says of the classes."""

    directions: FloatArray
    loadings: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return what each document gets, documents by classes."""
        return np.asarray(X @ self.directions) @ self.loadings + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return what one of each of these terms adds, terms by classes."""
        return self.directions[terms] @ self.loadings

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""
        return {"directions": self.directions, "loadings": self.loadings, "bias": self.bias}

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Return the map that arrays of a file are."""
        check_parts(arrays, {"directions", "loadings", "bias"})
        directions = float_part(arrays, "directions", (n_terms, None))
        loadings = float_part(arrays, "loadings", (directions.shape[1], n_classes))
        return cls(directions, loadings, float_part(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class DocumentCoefficients:
    """A coefficient for each training document and class; terms speak through the documents."""

    documents: sparse.csr_array[Any]
    coefficients: FloatArray
    bias: FloatArray

    def scores(self, X: sparse.csr_array[Any]) -> FloatArray:
        """Return what each document gets, documents by classes."""
        step = max(1, _AT_ONCE // max(1, len(self.coefficients)))
        found = np.empty((X.shape[0], len(self.bias)))
        transposed = self.documents.T
        for first in range(0, X.shape[0], step):
            alike = X[first : first + step] @ transposed
            found[first : first + step] = alike @ self.coefficients + self.bias
        return found

    def rows(self, terms: NDArray[np.integer[Any]]) -> FloatArray:
        """Return what one of each of these terms adds, terms by classes."""
        return np.asarray(self.documents[:, terms].T @ self.coefficients)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""
        kept = self.documents
        return {
            "starts": kept.indptr.astype(np.int64),
            "terms": kept.indices.astype(np.int64),
            "values": kept.data,
            "coefficients": self.coefficients,
            "bias": self.bias,
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Return the map that arrays of a file are."""
        check_parts(arrays, {"starts", "terms", "values", "coefficients", "bias"})
        coefficients = float_part(arrays, "coefficients", (None, n_classes))
        values = float_part(arrays, "values", (None,))
        terms = whole_part(arrays, "terms", (len(values),), 0, n_terms)
        starts = starts_part(arrays, "starts", len(coefficients), len(values))
        documents = sparse.csr_array((values, terms, starts), shape=(len(coefficients), n_terms))
        return cls(documents, coefficients, float_part(arrays, "bias", (n_classes,)))


# ------------------------------------------------------------------------------------------------
# Least squares with a penalty on the weights, for all classes at once, by conjugate gradients.

# Classes that are solved for together: enough for a document to be read once for many of them,
# few enough for a table of terms by classes to stay small.
_TOGETHER = 32


class Solution(NamedTuple):
    """What solves the equations, in columns, and how it was found.

    Attributes
    ----------
    values : ndarray of shape (n_unknowns, n_columns)
    n_iter : int
        The most steps that a column took.
    converged : bool
        Whether all columns came as close as was asked for.
    """

    values: FloatArray
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class Centred:
    """Documents less their mean, which is never subtracted from the sparse matrix.

    Attributes
    ----------
    documents : sparse array of shape (n_documents, n_terms)
    mean : ndarray of shape (n_terms,)
        Zeros for documents as they are.
    """

    documents: sparse.csr_array[Any]
    mean: FloatArray

    @classmethod
    def of(cls, X: sparse.csr_array[Any], by_mean: bool) -> Self:
        """Return documents less their mean, or as they are."""
        mean = np.asarray(X.mean(axis=0)).ravel() if by_mean else np.zeros(X.shape[1])
        return cls(X, mean)

    def times(self, weights: FloatArray) -> FloatArray:
        """Return documents times weights of terms."""
        return np.asarray(self.documents @ weights) - self.mean @ weights

    def transposed_times(self, coefficients: FloatArray) -> FloatArray:
        """Return the transposed documents times coefficients of documents."""
        whole = np.asarray(self.documents.T @ coefficients)
        return whole - np.outer(self.mean, coefficients.sum(axis=0))

    def by_terms(self, weights: FloatArray) -> FloatArray:
        """Return terms by terms, of how they go together, times weights of terms."""
        return self.transposed_times(self.times(weights))

    def by_documents(self, coefficients: FloatArray) -> FloatArray:
        """Return documents by documents, of how alike they are, times their coefficients."""
        return self.times(self.transposed_times(coefficients))


@dataclass(frozen=True)
class Ridge:
    r"""Weights with the least squared error and penalty.

    .. math:: \min_{W, b} \sum_d \sum_c (w_c \cdot x_d + b_c - y_{dc})^2 + \alpha \sum_c |w_c|^2

    Parameters
    ----------
    alpha : float
        :math:`\alpha`.
    tol : float
        A class is done when its gradient is this share of what it was at the start.
    max_iter : int
        Steps at most.
    threads : int
    verbose : bool or None
    """

    alpha: float
    tol: float
    max_iter: int
    threads: int
    verbose: bool | None

    def primal(self, X: Centred, truth: sparse.csr_array[Any], means: FloatArray) -> Solution:
        """Solve for the weights of terms, (XᵀX + αI) W = Xᵀ Y."""
        return self._solve(X.by_terms, X.transposed_times, truth, means)

    def dual(self, X: Centred, truth: sparse.csr_array[Any], means: FloatArray) -> Solution:
        """Solve for coefficients of documents, (XXᵀ + αI) D = Y, of which W = Xᵀ D."""
        return self._solve(X.by_documents, lambda targets: targets, truth, means)

    def _solve(
        self,
        product: Callable[[FloatArray], FloatArray],
        right_side: Callable[[FloatArray], FloatArray],
        truth: sparse.csr_array[Any],
        means: FloatArray,
    ) -> Solution:
        columns = truth.tocsc()
        starts = range(0, truth.shape[1], _TOGETHER)
        with progress_bar("least squares", len(starts) * self.max_iter, self.verbose) as step:

            def some(first: int) -> Solution:
                chosen = slice(first, first + _TOGETHER)
                targets = columns[:, chosen].toarray() - means[chosen]
                right = right_side(targets)
                return descend(product, right, self.alpha, self.tol, self.max_iter, step)

            with ThreadPoolExecutor(min(self.threads, len(starts))) as pool:
                parts = list(pool.map(some, starts))
        values = np.concatenate([part.values for part in parts], axis=1)
        steps = max(part.n_iter for part in parts)
        return Solution(values, steps, all(part.converged for part in parts))


def descend(
    product: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    alpha: float,
    tol: float,
    max_iter: int,
    step: Callable[[], None],
) -> Solution:
    """Solve (A + αI) W = B along conjugate directions, each column by a length of its own.

    Parameters
    ----------
    product : callable
        From W to A W.
    right : ndarray of shape (n_unknowns, n_columns)
        B.
    alpha, tol, max_iter
        As in :class:`Ridge`.
    step : callable
        Is told of each step.
    """
    found, rest, way = np.zeros_like(right), right.copy(), right.copy()
    size = np.square(rest).sum(axis=0)
    goal = tol**2 * size
    for n_iter in range(max_iter):
        going = size > goal
        if not going.any():
            return Solution(found, n_iter, True)
        slope = product(way) + alpha * way
        length = _ratio(size, np.einsum("ij,ij->j", way, slope), going)
        found += length * way
        rest -= length * slope
        before, size = size, np.where(going, np.square(rest).sum(axis=0), size)
        way = rest + _ratio(size, before, going) * way
        step()
    return Solution(found, max_iter, bool((size <= goal).all()))


def _ratio(above: FloatArray, below: FloatArray, where: Any) -> FloatArray:
    """Return above / below, and zero for columns that are done."""
    return np.divide(above, below, out=np.zeros_like(above), where=where & (below > 0))


_MAPS: dict[str, Any] = {
    "terms": TermWeights,
    "documents": DocumentCoefficients,
    "factors": Factors,
}


class LLSF(TrainedClassifier):
    r"""Linear least squares fit of classes to words (Yang and Chute, 1994).

    Documents, weighted, are the columns of A; which class each has is B, of zeros and ones. With
    ``solver="svd"`` as it was published, with the k largest singular values of
    :math:`A = U S Z^T`:

    .. math:: \min_W |W A - B|^2, \quad W = (B Z_k S_k^{-1})\, U_k^T

    of which the two factors are kept and W is never made. With ``solver="ridge"`` large weights
    are penalised in the place of small singular values, which is faster and more accurate:

    .. math:: \min_{W, b} |W A + b - B|^2 + \alpha |W|^2

    A class gets :math:`W x + b`; about one half is an even chance.

    Parameters
    ----------
    solver : {"ridge", "svd"}, default="ridge"
    n_components : int, default=200
        For "svd": k. The study had 200 for speed, and was best with 1000. Up to 256 they are exact
        to machine precision, beyond that they are found by random projections.
    alpha : float, default=1.0
        For "ridge": the penalty, for documents of unit length.
    weighting : str or None, default="ltc"
        How words are weighted, in the letters of SMART; None: not at all.
    fit_intercept : bool, default=True
        For "ridge": whether there is a b, which is not penalised.
    keep : {"auto", "terms", "documents"}, default="auto"
        For "ridge": what is solved for and kept. "terms": W, a weight for each term and class.
        "documents": a coefficient for each training document and class, and the documents, so that
        nothing of the size of W is made. The results are the same. "auto": the smaller one.
    tol : float, default=1e-4
        For "ridge": a class is done when its gradient is this share of what it was at the start.
    max_iter : int, default=500
        For "ridge": steps at most.
    multi_label : bool, default=None
        Whether documents may have several labels or none; None: as y has them.
    n_jobs : int, default=None
        Threads; None for all cores.
    verbose : bool, default=None
        Whether to show how far it is; None: where it takes long, on a terminal.
    random_state : int, RandomState or None, default=0
        For "svd": where the search for singular vectors begins.

    Attributes
    ----------
    classes_ : ndarray
    n_iter_ : int
        The most steps that a class took; 1 for "svd".
    singular_values_ : ndarray
        For "svd": those that were kept.

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
    weigher_: Weigher

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
            raise IndexError(f"columns lie from 0 to {self.n_features_in_ - 1}.")
        return self.map_.rows(chosen)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file: arrays by name, and plain values as JSON has them.

        Examples
        --------
        >>> arrays, values = LLSF().fit([[1, 0], [0, 1]], ["sea", "sky"]).to_arrays()
        >>> sorted(arrays), values
        (['bias', 'document_frequencies', 'n_documents', 'weights'], {'kept': 'terms'})
        """
        check_is_fitted(self)
        kept = next(name for name, kind in _MAPS.items() if isinstance(self.map_, kind))
        return {**self.map_.to_arrays(), **self.weigher_.to_arrays()}, {"kept": kept}

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before."""
        if not isinstance(values, Mapping) or values.keys() != {"kept"}:
            raise FileError(f"these are not the values of a least squares fit: {values!r:.80}.")
        kept = values["kept"]
        if not isinstance(kept, str) or kept not in _MAPS:
            raise FileError(f"a least squares fit cannot keep {kept!r:.80}.")
        own = {name: part for name, part in arrays.items() if name not in WEIGHER_PARTS}
        weigher = Weigher.read(arrays, self.weighting, getattr(self, "n_features_in_", None))
        n_terms = len(weigher.frequencies)
        self.map_ = _MAPS[kept].read(own, n_terms, len(self.classes_))
        self.weigher_, self.n_features_in_ = weigher, n_terms
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        self.weigher_ = Weigher.of(X, self.weighting)
        fit = self._factors if self.solver == "svd" else self._penalised
        self.map_ = fit(self.weigher_(X), truth)

    def _factors(self, X: sparse.csr_array[Any], truth: sparse.csr_array[Any]) -> LinearMap:
        found = singular_vectors(X, self.n_components, self.random_state)
        self.singular_values_, self.n_iter_ = found.values, 1
        loadings = np.asarray(truth.T @ (found.left / found.values)).T
        return Factors(found.right, loadings, np.zeros(truth.shape[1]))

    def _penalised(self, X: sparse.csr_array[Any], truth: sparse.csr_array[Any]) -> LinearMap:
        threads = thread_count(self.n_jobs)
        ridge = Ridge(self.alpha, self.tol, self.max_iter, threads, self.verbose)
        documents = Centred.of(X, self.fit_intercept)
        means = self.class_documents_ / X.shape[0] * bool(self.fit_intercept)
        if self._keeps_terms(X, truth.shape[1]):
            weights = self._taken(ridge.primal(documents, truth, means))
            return TermWeights(weights, means - documents.mean @ weights)
        coefficients = self._taken(ridge.dual(documents, truth, means))
        # With a mean subtracted, coefficients sum to zero: it plays no part in the weights.
        shift = (X @ documents.mean) @ coefficients
        return DocumentCoefficients(X, coefficients, means - shift)

    def _keeps_terms(self, X: sparse.csr_array[Any], n_classes: int) -> bool:
        if self.keep != "auto":
            return self.keep == "terms"
        # A number of a document lies beside the number of its term.
        return X.shape[1] * n_classes <= X.shape[0] * n_classes + 2 * X.nnz

    def _taken(self, solution: Solution) -> FloatArray:
        self.n_iter_ = solution.n_iter
        if not solution.converged:
            warnings.warn(
                f"least squares was not as close as tol={self.tol:g} after "
                f"max_iter={self.max_iter} steps: a larger alpha takes fewer.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return solution.values

    def _decide(self, X: Any) -> FloatArray:
        return self.map_.scores(self.weigher_(X))

    def _odds(self, decisions: FloatArray) -> FloatArray:
        # The value stands for a probability, of which 4 (p - 1/2) is near the log-odds.
        return 4.0 * (decisions - 0.5)

    def _summands(self, row: Any) -> Summands:
        document = documents_of(row)
        weighted = self.weigher_(row)
        values = weighted[:, document.terms].toarray()[0]
        terms = values[:, None] * self.map_.rows(document.terms)
        bias, nothing = self.map_.bias, np.zeros(len(self.classes_))
        scores = self.map_.scores(weighted)[0]
        return Summands(
            classes=self.classes_,
            counts=document.values,
            known=self.weigher_.frequencies[document.terms] > 0,
            terms=terms,
            prior=bias,
            constant=nothing,
            length=nothing,
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
