"""LinearDiscriminant: the nearest class mean among Fisher's features of documents."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

from tallytext._estimators import check_is_fitted, clone
from tallytext._typing import FloatArray
from tallytext.errors import FileError
from tallytext.features.fisher import ClassScatter, FisherFeatures
from tallytext.features.tf_idf import TermWeighting
from tallytext.io.array_checks import check_array_names, check_float_array
from tallytext.models.base import ArraysByName, Summands, TrainedClassifier, to_documents

# The share of the total variance of a feature in its variance within classes: the features are made
# to separate the training documents, so that the scatter of these within classes is too small.
_SHRINKAGE = 0.01


class LinearDiscriminant(TrainedClassifier):
    r"""Linear discriminant analysis on Fisher's features of documents (Aggarwal, 5.2.7).

    A document :math:`z` in the space of :class:`~tallytext.FisherFeatures` is scored by its
    distance to the mean :math:`m_c` of each class, in units of the standard deviation
    :math:`\sigma_j` within classes, which includes a hundredth of the total variance:

    .. math:: \log p(c \mid z) = \sum_j \frac{z_j m_{cj} - m_{cj}^2 / 2}{\sigma_j^2}
              + \log \frac{N_c}{N} + \text{const}

    For multi-label documents the score of a class is the same sum minus that of all documents
    without the class. Both are linear in the weights of words, so that :meth:`explain` is exact.

    Parameters
    ----------
    features : FisherFeatures, default=None
        The features; None for ``FisherFeatures()``.
    multi_label : bool, default=None
        True if documents may have several labels or none; None to infer it from the labels.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    projection_ : ndarray of shape (n_terms, n_features)
        The weights of words in each feature.
    coefficients_ : ndarray of shape (n_features, n_classes)
        The weights of features in the score of each class.
    bias_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 0, 0], [0, 1, 2, 1], [0, 0, 1, 1]]
    >>> model = LinearDiscriminant(FisherFeatures(n_lsa=2)).fit(X, ["X", "X", "Y", "Y"])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 3, 1]])
    array(['X', 'Y'], dtype='<U1')
    """

    projection_: NDArray[np.float32]
    coefficients_: FloatArray
    bias_: FloatArray
    term_weighting_: TermWeighting

    def __init__(
        self, features: FisherFeatures | None = None, *, multi_label: bool | None = None
    ) -> None:
        self.features = features
        self.multi_label = multi_label

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file: arrays by name, and values for JSON."""
        check_is_fitted(self)
        own = {
            "projection": self.projection_,
            "coefficients": self.coefficients_,
            "bias": self.bias_,
        }
        return {**own, **self.term_weighting_.to_arrays()}, {}

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before.

        Raises
        ------
        FileError
            If the arrays or values are not those of a LinearDiscriminant, or contradict each other.
        """
        if values:
            raise FileError(f"these are not the values of a LinearDiscriminant: {values!r:.80}.")
        weighting, own = TermWeighting.from_arrays(
            arrays, self._features().weighting, getattr(self, "n_features_in_", None)
        )
        check_array_names(own, {"projection", "coefficients", "bias"})
        n_terms, n_classes = len(weighting.frequencies), len(self.classes_)
        projection = check_float_array(own, "projection", (n_terms, None)).astype(np.float32)
        self.coefficients_ = check_float_array(
            own, "coefficients", (projection.shape[1], n_classes)
        )
        self.bias_ = check_float_array(own, "bias", (n_classes,))
        self.projection_, self.term_weighting_ = projection, weighting
        self.n_features_in_ = n_terms
        return self

    def _features(self) -> FisherFeatures:
        return FisherFeatures() if self.features is None else self.features

    def _check_parameters(self) -> None:
        if not isinstance(self._features(), FisherFeatures):
            raise ValueError(f"features must be FisherFeatures, not {self.features!r:.80}.")
        self._features()._check_parameters()

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        none = [len(self.classes_)]  # documents without a label are to be separated, too
        labels = [truth.indices[a:b].tolist() or none for a, b in pairwise(truth.indptr)]
        fisher = clone(self._features()).fit(X, labels)
        self.term_weighting_ = fisher.term_weighting_
        lsa = fisher.components_.T
        directions = lsa @ fisher.directions_
        # Rounded before the means are computed, so that a model file loses nothing.
        made = np.hstack([lsa, directions]) if fisher.append else directions
        self.projection_ = np.ascontiguousarray(made, dtype=np.float32)
        self._set_coefficients(self._project(X), truth)

    def _set_coefficients(self, points: FloatArray, truth: sparse.csr_array[Any]) -> None:
        scatter, n = ClassScatter.from_points(points, truth), len(points)
        sizes, means = scatter.sizes, scatter.means
        freedom = max(1.0, sizes.sum() - len(sizes))
        within, total = np.diag(scatter.within) / freedom, points.var(axis=0)
        variances = (1 - _SHRINKAGE) * within + _SHRINKAGE * total
        variances[variances == 0] = 1.0  # a feature that all documents share
        # C order, as in a file: sums in another order differ in the last bit.
        self.coefficients_ = np.ascontiguousarray((means / variances).T)
        self.bias_ = np.log(sizes / n) - 0.5 * (means**2 / variances).sum(axis=1)
        if self.multi_label_:
            others = np.maximum(n - sizes, 1.0)
            rest = (points.sum(axis=0) - sizes[:, None] * means) / others[:, None]
            self.coefficients_ -= (rest / variances).T
            self.bias_ -= np.log(others / n) - 0.5 * (rest**2 / variances).sum(axis=1)

    def _project(self, X: Any) -> FloatArray:
        # The sparse product sums each row on its own, so that the features of a document are the
        # same to the last bit in any batch.
        return np.asarray(self.term_weighting_(X) @ self.projection_, dtype=np.float64)

    def _decide(self, X: Any) -> FloatArray:
        return np.einsum("df,fc->dc", self._project(X), self.coefficients_) + self.bias_

    def _odds(self, decisions: FloatArray) -> FloatArray:
        if self.multi_label_ or decisions.shape[1] < 2:
            return decisions
        # The log-odds of a class against all others together.
        n_classes = decisions.shape[1]
        found = np.empty_like(decisions)
        for c in range(n_classes):
            others = np.delete(decisions, c, axis=1)
            found[:, c] = decisions[:, c] - logsumexp(others, axis=1)
        return found

    def _summands(self, row: Any) -> Summands:
        document = to_documents(row)
        values = self.term_weighting_(row)[:, document.terms].toarray()[0]
        weights = self.projection_[document.terms] @ self.coefficients_
        zeros = np.zeros(len(self.classes_))
        return Summands(
            classes=self.classes_,
            counts=document.values,
            known=self.term_weighting_.frequencies[document.terms] > 0,
            terms=values[:, None] * weights,
            prior=self.bias_,
            constant=zeros,
            length=zeros,
            scores=self._decide(row)[0],
        )
