"""What makes the answers of a model reliable: probabilities, sets, thresholds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.calibration import Calibrator, fit_calibrator, per_token, probabilities
from tallytext.classifier.judging import mark
from tallytext.decision import Isotonic, Platt, PredictionSets, SCut
from tallytext.labels import Label
from tallytext.smoothing.base import Numbers

_FBR = 0.1


@dataclass(frozen=True, eq=False)
class Calibration:
    """Fitted on documents that were kept from the model; stays as it is when the model learns.

    Classes that the model meets later are judged by what holds for all of them.

    Attributes
    ----------
    classes : list of labels
        Those that it was fitted for.
    calibrator : Temperature, TopLabel, Platt or Isotonic
        From scores to probabilities.
    common : Platt or None
        The same for a class that came later, where each class has probabilities of its own.
    sets : PredictionSets
    thresholds : ndarray or None
        The probability at which a document gets a class, where it may have several.
    score : float
        Accuracy, or F1 where documents have several labels, that is to be expected.
    n_documents : int
        Number of documents it was fitted on.
    method : str
        How these were kept from the model.
    """

    classes: list[Label]
    calibrator: Calibrator
    common: Platt | None
    sets: PredictionSets
    thresholds: NDArray[np.float64] | None
    score: float
    n_documents: int
    method: str

    @classmethod
    def fit(cls, seen: OutOfSample) -> Calibration | None:
        """Return a calibration, or None where there is nothing to learn it from."""
        if not seen.truth.any() or len(seen.classes) < 2:
            return None
        calibrator, common = fit_calibrator(seen), None
        found = probabilities(calibrator, seen.scores, seen.lengths, lambda _: seen.log_odds())
        thresholds, score = None, mark(seen)
        if seen.several:
            odds = per_token(seen.log_odds(), seen.lengths)
            common = Platt.fit(odds.reshape(-1, 1), seen.truth.reshape(-1, 1))
            rule = SCut(fbr=_FBR).fit(found, seen.truth)
            thresholds = rule.thresholds
        return cls(
            classes=seen.classes.tolist(),
            calibrator=calibrator,
            common=common,
            sets=PredictionSets.fit(found, seen.truth, seen.classes.tolist()),
            thresholds=thresholds,
            score=score,
            n_documents=len(seen.scores),
            method=seen.method,
        )

    def probabilities(
        self,
        scores: Numbers,
        lengths: Numbers,
        classes: NDArray[Any],
        log_odds: Callable[[Numbers], Numbers],
    ) -> Numbers:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores, lengths : ndarray
            What the model says.
        classes : ndarray
            The labels of the columns, which may have changed since.
        log_odds : callable
            From scores to log-odds.
        """
        if self.common is None or classes.tolist() == self.classes:
            return probabilities(self.calibrator, scores, lengths, log_odds)
        odds = per_token(log_odds(scores), lengths)
        found = self.common.proba(odds.reshape(-1, 1)).reshape(odds.shape)
        old, place = self._places(classes)
        everything = np.zeros((len(odds), len(self.classes)))
        everything[:, place] = odds[:, old]
        found[:, old] = _proba(self.calibrator, everything)[:, place]
        return found

    def decided(self, proba: Numbers, classes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which classes a document gets, where it may get several."""
        thresholds = np.full(len(classes), 0.5)
        if self.thresholds is not None:
            old, place = self._places(classes)
            thresholds[old] = self.thresholds[place]
        return proba >= thresholds

    def _places(self, classes: NDArray[Any]) -> tuple[list[int], list[int]]:
        """Return which of these classes were there before, and where."""
        known, shown = {label: at for at, label in enumerate(self.classes)}, classes.tolist()
        old = [at for at, label in enumerate(shown) if label in known]
        return old, [known[shown[at]] for at in old]


def _proba(calibrator: Calibrator, odds: Numbers) -> Numbers:
    assert isinstance(calibrator, Platt | Isotonic)
    return calibrator.proba(odds)
