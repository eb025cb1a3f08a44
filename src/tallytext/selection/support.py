"""What transformers share that keep some columns.

scikit-learn has the same, in a module that brings all of its linear models along: more than a
command that answers a question has time for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names_in


class KeepsColumns(TransformerMixin):  # type: ignore[misc]
    """Keeps the columns of a mask that a kind of transformer has (:meth:`_get_support_mask`)."""

    n_features_in_: int

    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Return whether each column is kept."""
        raise TypeError(f"{type(self).__name__} must say which columns it keeps.")

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return whether each column is kept; or, with ``indices``, the numbers of those that are.

        Parameters
        ----------
        indices : bool, default=False
        """
        mask = self._get_support_mask()
        return np.flatnonzero(mask) if indices else mask

    def inverse_transform(self, X: Any) -> Any:
        """Return X with empty columns where some were left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_kept)
        """
        kept = self.get_support(indices=True)
        given: Any = check_array(X, accept_sparse="csr")
        if given.shape[1] != len(kept):
            raise ValueError(f"X has {given.shape[1]} columns, but {len(kept)} were kept.")
        width = len(self._get_support_mask())
        shape = given.shape[0], width
        if not isinstance(given, np.ndarray):
            return type(given)((given.data, kept[given.indices], given.indptr), shape=shape)
        whole = np.zeros(shape, dtype=given.dtype)
        whole[:, kept] = given
        return whole

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are kept.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """
        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names[self._get_support_mask()]
