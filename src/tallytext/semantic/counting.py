"""What Phrases and Concepts have in common: counting what they find in texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from tallytext.documents import Rows
from tallytext.errors import FileError
from tallytext.semantic.matching import Matcher
from tallytext.semantic.streams import Cutter, RawStreams
from tallytext.threads import thread_count


class PhraseCounter(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """A transformer from texts to counts of what a matcher finds in them."""

    n_jobs: int | None

    @abstractmethod
    def _cutter(self) -> Cutter:
        """Return how texts are cut into words."""

    @abstractmethod
    def _fitted_matcher(self) -> Matcher:
        """Return the matcher, or raise an error that says what is missing."""

    @abstractmethod
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """

    def transform(self, raw_documents: Any) -> Any:
        """Count what is found in texts: the longest, from left to right, none that overlaps.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_columns)
            Counts. The entries of a row are in order of first appearance in its document.
        """
        matcher, cutter = self._fitted_matcher(), self._cutter()
        n_threads = thread_count(self.n_jobs)
        parts = (cutter.cut([batch], n_threads) for batch in cutter.batches(raw_documents))
        return self._matrix([matcher.rows(raw, cutter, n_threads) for raw in parts])

    def _counted(self, raw: RawStreams) -> Any:
        matcher, cutter = self._fitted_matcher(), self._cutter()
        return self._matrix([matcher.rows(raw, cutter, thread_count(self.n_jobs))])

    def _matrix(self, rows: list[Rows]) -> Any:
        return Rows.stack(rows).matrix(len(self.get_feature_names_out()), np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def strings_in(values: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of strings out of plain values.

    Raises
    ------
    FileError
        If there is none under this name.
    """
    found = values.get(name) if isinstance(values, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise FileError(f"{name!r} must be a list of strings, not {found!r:.80}")
    return found
