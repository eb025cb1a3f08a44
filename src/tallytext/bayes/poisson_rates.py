"""The Poisson rates of words, in classes and in what is outside them, from additive sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Reading
from tallytext.smoothing.base import Numbers


class Ends(NamedTuple):
    """Rates of a range of words for alpha = 1 (documents alike) and alpha = 0 (tokens alike)."""

    by_document: Numbers
    by_token: Numbers

    def mixed(self, alpha: Numbers | float) -> Numbers:
        """Return the rates for any other alpha, of which they are linear."""
        return self.by_token + alpha * (self.by_document - self.by_token)


@dataclass(frozen=True)
class Side:
    r"""The sums over the documents of each class, or over those outside it.

    Attributes
    ----------
    documents, tokens : ndarray of shape (n_classes,)
        :math:`n_c` and :math:`\ell_c`.
    inverse, mass : ndarray of shape (n_classes,)
        :math:`u_c = \sum 1/(x_+ + \Theta)` and :math:`p_c = \sum x_+/(x_+ + \Theta)`.
    """

    documents: Numbers
    tokens: Numbers
    inverse: Numbers
    mass: Numbers

    @classmethod
    def of(cls, documents: Numbers, mass: Numbers, squares: Numbers, theta: float) -> Side:
        r"""Read all four from :math:`n_c`, :math:`\sum_w U_{cw}` and :math:`\sum_w P_{cw}`.

        :math:`n_c - p_c = \Theta u_c` and :math:`\ell_c - \sum_w P_{cw} = \Theta p_c`: so the rates
        of all words sum to one, whatever was rounded.
        """
        tokens = squares + theta * mass
        return cls(documents, tokens, np.maximum(documents - mass, 0.0) / theta, mass)

    def ends(self, shares: Numbers, squares: Numbers, theta: float) -> Ends:
        r"""Return :math:`(U + \theta u_c) / n_c` and :math:`(P + \theta p_c) / \ell_c`."""
        by_document = (shares + theta * self.inverse) / np.maximum(self.documents, _LEAST)
        by_token = (squares + theta * self.mass) / np.maximum(self.tokens, _LEAST)
        if not self.tokens.all():
            # Empty documents are alike, however their lengths are weighed.
            silent = self.tokens == 0
            by_token[:, silent] = by_document[:, silent]
        return Ends(by_document, by_token)


@dataclass(frozen=True)
class PoissonRates:
    r"""Mean relative frequencies of words, :math:`\lambda'_{cw}` and :math:`\mu'_{cw}`.

    .. math:: \lambda'_{cw} = \alpha \frac{U_{cw} + \theta u_c}{n_c}
              + (1 - \alpha) \frac{P_{cw} + \theta p_c}{\ell_c}, \qquad
              \theta = \frac{\Theta}{V}

    (Kim et al., eqs. 7-9 without :math:`\tau`); :math:`\mu'` is the same over all documents outside
    the class, each of them once. Both sum to one over the vocabulary.

    Attributes
    ----------
    reading : Reading
        Its columns are U, P and documents.
    alpha : ndarray of shape (n_classes,)
        1: all documents of a class are alike; 0: all its tokens are.
    theta : float
        :math:`\Theta`, the pseudo-tokens of a document.
    unit : float
        What a count of the tally is worth.
    n_terms : int
        V.
    closed : bool
        Whether all columns are in the vocabulary, or only the words that occur.
    """

    reading: Reading
    alpha: Numbers
    theta: float
    unit: float
    n_terms: int
    closed: bool

    @property
    def live(self) -> NDArray[np.bool_]:
        """Whether a word has occurred."""
        return self.reading.term_totals[-1] > 0

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether a word counts at all."""
        return np.full(self.reading.n_terms, True) if self.closed else self.live

    @cached_property
    def modelled(self) -> NDArray[np.bool_]:
        """Whether there are documents of a class, and outside it."""
        inside = self.reading.class_documents
        return (inside > 0) & (inside < self.reading.n_documents)

    @cached_property
    def inside(self) -> Side:
        """The sums over the documents of each class."""
        reading, squares = self.reading, self.reading.class_totals[1] * self.unit
        return Side.of(reading.class_documents, reading.class_totals[0], squares, self.theta)

    @cached_property
    def outside(self) -> Side:
        """The sums over all other documents."""
        reading = self.reading
        shares, squares = _rest(reading.totals[:2, None], reading.class_totals[:2])
        documents = _rest(reading.n_documents, reading.class_documents)
        return Side.of(documents, shares, squares * self.unit, self.theta)

    def whole_vocabulary(self) -> PoissonRates:
        """Return the same of all words."""
        return replace(self, reading=self.reading.all_terms())

    def ends(self, first: int, last: int) -> tuple[Ends, Ends]:
        """Return what the rates of a range of words are mixed of, inside and outside classes."""
        reading, theta = self.reading, self.theta / max(self.n_terms, 1)
        cells = [reading.dense(reading.cells[at], first, last) for at in (0, 1)]
        rest = [_rest(reading.term_totals[at, first:last, None], cells[at]) for at in (0, 1)]
        inside = self.inside.ends(cells[0], cells[1] * self.unit, theta)
        return inside, self.outside.ends(rest[0], rest[1] * self.unit, theta)

    def rows(self, first: int, last: int) -> tuple[Numbers, Numbers]:
        r"""Return :math:`\lambda'` and :math:`\mu'` of a range of words, words by classes."""
        inside, outside = (ends.mixed(self.alpha) for ends in self.ends(first, last))
        for rates in (inside, outside):
            rates[:, ~self.modelled] = 1.0 / max(self.n_terms, 1)
        return inside, outside


_LEAST = np.finfo(np.float64).tiny


def _rest(whole: Numbers | float, part: Numbers) -> Numbers:
    return np.maximum(whole - part, 0.0)
