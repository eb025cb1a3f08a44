"""Fisher's discriminant as features of documents, a few numbers made of all words."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tallytext._validation import check_counts_to_weigh, check_whole
from tallytext.errors import LabelError
from tallytext.features.smart import Weigher
from tallytext.features.svd import singular_vectors
from tallytext.tally.labels import Targets, array_of_labels, check_lengths, targets_of, truth_of

# ------------------------------------------------------------------------------------------------
# Fisher's discriminant: directions in which classes lie apart, and their documents together.

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


class FisherFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Features along which classes lie apart, from all words together.

    Documents, weighted, are reduced to :math:`r` dimensions by latent semantic analysis, for among
    thousands of words there is always a direction that tells the training documents apart by
    chance. There the features are the generalised eigenvectors, at most one fewer than classes, of

    .. math:: S_b v = \rho (S_w + \gamma I) v, \quad \gamma = \text{ridge} \cdot
        \frac{\operatorname{tr} S_w}{r}

    where :math:`S_w` is the scatter within classes and :math:`S_b` that between them. Good features
    for trees, which can ask for one number at a time only.

    Parameters
    ----------
    n_components : int, default=None
        How many directions at most; None for as many as there are.
    n_lsa : int, default=200
        r.
    ridge : float, default=1e-3
    append : bool, default=False
        Whether the features of latent semantic analysis come first, and these after them.
    weighting : str or None, default="ltc"
        How words are weighted, in the letters of SMART; None: not at all.
    random_state : int, RandomState or None, default=0
        Where the search for singular vectors begins.

    Attributes
    ----------
    classes_ : ndarray
    components_ : ndarray of shape (n_lsa, n_terms)
        What latent semantic analysis found.
    directions_ : ndarray of shape (n_lsa, n_directions)
    ratios_ : ndarray of shape (n_directions,)
        Scatter between classes by scatter within them, along each direction.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 0, 0], [0, 1, 2, 1], [0, 0, 1, 1]]
    >>> fisher = FisherFeatures(n_lsa=2).fit(X, ["X", "X", "Y", "Y"])
    >>> features = fisher.transform(X)
    >>> features.shape, bool(features[:2].max() < features[2:].min())
    ((4, 1), True)
    """

    def __init__(
        self,
        n_components: int | None = None,
        n_lsa: int = 200,
        ridge: float = 1e-3,
        *,
        append: bool = False,
        weighting: str | None = "ltc",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_lsa = n_lsa
        self.ridge = ridge
        self.append = append
        self.weighting = weighting
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts; with ``weighting=None``, any numbers.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix: a
            document counts once in each of its classes.
        """
        self._check_parameters()
        X = self._checked(X, reset=True)
        targets = targets_of(y)
        check_lengths(X, targets)
        truth = self._meet(targets)
        self.weigher_ = Weigher.of(X, self.weighting)
        weighted = self.weigher_(X)
        found = singular_vectors(weighted, self.n_lsa, self.random_state)
        self.components_ = found.right.T
        fisher = self._directions(Scatter.of(np.asarray(weighted @ found.right), truth))
        self.directions_ = fisher.directions[:, : self.n_components]
        self.ratios_ = fisher.ratios[: self.n_components]
        return self

    def transform(self, X: Any) -> Numbers:
        """Return the features of documents, documents by features.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        reduced = np.asarray(self.weigher_(self._checked(X, reset=False)) @ self.components_.T)
        features = reduced @ self.directions_
        return np.hstack([reduced, features]) if self.append else features

    def _directions(self, scatter: Scatter) -> Fisher:
        dimensions = max(1, len(scatter.within))
        # Classes of one document each have no scatter: all directions are then as good.
        spread = np.trace(scatter.within) or np.trace(scatter.between) or 1.0
        found = directions_of(scatter, self.ridge * float(spread) / dimensions)
        # The scatter within classes becomes that of points a unit apart, as far as it can.
        unit = np.sqrt(np.maximum(1.0, scatter.sizes.sum() - len(scatter.sizes)))
        return found._replace(directions=found.directions * unit)

    def _checked(self, X: Any, reset: bool) -> sparse.csr_array[Any]:
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        rows = sparse.csr_array(checked)
        check_counts_to_weigh(rows, self)
        return rows

    def _meet(self, targets: Targets) -> sparse.csr_array[Any]:
        self.classes_ = array_of_labels(targets.classes)
        if len(self.classes_) < 2:
            raise LabelError("directions can only tell classes apart, and there is one class.")
        return sparse.csr_array(truth_of(targets.labels, self.classes_).astype(np.float64))

    def _check_parameters(self) -> None:
        check_whole("n_lsa", self.n_lsa, 1)
        if self.n_components is not None:
            check_whole("n_components", self.n_components, 1)
        if not 0 < self.ridge < np.inf:
            raise ValueError(f"ridge must be a positive number, not {self.ridge!r}.")

    @property
    def _n_features_out(self) -> int:
        lsa = len(self.components_) if self.append else 0
        return lsa + self.directions_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        tags.input_tags.positive_only = self.weighting is not None
        return tags
