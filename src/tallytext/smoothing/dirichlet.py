"""A Dirichlet prior: pseudo-counts in proportion to the unigram of all documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tallytext.smoothing.base import Classes, Corpus, Numbers, Smoothing, expect_between, safe_ratio


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
            expect_between("m", self.m, 1e-12, 1e12)

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts."""
        return counts / (classes.tokens + self._mass)

    def freed(self, classes: Classes) -> Numbers:
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
