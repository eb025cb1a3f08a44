"""How much more labels would help: the score against the number of documents learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tallytext._typing import FloatArray
from tallytext.classifier.classifier import TextClassifier
from tallytext.comparison.documents import Documents, Outcomes, Rows, Split, Splits

SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_LEAST, _FITTED, _DRAWS, _FEW = 10, 3, 400, 2_000


@dataclass(frozen=True)
class LearningCurve:
    """Scores of one learner on the same documents, having learned more and more.

    Attributes
    ----------
    sizes : tuple of int
        How many documents were learned; there may be none that the learner could learn from.
    scores : tuple of float
        Accuracy, or micro-averaged F1.
    at_double : float or None
        What twice as many documents would give, if the error goes on falling as it did; None where
        the curve does not tell.
    interval : (float, float) or None
        95% of it, for other documents to be judged by.
    n_judged : int
        How many documents the scores are of.
    """

    sizes: tuple[int, ...]
    scores: tuple[float, ...]
    at_double: float | None = None
    interval: tuple[float, float] | None = None
    n_judged: int = 0


def outlook(sizes: FloatArray, scores: FloatArray) -> FloatArray:
    r"""Return the score that twice as many documents would give.

    .. math:: 1 - s(n) = c\,n^{-\beta}, \quad \beta \ge 0

    by least squares between the logarithms of the last three points. More documents do no harm:
    what looks so is chance, and so is a last point below what the others promise.

    Parameters
    ----------
    sizes : ndarray of shape (n_points,)
        Three points or more.
    scores : ndarray of shape (n_curves, n_points)

    Examples
    --------
    >>> outlook(np.array([100, 200, 400]), np.array([[0.6, 0.8, 0.9]])).round(4)
    array([0.95])
    """
    x = np.log(sizes[-_FITTED:])
    errors = np.maximum(1 - scores[:, -_FITTED:], 1e-12)
    y, ahead = np.log(errors), np.log(2 * sizes[-1])
    slope = (y - y.mean(axis=1, keepdims=True)) @ (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    reached = np.exp(y.mean(axis=1) + np.minimum(slope, 0.0) * (ahead - x.mean()))
    return 1 - np.minimum(reached, errors[:, -1])


def learning_curve(
    make: Callable[[], TextClassifier],
    documents: Documents,
    splits: Splits,
    step: Callable[[], None],
    *,
    seed: int = 0,
) -> LearningCurve:
    """Measure a learning curve: on all folds where documents are few, else on the first split.

    Parameters
    ----------
    make : callable
        Returns a classifier that is not fitted.
    documents : Documents
    splits : Splits
        Those that the learner was judged on. Documents are learned in random order, group by group
        where there are groups; where there are moments, the latest first.
    step : callable
        Called after each point.
    seed : int
        Of the random order, and of the interval.
    """
    # Blocks of time differ in how many documents are before them.
    few = len(documents.labels) <= _FEW and splits.moments is None
    used = splits.splits if few else splits.splits[:1]
    sizes, found = [], []
    for n, outcomes in _points(make, documents, splits, used, step, seed):
        sizes.append(n)
        found.append(outcomes)
    scores = tuple(each.score for each in found)
    n_judged = found[-1].n_judged if found else 0
    if len(sizes) < _FITTED or scores[-1] >= 1:
        return LearningCurve(tuple(sizes), scores, n_judged=n_judged)
    ahead = outlook(np.array(sizes), np.array([scores]))
    drawn = outlook(np.array(sizes), _drawn(found, splits.units, seed))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return LearningCurve(tuple(sizes), scores, float(ahead[0]), (float(low), float(high)), n_judged)


def _points(
    make: Callable[[], TextClassifier],
    documents: Documents,
    splits: Splits,
    used: tuple[Split, ...],
    step: Callable[[], None],
    seed: int,
) -> Iterator[tuple[int, Outcomes]]:
    orders = [_order(split, splits, seed) for split in used]
    learned = min(map(len, orders))
    for share in SHARES:
        n = round(share * learned)
        if n >= _LEAST or share == 1.0:
            parts = [np.sort(order[:n]) for order in orders]
            outcomes = _outcomes(make, documents, used, parts)
            if outcomes is not None:
                yield n, outcomes
        step()


def _outcomes(
    make: Callable[[], TextClassifier],
    documents: Documents,
    used: tuple[Split, ...],
    parts: list[Rows],
) -> Outcomes | None:
    """Return what became of judged documents; None where the learner cannot learn a part."""
    outcomes = Outcomes.none(len(documents.labels))
    try:
        for split, part in zip(used, parts, strict=True):
            fitted = make().fit(*documents.some(part))
            new, truth = documents.some(split.judged)
            outcomes.add(split.judged, truth, fitted.predict(new).tolist())
    except Exception:  # of any learner: there are too few documents, of one class perhaps
        return None
    return outcomes


def _order(split: Split, splits: Splits, seed: int) -> Rows:
    """Return documents to learn in the order in which somebody would have labelled them."""
    rows = split.learned
    if splits.moments is not None:
        return rows[np.argsort(-splits.moments[rows], kind="stable")]
    place = np.random.default_rng(seed).permutation(int(splits.units.max()) + 1)
    return rows[np.argsort(place[splits.units[rows]], kind="stable")]


def _drawn(found: list[Outcomes], units: Rows, seed: int) -> FloatArray:
    """Return scores of all points for samples of judged documents, drawn with their units."""
    judged = found[0].judged
    seen, numbers = np.unique(units[judged], return_inverse=True)
    tops, bottoms = (
        np.array([np.bincount(numbers, weights=each[judged]) for each in values]).T
        for values in ([each.tops for each in found], [each.bottoms for each in found])
    )
    chance, n = np.random.default_rng(seed), len(seen)
    scores = np.empty((_DRAWS, len(found)))
    for at in range(_DRAWS):
        weights = np.bincount(chance.integers(n, size=n), minlength=n)
        scores[at] = weights @ tops / np.maximum(weights @ bottoms, 1)
    return scores
