"""Significance of differences between classifiers: tests and confidence intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.measures import check_flags, check_same_length, truth_matrix

Alternative = Literal["two-sided", "greater", "less"]

# 95 % of a normal distribution are within this many standard deviations.
_NORMAL_QUANTILE = 1.959963984540054


@dataclass(frozen=True)
class McNemar:
    """The result of :func:`mcnemar`.

    Attributes
    ----------
    only_a, only_b : int
        The number of documents that only the first, or only the second classifier got right.
    p_value : float
        Exact and two-sided.
    chi_squared, chi_squared_p_value : float
        The statistic with continuity correction, and its approximate two-sided p-value.
    """

    only_a: int
    only_b: int
    p_value: float
    chi_squared: float
    chi_squared_p_value: float


@dataclass(frozen=True)
class SignTest:
    """The result of :func:`micro_sign_test`.

    Attributes
    ----------
    only_a, only_b : int
        The number of decisions that only the first, or only the second classifier got right.
    p_value : float
        Exact.
    """

    only_a: int
    only_b: int
    p_value: float


@dataclass(frozen=True)
class Interval:
    """A statistic and its confidence interval, the result of :func:`bootstrap_interval`.

    Attributes
    ----------
    estimate : float
        The statistic over all documents.
    low, high : float
        The ends of the interval.
    """

    estimate: float
    low: float
    high: float


def mcnemar(correct_a: ArrayLike, correct_b: ArrayLike) -> McNemar:
    r"""Test whether two classifiers are right on the same share of documents.

    Only the documents count that one classifier gets right and the other wrong, b and c of them. If
    the two are equally good, b is binomial with b + c trials of probability 1/2. The approximation
    is

    .. math:: \chi^2 = \frac{\max(0, |b - c| - 1)^2}{b + c}

    with one degree of freedom. Use the exact p-value, except to compare with published statistics.

    Parameters
    ----------
    correct_a, correct_b : array-like of bool of shape (n_documents,)
        True for the documents that each classifier got right, in the same order.

    Examples
    --------
    >>> found = mcnemar([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0])
    >>> found.only_a, found.only_b, found.p_value
    (6, 0, 0.03125)
    """
    from scipy.stats import chi2  # slow to import

    right_a, right_b = check_flags(correct_a, "correct_a"), check_flags(correct_b, "correct_b")
    check_same_length(len(right_a), len(right_b), "in correct_b")
    only_a, only_b = _only(right_a, right_b)
    # The 1 is Edwards' continuity correction.
    statistic = max(0, abs(only_a - only_b) - 1) ** 2 / max(1, only_a + only_b)
    return McNemar(
        only_a,
        only_b,
        _sign_p_value(only_a, only_b, "two-sided"),
        statistic,
        float(chi2.sf(statistic, 1)),
    )


def micro_sign_test(
    decided_a: ArrayLike,
    decided_b: ArrayLike,
    truth: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> SignTest:
    """Test the decisions of two classifiers on pairs of document and class: the micro sign test.

    This is Yang and Liu's s-test: of the decisions that differ, so that exactly one is right, each
    classifier should get half right if the two are equally good. Decisions that agree are dropped.
    The decisions about one document are not independent, so the p-value is too small if documents
    have many classes: :func:`bootstrap_interval` resamples whole documents.

    Parameters
    ----------
    decided_a, decided_b : array-like of bool of shape (n_documents, n_classes)
        True for the classes that each classifier assigned.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" tests if the first is better, as Yang and Liu did.

    Examples
    --------
    >>> truth = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> nothing = [[0, 0]] * 4
    >>> micro_sign_test(truth, nothing, truth, alternative="greater")
    SignTest(only_a=4, only_b=0, p_value=0.0625)
    """
    given_a, given_b = truth_matrix(decided_a), truth_matrix(decided_b)
    if given_a.shape != given_b.shape:
        raise ScoreError(
            f"the decisions of the two classifiers have different shapes, {given_a.shape} and "
            f"{given_b.shape}. Are these the same documents?"
        )
    wanted = truth_matrix(truth, given_a.shape[1])
    check_same_length(len(given_a), len(wanted), "rows of truth")
    only_a, only_b = _only(given_a == wanted, given_b == wanted)
    return SignTest(only_a, only_b, _sign_p_value(only_a, only_b, alternative))


def bootstrap_interval(
    statistic: Callable[..., float],
    *arrays: ArrayLike,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: int | np.random.Generator = 0,
) -> Interval:
    """Return the bootstrap percentile interval of a statistic.

    Documents are sampled with replacement. All arrays are resampled by the same rows, so the
    statistic may be a paired difference between two classifiers, whose interval excludes 0 if the
    difference is significant.

    Parameters
    ----------
    statistic : callable
        A function of as many arrays as are given that returns a number.
    *arrays : array-like of shape (n_documents, ...)
        Values of each document, such as truth, decisions or scores.
    n_resamples : int, default=1000
        The number of samples.
    level : float, default=0.95
        The share of the resampled statistics within the interval.
    random_state : int or Generator, default=0
        Seed of the samples.

    Examples
    --------
    >>> correct = np.array([True] * 80 + [False] * 20)
    >>> found = bootstrap_interval(np.mean, correct)
    >>> float(found.estimate), round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    """
    samples: list[NDArray[Any]] = [np.asarray(array) for array in arrays]
    if len({len(sample) for sample in samples}) != 1 or not len(samples[0]):
        raise ScoreError(
            f"arrays must have the same length, above 0, not {[len(s) for s in samples]}."
        )
    _check_resampling(n_resamples, level)
    n_documents, generator = len(samples[0]), np.random.default_rng(random_state)
    resamples = (generator.integers(n_documents, size=n_documents) for _ in range(n_resamples))
    values = [float(statistic(*(sample[rows] for sample in samples))) for rows in resamples]
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(statistic(*samples)), float(low), float(high))


def bootstrap_interval_of_counts(
    statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    counts: ArrayLike,
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: int | np.random.Generator = 0,
) -> Interval:
    """Return the interval of :func:`bootstrap_interval` from counts of equal documents.

    If the statistic depends only on the numbers of documents of a few kinds, a sample of n
    documents is a sample from a multinomial, which is as fast for millions of documents as for a
    hundred.

    Parameters
    ----------
    statistic : callable
        A function of counts of shape (n, n_kinds) that returns n numbers.
    counts : array-like of int of shape (n_kinds,)
        The number of documents of each kind.
    n_resamples, level, random_state
        As in :func:`bootstrap_interval`.

    Examples
    --------
    >>> found = bootstrap_interval_of_counts(lambda n: n[:, 0] / n.sum(axis=1), [80, 20])
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    """
    kinds = np.asarray(counts, dtype=np.int64)
    if kinds.ndim != 1 or not kinds.sum() or (kinds < 0).any():
        raise ScoreError(
            f"counts of documents by kind must not be negative or all 0: {counts!r:.80}."
        )
    _check_resampling(n_resamples, level)
    generator, n = np.random.default_rng(random_state), int(kinds.sum())
    values = statistic(generator.multinomial(n, kinds / n, size=n_resamples))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(statistic(kinds[None])[0]), float(low), float(high))


def _check_resampling(n_resamples: int, level: float) -> None:
    if n_resamples < 1 or not 0 < level < 1:
        raise ScoreError(
            "n_resamples must be at least 1 and level between 0 and 1, not "
            f"{n_resamples} and {level}."
        )


def _only(right_a: NDArray[np.bool_], right_b: NDArray[np.bool_]) -> tuple[int, int]:
    return int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())


def _sign_p_value(only_a: int, only_b: int, alternative: Alternative) -> float:
    # binomtest needs at least one trial; without differences there is no evidence.
    if only_a + only_b == 0:
        return 1.0
    from scipy.stats import binomtest  # slow to import

    return float(binomtest(only_a, only_a + only_b, alternative=alternative).pvalue)


def falls_clearly(before: float, after: float, n_documents: int) -> bool:
    """Return True if a score falls by more than its standard error.

    Parameters
    ----------
    before, after : float
        A score on documents, and on a part of them.
    n_documents : int
        The number of all documents.

    Examples
    --------
    >>> falls_clearly(0.84, 0.81, 400), falls_clearly(0.84, 0.83, 400), falls_clearly(1.0, 1.0, 9)
    (True, False, False)
    """
    return before - after > sqrt(max(before * (1 - before), 0.0) / max(n_documents, 1))


def wilson_interval(
    n_right: float, n_total: float, quantile: float = _NORMAL_QUANTILE
) -> tuple[float, float]:
    r"""Return the Wilson score interval of a share, by default of 95 %.

    .. math:: \frac{p + \frac{q^2}{2 n} \pm q \sqrt{\frac{p (1 - p)}{n} + \frac{q^2}{4 n^2}}}
              {1 + \frac{q^2}{n}}

    where :math:`p` is the observed share and :math:`n` the number of trials. Unlike the normal
    interval it stays within 0 and 1, and it is accurate for few trials.

    Parameters
    ----------
    n_right, n_total : float
        The number of successes, and of trials.
    quantile : float, default=1.96
        q, in standard deviations, which sets the confidence level.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(8, 10)]
    [0.49, 0.943]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not n_total:
        return 0.0, 1.0
    share, more = n_right / n_total, quantile**2 / n_total
    middle = share + more / 2
    reach = quantile * sqrt(share * (1 - share) / n_total + more / (4 * n_total))
    low, high = ((middle + side * reach) / (1 + more) for side in (-1, 1))
    # Rounding must not exclude the share itself.
    return max(min(low, share), 0.0), min(max(high, share), 1.0)
