"""Words of classes: their own, those that these stand for, and those of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.pool import Pool

_FLOOR = 0.002  # shared by all words, of as much as an average document has different words


@dataclass(frozen=True)
class Mixture:
    """Shares of what a class model is mixed from; they sum to one.

    Attributes
    ----------
    own : float
        Words of the labelled documents.
    translated : float
        Words that those stand for.
    expected : float
        Words of the documents that are expected to be of the class.
    background : float
        Words of all documents.
    """

    own: float
    translated: float
    expected: float
    background: float


#: Before the pool was looked at, and while it is; with translation, and without it.
START, START_PLAIN = Mixture(0.1, 0.6, 0.0, 0.3), Mixture(0.5, 0.0, 0.0, 0.5)
ROUND, ROUND_PLAIN = Mixture(0.05, 0.05, 0.6, 0.3), Mixture(0.1, 0.0, 0.6, 0.3)


@dataclass(frozen=True)
class ClassWords:
    r"""What is known of the words of classes from labelled documents alone.

    Attributes
    ----------
    own : ndarray of shape (n_terms, n_classes)
        The mean of u over the labelled documents of each class.
    translated : ndarray of shape (n_terms, n_classes) or None
        Words that those of the class stand for, after one and after two steps of translation.
    pool : Pool
    """

    own: Numbers
    translated: Numbers | None
    pool: Pool

    @classmethod
    def of(cls, pool: Pool, rows: Any, truth: Numbers, translate: bool) -> Self:
        """Return the words of classes from some rows of the pool and their labels.

        Parameters
        ----------
        pool : Pool
            The documents.
        rows : array-like of int
            Which documents have labels.
        truth : ndarray of shape (n_labelled, n_classes)
            1 where a class applies.
        translate : bool
            Whether words stand for others, too.
        """
        own = _columns(pool.shares.matrix[rows].T @ truth, pool.background)
        translated = None
        if translate:
            once = _columns(pool.translation.times(own), own)
            twice = _columns(pool.translation.times(once), once)
            translated = (once + twice) / 2
        return cls(own, translated, pool)

    def mixed(self, expected: Numbers | None = None) -> Numbers:
        """Return p(w|c), words by classes, but for a constant.

        Parameters
        ----------
        expected : ndarray, default=None
            Expected counts of words by classes, from documents without labels.
        """
        plain = self.translated is None
        if expected is None:
            shares = START_PLAIN if plain else START
        else:
            shares = ROUND_PLAIN if plain else ROUND
        found = shares.own * self.own
        found += shares.background * self.pool.background[:, None]
        if self.translated is not None:
            found += shares.translated * self.translated
        if expected is not None:
            found += shares.expected * _columns(expected, self.own)
        return found + _FLOOR / self.pool.n_distinct


def _columns(values: Numbers, empty: Numbers) -> Numbers:
    """Return columns that sum to one; ``empty`` in the place of those of nothing."""
    sums = values.sum(axis=0)
    instead = empty if empty.ndim == 2 else empty[:, None]
    return np.where(sums > 0, values / np.where(sums > 0, sums, 1.0), instead)
