"""Calibration of a classifier: probabilities, prediction sets and thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.decision.calibrators import (
    Calibrator,
    Isotonic,
    OutOfSample,
    Platt,
    Temperature,
    TopLabel,
    fit_calibrator,
    log_odds_per_token,
)
from tallytext.decision.prediction_sets import PredictionSets
from tallytext.decision.thresholds import SCut
from tallytext.errors import ScoreError
from tallytext.models.serialization import (
    calibrator_from_dict,
    calibrator_to_dict,
    from_json,
    to_json,
)
from tallytext.tally.labels import Label, plain_label

# The F1 of a threshold is first looked for among this many pairs of document and class per label.
_PAIRS_PER_LABEL = 8
# Classes whose best F1 on held-out documents is below this get a high threshold (SCutFBR).
_FBR = 0.1


def selection_score(sample: OutOfSample) -> float:
    """Return the accuracy, or the best F1 if documents may have several labels.

    The F1 is micro-averaged, at the best common threshold for log-odds per token. Each class gets
    a threshold of its own later, so only the order matters here.
    """
    if not len(sample.scores):
        return 0.0
    if not sample.multi_label:
        return sample.accuracy
    odds = log_odds_per_token(sample.log_odds(), sample.lengths).ravel()
    return _best_f1(odds, sample.truth.ravel())


def _best_f1(odds: FloatArray, truth: NDArray[np.bool_]) -> float:
    """Return the F1 at the best threshold, without sorting all pairs if that is not needed."""
    n, n_true = len(odds), max(int(truth.sum()), 1)
    n_highest = min(n, _PAIRS_PER_LABEL * n_true)
    lowest = np.partition(odds, n - n_highest)[n - n_highest]
    highest = np.flatnonzero(odds >= lowest)
    best = _best_f1_of_sorted(odds[highest], truth[highest], n_true)
    # With n assigned labels, of which T are true, the F1 is at most 2 T / (n + T).
    if len(highest) == n or best >= 2 * n_true / (len(highest) + 1 + n_true):
        return best
    return _best_f1_of_sorted(odds, truth, n_true)


def _best_f1_of_sorted(odds: FloatArray, truth: NDArray[np.bool_], n_true: int) -> float:
    right = np.cumsum(truth[np.argsort(-odds, kind="stable")])
    return float((2 * right / (np.arange(1, len(right) + 1) + n_true)).max())


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities, prediction sets and thresholds, fitted on held-out documents.

    It does not change when the model learns. A class that came later, or that no held-out
    document had, gets the calibration that is common to all classes.

    Attributes
    ----------
    classes : list of labels
        The classes that it was fitted for.
    calibrator : Temperature, TopLabel, Platt or Isotonic
        Turns scores into probabilities.
    common : Platt or None
        The calibrator of a class that came later, if documents may have several labels.
    sets : PredictionSets
    thresholds : ndarray or None
        The probability from which a label is assigned, if documents may have several labels.
    score : float
        Expected accuracy, or F1 if documents may have several labels.
    n_documents : int
        Number of documents it was fitted on.
    method : str
        How these were held out.
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
    def fit(cls, sample: OutOfSample) -> Calibration | None:
        """Return a calibration, or None if the documents do not suffice for one."""
        if not sample.truth.any() or len(sample.classes) < (1 if sample.multi_label else 2):
            return None
        # Scored before classes are left out: a label that cannot be predicted lowers the F1.
        score, common, thresholds = selection_score(sample), None, None
        if sample.multi_label:
            odds = log_odds_per_token(sample.log_odds(), sample.lengths)
            known = np.isfinite(sample.scores)
            if not (sample.truth & known).any():
                return None
            common = Platt.fit(odds[known].reshape(-1, 1), sample.truth[known].reshape(-1, 1))
            # A class without a held-out document that the model could know gets the common
            # calibration, as one that comes later.
            columns = np.flatnonzero((sample.truth & known).any(axis=0))
            sample = replace(
                sample,
                scores=sample.log_odds()[:, columns],  # which do not depend on other classes
                truth=sample.truth[:, columns],
                classes=sample.classes[columns],
                contrasts=True,
            )
        calibrator = fit_calibrator(sample)
        proba = calibrator.calibrate(sample.scores, sample.lengths, lambda _: sample.log_odds())
        if sample.multi_label:
            thresholds = SCut(fbr=_FBR).fit(proba, sample.truth).thresholds
        return cls(
            classes=sample.classes.tolist(),
            calibrator=calibrator,
            common=common,
            sets=PredictionSets.fit(proba, sample.truth, sample.classes.tolist()),
            thresholds=thresholds,
            score=score,
            n_documents=len(sample.scores),
            method=sample.method,
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
            Of the documents, by the model.
        classes : ndarray
            The labels of the columns, which may have changed since the fit.
        log_odds : callable
            Turns scores into log-odds.
        """
        # Calibrators for one label per document have no parameters by class, so that they also
        # serve classes that came later.
        if self.common is None or classes.tolist() == self.classes:
            return self.calibrator.calibrate(scores, lengths, log_odds)
        odds = log_odds_per_token(log_odds(scores), lengths)
        proba = self.common.proba(odds.reshape(-1, 1)).reshape(odds.shape)
        columns, places = self._known_columns(classes)
        # The calibrator needs a column for each class it was fitted for; the columns of classes
        # that are gone by now are computed but not read.
        own_odds = np.zeros((len(odds), len(self.classes)))
        own_odds[:, places] = odds[:, columns]
        proba[:, columns] = _proba(self.calibrator, own_odds)[:, places]
        return proba

    def assign_labels(self, proba: FloatArray, classes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return True for the labels of each document, which may have several."""
        thresholds = np.full(len(classes), 0.5)
        if self.thresholds is not None:
            columns, places = self._known_columns(classes)
            thresholds[columns] = self.thresholds[places]
        return proba >= thresholds

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as JSON values."""
        return {
            "classes": self.classes,
            "calibrator": calibrator_to_dict(self.calibrator),
            "common": None if self.common is None else calibrator_to_dict(self.common),
            "sets": self.sets.to_dict(),
            "thresholds": None if self.thresholds is None else to_json(self.thresholds.tolist()),
            "score": self.score,
            "n_documents": self.n_documents,
            "method": self.method,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Calibration:
        """Return the calibration that :meth:`to_dict` wrote.

        Raises
        ------
        TallytextError
            If its parts are invalid or contradict each other.
        """
        common, thresholds = values["common"], values["thresholds"]
        calibration = cls(
            classes=[plain_label(label, f"class {c}") for c, label in enumerate(values["classes"])],
            calibrator=calibrator_from_dict(values["calibrator"]),
            common=None if common is None else calibrator_from_dict(common),
            sets=PredictionSets.from_dict(values["sets"]),
            thresholds=None if thresholds is None else np.array(from_json(thresholds), float),
            score=values["score"],
            n_documents=values["n_documents"],
            method=values["method"],
        )
        calibration._check_parts()
        return calibration

    def _check_parts(self) -> None:
        width = (len(self.classes),)
        by_class = isinstance(self.calibrator, Platt | Isotonic)
        together = isinstance(self.calibrator, Temperature | TopLabel)
        matches = (by_class and isinstance(self.common, Platt)) or (
            together and self.common is None
        )
        matches &= (self.thresholds is not None) == by_class
        matches &= self.thresholds is None or self.thresholds.shape == width
        matches &= self.thresholds is None or not np.isnan(self.thresholds).any()
        matches &= type(self.score) is float and 0 <= self.score <= 1
        matches &= type(self.n_documents) is int and 0 <= self.n_documents < 2**63
        matches &= isinstance(self.method, str) and len(set(self.classes)) == len(self.classes)
        if matches and by_class:
            empty = np.zeros((1, len(self.classes)))
            matches = _proba(self.calibrator, empty).shape == empty.shape
        if matches and self.common is not None:
            matches = self.common.proba(np.zeros((1, 1))).shape == (1, 1)
        if not matches:
            raise ScoreError("the parts of this calibration do not match each other.")

    def _known_columns(self, classes: NDArray[Any]) -> tuple[list[int], list[int]]:
        """Return the columns of classes that were fitted, and their places among these."""
        place = {label: at for at, label in enumerate(self.classes)}
        names = classes.tolist()
        columns = [at for at, label in enumerate(names) if label in place]
        return columns, [place[names[at]] for at in columns]


def _proba(calibrator: Calibrator, odds: FloatArray) -> FloatArray:
    assert isinstance(calibrator, Platt | Isotonic)
    return calibrator.proba(odds)
