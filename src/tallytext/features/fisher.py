"""Fisher's linear discriminant as features of documents.

:class:`FisherFeatures` reduces documents by latent semantic analysis and projects them on the
directions of :func:`fisher_directions`, which separate the classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from tallytext._estimators import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
)
from tallytext._typing import FloatArray
from tallytext._validation import check_weighting_counts, check_whole, validate_data
from tallytext.errors import LabelError
from tallytext.features.svd import truncated_svd
from tallytext.features.tf_idf import TermWeighting
from tallytext.tally.labels import (
    Targets,
    check_lengths,
    indicator_matrix,
    label_array,
    read_targets,
)


class ClassScatter(NamedTuple):
    r"""The sizes and means of classes of points, and the scatter within classes.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
    means : ndarray of shape (n_classes, n_dimensions)
    within : ndarray of shape (n_dimensions, n_dimensions)
        :math:`S_w = \sum_c \sum_{i \in c} (x_i - m_c)(x_i - m_c)^T`.
    """

    sizes: FloatArray
    means: FloatArray
    within: FloatArray

    @classmethod
    def from_points(cls, X: FloatArray, truth: Any) -> ClassScatter:
        """Compute the scatter of points.

        Parameters
        ----------
        X : ndarray of shape (n_points, n_dimensions)
        truth : sparse array of shape (n_points, n_classes)
            1 for the classes of each point. A point with several classes counts once in each.
        """
        sizes = np.asarray(truth.sum(axis=0), dtype=np.float64).ravel()
        means = np.asarray(truth.T @ X) / np.maximum(sizes, 1)[:, None]
        within = np.zeros((X.shape[1], X.shape[1]))
        # Centred class by class: the difference of X'X and the sum of N m m' would cancel.
        for c in range(len(sizes)):
            centred = X[np.flatnonzero(truth[:, [c]].toarray())] - means[c]
            within += centred.T @ centred
        return cls(sizes, means, within)

    @property
    def between_classes(self) -> FloatArray:
        r""":math:`S_b = \sum_c N_c (m_c - m)(m_c - m)^T`."""
        centre = self.sizes @ self.means / max(self.sizes.sum(), 1)
        scaled = (self.means - centre) * np.sqrt(self.sizes)[:, None]
        return scaled.T @ scaled


class FisherDirections(NamedTuple):
    """Discriminant directions, and the separation of the classes along each.

    Attributes
    ----------
    directions : ndarray of shape (n_dimensions, n_directions)
    ratios : ndarray of shape (n_directions,)
        Scatter between classes divided by scatter within classes, descending.
    """

    directions: FloatArray
    ratios: FloatArray


def fisher_directions(X: ArrayLike, y: ArrayLike, gamma: float = 0.0) -> FisherDirections:
    r"""Return Fisher's discriminant directions of points of at least two classes.

    For two classes

    .. math:: v = (S_w + \gamma I)^{-1} (m_1 - m_0), \quad
        \rho = \frac{(v \cdot (m_1 - m_0))^2}{v^T S_w v}

    and for more classes, at most one direction fewer than classes,

    .. math:: S_b v = \rho (S_w + \gamma I) v, \quad v^T (S_w + \gamma I) v = 1

    with :math:`\rho = v^T S_b v / v^T S_w v` as the ratio. The element of the
    largest magnitude of each of these directions is positive.

    Parameters
    ----------
    X : array-like of shape (n_points, n_dimensions)
        Few dimensions: a matrix of dimensions by dimensions is solved.
    y : array-like of shape (n_points,)
    gamma : float, default=0.0
        Regularisation: added to the diagonal of the scatter within classes.

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
        raise LabelError("Fisher directions need at least two classes, and there is one class.")
    scatter = ClassScatter.from_points(points, _indicator(numbers, len(classes)))
    return solve_directions(scatter, gamma)


def solve_directions(scatter: ClassScatter, gamma: float) -> FisherDirections:
    """Return the discriminant directions for a scatter."""
    regularised = scatter.within + gamma * np.eye(len(scatter.within))
    if len(scatter.sizes) == 2:
        difference = scatter.means[1] - scatter.means[0]
        # Between two classes the scatter has rank one, so no eigenvectors are needed.
        single = linalg.solve(regularised, difference, assume_a="pos")[:, None]
        between = np.outer(difference, difference)
        return FisherDirections(single, _ratios(single, between, scatter.within))
    _, vectors = linalg.eigh(scatter.between_classes, regularised)
    # eigh() sorts by ascending eigenvalue; the rank of S_b is at most one below the classes.
    best = vectors[:, ::-1][:, : len(scatter.sizes) - 1]
    if not best.size:  # points without dimensions
        return FisherDirections(best, np.empty(0))
    # The sign of an eigenvector is arbitrary, and differs between LAPACK libraries.
    best = best * np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    return FisherDirections(best, _ratios(best, scatter.between_classes, scatter.within))


