"""Fisher's discriminant: directions in which classes lie apart, and their documents together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from tallytext.errors import LabelError

Numbers = NDArray[np.floating[Any]]


class Scatter(NamedTuple):
    r"""How points lie around the means of their classes. Sums, to which points can be added.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
    means : ndarray of shape (n_classes, n_dimensions)
    within : ndarray of shape (n_dimensions, n_dimensions)
        :math:`S_w = \sum_c \sum_{i \in c} (x_i - m_c)(x_i - m_c)^T`.
    """

    sizes: Numbers
    means: Numbers
    within: Numbers

    @classmethod
    def of(cls, X: Numbers, truth: Any) -> Scatter:
        """Return the scatter of points of which ``truth`` says the classes, zeros and ones.

        A point with several classes counts once in each.
        """
        sizes = np.asarray(truth.sum(axis=0), dtype=np.float64).ravel()
        means = np.asarray(truth.T @ X) / np.maximum(sizes, 1)[:, None]
        within = np.zeros((X.shape[1], X.shape[1]))
        for c in range(len(sizes)):
            apart = X[np.flatnonzero(truth[:, [c]].toarray())] - means[c]
            within += apart.T @ apart
        return cls(sizes, means, within)

    @property
    def between(self) -> Numbers:
        r""":math:`S_b = \sum_c N_c (m_c - m)(m_c - m)^T`."""
        centre = self.sizes @ self.means / max(self.sizes.sum(), 1)
        apart = (self.means - centre) * np.sqrt(self.sizes)[:, None]
        return apart.T @ apart


class Fisher(NamedTuple):
    """Directions, and how far apart classes lie along each.

    Attributes
    ----------
    directions : ndarray of shape (n_dimensions, n_directions)
    ratios : ndarray of shape (n_directions,)
        Scatter between classes by scatter within them. Descending.
    """

    directions: Numbers
    ratios: Numbers


def fisher_directions(X: ArrayLike, y: ArrayLike, gamma: float = 0.0) -> Fisher:
    r"""Return Fisher's directions of points of two classes or more.

    For two classes

    .. math:: v = (S_w + \gamma I)^{-1} (m_1 - m_0), \quad
        \rho = \frac{(v \cdot (m_1 - m_0))^2}{v^T S_w v}

    and for more, at most one fewer than classes,

    .. math:: S_b v = \rho (S_w + \gamma I) v, \quad v^T (S_w + \gamma I) v = 1

    with :math:`\rho = v^T S_b v / v^T S_w v` given. Of each of these the number of the largest
    magnitude is positive.

    Parameters
    ----------
    X : array-like of shape (n_points, n_dimensions)
        Few dimensions: matrices of dimensions by dimensions are solved.
    y : array-like of shape (n_points,)
    gamma : float, default=0.0
        Added to the scatter within classes in all directions.

    Examples
    --------
    >>> X = [[2, 1], [1, 0], [3, 2], [0, 2], [1, 3], [0, 4]]
    >>> found = fisher_directions(X, [0, 0, 0, 1, 1, 1])
    >>> found.directions.ravel().round(6), found.ratios.round(6)
    (array([-1.6,  1.3]), array([5.266667]))
    """
    points = np.asarray(X, dtype=np.float64)
    classes, numbers = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise LabelError("directions can only tell classes apart, and there is one class.")
    scatter = Scatter.of(points, _indicator(numbers, len(classes)))
    return directions_of(scatter, gamma)


def directions_of(scatter: Scatter, gamma: float) -> Fisher:
    """Return the directions of points with such a scatter."""
    firm = scatter.within + gamma * np.eye(len(scatter.within))
    if len(scatter.sizes) == 2:
        apart = scatter.means[1] - scatter.means[0]
        single = linalg.solve(firm, apart, assume_a="pos")[:, None]
        return Fisher(single, _ratios(single, np.outer(apart, apart), scatter.within))
    _, vectors = linalg.eigh(scatter.between, firm)
    kept = vectors[:, ::-1][:, : len(scatter.sizes) - 1]
    if not kept.size:  # points without a dimension lie all in one place
        return Fisher(kept, np.empty(0))
    kept = kept * np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
    return Fisher(kept, _ratios(kept, scatter.between, scatter.within))


def _ratios(directions: Numbers, between: Numbers, within: Numbers) -> Numbers:
    apart, together = (
        np.einsum("ik,ij,jk->k", directions, matrix, directions) for matrix in (between, within)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(apart > 0, apart / together, 0.0)


def _indicator(numbers: NDArray[np.intp], n_classes: int) -> Any:
    shape = len(numbers), n_classes
    return sparse.csr_array((np.ones(len(numbers)), (np.arange(len(numbers)), numbers)), shape)
