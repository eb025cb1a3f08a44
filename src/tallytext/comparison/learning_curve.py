"""Learning curve of a learner, extrapolated to twice as many training documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tallytext._typing import FloatArray
from tallytext.classifier.classifier import TextClassifier
from tallytext.comparison.documents import Documents, Splits
from tallytext.comparison.outcomes import Outcomes
from tallytext.evaluation.folds import Rows, TrainTestSplit

# The points of the curve, as shares of the training documents of a split.
SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_MIN_TRAINING_DOCUMENTS = 10
_N_EXTRAPOLATED_POINTS = 3
_N_BOOTSTRAP_SAMPLES = 400
# Up to so many documents the curve is measured on all folds: one has too few for a steady score.
_MAX_DOCUMENTS_ALL_FOLDS = 2_000


@dataclass(frozen=True)
class LearningCurve:
    """Scores of one learner on the same test documents, for growing numbers of training documents.

    Attributes
    ----------
    sizes : tuple of int
        The numbers of training documents. Empty if the learner failed on all of them.
    scores : tuple of float
        The accuracy or micro-averaged F1 for each of them.
    at_double : float or None
        The extrapolated score of twice as many training documents; None if there are fewer than
        three points, or no error is left.
    interval : (float, float) or None
        The 95% bootstrap interval of ``at_double``, over test documents.
    n_evaluated : int
        The number of test documents.
    """

    sizes: tuple[int, ...]
    scores: tuple[float, ...]
    at_double: float | None = None
    interval: tuple[float, float] | None = None
    n_evaluated: int = 0


def extrapolate_score(sizes: FloatArray, scores: FloatArray) -> FloatArray:
    r"""Return the score that a power law predicts for twice as many training documents.

    .. math:: 1 - s(n) = c\,n^{-\beta}, \quad \beta \ge 0

    by least squares between the logarithms of the last three points. The result is at least the
    last score, because a decrease with more documents is taken for noise.

    Parameters
    ----------
    sizes : ndarray of shape (n_points,)
        The numbers of training documents, three or more.
    scores : ndarray of shape (n_curves, n_points)
        The scores of one or more curves.

    Examples
    --------
    >>> extrapolate_score(np.array([100, 200, 400]), np.array([[0.6, 0.8, 0.9]])).round(4)
    array([0.95])
    """
    x = np.log(sizes[-_N_EXTRAPOLATED_POINTS:])
    # The logarithm of an error of 0 would be infinite.
    errors = np.maximum(1 - scores[:, -_N_EXTRAPOLATED_POINTS:], 1e-12)
    y, target = np.log(errors), np.log(2 * sizes[-1])
    slope = (y - y.mean(axis=1, keepdims=True)) @ (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    # beta >= 0: a positive slope would predict more errors from more documents.
    extrapolated = np.exp(y.mean(axis=1) + np.minimum(slope, 0.0) * (target - x.mean()))
    return 1 - np.minimum(extrapolated, errors[:, -1])


def learning_curve(
    make: Callable[[], TextClassifier],
    documents: Documents,
    splits: Splits,
    step: Callable[[], None],
    *,
    seed: int = 0,
) -> LearningCurve:
    """Measure a learning curve: on all folds of up to 2,000 documents, else on the first split.

    Parameters
    ----------
    make : callable
        Returns a classifier that is not fitted.
    documents : Documents
        All documents.
    splits : Splits
        The splits that the learner was evaluated on. Training documents are added in random order,
        by whole groups if there are groups; with time, the latest are added first.
    step : callable
        Called after each point.
    seed : int, default=0
        Seed of the random order and of the interval.
    """
    # Blocks of time differ in the number of documents before them, so one curve needs one block.
    all_folds = len(documents.labels) <= _MAX_DOCUMENTS_ALL_FOLDS and splits.time_ranks is None
    used = splits.splits if all_folds else splits.splits[:1]
    points = [*_points(make, documents, splits, used, step, seed)]
    sizes, outcomes = [n for n, _ in points], [each for _, each in points]
    scores = tuple(each.score for each in outcomes)
    n_evaluated = outcomes[-1].n_evaluated if outcomes else 0
    if len(sizes) < _N_EXTRAPOLATED_POINTS or scores[-1] >= 1:
        return LearningCurve(tuple(sizes), scores, n_evaluated=n_evaluated)
    at_double = extrapolate_score(np.array(sizes), np.array([scores]))
    resampled = extrapolate_score(np.array(sizes), _bootstrap(outcomes, splits.units, seed))
    low, high = np.quantile(resampled, [0.025, 0.975])
    interval = float(low), float(high)
    return LearningCurve(tuple(sizes), scores, float(at_double[0]), interval, n_evaluated)


def _points(
    make: Callable[[], TextClassifier],
    documents: Documents,
    splits: Splits,
    used: tuple[TrainTestSplit, ...],
    step: Callable[[], None],
    seed: int,
) -> Iterator[tuple[int, Outcomes]]:
    """Yield the number of training documents and the outcomes of each point."""
    orders = [_training_order(split, splits, seed) for split in used]
    # Folds differ in size, and a point of the curve has one size.
    n_training = min(map(len, orders))
    for share in SHARES:
        n = round(share * n_training)
        if n >= _MIN_TRAINING_DOCUMENTS or share == 1.0:
            subsets = [np.sort(order[:n]) for order in orders]
            outcomes = _evaluate_subsets(make, documents, used, subsets)
            if outcomes is not None:
                yield n, outcomes
        step()


def _evaluate_subsets(
    make: Callable[[], TextClassifier],
    documents: Documents,
    used: tuple[TrainTestSplit, ...],
    subsets: list[Rows],
) -> Outcomes | None:
    """Fit on a subset for each split; return the outcomes, or None if the learner fails on one."""
    outcomes = Outcomes.empty(len(documents.labels))
    try:
        for split, subset in zip(used, subsets, strict=True):
            classifier = make().fit(*documents.take(subset))
            texts, truth = documents.take(split.test)
            outcomes.add(split.test, truth, classifier.predict(texts).tolist())
    except Exception:
        # A registered learner may raise anything, for instance because a small subset has only
        # one class; the curve then begins with a larger one.
        return None
    return outcomes


def _training_order(split: TrainTestSplit, splits: Splits, seed: int) -> Rows:
    """Return training documents in the order in which somebody would have labelled them."""
    rows = split.train
    if splits.time_ranks is not None:
        # The latest first: a small training set would be of recent documents.
        return rows[np.argsort(-splits.time_ranks[rows], kind="stable")]
    # Whole groups in random order, because documents of a group are labelled together.
    place = np.random.default_rng(seed).permutation(int(splits.units.max()) + 1)
    return rows[np.argsort(place[splits.units[rows]], kind="stable")]


def _bootstrap(outcomes: list[Outcomes], units: Rows, seed: int) -> FloatArray:
    """Return the scores of all points for bootstrap samples of the units of test documents."""
    evaluated = outcomes[0].evaluated
    seen, numbers = np.unique(units[evaluated], return_inverse=True)

    def sum_by_unit(columns: list[FloatArray]) -> FloatArray:
        return np.array([np.bincount(numbers, column[evaluated]) for column in columns]).T

    numerators = sum_by_unit([each.numerators for each in outcomes])
    denominators = sum_by_unit([each.denominators for each in outcomes])
    chance, n = np.random.default_rng(seed), len(seen)
    scores = np.empty((_N_BOOTSTRAP_SAMPLES, len(outcomes)))
    for at in range(_N_BOOTSTRAP_SAMPLES):
        # How often each unit was drawn: sums need no copy of the outcomes.
        weights = np.bincount(chance.integers(n, size=n), minlength=n)
        scores[at] = weights @ numerators / np.maximum(weights @ denominators, 1)
    return scores
