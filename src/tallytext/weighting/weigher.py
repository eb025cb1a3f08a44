"""How a model weighs words: a scheme, and what it needs to know of the training documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import FileError
from tallytext.parts import whole_part
from tallytext.weighting.letters import expect_scheme
from tallytext.weighting.smart import document_frequencies, smart_weights


@dataclass(frozen=True)
class Weigher:
    """A SMART scheme with the document frequencies of the training documents.

    Attributes
    ----------
    scheme : str or None
        Three letters; None for counts as they are.
    frequencies : ndarray of shape (n_terms,)
    n_documents : int

    Examples
    --------
    >>> X = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> weigher = Weigher.of(X, "ltc")
    >>> weigher(X[[0]]).toarray().round(3)
    array([[0.861, 0.509, 0.   , 0.   ]])
    """

    scheme: str | None
    frequencies: NDArray[np.int64]
    n_documents: int

    @classmethod
    def of(cls, X: Any, scheme: str | None) -> Self:
        """Learn from training documents what the scheme needs."""
        if scheme is not None:
            expect_scheme(scheme)
        return cls(scheme, document_frequencies(X), X.shape[0])

    def __call__(self, X: Any) -> sparse.csr_array[Any]:
        """Return the weights of the words of documents."""
        if self.scheme is None:
            return sparse.csr_array(X, dtype=np.float64)
        return sparse.csr_array(smart_weights(X, self.scheme, self.frequencies, self.n_documents))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, for a file.

        Examples
        --------
        >>> Weigher("ltc", np.array([2, 1]), 3).to_arrays()
        {'document_frequencies': array([2, 1]), 'n_documents': array([3])}
        """
        return {
            "document_frequencies": self.frequencies,
            "n_documents": np.array([self.n_documents], dtype=np.int64),
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], scheme: Any, n_terms: int | None) -> Self:
        """Read what :meth:`to_arrays` returned; None for as many terms as the file has.

        Raises
        ------
        FileError
            If there is no such scheme, or the numbers cannot be.
        """
        try:
            given = None if scheme is None else expect_scheme(scheme)
        except ValueError as problem:
            raise FileError(str(problem)) from None
        total = int(whole_part(arrays, "n_documents", (1,), 1, 2**53)[0])
        frequencies = whole_part(arrays, "document_frequencies", (n_terms,), 0, total + 1)
        if not len(frequencies):
            raise FileError("document_frequencies has no terms.")
        return cls(given, frequencies, total)


WEIGHER_PARTS = frozenset({"document_frequencies", "n_documents"})
"""The names of the arrays of a weigher."""
