"""How much more labels would help: the score against the number of documents learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tallytext.classifier import TextClassifier
from tallytext.comparison.judging import Documents
from tallytext.comparison.splits import Split
from tallytext.errors import TallytextError

SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_LEAST = 10


@dataclass(frozen=True)
class LearningCurve:
    """Scores of one learner on the same documents, having learned more and more.

    Attributes
    ----------
    sizes : tuple of int
        How many documents were learned.
    scores : tuple of float
        Accuracy, or micro-averaged F1.
    """

    sizes: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def at_double(self) -> float | None:
        """What twice as many documents would give, if the error goes on falling as it did.

        The error is taken for a power of the number of documents, over the last three points.

        Examples
        --------
        >>> LearningCurve((100, 200, 400), (0.6, 0.8, 0.9)).at_double
        0.95
        """
        errors = 1 - np.array(self.scores[-3:])
        if len(errors) < 3 or (errors <= 0).any():
            return None
        slope, height = np.polyfit(np.log(self.sizes[-3:]), np.log(errors), 1)
        # More documents do no harm; what looks so is chance.
        ahead = np.exp(height + min(slope, 0.0) * np.log(2 * self.sizes[-1]))
        return round(float(1 - min(ahead, errors[-1])), 4)


def learning_curve(
    make: Callable[[], TextClassifier],
    documents: Documents,
    split: Split,
    step: Callable[[], None],
    *,
    in_order: bool = False,
    seed: int = 0,
) -> LearningCurve:
    """Measure a learning curve on one split.

    Parameters
    ----------
    make : callable
        Returns a classifier that is not fitted.
    documents : Documents
    split : Split
        Learned documents are taken in random order, or the latest first.
    step : callable
        Called after each point.
    in_order : bool
        Whether the latest documents are those to learn from first.
    seed : int
        Of the random order.
    """
    order = np.random.default_rng(seed).permutation(split.learned)
    if in_order:
        order = split.learned[::-1]
    new, truth = documents.some(split.judged)
    sizes, scores = [], []
    for share in SHARES:
        n = round(share * len(order))
        if n >= _LEAST or share == 1.0:
            try:
                fitted = make().fit(*documents.some(np.sort(order[:n])))
                sizes.append(n)
                scores.append(float(fitted.score(new, truth)))
            except TallytextError:  # too few documents, of one class perhaps
                pass
        step()
    return LearningCurve(tuple(sizes), tuple(scores))
