"""Jelinek and Mercer's estimate: a fixed share for the unigram of all documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallytext.smoothing.base import Classes, Numbers, Smoothing, expect_between, safe_ratio


@dataclass(frozen=True)
class Background(Smoothing):
    r"""Mix each class with the unigram of all documents (Zhou et al.; Jelinek-Mercer).

    .. math:: p(w \mid c) = (1 - \alpha) \frac{N_{cw}}{T_c} + \alpha \frac{T_w}{T}

    Parameters
    ----------
    alpha : float, default=0.5
        The share of the unigram, above 0 and at most 1.

    Examples
    --------
    >>> Background(0.9)
    Background(alpha=0.9)
    """

    alpha: float = 0.5

    @property
    def linear(self) -> bool:
        """Whether f is proportional to the count."""
        return True

    def __post_init__(self) -> None:
        expect_between("alpha", self.alpha, 1e-12, 1.0)

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts."""
        return safe_ratio((1 - self.alpha) * counts, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> Numbers:
        """Return gamma of each class."""
        return np.where(classes.tokens > 0, self.alpha, 1.0)
