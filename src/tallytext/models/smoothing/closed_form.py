"""Laplace's and Lidstone's estimates: the same small count for every word."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.models.smoothing.base import Classes, Corpus, Smoothing, Terms, safe_ratio


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
        check_between("epsilon", self.epsilon, 1e-12, 1e12)

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts."""
        return np.divide(counts, self._below(classes), dtype=np.float64)

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class, for a background of one per word."""
        return np.divide(self.epsilon, self._below(classes), dtype=np.float64)

    def spread(self, terms: Terms) -> FloatArray:
        """Return one for each word, so that f / gamma does not depend on V."""
        return np.where(terms.known, 1.0, 0.0)

    def _below(self, classes: Classes) -> FloatArray:
        # Nothing is smaller than one word, but for a vocabulary without any.
        return np.maximum(classes.tokens + self.epsilon * classes.n_terms, self.epsilon)


# ------------------------------------------------------------------------------------------------
# Jelinek and Mercer's estimate: a fixed share for the unigram of all documents.


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
        check_between("alpha", self.alpha, 1e-12, 1.0)

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts."""
        return safe_ratio((1 - self.alpha) * counts, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class."""
        return np.where(classes.tokens > 0, self.alpha, 1.0)


# ------------------------------------------------------------------------------------------------
# A Dirichlet prior: pseudo-counts in proportion to the unigram of all documents.


@dataclass(frozen=True)
class Dirichlet(Smoothing):
    r"""Add ``m`` tokens drawn from the unigram of all documents.

    .. math:: p(w \mid c) = \frac{N_{cw} + m\, T_w / T}{T_c + m}

    Parameters
    ----------
    m : float, default=None
        Pseudo-tokens per class, positive; None for half the mean number of tokens of a class.

    Examples
    --------
    >>> Dirichlet(2000)
    Dirichlet(m=2000)
    """

    m: float | None = None

    @property
    def linear(self) -> bool:
        """Whether f is proportional to the count."""
        return True

    def __post_init__(self) -> None:
        if self.m is not None:
            check_between("m", self.m, 1e-12, 1e12)

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts."""
        return counts / (classes.tokens + self._mass)

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class."""
        return safe_ratio(self._mass, classes.tokens + self._mass, 1.0)

    def resolved(self, corpus: Corpus) -> Dirichlet:
        """Return the smoothing with a number for m."""
        if self.m is not None:
            return self
        mean = float(corpus.class_tokens.mean()) if corpus.class_tokens.size else 0.0
        return replace(self, m=0.5 * mean or 1.0)

    @property
    def _mass(self) -> float:
        if self.m is None:
            raise ValueError("Dirichlet() has no m yet: call resolved(corpus) first.")
        return self.m


# ------------------------------------------------------------------------------------------------
# No smoothing at all: relative frequencies.


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

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts."""
        return safe_ratio(counts, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class: nothing, but for a class without tokens."""
        return np.where(classes.tokens > 0, 0.0, 1.0)