def _ratios(directions: FloatArray, between: FloatArray, within: FloatArray) -> FloatArray:
    above, below = (
        np.einsum("ik,ij,jk->k", directions, matrix, directions) for matrix in (between, within)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        # Separated classes without scatter have an infinite ratio, and equal points have none.
        return np.where(above > 0, above / below, 0.0)


def _indicator(numbers: NDArray[np.intp], n_classes: int) -> Any:
    shape = len(numbers), n_classes
    return sparse.csr_array((np.ones(len(numbers)), (np.arange(len(numbers)), numbers)), shape)


class FisherFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Features that separate the classes, each a linear combination of all words.

    Weighted documents are reduced to :math:`r` dimensions by latent semantic analysis, because
    among thousands of words some direction always separates the training documents by chance. The
    features are then the generalised eigenvectors, at most one fewer than classes, of

    .. math:: S_b v = \rho (S_w + \gamma I) v, \quad \gamma = \text{ridge} \cdot
        \frac{\operatorname{tr} S_w}{r}

    where :math:`S_w` is the scatter within classes and :math:`S_b` that between them. They are
    good features for trees, which split by one feature at a time.

    Parameters
    ----------
    n_components : int, default=None
        The largest number of directions; None for all.
    n_lsa : int, default=200
        r, the dimensions of latent semantic analysis.
    ridge : float, default=1e-3
    append : bool, default=False
        True to return the features of latent semantic analysis, too, before these.
    weighting : str or None, default="ltc"
        The SMART weights of words; None for unweighted counts.
    random_state : int, RandomState or None, default=0
        Seed of the singular value decomposition.

    Attributes
    ----------
    classes_ : ndarray
    components_ : ndarray of shape (n_lsa, n_terms)
        The right singular vectors of latent semantic analysis.
    directions_ : ndarray of shape (n_lsa, n_directions)
    ratios_ : ndarray of shape (n_directions,)
        Scatter between classes divided by scatter within classes, along each direction.

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
        """Compute the directions.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts; with ``weighting=None``, any numbers.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix: a
            document counts once in each of its classes.
        """
        self._check_parameters()
        X = self._check_input(X, reset=True)
        targets = read_targets(y)
        check_lengths(X, targets)
        truth = self._class_indicator(targets)
        self.term_weighting_ = TermWeighting.from_documents(X, self.weighting)
        weighted = self.term_weighting_(X)
        found = truncated_svd(weighted, self.n_lsa, self.random_state)
        self.components_ = found.right.T
        reduced = np.asarray(weighted @ found.right)
        fisher = self._directions(ClassScatter.from_points(reduced, truth))
        self.directions_ = fisher.directions[:, : self.n_components]
        self.ratios_ = fisher.ratios[: self.n_components]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the features of documents, documents by features.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        weighted = self.term_weighting_(self._check_input(X, reset=False))
        reduced = np.asarray(weighted @ self.components_.T)
        features = reduced @ self.directions_
        return np.hstack([reduced, features]) if self.append else features

    def _directions(self, scatter: ClassScatter) -> FisherDirections:
        dimensions = max(1, len(scatter.within))
        # Classes of one document each have no scatter within: use the scatter between them then.
        spread = np.trace(scatter.within) or np.trace(scatter.between_classes) or 1.0
        found = solve_directions(scatter, self.ridge * float(spread) / dimensions)
        # Scale directions to a variance of about 1 within classes.
        unit = np.sqrt(np.maximum(1.0, scatter.sizes.sum() - len(scatter.sizes)))
        return found._replace(directions=found.directions * unit)

    def _check_input(self, X: Any, reset: bool) -> sparse.csr_array[Any]:
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        rows = sparse.csr_array(checked)
        check_weighting_counts(rows, self)
        return rows

    def _class_indicator(self, targets: Targets) -> sparse.csr_array[Any]:
        """Set ``classes_``; return 1 for the classes of each document."""
        self.classes_ = label_array(targets.classes)
        if len(self.classes_) < 2:
            raise LabelError("Fisher directions need at least two classes, and there is one class.")
        return sparse.csr_array(indicator_matrix(targets.labels, self.classes_).astype(np.float64))

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
