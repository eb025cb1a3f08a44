"""What makes the answers of a model reliable: probabilities, sets, thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.decision.calibration import Calibrator, fit_calibrator, per_token, probabilities
from tallytext.decision.calibrators import Isotonic, Platt, Temperature, TopLabel
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.decision.prediction_sets import PredictionSets
from tallytext.decision.thresholds import SCut
from tallytext.errors import ScoreError
from tallytext.models.parameters import (
    calibrator_from_dict,
    calibrator_to_dict,
    from_plain,
    to_plain,
)
from tallytext.tally.labels import Label, plain

# ------------------------------------------------------------------------------------------------
# How good answers are, in one number.

_HOPELESS = 8  # times as many labels as there are


def mark(seen: OutOfSample) -> float:
    """Return how good an answer is: accuracy, or F1 where documents have several labels or none.

    The F1 is the micro-averaged one at the best common threshold for log-odds per token: each
    class will get a threshold of its own, so what counts is the order.
    """
    if not len(seen.scores):
        return 0.0
    if not seen.multi_label:
        return seen.accuracy
    odds, wanted = per_token(seen.log_odds(), seen.lengths).ravel(), seen.truth.ravel()
    return _best_f1(odds, wanted)


def _best_f1(odds: FloatArray, wanted: NDArray[np.bool_]) -> float:
    """Return the F1 at the best threshold, without putting all in order where most is hopeless."""
    n, n_wanted = len(odds), max(int(wanted.sum()), 1)
    n_looked_at = min(n, _HOPELESS * n_wanted)
    least = np.partition(odds, n - n_looked_at)[n - n_looked_at]
    likely = np.flatnonzero(odds >= least)
    best = _highest_f1(odds[likely], wanted[likely], n_wanted)
    # Whoever gives n labels has an F1 of 2 W / (n + W) at most, if W are wanted.
    if len(likely) == n or best >= 2 * n_wanted / (len(likely) + 1 + n_wanted):
        return best
    return _highest_f1(odds, wanted, n_wanted)


def _highest_f1(odds: FloatArray, wanted: NDArray[np.bool_], n_wanted: int) -> float:
    right = np.cumsum(wanted[np.argsort(-odds, kind="stable")])
    return float((2 * right / (np.arange(1, len(right) + 1) + n_wanted)).max())


_FBR = 0.1


@dataclass(frozen=True, eq=False)
class Calibration:
    """Fitted on documents that were kept from the model; stays as it is when the model learns.

    Classes that the model meets later, and, where documents may have several labels, those that
    no document had, are judged by what holds for all of them.

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
        if not seen.truth.any() or len(seen.classes) < (1 if seen.multi_label else 2):
            return None
        score, common, thresholds = mark(seen), None, None
        if seen.multi_label:
            odds = per_token(seen.log_odds(), seen.lengths)
            known = np.isfinite(seen.scores)
            if not (seen.truth & known).any():
                return None
            common = Platt.fit(odds[known].reshape(-1, 1), seen.truth[known].reshape(-1, 1))
            # A class that no document has, or none that the model could have known it by, is
            # judged as one that comes later: by what is common.
            fair = seen.truth & known
            seen = _of_classes(seen, np.flatnonzero(fair.any(axis=0)))
        calibrator = fit_calibrator(seen)
        found = probabilities(calibrator, seen.scores, seen.lengths, lambda _: seen.log_odds())
        if seen.multi_label:
            thresholds = SCut(fbr=_FBR).fit(found, seen.truth).thresholds
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
        scores: FloatArray,
        lengths: FloatArray,
        classes: NDArray[Any],
        log_odds: Callable[[FloatArray], FloatArray],
    ) -> FloatArray:
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

    def decided(self, proba: FloatArray, classes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which classes a document gets, where it may get several."""
        thresholds = np.full(len(classes), 0.5)
        if self.thresholds is not None:
            old, place = self._places(classes)
            thresholds[old] = self.thresholds[place]
        return proba >= thresholds

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return {
            "classes": self.classes,
            "calibrator": calibrator_to_dict(self.calibrator),
            "common": None if self.common is None else calibrator_to_dict(self.common),
            "sets": self.sets.to_dict(),
            "thresholds": None if self.thresholds is None else to_plain(self.thresholds.tolist()),
            "score": self.score,
            "n_documents": self.n_documents,
            "method": self.method,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Calibration:
        """Read what :meth:`to_dict` wrote.

        Raises
        ------
        TallytextError
            If its parts cannot be, or contradict each other.
        """
        common, thresholds = values["common"], values["thresholds"]
        made = cls(
            classes=[plain(label, f"class {c}") for c, label in enumerate(values["classes"])],
            calibrator=calibrator_from_dict(values["calibrator"]),
            common=None if common is None else calibrator_from_dict(common),
            sets=PredictionSets.from_dict(values["sets"]),
            thresholds=None if thresholds is None else np.array(from_plain(thresholds), float),
            score=values["score"],
            n_documents=values["n_documents"],
            method=values["method"],
        )
        made._check_parts_that_fit()
        return made

    def _check_parts_that_fit(self) -> None:
        width = (len(self.classes),)
        by_class = isinstance(self.calibrator, Platt | Isotonic)
        together = isinstance(self.calibrator, Temperature | TopLabel)
        fits = (by_class and isinstance(self.common, Platt)) or (together and self.common is None)
        fits &= (self.thresholds is not None) == by_class
        fits &= self.thresholds is None or self.thresholds.shape == width
        fits &= self.thresholds is None or not np.isnan(self.thresholds).any()
        fits &= type(self.score) is float and 0 <= self.score <= 1
        fits &= type(self.n_documents) is int and 0 <= self.n_documents < 2**63
        fits &= isinstance(self.method, str) and len(set(self.classes)) == len(self.classes)
        if fits and by_class:
            nothing = np.zeros((1, len(self.classes)))
            fits = _proba(self.calibrator, nothing).shape == nothing.shape
        if fits and self.common is not None:
            fits = self.common.proba(np.zeros((1, 1))).shape == (1, 1)
        if not fits:
            raise ScoreError("the parts of this calibration do not fit each other.")

    def _places(self, classes: NDArray[Any]) -> tuple[list[int], list[int]]:
        """Return which of these classes were there before, and where."""
        known, shown = {label: at for at, label in enumerate(self.classes)}, classes.tolist()
        old = [at for at, label in enumerate(shown) if label in known]
        return old, [known[shown[at]] for at in old]


def _of_classes(seen: OutOfSample, kept: NDArray[np.intp]) -> OutOfSample:
    """Return what was said of some classes, as log-odds, which do not depend on the others."""
    return replace(
        seen,
        scores=seen.log_odds()[:, kept],
        truth=seen.truth[:, kept],
        classes=seen.classes[kept],
        contrasts=True,
    )


def _proba(calibrator: Calibrator, odds: FloatArray) -> FloatArray:
    assert isinstance(calibrator, Platt | Isotonic)
    return calibrator.proba(odds)
