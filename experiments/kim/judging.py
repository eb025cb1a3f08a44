"""From scores to decisions and their F1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.kim.jury import Scores
from experiments.kim.split import Split
from tallytext.decision import SCut
from tallytext.evaluation import f_measures

FBR = 0.1


class Judged(NamedTuple):
    """F1 of decisions on test documents."""

    micro: float
    macro: float
    f1: NDArray[np.float64]
    decided: NDArray[np.bool_]

    @classmethod
    def of(cls, split: Split, decided: NDArray[np.bool_]) -> Judged:
        found = f_measures(split.test.truth, decided)
        return cls(found.micro_f1, found.macro_f1, found.f1, decided)

    @property
    def averages(self) -> dict[str, float]:
        return {"micro": self.micro, "macro": self.macro}


def judged(split: Split, scores: Scores, rule: SCut | None = None) -> Judged:
    """Judge decisions by thresholds that were fitted to training documents."""
    fitted = (rule or SCut(fbr=FBR)).fit(scores.train, split.train.truth)
    return Judged.of(split, fitted.decide(scores.test))


def judged_by_oracle(split: Split, scores: Scores) -> Judged:
    """Judge decisions by thresholds that were fitted to the very test documents."""
    fitted = SCut(fbr=FBR).fit(scores.test, split.test.truth)
    return Judged.of(split, fitted.decide(scores.test))


def both(split: Split, scores: Scores) -> dict[str, float]:
    """Return the averages with honest thresholds, and with those of the oracle."""
    oracle = judged_by_oracle(split, scores)
    return judged(split, scores).averages | {
        "oracle_micro": oracle.micro,
        "oracle_macro": oracle.macro,
    }


def judged_labels(split: Split, given: Any) -> Judged:
    """Judge one label for each test document."""
    return Judged.of(split, np.asarray(given)[:, None] == np.asarray(split.classes)[None, :])


def size_bins(sizes: NDArray[np.intp], n_bins: int = 5) -> NDArray[np.intp]:
    """Return the fifth of the classes, by size, that each is in; equal sizes stay together.

    Examples
    --------
    >>> size_bins(np.array([1, 1, 2, 10, 90])).tolist()
    [0, 0, 2, 3, 4]
    """
    bounds = np.quantile(sizes, np.arange(1, n_bins) / n_bins, method="lower")
    return np.searchsorted(bounds, sizes, side="left")
