"""No smoothing at all: relative frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallytext.smoothing.base import Classes, Numbers, Smoothing, safe_ratio


@dataclass(frozen=True)
class Unsmoothed(Smoothing):
    r"""Relative frequencies, zero for a word that a class has not shown (Vilar et al., eq. 8).

    .. math:: p(w \mid c) = N_{cw} / T_c

    A document with a word that no class explains is decided by the prior alone.

    Examples
    --------
    >>> Unsmoothed()
    Unsmoothed()
    """

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts."""
        return safe_ratio(counts, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> Numbers:
        """Return gamma of each class: nothing, but for a class without tokens."""
        return np.where(classes.tokens > 0, 0.0, 1.0)
