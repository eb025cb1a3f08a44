"""How long the documents of a class are: a log-normal, from additive sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.reading import Reading
from tallytext.planes import Plane
from tallytext.smoothing.base import Numbers

_LEAST_VARIANCE = 1e-3


def length_planes(weighted: bool = False) -> list[Plane]:
    """Return planes whose scales are the sums of ln(1 + length) and of its square."""
    return [
        Plane("raw", "log_length", weighted=weighted),
        Plane("raw", "log_length_squared", weighted=weighted),
    ]


@dataclass(frozen=True)
class LengthModel:
    r"""A normal distribution of :math:`\ln(1 + |d|)` for each class, and for all others together.

    A class with few documents is drawn towards all documents: one document's worth of them is
    added to each class.
    """

    mean: Numbers
    variance: Numbers

    @classmethod
    def of(
        cls, n: Numbers, total: Numbers, squares: Numbers, whole: tuple[Any, ...]
    ) -> LengthModel:
        """Return the model of classes with n documents and these sums of logs and their squares."""
        n_all, total_all, squares_all = whole
        below = n + 1.0
        mean = (total + total_all / np.maximum(n_all, 1.0)) / below
        square = (squares + squares_all / np.maximum(n_all, 1.0)) / below
        return cls(mean, np.maximum(square - mean**2, _LEAST_VARIANCE))

    @classmethod
    def read(cls, reading: Reading, rest: bool = False) -> LengthModel:
        """Return the model of each class, or of all documents outside it."""
        total, squares = reading.class_scales[1], reading.class_scales[2]
        whole = float(reading.n_documents), float(reading.scales[1]), float(reading.scales[2])
        if not rest:
            return cls.of(reading.class_documents, total, squares, whole)
        n, total, squares = whole[0] - reading.class_documents, whole[1] - total, whole[2] - squares
        return cls.of(n, total, squares, whole)

    @classmethod
    def without(cls, left: LeftOut, rest: bool = False) -> LengthModel:
        """Return the same when a document is left out, documents by classes."""
        reading, at = left.reading, (left.slot_row, left.slot_class)
        whole, sides = [left.n_documents[:, None]], [left.class_documents]
        for column in (1, 2):
            removed = left.scale(column)
            side = np.tile(reading.class_scales[column], (left.n, 1))
            side[at] -= removed[left.slot_row]
            whole.append((reading.scales[column] - removed)[:, None])
            sides.append(side)
        if rest:
            sides = [all_of - side for all_of, side in zip(whole, sides, strict=True)]
        return cls.of(sides[0], sides[1], sides[2], tuple(whole))

    def logs(self, lengths: Numbers) -> Numbers:
        """Return log p(length | class), documents by classes."""
        away = np.log1p(lengths)[:, None] - self.mean
        return -0.5 * (np.log(2 * np.pi * self.variance) + away**2 / self.variance)
