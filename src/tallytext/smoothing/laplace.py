"""Laplace's and Lidstone's estimates: the same small count for every word."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tallytext.smoothing.base import Classes, Numbers, Smoothing, Terms, expect_between


@dataclass(frozen=True)
class Laplace(Smoothing):
    r"""Add ``epsilon`` to every count (Vilar et al., eq. 10).

    .. math:: p(w \mid c) = \frac{N_{cw} + \epsilon}{T_c + \epsilon V}

    Parameters
    ----------
    epsilon : float, default=1.0
        Pseudo-count per word, positive.

    Examples
    --------
    >>> Laplace(0.1)
    Laplace(epsilon=0.1)
    """

    epsilon: float = 1.0

    @property
    def linear(self) -> bool:
        """Whether f is proportional to the count."""
        return True

    def __post_init__(self) -> None:
        expect_between("epsilon", self.epsilon, 1e-12, math.inf)

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts."""
        return np.divide(counts, self._below(classes), dtype=np.float64)

    def freed(self, classes: Classes) -> Numbers:
        """Return gamma of each class, for a background of one per word."""
        return np.divide(self.epsilon, self._below(classes), dtype=np.float64)

    def spread(self, terms: Terms) -> Numbers:
        """Return one for each word, so that f / gamma does not depend on V."""
        return np.where(terms.known, 1.0, 0.0)

    def _below(self, classes: Classes) -> Numbers:
        return np.maximum(classes.tokens + self.epsilon * classes.n_terms, self.epsilon)
