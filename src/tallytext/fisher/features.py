"""Fisher's discriminant as features of documents, a few numbers made of all words."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tallytext.errors import LabelError
from tallytext.fisher.directions import Fisher, Numbers, Scatter, directions_of
from tallytext.labels import array_of_labels
from tallytext.matrices import expect_counts_to_weigh
from tallytext.smoothing.base import expect_whole
from tallytext.svd import singular_vectors
from tallytext.targets import Targets, expect_lengths, targets_of, truth_of
from tallytext.weighting.weigher import Weigher


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
        self._expect_parameters()
        X = self._checked(X, reset=True)
        targets = targets_of(y)
        expect_lengths(X, targets)
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
        expect_counts_to_weigh(rows, self)
        return rows

    def _meet(self, targets: Targets) -> sparse.csr_array[Any]:
        self.classes_ = array_of_labels(targets.classes)
        if len(self.classes_) < 2:
            raise LabelError("directions can only tell classes apart, and there is one class.")
        return sparse.csr_array(truth_of(targets.labels, self.classes_).astype(np.float64))

    def _expect_parameters(self) -> None:
        expect_whole("n_lsa", self.n_lsa, 1)
        if self.n_components is not None:
            expect_whole("n_components", self.n_components, 1)
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
