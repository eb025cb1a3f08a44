"""Least squares with a penalty on the weights, for all classes at once, by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers

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

    values: Numbers
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
    mean: Numbers

    @classmethod
    def of(cls, X: sparse.csr_array[Any], by_mean: bool) -> Self:
        """Return documents less their mean, or as they are."""
        mean = np.asarray(X.mean(axis=0)).ravel() if by_mean else np.zeros(X.shape[1])
        return cls(X, mean)

    def times(self, weights: Numbers) -> Numbers:
        """Return documents times weights of terms."""
        return np.asarray(self.documents @ weights) - self.mean @ weights

    def transposed_times(self, coefficients: Numbers) -> Numbers:
        """Return the transposed documents times coefficients of documents."""
        whole = np.asarray(self.documents.T @ coefficients)
        return whole - np.outer(self.mean, coefficients.sum(axis=0))

    def by_terms(self, weights: Numbers) -> Numbers:
        """Return terms by terms, of how they go together, times weights of terms."""
        return self.transposed_times(self.times(weights))

    def by_documents(self, coefficients: Numbers) -> Numbers:
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

    def primal(self, X: Centred, truth: sparse.csr_array[Any], means: Numbers) -> Solution:
        """Solve for the weights of terms, (XᵀX + αI) W = Xᵀ Y."""
        return self._solve(X.by_terms, X.transposed_times, truth, means)

    def dual(self, X: Centred, truth: sparse.csr_array[Any], means: Numbers) -> Solution:
        """Solve for coefficients of documents, (XXᵀ + αI) D = Y, of which W = Xᵀ D."""
        return self._solve(X.by_documents, lambda targets: targets, truth, means)

    def _solve(
        self,
        product: Callable[[Numbers], Numbers],
        right_side: Callable[[Numbers], Numbers],
        truth: sparse.csr_array[Any],
        means: Numbers,
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
    product: Callable[[Numbers], Numbers],
    right: Numbers,
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


def _ratio(above: Numbers, below: Numbers, where: Any) -> Numbers:
    """Return above / below, and zero for columns that are done."""
    return np.divide(above, below, out=np.zeros_like(above), where=where & (below > 0))
