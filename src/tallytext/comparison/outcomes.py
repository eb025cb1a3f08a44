"""Scores of predicted documents, with 95% intervals for a score and for the difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from tallytext._typing import FloatArray
from tallytext.evaluation.folds import Rows
from tallytext.evaluation.significance import wilson_interval

_CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True)
class Outcomes:
    r"""Two numbers per document; the score of a set of documents is the quotient of their sums.

    .. math:: s = \frac{\sum_d t_d}{\sum_d b_d}, \qquad t_d = 2 |P_d \cap L_d|,
        \quad b_d = |P_d| + |L_d|

    with the labels L of a document and its predicted labels P. This is the micro-averaged F1, which
    equals the accuracy if every document has one label and one prediction.

    Attributes
    ----------
    numerators, denominators : ndarray of shape (n_documents,)
        :math:`t_d` and :math:`b_d`; both are 0 for documents without a prediction.
    evaluated : ndarray of bool of shape (n_documents,)
        True for documents with a prediction.

    Examples
    --------
    >>> outcomes = Outcomes.empty(3)
    >>> outcomes.add(np.array([0, 2]), ["sea", "sky"], ["sea", "sea"])
    >>> outcomes.score, outcomes.evaluated.tolist()
    (0.5, [True, False, True])
    """

    numerators: FloatArray
    denominators: FloatArray
    evaluated: Any

    @classmethod
    def empty(cls, n_documents: int) -> Outcomes:
        """Return outcomes without any prediction."""
        return cls(np.zeros(n_documents), np.zeros(n_documents), np.zeros(n_documents, dtype=bool))

    def add(self, rows: Rows, truth: Sequence[Any], predicted: Sequence[Any]) -> None:
        """Enter the true and predicted labels, or lists of labels, of some documents."""
        pairs = [
            (label_set(given), label_set(wanted))
            for given, wanted in zip(predicted, truth, strict=True)
        ]
        self.numerators[rows] = [2 * len(given & wanted) for given, wanted in pairs]
        self.denominators[rows] = [len(given) + len(wanted) for given, wanted in pairs]
        self.evaluated[rows] = True

    def restrict(self, mask: Any) -> Outcomes:
        """Return the outcomes of the documents in a mask, as if no other had been predicted."""
        return Outcomes(self.numerators * mask, self.denominators * mask, self.evaluated & mask)

    def score_on(self, rows: Any) -> float:
        """Return the score of some documents."""
        # Documents without labels and without predictions add 0 to both sums.
        return float(self.numerators[rows].sum() / max(self.denominators[rows].sum(), 1))

    @property
    def score(self) -> float:
        """The score of all documents with a prediction."""
        return self.score_on(slice(None))

    @property
    def n_evaluated(self) -> int:
        """The number of documents with a prediction."""
        return int(self.evaluated.sum())


def label_set(labels: Any) -> set[Any]:
    """Return the labels of a document as a set, from one label or a collection of labels."""
    return set(labels) if isinstance(labels, list | tuple | set | frozenset) else {labels}


@dataclass(frozen=True)
class Difference:
    """The difference of a learner's score from the best, on documents that both predicted.

    Attributes
    ----------
    value : float
        Its score minus that of the best learner.
    interval : (float, float)
        The 95% confidence interval of the difference.
    n_documents : int
        The number of documents that both learners predicted.
    """

    value: float
    interval: tuple[float, float]
    n_documents: int

    @property
    def is_significant(self) -> bool:
        """True if the interval does not contain 0."""
        return not self.interval[0] <= 0 <= self.interval[1]


def score_interval(outcomes: Outcomes, units: Any) -> tuple[float, float]:
    r"""Return the 95% Wilson interval of a score, for the effective number of documents.

    .. math::
        \frac{s + q^2/2m \pm q \sqrt{s (1 - s)/m + q^2/4m^2}}{1 + q^2/m}, \quad
        m = \frac{s (1 - s)}{v}, \quad
        v = \frac{U}{U - 1} \frac{\sum_u (t_u - s\,b_u)^2}{(\sum_u b_u)^2}

    over U independent units: documents, or whole groups, whose documents are similar, so that their
    effective number m is smaller. q is the quantile of Student's distribution with U - 1 degrees of
    freedom. If all predictions are correct, or all are wrong, v is 0 and m is U - 1. It is at most
    the number of evaluated documents.

    Parameters
    ----------
    outcomes : Outcomes
        The outcomes of one learner.
    units : ndarray of int of shape (n_documents,)
        The number of the unit of each document.

    Examples
    --------
    >>> outcomes = Outcomes.empty(20)
    >>> outcomes.add(np.arange(20), ["sea"] * 20, ["sea"] * 20)
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20))]
    [0.813, 1.0]
    >>> [round(end, 3) for end in score_interval(outcomes, np.arange(20) // 5)]  # 4 groups
    [0.229, 1.0]
    """
    numerators, denominators = _sum_by_unit(units, outcomes)
    n_units = len(numerators)
    # The variance between units is unknown, so nothing is excluded.
    if n_units < 2:
        return 0.0, 1.0
    score = outcomes.score
    variance = _variance((numerators - score * denominators) / denominators.sum())
    # Groups can vary less than independent documents would, by chance: hence the upper limit.
    effective = (
        min(score * (1 - score) / variance, outcomes.n_evaluated) if variance else n_units - 1
    )
    return wilson_interval(score * effective, effective, _quantile(n_units))


def score_difference(
    other: Outcomes, best: Outcomes, units: Any, level: float = _CONFIDENCE_LEVEL
) -> Difference:
    r"""Compare two learners on the documents that both predicted.

    .. math:: (s - s') \pm q \sqrt{\frac{U}{U - 1} \sum_u \Bigl(
        \frac{t_u - s\,b_u}{\sum b} - \frac{t'_u - s'\,b'_u}{\sum b'} \Bigr)^2}

    after adding two documents, each correct for only one of the learners. Without them the interval
    of a few documents would be too narrow (Bonett and Price 2012).

    Parameters
    ----------
    other, best : Outcomes
        The outcomes of a learner, and of the best one.
    units : ndarray of int of shape (n_documents,)
        The number of the independent unit of each document.
    level : float, default=0.95
        The confidence level of the interval.

    Examples
    --------
    >>> best, other = Outcomes.empty(6), Outcomes.empty(6)
    >>> best.add(np.arange(6), ["sea"] * 6, ["sea"] * 6)
    >>> other.add(np.arange(6), ["sea"] * 6, ["sea"] * 4 + ["sky"] * 2)
    >>> found = score_difference(other, best, np.arange(6))
    >>> round(found.value, 3), found.is_significant
    (-0.333, False)
    """
    both = other.evaluated & best.evaluated
    mine, its = other.restrict(both), best.restrict(both)
    numerators, denominators, its_numerators, its_denominators = _sum_by_unit(units, mine, its)
    # (2, 0) and (0, 2): the two documents added, each right for one learner only.
    score, moves = _influences(numerators, denominators, (2, 0))
    its_score, its_moves = _influences(its_numerators, its_denominators, (0, 2))
    middle = score - its_score
    reach = _quantile(len(numerators), level) * float(np.sqrt(_variance(moves - its_moves)))
    # The plain difference is reported; the added documents shift only the interval.
    return Difference(mine.score - its.score, (middle - reach, middle + reach), int(both.sum()))


def _sum_by_unit(units: Any, *outcomes: Outcomes) -> list[FloatArray]:
    """Return numerators and denominators of all outcomes, summed over each evaluated unit."""
    evaluated = outcomes[0].evaluated
    seen, numbers = np.unique(units[evaluated], return_inverse=True)
    columns = (column for each in outcomes for column in (each.numerators, each.denominators))
    return [
        np.bincount(numbers, column[evaluated], len(seen)).astype(np.float64) for column in columns
    ]


def _influences(
    numerators: FloatArray, denominators: FloatArray, added: tuple[int, int]
) -> tuple[float, FloatArray]:
    """Return a score and the influence of each unit on it, with two documents added."""
    numerators, denominators = np.append(numerators, added), np.append(denominators, (2, 2))
    score = float(numerators.sum() / denominators.sum())
    return score, (numerators - score * denominators) / denominators.sum()


def _variance(influences: FloatArray) -> float:
    return float((influences**2).sum() * len(influences) / (len(influences) - 1))


def _quantile(n_units: int, level: float = _CONFIDENCE_LEVEL) -> float:
    return float(student.ppf((1 + level) / 2, max(n_units - 1, 1)))
