"""Whether a difference between two classifiers may be chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, chi2

from tallytext.errors import ScoreError
from tallytext.evaluation.measures import flags, indicator, same_length

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class McNemar:
    """What :func:`mcnemar` found.

    Attributes
    ----------
    only_a, only_b : int
        Documents that only the first, or only the second classifier got right.
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
    """What :func:`micro_sign_test` found.

    Attributes
    ----------
    only_a, only_b : int
        Decisions that only the first, or only the second classifier got right.
    p_value : float
        Exact.
    """

    only_a: int
    only_b: int
    p_value: float


@dataclass(frozen=True)
class Interval:
    """A statistic, and the interval that :func:`bootstrap_interval` found for it.

    Attributes
    ----------
    estimate : float
        The statistic of all documents.
    low, high : float
        The ends of the interval.
    """

    estimate: float
    low: float
    high: float


def mcnemar(correct_a: ArrayLike, correct_b: ArrayLike) -> McNemar:
    r"""Test whether two classifiers are right on the same share of documents.

    Only documents count on which one is right and the other is wrong, b and c of them. If the two
    are equally good, b is binomial with b + c trials of chance 1/2. The approximation is

    .. math:: \chi^2 = \frac{\max(0, |b - c| - 1)^2}{b + c}

    with one degree of freedom; take the exact p-value unless a table of old asks for the other.

    Parameters
    ----------
    correct_a, correct_b : array-like of bool of shape (n_documents,)
        Whether each classifier was right on each document, in the same order.

    Examples
    --------
    >>> found = mcnemar([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0])
    >>> found.only_a, found.only_b, found.p_value
    (6, 0, 0.03125)
    """
    right_a, right_b = flags(correct_a, "correct_a"), flags(correct_b, "correct_b")
    same_length(len(right_a), len(right_b), "in correct_b")
    only_a, only_b = _only(right_a, right_b)
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
    """Test two classifiers by their decisions on pairs of document and class: the micro sign test.

    Yang and Liu's s-test: of the decisions that differ, and so are right in one of the two only,
    each classifier should be right in half of them if the two are equally good. Decisions that do
    not differ are dropped. The decisions about one document are not independent, so the p-value is
    too small where documents have many classes: :func:`bootstrap_interval` draws whole documents.

    Parameters
    ----------
    decided_a, decided_b : array-like of bool of shape (n_documents, n_classes)
        Which classes each classifier assigned.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether the first is better, as Yang and Liu did.

    Examples
    --------
    >>> truth = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> nothing = [[0, 0]] * 4
    >>> micro_sign_test(truth, nothing, truth, alternative="greater")
    SignTest(only_a=4, only_b=0, p_value=0.0625)
    """
    given_a, given_b = indicator(decided_a), indicator(decided_b)
    if given_a.shape != given_b.shape:
        raise ScoreError(
            f"two classifiers decided on documents by classes of shapes {given_a.shape} and "
            f"{given_b.shape}. Are these the same documents?"
        )
    wanted = indicator(truth, given_a.shape[1])
    same_length(len(given_a), len(wanted), "rows of truth")
    only_a, only_b = _only(given_a == wanted, given_b == wanted)
    return SignTest(only_a, only_b, _sign_p_value(only_a, only_b, alternative))


def bootstrap_interval(
    statistic: Callable[..., float],
    *arrays: ArrayLike,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: int | np.random.Generator = 0,
) -> Interval:
    """Return an interval for a statistic by drawing documents with replacement.

    Paired: all arrays are resampled by the same rows, so the statistic may be a difference between
    two classifiers; that interval excludes 0 if the difference is significant. The ends are
    percentiles of the resampled statistics.

    Parameters
    ----------
    statistic : callable
        Takes as many arrays as are given, and returns a number.
    *arrays : array-like of shape (n_documents, ...)
        What is known of each document: truth, decisions, scores.
    n_resamples : int, default=1000
        How many samples are drawn.
    level : float, default=0.95
        The share of the resampled statistics within the interval.
    random_state : int or Generator, default=0
        Where the chance comes from.

    Examples
    --------
    >>> correct = np.array([True] * 80 + [False] * 20)
    >>> found = bootstrap_interval(np.mean, correct)
    >>> float(found.estimate), round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    """
    samples: list[NDArray[Any]] = [np.asarray(array) for array in arrays]
    if len({len(sample) for sample in samples}) != 1 or not len(samples[0]):
        raise ScoreError(f"arrays of one length are needed, not {[len(s) for s in samples]}.")
    _check_resampling(n_resamples, level)
    n_documents, generator = len(samples[0]), np.random.default_rng(random_state)
    drawn = (generator.integers(n_documents, size=n_documents) for _ in range(n_resamples))
    values = [float(statistic(*(sample[rows] for sample in samples))) for rows in drawn]
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
    """Return the interval of :func:`bootstrap_interval` from counts of documents that are alike.

    Where a statistic sees of each document only which of a few kinds it is of, to draw n documents
    is to draw from a multinomial: as quick for millions of documents as for a hundred.

    Parameters
    ----------
    statistic : callable
        Takes counts of shape (n, n_kinds), and returns n numbers.
    counts : array-like of int of shape (n_kinds,)
        How many documents of each kind there are.
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
        raise ScoreError(f"counts of documents by kind are needed, not {counts!r:.80}.")
    _check_resampling(n_resamples, level)
    generator, n = np.random.default_rng(random_state), int(kinds.sum())
    values = statistic(generator.multinomial(n, kinds / n, size=n_resamples))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(statistic(kinds[None])[0]), float(low), float(high))


def _check_resampling(n_resamples: int, level: float) -> None:
    if n_resamples < 1 or not 0 < level < 1:
        raise ScoreError(f"n_resamples={n_resamples} and level={level} make no interval.")


def _only(right_a: NDArray[np.bool_], right_b: NDArray[np.bool_]) -> tuple[int, int]:
    return int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())


def _sign_p_value(only_a: int, only_b: int, alternative: Alternative) -> float:
    # Without a difference there is nothing to test, and binomtest refuses no trials.
    if only_a + only_b == 0:
        return 1.0
    return float(binomtest(only_a, only_a + only_b, alternative=alternative).pvalue)


# ------------------------------------------------------------------------------------------------
# How far chance may have moved a share.

_DEVIATIONS = 1.959963984540054  # of a normal distribution: 95 % lie within


def wilson_interval(
    right: float, asked: float, quantile: float = _DEVIATIONS
) -> tuple[float, float]:
    r"""Return between which shares the true one lies, in 95 of 100 cases.

    .. math:: \frac{p + \frac{q^2}{2 n} \pm q \sqrt{\frac{p (1 - p)}{n} + \frac{q^2}{4 n^2}}}
              {1 + \frac{q^2}{n}}

    where :math:`p` is the share of right ones and :math:`n` how many were asked. Unlike the plain
    interval it stays within 0 and 1, and is of use from a few on.

    Parameters
    ----------
    right, asked : float
        How many were right, and of how many.
    quantile : float, default=1.96
        q, in standard deviations; another one for another certainty.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(8, 10)]
    [0.49, 0.943]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not asked:
        return 0.0, 1.0
    share, more = right / asked, quantile**2 / asked
    middle = share + more / 2
    reach = quantile * sqrt(share * (1 - share) / asked + more / (4 * asked))
    low, high = ((middle + side * reach) / (1 + more) for side in (-1, 1))
    # Rounding must not put the share itself outside.
    return max(min(low, share), 0.0), min(max(high, share), 1.0)
