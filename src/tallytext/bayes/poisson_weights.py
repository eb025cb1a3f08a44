"""From Poisson rates to the weights of a scorer: weighed contrasts of classes with their rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.poisson_rates import PoissonRates
from tallytext.bayes.weighting import blocks
from tallytext.contingency import CLASS_METHODS, Table
from tallytext.scorer import RowWeights
from tallytext.smoothing.base import Numbers

Weighting: TypeAlias = Literal["ig", "chi", "prr"]
RatioSource: TypeAlias = Literal["documents", "poisson"]

LARGEST_RATIO = 100.0


@dataclass(frozen=True)
class PoissonWeighting:
    """What each word weighs in each class (Kim et al., eqs. 11-13), in rows made on demand.

    Attributes
    ----------
    methods : list of {None, "ig", "chi", "prr"}
        How each class weighs words; None: all alike.
    power : float
        The power to which weights are raised.
    prr_source : {"documents", "poisson"}
        Whether ratios are of shares of documents, or of Poisson rates.
    """

    methods: list[Weighting | None]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    def rows(
        self, rates: PoissonRates, first: int, last: int, inside: Numbers, outside: Numbers
    ) -> Numbers:
        """Return the weights of a range of words, words by classes; zero for dead words."""
        weights = np.repeat(rates.known[first:last, None] * 1.0, rates.reading.n_classes, axis=1)
        for method, columns in self._groups():
            if method == "prr" and self.prr_source == "poisson":
                made = ratio_both_ways(inside[:, columns], outside[:, columns])
            else:
                made = CLASS_METHODS[method](_table(rates, first, last, columns))
            live = rates.live[first:last, None]
            weights[:, columns] = np.where(live, made if self.power == 1 else made**self.power, 0.0)
        return weights

    def n_words(self, rates: PoissonRates) -> Numbers:
        """Return how many words can weigh anything, for each class."""
        plain = np.array([method is None for method in self.methods], dtype=bool)
        return np.where(plain, rates.known.sum(), rates.live.sum()).astype(np.float64)

    def _groups(self) -> Iterator[tuple[Weighting, NDArray[np.intp]]]:
        """Yield each method in use, and the classes that use it."""
        for method in dict.fromkeys(self.methods):
            if method is not None:
                yield method, np.flatnonzero([used == method for used in self.methods])


@dataclass(frozen=True)
class PoissonConstants:
    r"""What the whole vocabulary says of each class (Kim et al., eq. 14).

    Attributes
    ----------
    a : ndarray of shape (n_classes,)
        :math:`A_c = \sum_w w_{cw} (\mu'_{cw} - \lambda'_{cw})`.
    b : ndarray of shape (n_classes,)
        :math:`B_c = \theta \sum_w w_{cw} \log(\lambda'_{cw} / \mu'_{cw})`.
    w : ndarray of shape (n_classes,)
        :math:`W_c = \sum_w w_{cw}`.
    n_words : ndarray of shape (n_classes,)
        V: how many words can weigh anything.
    """

    a: Numbers
    b: Numbers
    w: Numbers
    n_words: Numbers

    @classmethod
    def of(cls, rates: PoissonRates, weighting: PoissonWeighting) -> PoissonConstants:
        """Sum over the vocabulary, in blocks of words; the rates are those of all words."""
        n_classes, theta = rates.reading.n_classes, rates.theta / max(rates.n_terms, 1)
        a, b, w = np.zeros((3, n_classes))
        for first, last in blocks(rates.reading):
            inside, outside = rates.rows(first, last)
            weights = weighting.rows(rates, first, last, inside, outside)
            a += (weights * (outside - inside)).sum(axis=0)
            b += theta * (weights * log_ratio(inside, outside)).sum(axis=0)
            w += weights.sum(axis=0)
        return cls(a, b, w, weighting.n_words(rates))

    @property
    def scale(self) -> Numbers:
        """:math:`V / W_c`: what makes the weights of a class one on average."""
        return np.divide(self.n_words, self.w, out=np.zeros_like(self.w), where=self.w > 0)


def poisson_weights(
    rates: PoissonRates,
    weighting: PoissonWeighting,
    constants: PoissonConstants,
    intercept: Numbers,
) -> RowWeights:
    r"""Return the weights of :math:`\frac{V}{W_c} (A_c x'_+ + B_c + \hat z)` plus an intercept."""
    scale = constants.scale

    def make(first: int, last: int) -> Numbers:
        inside, outside = rates.rows(first, last)
        weights = weighting.rows(rates, first, last, inside, outside)
        return scale * weights * log_ratio(inside, outside)

    constant = scale * (constants.a * rates.theta + constants.b)
    return RowWeights(intercept + constant, scale * constants.a, rates.known * 1.0, make)


def ratio_both_ways(inside: Numbers, outside: Numbers) -> Numbers:
    r"""Return :math:`\lambda'/\mu' + \mu'/\lambda'`, at most 100."""
    ratio = inside / outside
    return np.minimum(ratio + 1 / ratio, LARGEST_RATIO)


def log_ratio(inside: Numbers, outside: Numbers) -> Numbers:
    r"""Return :math:`\log(\lambda' / \mu')`."""
    return np.log(inside) - np.log(outside)


def _table(rates: PoissonRates, first: int, last: int, columns: NDArray[np.intp]) -> Table:
    reading = rates.reading
    return Table.of(
        class_with=reading.dense(reading.cells[-1], first, last)[:, columns],
        with_term=reading.term_totals[-1, first:last, None],
        in_class=reading.class_documents[columns],
        n_documents=reading.n_documents,
    )
