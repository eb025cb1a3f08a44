"""Linear maps from weighted documents to classes, kept in the smallest of their forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.parts import expect_parts, float_part, starts_part, whole_part
from tallytext.smoothing.base import Numbers

# Similarities to all training documents of so many numbers are held at a time.
_AT_ONCE = 1 << 22


class LinearMap(Protocol):
    """What gives each class a number for a document, as a sum over its terms."""

    @property
    def bias(self) -> Numbers:
        """What a document without words gets, by class."""

    def scores(self, X: sparse.csr_array[Any]) -> Numbers:
        """Return what each document gets, documents by classes."""

    def rows(self, terms: NDArray[np.integer[Any]]) -> Numbers:
        """Return what one of each of these terms adds, terms by classes."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""


@dataclass(frozen=True)
class TermWeights:
    """A weight for each term and class."""

    weights: Numbers
    bias: Numbers

    def scores(self, X: sparse.csr_array[Any]) -> Numbers:
        """Return what each document gets, documents by classes."""
        return np.asarray(X @ self.weights) + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> Numbers:
        """Return what one of each of these terms adds, terms by classes."""
        return self.weights[terms]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""
        return {"weights": self.weights, "bias": self.bias}

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Return the map that arrays of a file are."""
        expect_parts(arrays, {"weights", "bias"})
        weights = float_part(arrays, "weights", (n_terms, n_classes))
        return cls(weights, float_part(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class Factors:
    """Directions among the terms, and what each says of the classes."""

    directions: Numbers
    loadings: Numbers
    bias: Numbers

    def scores(self, X: sparse.csr_array[Any]) -> Numbers:
        """Return what each document gets, documents by classes."""
        return np.asarray(X @ self.directions) @ self.loadings + self.bias

    def rows(self, terms: NDArray[np.integer[Any]]) -> Numbers:
        """Return what one of each of these terms adds, terms by classes."""
        return self.directions[terms] @ self.loadings

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the map consists of."""
        return {"directions": self.directions, "loadings": self.loadings, "bias": self.bias}

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_terms: int, n_classes: int) -> Self:
        """Return the map that arrays of a file are."""
        expect_parts(arrays, {"directions", "loadings", "bias"})
        directions = float_part(arrays, "directions", (n_terms, None))
        loadings = float_part(arrays, "loadings", (directions.shape[1], n_classes))
        return cls(directions, loadings, float_part(arrays, "bias", (n_classes,)))


@dataclass(frozen=True)
class DocumentCoefficients:
    """A coefficient for each training document and class; terms speak through the documents."""

    documents: sparse.csr_array[Any]
    coefficients: Numbers
    bias: Numbers

    def scores(self, X: sparse.csr_array[Any]) -> Numbers:
        """Return what each document gets, documents by classes."""
        step = max(1, _AT_ONCE // max(1, len(self.coefficients)))
        found = np.empty((X.shape[0], len(self.bias)))
        transposed = self.documents.T
        for first in range(0, X.shape[0], step):
            alike = X[first : first + step] @ transposed
            found[first : first + step] = alike @ self.coefficients + self.bias
        return found

    def rows(self, terms: NDArray[np.integer[Any]]) -> Numbers:
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
        expect_parts(arrays, {"starts", "terms", "values", "coefficients", "bias"})
        coefficients = float_part(arrays, "coefficients", (None, n_classes))
        values = float_part(arrays, "values", (None,))
        terms = whole_part(arrays, "terms", (len(values),), 0, n_terms)
        starts = starts_part(arrays, "starts", len(coefficients), len(values))
        documents = sparse.csr_array((values, terms, starts), shape=(len(coefficients), n_terms))
        return cls(documents, coefficients, float_part(arrays, "bias", (n_classes,)))
