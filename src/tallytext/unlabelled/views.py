"""Documents seen in three ways: as shares of words, as directions, and in a latent space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.linear.unit_weights import damped
from tallytext.parts import float_part
from tallytext.products import Products
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.latent import leading_directions, unit_rows

Rows = sparse.csr_array


@dataclass(frozen=True)
class Views:
    r"""What documents are turned into before they are judged.

    .. math:: u_w \propto g_w \ln(1 + x_w), \quad \textstyle\sum_w u_w = 1; \qquad
              v_w \propto g_w\, \mathrm{idf}_w (1 + \ln x_w), \quad \lVert v \rVert = 1; \qquad
              z \propto D^T v, \quad \lVert z \rVert = 1

    Attributes
    ----------
    emphasis : ndarray of shape (n_terms,)
        :math:`g_w`, zero for words that do not count.
    idf : ndarray of shape (n_terms,)
    directions : ndarray of shape (n_terms, n_components)
        D, the leading right singular vectors of all v.
    """

    emphasis: Numbers
    idf: Numbers
    directions: Numbers

    @classmethod
    def of(
        cls, counts: Rows[Any], emphasis: Numbers, n_components: int, seed: int, n_threads: int
    ) -> Self:
        """Return the views of a pool of documents."""
        n, df = counts.shape[0], np.bincount(counts.indices, minlength=counts.shape[1])
        idf = np.log((n + 1) / (df + 1)) + 1
        units = Products(unit_weights(counts, idf * emphasis), n_threads)
        # As precise as a file will hold them, so that a saved model answers the same.
        right = leading_directions(units, n_components, seed=seed).astype(np.float32)
        return cls(emphasis, idf, right.astype(np.float64))

    @property
    def n_components(self) -> int:
        """Dimensions of the latent space."""
        return self.directions.shape[1]

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
        return {"emphasis": self.emphasis, "idf": self.idf, "directions": directions}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the views that arrays of a file are."""
        emphasis = float_part(arrays, "emphasis", (None,)).astype(np.float64)
        n_terms = len(emphasis)
        return cls(
            emphasis=emphasis,
            idf=float_part(arrays, "idf", (n_terms,)).astype(np.float64),
            directions=float_part(arrays, "directions", (n_terms, None)).astype(np.float64),
        )


def shares_of_words(counts: Rows[Any], emphasis: Numbers) -> Rows[Any]:
    """Return logarithmic counts, weighed, that sum to one in each document.

    Examples
    --------
    >>> shares_of_words(sparse.csr_array([[1.0, 1.0, 0.0]]), np.array([1.0, 3.0, 1.0])).toarray()
    array([[0.25, 0.75, 0.  ]])
    """
    found = counts.copy()
    found.data = np.log1p(counts.data) * emphasis[counts.indices]
    return _scaled(found, np.asarray(found.sum(axis=1), dtype=np.float64).ravel())


def unit_weights(counts: Rows[Any], scale: Numbers) -> Rows[Any]:
    """Return damped counts, scaled, in rows of length one.

    Examples
    --------
    >>> unit_weights(sparse.csr_array([[1.0, 1.0, 0.0]]), np.array([3.0, 4.0, 1.0])).toarray()
    array([[0.6, 0.8, 0. ]])
    """
    found = counts.copy()
    found.data = damped(counts.data) * scale[counts.indices]
    return _scaled(found, np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel()))


def _scaled(rows: Rows[Any], sizes: Numbers) -> Rows[Any]:
    """Divide each row by its size; a row of nothing stays one."""
    factors = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    rows.data *= np.repeat(factors, np.diff(rows.indptr))
    return rows
