"""Linear scores of documents as directions: logarithmic counts, scaled, of length one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallytext._core import unit_scores
from tallytext.bayes.explaining import Summands
from tallytext.errors import FileError
from tallytext.scorer import Documents
from tallytext.smoothing.base import Numbers

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class UnitWeights:
    r"""Weights of words for documents of length one.

    .. math:: s_c(d) = b_c + \frac{\sum_w v_w W_{wc}}{\sqrt{\sum_w v_w^2}},
        \qquad v_w = s_w \cdot (1 + \ln x_w)

    A count below one, which only fractions are, stands for itself in the place of 1 + ln x.

    Attributes
    ----------
    scale : ndarray of shape (n_terms,)
        :math:`s_w`.
    rows : ndarray of shape (n_terms, n_classes)
        :math:`W_{wc}`.
    bias : ndarray of shape (n_classes,)
        :math:`b_c`.

    Examples
    --------
    >>> scale, bias = np.array([3.0, 4.0], np.float32), np.array([0.5], np.float32)
    >>> weights = UnitWeights(scale, np.ones((2, 1), np.float32), bias)
    >>> document = Documents(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, 1.0]))
    >>> weights.scores(document, 1).round(6)
    array([[1.9]])
    """

    scale: Floats
    rows: Floats
    bias: Floats

    def scores(self, documents: Documents, n_threads: int) -> Numbers:
        """Return the score of each document for each class; words without a weight are ignored."""
        starts, terms = documents.starts, documents.terms
        counts = documents.values.astype(np.float64, copy=False)
        found = unit_scores(starts, terms, counts, self.scale, self.rows, self.bias, n_threads)
        return found.astype(np.float64)

    def summands(self, document: Documents, classes: NDArray[Any]) -> Summands:
        """Return what adds up to the scores of one document."""
        known = document.terms < len(self.scale)
        terms = np.where(known, document.terms, 0)
        values = damped(document.values) * np.where(known, self.scale[terms], 0.0)
        length = np.sqrt(values @ values)
        shares = values / length if length > 0 else values
        nothing = np.zeros(len(classes))
        return Summands(
            classes=classes,
            counts=document.values,
            known=values > 0,
            terms=shares[:, None] * self.rows[terms],
            prior=self.bias.astype(np.float64),
            constant=nothing,
            length=nothing,
            scores=self.scores(document, 1)[0],
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parts by name, for a file."""
        return {"scale": self.scale, "weights": self.rows, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Read what :meth:`to_arrays` wrote.

        Raises
        ------
        FileError
            If these arrays cannot be weights of so many classes.
        """
        scale = _part(arrays, "scale", (None,))
        if (scale < 0).any():
            raise FileError("the scale of a word is negative.")
        rows = _part(arrays, "weights", (len(scale), n_classes))
        return cls(scale, rows, _part(arrays, "bias", (n_classes,)))


def damped(counts: Numbers) -> Numbers:
    """Return 1 + ln x, or x itself below one.

    Examples
    --------
    >>> damped(np.array([0.5, 1.0, np.e])).tolist()
    [0.5, 1.0, 2.0]
    """
    return np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1)))


def _part(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]
) -> NDArray[np.float32]:
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.ndim != len(shape):
        raise FileError(f"{name} of a refined model must be 32-bit floats, {len(shape)} deep.")
    if any(n is not None and n != size for n, size in zip(shape, found.shape, strict=True)):
        raise FileError(f"{name} of shape {found.shape} does not fit the rest of the model.")
    if not np.isfinite(found).all():
        raise FileError(f"{name} holds what is not a finite number.")
    return np.ascontiguousarray(found)
