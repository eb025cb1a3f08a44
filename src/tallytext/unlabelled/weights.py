"""What a pooled model has come to: weights of words, in the three views of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.bayes.explaining import Summands
from tallytext.errors import FileError
from tallytext.parts import expect_parts
from tallytext.products import Products
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.counts import Rows
from tallytext.unlabelled.pool import Pool
from tallytext.unlabelled.views import Views, single_part

_PARTS = {"columns", "emphasis", "idf", "directions", "units", "shares", "latent", "bias"}
_VALUES = {"n_features", "trust", "translated", "notes"}


@dataclass(frozen=True)
class PooledWeights:
    r"""Linear scores of documents, whose words can be told apart.

    .. math:: s_c(d) = b_c + \sum_w v_w A_{wc} + \sum_w u_w B_{wc} + \sum_i z_i C_{ic}

    Attributes
    ----------
    views : Views
        What makes v, u and z of a document.
    units, shares : ndarray of shape (n_terms, n_classes)
        A and B.
    latent : ndarray of shape (n_components, n_classes)
        C.
    bias : ndarray of shape (n_classes,)
    """

    views: Views
    units: Numbers
    shares: Numbers
    latent: Numbers
    bias: Numbers

    @classmethod
    def rounded(
        cls, views: Views, units: Numbers, shares: Numbers, latent: Numbers, bias: Numbers
    ) -> Self:
        """Return weights as precise as a file holds them, so that it changes nothing."""
        parts = (units, shares, latent, bias)
        return cls(views, *(part.astype(np.float32).astype(np.float64) for part in parts))

    def scores(self, counts: Rows[Any], n_threads: int) -> Numbers:
        """Return what each class gets for each document."""
        counts = self.views.narrowed(counts)
        units = Products(self.views.units(counts), n_threads)
        shares = Products(self.views.shares(counts), n_threads)
        found = units.times(self.units) + shares.times(self.shares)
        return found + self.views.latent(units) @ self.latent + self.bias

    def pool_scores(self, pool: Pool, rows: Any) -> Numbers:
        """Return the same for some documents of the pool that the weights are of."""
        found = pool.units.matrix[rows] @ self.units + pool.shares.matrix[rows] @ self.shares
        return found + pool.latent[rows] @ self.latent + self.bias

    def summands(self, row: Rows[Any], classes: NDArray[Any]) -> Summands:
        """Return what adds up to the scores of one document."""
        weighed, places = _places(row.indices, self.views.columns)
        parts = row.data[weighed], places, np.array([0, len(places)])
        counting = sparse.csr_array(parts, shape=(1, len(self.views.columns)))
        each, nothing = np.zeros((len(weighed), len(classes))), np.zeros(len(classes))
        each[weighed] = self._terms(counting)
        return Summands(
            classes=classes,
            counts=row.data,
            # Words that are too common or too rare to have a weight are no strangers.
            known=np.ones(len(weighed), dtype=bool),
            terms=each,
            prior=self.bias,
            constant=nothing,
            length=nothing,
            scores=each.sum(axis=0) + self.bias,
        )

    def _terms(self, row: Rows[Any]) -> Numbers:
        """Return what each word of a document adds for each class."""
        units, shares = self.views.units(row), self.views.shares(row)
        each = units.data[:, None] * self.units[row.indices]
        each += shares.data[:, None] * self.shares[row.indices]
        # A word moves the document in the latent space; how far it is scaled is the document's.
        moves = units.data[:, None] * self.views.directions[row.indices]
        length = np.sqrt(np.square(moves.sum(axis=0)).sum())
        return each + (moves / length if length > 0 else moves) @ self.latent

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all parts by name, for a file."""
        names = ("units", "shares", "latent", "bias")
        parts = {name: getattr(self, name).astype(np.float32) for name in names}
        return {**self.views.to_arrays(), **parts}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_features: int, n_classes: int
    ) -> Self:
        """Read what :meth:`to_arrays` wrote.

        Raises
        ------
        FileError
            If these arrays cannot be weights of so many columns and classes.
        """
        expect_parts(arrays, _PARTS)
        views = Views.from_arrays(arrays, n_features)
        n_terms, n_components = views.directions.shape

        def part(name: str, *shape: int) -> Numbers:
            return single_part(arrays, name, shape)

        return cls(
            views,
            units=part("units", n_terms, n_classes),
            shares=part("shares", n_terms, n_classes),
            latent=part("latent", n_components, n_classes),
            bias=part("bias", n_classes),
        )


def _places(terms: Any, columns: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return which of some terms are among the columns, and the places of those that are."""
    places = np.minimum(np.searchsorted(columns, terms), max(len(columns) - 1, 0))
    known = columns[places] == terms if len(columns) else np.zeros(len(terms), dtype=bool)
    return known, places[known]


def values_of(values: Mapping[str, Any]) -> tuple[int, float, bool, list[str]]:
    """Return the number of columns, trust, whether words were translated, and notes of a file.

    Raises
    ------
    FileError
        If these cannot be the values of a pooled model.

    Examples
    --------
    >>> values_of({"n_features": 9, "trust": 0.5, "translated": True, "notes": ["learned"]})
    (9, 0.5, True, ['learned'])
    """
    if not isinstance(values, Mapping) or set(values) != _VALUES:
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    n_features, trust = values["n_features"], values["trust"]
    translated, notes = values["translated"], values["notes"]
    fits = isinstance(trust, int | float) and 0 <= trust <= 1 and isinstance(translated, bool)
    fits = fits and type(n_features) is int and 0 < n_features < 2**31
    if not fits or not (isinstance(notes, list) and all(isinstance(each, str) for each in notes)):
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    return n_features, float(trust), translated, notes
