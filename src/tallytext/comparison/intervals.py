"""How far chance may have moved a score, or the difference of two, on so many documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from tallytext.comparison.outcomes import Outcomes
from tallytext.evaluation import wilson_interval
from tallytext.smoothing.base import Numbers

_LEVEL = 0.95


@dataclass(frozen=True)
class Difference:
    """By how much a learner differs from the best, on documents that both were judged by.

    Attributes
    ----------
    value : float
        Its score minus that of the best.
    interval : (float, float)
        95% of it.
    n_documents : int
        How many documents both were judged by.
    """

    value: float
    interval: tuple[float, float]
    n_documents: int

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval holds 0."""
        return self.interval[0] <= 0 <= self.interval[1]


def score_interval(outcomes: Outcomes, units: Any) -> tuple[float, float]:
    r"""Return the 95% interval of a score: Wilson's, for as many documents as they are worth.

    .. math::
        \frac{s + q^2/2m \pm q \sqrt{s (1 - s)/m + q^2/4m^2}}{1 + q^2/m}, \quad
        m = \frac{s (1 - s)}{v}, \quad
        v = \frac{U}{U - 1} \frac{\sum_u (t_u - s\,b_u)^2}{(\sum_u b_u)^2}

    over U units that are independent of each other: documents, or whole groups, whose documents
    are alike and so worth fewer. q is the quantile of Student's distribution with U - 1 degrees of
    freedom. Without a mistake, or without anything right, v says nothing, and m is U - 1. It is
    never more than the number of judged documents.

    Parameters
    ----------
    outcomes : Outcomes
    units : ndarray of int of shape (n_documents,)
        The number of the unit that each document is of.

    Examples
    --------
    >>> from tallytext.comparison.outcomes import Outcomes
    >>> outcomes = Outcomes.none(20)
    >>> outcomes.add(np.arange(20), ["sea"] * 20, ["sea"] * 20)
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20))]
    [0.813, 1.0]
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20) // 5)]  # 4 groups
    [0.229, 1.0]
    """
    tops, bottoms = _by_unit(units, outcomes)
    n_units = len(tops)
    if n_units < 2:
        return 0.0, 1.0
    score = outcomes.score
    spread = _variance((tops - score * bottoms) / bottoms.sum())
    worth = min(score * (1 - score) / spread, outcomes.n_judged) if spread else n_units - 1
    return wilson_interval(score * worth, worth, _quantile(n_units))


def difference(other: Outcomes, best: Outcomes, units: Any) -> Difference:
    r"""Compare two learners, document by document, where both were judged.

    .. math:: (s - s') \pm q \sqrt{\frac{U}{U - 1} \sum_u \Bigl(
        \frac{t_u - s\,b_u}{\sum b} - \frac{t'_u - s'\,b'_u}{\sum b'} \Bigr)^2}

    where two documents are added, one that only the one got right, and one that only the other
    did, so that a handful of documents does not decide (Bonett and Price 2012).

    Parameters
    ----------
    other, best : Outcomes
    units : ndarray of int of shape (n_documents,)

    Examples
    --------
    >>> from tallytext.comparison.outcomes import Outcomes
    >>> best, other = Outcomes.none(6), Outcomes.none(6)
    >>> best.add(np.arange(6), ["sea"] * 6, ["sea"] * 6)
    >>> other.add(np.arange(6), ["sea"] * 6, ["sea"] * 4 + ["sky"] * 2)
    >>> found = difference(other, best, np.arange(6))
    >>> round(found.value, 3), found.may_be_chance
    (-0.333, True)
    """
    both = other.judged & best.judged
    mine, its = other.of(both), best.of(both)
    tops, bottoms, its_tops, its_bottoms = _by_unit(units, mine, its)
    one, another = _parts(tops, bottoms, (2, 0)), _parts(its_tops, its_bottoms, (0, 2))
    middle = one[0] - another[0]
    reach = _quantile(len(tops)) * float(np.sqrt(_variance(one[1] - another[1])))
    return Difference(mine.score - its.score, (middle - reach, middle + reach), int(both.sum()))


def _by_unit(units: Any, *outcomes: Outcomes) -> list[Numbers]:
    """Return sums over the units that were judged."""
    seen, numbers = np.unique(units[outcomes[0].judged], return_inverse=True)
    kept = (each[outcomes[0].judged] for both in outcomes for each in (both.tops, both.bottoms))
    return [np.bincount(numbers, each, len(seen)).astype(np.float64) for each in kept]


def _parts(tops: Numbers, bottoms: Numbers, added: tuple[int, int]) -> tuple[float, Numbers]:
    """Return a score, and what each unit moves it by, with two documents more."""
    tops, bottoms = np.append(tops, added), np.append(bottoms, (2, 2))
    score = float(tops.sum() / bottoms.sum())
    return score, (tops - score * bottoms) / bottoms.sum()


def _variance(moves: Numbers) -> float:
    return float((moves**2).sum() * len(moves) / (len(moves) - 1))


def _quantile(n_units: int) -> float:
    return float(student.ppf((1 + _LEVEL) / 2, max(n_units - 1, 1)))
