"""Documents seen in three ways: as shares of words, as directions, and in a latent space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.linear.unit_weights import damped
from tallytext.parts import Shape, float_part, whole_part
from tallytext.products import Products
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.counts import Rows
from tallytext.unlabelled.latent import leading_directions, unit_rows

_MOST_IDF = 1000.0  # far beyond the logarithm of any number of documents


@dataclass(frozen=True)
class Views:
    r"""What documents are turned into before they are judged.

    .. math:: u_w \propto g_w \ln(1 + x_w), \quad \textstyle\sum_w u_w = 1; \qquad
              v_w \propto g_w\, \mathrm{idf}_w (1 + \ln x_w), \quad \lVert v \rVert = 1; \qquad
              z \propto D^T v, \quad \lVert z \rVert = 1

    Attributes
    ----------
    columns : ndarray of shape (n_terms,)
        Which columns of a matrix of counts are the words that count, ascending.
    emphasis : ndarray of shape (n_terms,)
        :math:`g_w`.
    idf : ndarray of shape (n_terms,)
    directions : ndarray of shape (n_terms, n_components)
        D, the leading right singular vectors of all v.
    """

    columns: NDArray[np.int64]
    emphasis: Numbers
    idf: Numbers
    directions: Numbers

    @classmethod
    def of(
        cls,
        units: Products,
        columns: NDArray[np.int64],
        emphasis: Numbers,
        idf: Numbers,
        k: int,
        seed: int,
    ) -> Self:
        """Return the views of documents whose v are known, with k directions at most."""
        # As precise as a file will hold them, so that a saved model answers the same.
        right = leading_directions(units, k, seed=seed).astype(np.float32)
        return cls(columns, emphasis, idf, right.astype(np.float64))

    @property
    def n_components(self) -> int:
        """Dimensions of the latent space."""
        return self.directions.shape[1]

    def narrowed(self, counts: Rows[Any]) -> Rows[Any]:
        """Return documents with the words that count alone."""
        return counts[:, self.columns]

    def shares(self, counts: Rows[Any]) -> Rows[Any]:
        """Return u of documents."""
        return shares_of_words(counts, self.emphasis)

    def units(self, counts: Rows[Any]) -> Rows[Any]:
        """Return v of documents."""
        return unit_weights(counts, self.idf * self.emphasis)

    def latent(self, units: Products) -> Numbers:
        """Return z of documents."""
        return unit_rows(units.times(self.directions))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the views consist of, for a file."""
        directions = self.directions.astype(np.float32)
        return {
            "columns": self.columns,
            "emphasis": self.emphasis,
            "idf": self.idf,
            "directions": directions,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_features: int) -> Self:
        """Return the views of matrices of so many columns that arrays of a file are."""
        columns = whole_part(arrays, "columns", (None,), 0, n_features)
        if (np.diff(columns) <= 0).any():
            raise FileError("columns should ascend, and do not.")
        n_terms = len(columns)
        emphasis = _within(arrays, "emphasis", (n_terms,), 1.0)
        return cls(
            columns=columns,
            emphasis=emphasis,
            idf=_within(arrays, "idf", (n_terms,), _MOST_IDF),
            directions=single_part(arrays, "directions", (n_terms, None)),
        )


def single_part(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape) -> Numbers:
    """Return an array of finite 32-bit floats, as 64-bit ones."""
    part = float_part(arrays, name, shape)
    if part.dtype != np.float32:
        raise FileError(f"{name} should be an array of float32, not of {part.dtype}.")
    return part.astype(np.float64)


def _within(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, most: float) -> Numbers:
    part = float_part(arrays, name, shape).astype(np.float64)
    if part.size and not (part.min() >= 0 and part.max() <= most):
        raise FileError(
            f"{name} should lie from 0 to {most:g}, but some are {part.min():g} to {part.max():g}."
        )
    return part


def shares_of_words(counts: Rows[Any], emphasis: Numbers) -> Rows[Any]:
    """Return logarithmic counts, weighed, that sum to one in each document.

    Examples
    --------
    >>> shares_of_words(Rows([[1.0, 1.0, 0.0]]), np.array([1.0, 3.0, 1.0])).toarray()
    array([[0.25, 0.75, 0.  ]])
    """
    found = counts.copy()
    found.data = np.log1p(counts.data) * emphasis[counts.indices]
    return _scaled(found, np.asarray(found.sum(axis=1), dtype=np.float64).ravel())


def unit_weights(counts: Rows[Any], scale: Numbers) -> Rows[Any]:
    """Return damped counts, scaled, in rows of length one.

    Examples
    --------
    >>> unit_weights(Rows([[1.0, 1.0, 0.0]]), np.array([3.0, 4.0, 1.0])).toarray()
    array([[0.6, 0.8, 0. ]])
    """
    found = counts.copy()
    found.data = damped(counts.data) * scale[counts.indices]
    return _scaled(found, np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel()))


def _scaled(rows: Rows[Any], sizes: Numbers) -> Rows[Any]:
    """Divide each row by its size; a row of nothing stays one."""
    rows.data /= np.repeat(np.where(sizes > 0, sizes, 1.0), np.diff(rows.indptr))
    return rows
