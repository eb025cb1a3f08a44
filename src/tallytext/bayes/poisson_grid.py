"""How well each way of weighing words, with each alpha, does for each class: out-of-fold F1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import add_rows
from tallytext.bayes.poisson_rates import PoissonRates
from tallytext.bayes.poisson_weights import PoissonWeighting, RatioSource, Weighting, log_ratio
from tallytext.bayes.reading import Reading
from tallytext.bayes.weighting import blocks
from tallytext.decision.thresholds import SCut
from tallytext.scorer import Documents, sums_of_rows
from tallytext.smoothing.base import Numbers

Candidate: TypeAlias = tuple[Weighting | None, float]

_NUMBERS = 1 << 25  # of the scores of all candidates at a time: 256 MB


@dataclass(frozen=True)
class Grid:
    """Candidates: all pairs of a weighting and an alpha.

    Attributes
    ----------
    weightings : sequence of {None, "ig", "chi", "prr"}
    alphas : sequence of float
    power, prr_source
        As in :class:`~tallytext.bayes.poisson_weights.PoissonWeighting`.
    """

    weightings: Sequence[Weighting | None]
    alphas: Sequence[float]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    @property
    def candidates(self) -> list[Candidate]:
        """Each alpha with all weightings, then the next."""
        return [(weighting, float(alpha)) for alpha in self.alphas for weighting in self.weightings]

    def rows(self, rates: PoissonRates, first: int, last: int) -> Iterator[Numbers]:
        """Yield weighed logarithms of ratios of a range of words, for each candidate.

        Rates are linear in alpha and most weights do not depend on it, so both are made once.
        """
        ends, kept = rates.ends(first, last), None
        for alpha in self.alphas:
            inside, outside = (side.mixed(alpha) for side in ends)
            for side in (inside, outside):
                side[:, ~rates.modelled] = 1.0
            if kept is None or self.prr_source == "poisson":
                kept = self._weights(rates, first, last, inside, outside)
            logs = log_ratio(inside, outside)
            yield from (weights * logs for weights in kept)

    def _weights(
        self, rates: PoissonRates, first: int, last: int, inside: Numbers, outside: Numbers
    ) -> list[Numbers]:
        n_classes = rates.reading.n_classes
        ways = [
            PoissonWeighting([weighting] * n_classes, self.power, self.prr_source)
            for weighting in self.weightings
        ]
        return [way.rows(rates, first, last, inside, outside) for way in ways]

    def z_star(self, rates: PoissonRates, documents: Documents, n_threads: int) -> Numbers:
        """Return candidates by documents by classes; NaN for classes without a model."""
        shape = len(self.candidates), documents.n_documents, rates.reading.n_classes
        scores, ground = np.zeros(shape), np.zeros((shape[0], 1, shape[2]))
        starts, terms, values = documents.starts, documents.terms, documents.values
        for first, last in blocks(rates.reading):
            for at, rows in enumerate(self.rows(rates, first, last)):
                ground[at] += rows.sum(axis=0)
                add_rows(starts, terms, values, rows, first, scores[at], n_threads)
        lengths = sums_of_rows(documents.values * rates.known[documents.terms], documents.starts)
        scores += ground * (rates.theta / max(rates.n_terms, 1))
        scores /= (lengths + rates.theta)[:, None]
        scores[:, :, ~rates.modelled] = np.nan
        return scores


@dataclass(frozen=True)
class Fold:
    """Documents that were held out, and the rates of all others."""

    rows: NDArray[np.intp]
    documents: Documents
    rates: PoissonRates


@dataclass(frozen=True)
class GridF1:
    """F1 of each candidate and class with the best threshold, pooled and in each fold.

    Attributes
    ----------
    f1 : ndarray of shape (n_candidates, n_classes)
    by_fold : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for folds that have no document of the class.
    """

    f1: Numbers
    by_fold: Numbers

    def standard_errors(self) -> Numbers:
        """Return those of the means over folds; infinite where fewer than two folds have any."""
        known = ~np.isnan(self.by_fold)
        n = known.sum(axis=1)
        mean = np.where(known, self.by_fold, 0.0).sum(axis=1) / np.maximum(n, 1)
        squares = np.where(known, self.by_fold - mean[:, None], 0.0) ** 2
        variance = squares.sum(axis=1) / np.maximum(n - 1, 1)
        return np.where(n > 1, np.sqrt(variance / np.maximum(n, 1)), np.inf)


def mean_f1(found: Sequence[GridF1]) -> GridF1:
    """Return the mean over several deals, and all their folds."""
    pooled = np.mean([each.f1 for each in found], axis=0)
    return GridF1(pooled, np.concatenate([each.by_fold for each in found], axis=1))


def class_groups(n_documents: int, n_classes: int, n_candidates: int) -> list[tuple[int, int]]:
    """Return ranges of classes whose scores by all candidates fit into memory together.

    Examples
    --------
    >>> class_groups(10_000, 90, 44)
    [(0, 45), (45, 90)]
    """
    most = max(1, _NUMBERS // max(1, n_documents * n_candidates))
    n_groups = -(-n_classes // most)
    ends = np.linspace(0, n_classes, n_groups + 1).astype(int).tolist()
    return list(pairwise(ends))


def group_f1(
    grid: Grid,
    folds: Iterable[Fold],
    truth: NDArray[np.bool_],
    first: int,
    last: int,
    n_threads: int,
) -> GridF1:
    """Return the F1 of all candidates for the classes from ``first`` up to ``last``."""
    wanted, n_candidates = truth[:, first:last], len(grid.candidates)
    scores = np.empty((n_candidates, *wanted.shape))
    rows = []
    for fold in folds:
        rates = _of_classes(fold.rates, first, last)
        scores[:, fold.rows] = grid.z_star(rates, fold.documents, n_threads)
        rows.append(fold.rows)
    found = [_f1(scores[at], wanted, rows) for at in range(n_candidates)]
    return GridF1(np.array([f1 for f1, _ in found]), np.array([by for _, by in found]))


def _f1(
    scores: Numbers, wanted: NDArray[np.bool_], folds: Sequence[NDArray[np.intp]]
) -> tuple[Numbers, Numbers]:
    """Return the F1 of decisions by the best thresholds, pooled and in each fold."""
    decided = SCut(fbr=0).fit(scores, wanted).decide(scores)
    right, given, there = (
        np.array([part[rows].sum(axis=0) for rows in folds], dtype=np.float64)
        for part in (decided & wanted, decided, wanted)
    )
    by_fold = np.divide(2 * right, given + there, out=np.full_like(right, np.nan), where=there > 0)
    pooled = 2 * right.sum(axis=0) / np.maximum((given + there).sum(axis=0), 1)
    return pooled, by_fold


def _of_classes(rates: PoissonRates, first: int, last: int) -> PoissonRates:
    reading, classes = rates.reading, rates.reading.classes
    kept = (classes >= first) & (classes < last)
    few: Reading = replace(
        reading,
        starts=np.append(0, np.cumsum(kept))[reading.starts],
        classes=classes[kept] - np.int32(first),
        cells=reading.cells[:, kept],
        class_totals=reading.class_totals[:, first:last],
        class_scales=reading.class_scales[:, first:last],
        class_documents=reading.class_documents[first:last],
        class_terms=reading.class_terms[first:last],
    )
    return replace(rates, reading=few, alpha=rates.alpha[first:last])
