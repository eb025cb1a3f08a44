"""Which of several smoothings judges left-out documents best: one look at the documents for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.leave_one_out import documents_left_out
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_priors import left_intercept
from tallytext.bayes.left_out_translated import LeftShares, LeftTranslations
from tallytext.smoothing import Smoothing
from tallytext.smoothing.base import Numbers
from tallytext.targets import Targets, truth_of

if TYPE_CHECKING:
    from tallytext.bayes.smoothed import Smoothed


def left_out_accuracies(
    model: Smoothed, X: Any, targets: Targets, weights: Any, candidates: Sequence[Smoothing]
) -> list[float]:
    """Return how many documents each smoothing judges right when each is left out, as shares.

    The smoothings differ in their numbers only, so that what signatures stand for is found once.
    """
    reading = model._reader().read()
    left = documents_left_out(model, X, targets, weights, reading)
    counts = model.word_counts(reading, candidates[0])
    assert counts.translated is not None
    shared = Remembered(LeftTranslations(counts.translated.made))
    judges = [
        model._leaving_of(reading, replace(counts, smoothing=each), shared) for each in candidates
    ]
    truth, right, at = truth_of(targets.labels, reading.order.classes), np.zeros(len(judges)), 0
    for piece in left.pieces(wide=True):
        intercept, here = left_intercept(model, piece), truth[at : at + piece.n]
        at += piece.n
        for number, judge in enumerate(judges):
            scores = model._left_lengthened(judge(piece, intercept)[0], piece)
            right[number] += _n_right(scores, here, model.multi_label_)
    return [float(share) for share in right / max(left.n, 1)]


class Remembered:
    """Translations of classes without a document, kept for as long as the same are asked for."""

    def __init__(self, translations: LeftTranslations) -> None:
        self._translations = translations
        self._kept: dict[str, tuple[LeftOut, LeftShares]] = {}

    def classes(self, left: LeftOut) -> LeftShares:
        """Return what is left in each class."""
        return self._once("classes", left, self._translations.classes)

    def rests(self, left: LeftOut) -> LeftShares:
        """Return what is left outside each class."""
        return self._once("rests", left, self._translations.rests)

    def _once(self, name: str, left: LeftOut, make: Callable[[LeftOut], LeftShares]) -> LeftShares:
        kept = self._kept.get(name)
        if kept is None or kept[0] is not left:
            self._kept[name] = kept = left, make(left)
        return kept[1]


def _n_right(scores: Numbers, truth: NDArray[np.bool_], several: bool) -> int:
    if several:
        return int(((scores > 0) == truth).all(axis=1).sum())
    return int(truth[np.arange(len(scores)), scores.argmax(axis=1)].sum())
