"""Calibration of a classifier: probabilities, prediction sets and thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.decision.calibrators import (
    AccuracyPrior,
    Calibrator,
    Isotonic,
    OutOfSample,
    Platt,
    Temperature,
    TopLabel,
    expected_accuracy,
    fit_calibrator,
    log_odds_per_token,
)
from tallytext.decision.prediction_sets import PredictionSets
from tallytext.decision.score_histograms import ScoreHistograms
from tallytext.decision.thresholds import ThresholdRule, fit_thresholds
from tallytext.errors import ScoreError
from tallytext.models.serialization import (
    calibrator_from_dict,
    calibrator_to_dict,
    from_json,
    to_json,
)
from tallytext.tally.labels import Label, plain_label

# The sigmoid that is common to all classes counts as much as so many documents of a class.
_PRIOR_DOCUMENTS = 3.0
# So many documents are checked before older ones lose half their weight.
_MAX_CHECKED = 2048
# Confidence and accuracy are compared after each document: two standard errors would be exceeded by
# chance sooner or later.
_MAX_STANDARD_ERRORS = 3.0
# Expected F1 is measured in parts: calibration and thresholds are fitted on the other parts. While
# candidates are compared, two parts must do, to save time.
_N_PARTS, _N_PARTS_OF_SELECTION = 4, 2


def selection_score(sample: OutOfSample, rule: ThresholdRule = "micro") -> float:
    """Return the accuracy, or the expected F1 if documents may have several labels.

    Parameters
    ----------
    sample : OutOfSample
    rule : {"micro", "macro", "per-class"} or float, default="micro"
        How thresholds are chosen.
    """
    if not len(sample.scores):
        return 0.0
    if not sample.multi_label:
        return sample.accuracy
    return expected_f1(sample, rule, _N_PARTS_OF_SELECTION)


def expected_f1(
    sample: OutOfSample, rule: ThresholdRule = "micro", n_parts: int = _N_PARTS
) -> float:
    """Return the micro-averaged F1 of the labels that ``predict`` would give.

    The labels of each part of the documents are predicted by a calibration and thresholds that
    were fitted on the other parts.

    Parameters
    ----------
    sample : OutOfSample
        Of documents that may have several labels.
    rule : {"micro", "macro", "per-class"} or float, default="micro"
        How thresholds are chosen.
    n_parts : int, default=4
    """
    odds, truth, classes = _known_odds(sample), sample.truth, sample.classes
    # Every n-th document, because documents are often sorted by class.
    parts = [slice(first, None, n_parts) for first in range(n_parts)]
    histograms = [ScoreHistograms.from_scores(classes, odds[part], truth[part]) for part in parts]
    total = reduce(add, histograms)
    always = bool(truth.any(axis=1).all())
    n_right = n_assigned = 0
    for part, own in zip(parts, histograms, strict=True):
        fitted = Calibration.from_histograms(total.subtract(own), rule, sample.method)
        if fitted is not None and own.n_documents:
            proba = fitted.proba_of_odds(odds[part], classes)
            assigned = assign_labels(proba, fitted.class_thresholds(classes), always)
            n_right += int((assigned & truth[part]).sum())
            n_assigned += int(assigned.sum())
    return 2 * n_right / max(n_assigned + int(truth.sum()), 1)


def _known_odds(sample: OutOfSample) -> FloatArray:
    """Return log-odds per token, -inf for a class that the model did not know."""
    odds = log_odds_per_token(sample.log_odds(), sample.lengths)
    return np.where(np.isfinite(sample.scores), odds, -np.inf)


def count_scores(sample: OutOfSample) -> ScoreHistograms:
    """Return the histograms of the scores of a sample."""
    return ScoreHistograms.from_scores(sample.classes, _known_odds(sample), sample.truth)


@dataclass(frozen=True)
class ConfidenceCheck:
    """Confidence and accuracy of documents that were scored before they were learned.

    Attributes
    ----------
    n_documents : float
        Older documents count less and less, so that it stays below 2,048.
    confidence : float
        Sum of the probabilities of the best label.
    right : float
        Number of documents whose best label was the right one.
    variance : float
        Variance of the number of right ones, if the probabilities were true.
    """

    n_documents: float = 0.0
    confidence: float = 0.0
    right: float = 0.0
    variance: float = 0.0

    def add(self, confidence: FloatArray, right: NDArray[np.bool_]) -> ConfidenceCheck:
        """Return the check after more documents.

        Parameters
        ----------
        confidence : ndarray of shape (n_documents,)
            The probability of the best label of each.
        right : ndarray of bool of shape (n_documents,)
            True if it was the right one.

        Examples
        --------
        >>> ConfidenceCheck().add(np.array([0.5, 0.75]), np.array([True, True])).gap
        0.375
        """
        keep = 0.5 if self.n_documents + len(right) >= _MAX_CHECKED else 1.0
        return ConfidenceCheck(
            keep * self.n_documents + len(right),
            keep * self.confidence + float(confidence.sum()),
            keep * self.right + float(right.sum()),
            keep * self.variance + float((confidence * (1 - confidence)).sum()),
        )

    @property
    def gap(self) -> float:
        """Accuracy minus mean confidence."""
        return (self.right - self.confidence) / max(self.n_documents, 1.0)

    def is_significant(self, standard_error: float) -> bool:
        """Return True if the gap is larger than chance explains.

        Parameters
        ----------
        standard_error : float
            Of the accuracy that the confidence was fitted to.
        """
        error = np.sqrt(self.variance / max(self.n_documents, 1.0) ** 2 + standard_error**2)
        return bool(abs(self.gap) > _MAX_STANDARD_ERRORS * error)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities, prediction sets and thresholds, fitted on held-out documents.

    If documents have one label each, it does not change when the model learns; ``check`` shows
    whether it still holds. If they may have several, it is a function of :class:`ScoreHistograms`,
    which follow what is learned. A class that came later, or that no held-out document had, gets
    the calibration that is common to all classes.

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
        Expected accuracy, or micro-averaged F1 if documents may have several labels.
    n_documents : int
        Number of documents it was fitted on; 0 if classes have one document each, so that nothing
        is known about its accuracy.
    method : str
        How these were held out.
    common_threshold : float, default=0.5
        The threshold of a class that came later.
    optimism : float, default=0.0
        The F1 of the thresholds on the documents that they were chosen on, less the expected F1.
    check : ConfidenceCheck
        Of documents that were learned since the fit, if each has one label.
    """

    classes: list[Label]
    calibrator: Calibrator
    common: Platt | None
    sets: PredictionSets
    thresholds: NDArray[np.float64] | None
    score: float
    n_documents: int
    method: str
    common_threshold: float = 0.5
    optimism: float = 0.0
    check: ConfidenceCheck = field(default_factory=ConfidenceCheck)

    @classmethod
    def fit(
        cls,
        sample: OutOfSample,
        rule: ThresholdRule = "micro",
        histograms: ScoreHistograms | None = None,
        prior: AccuracyPrior | None = None,
    ) -> Calibration | None:
        """Return a calibration, or None if the documents do not suffice for one.

        Parameters
        ----------
        sample : OutOfSample
        rule : {"micro", "macro", "per-class"} or float, default="micro"
            How thresholds are chosen, if documents may have several labels.
        histograms : ScoreHistograms, default=None
            Those of the sample, if they have been counted.
        prior : AccuracyPrior, default=None
            Assumptions that hold as long as documents are few, if each has one label; None for
            those that follow from the sample.
        """
        if sample.multi_label:
            histograms = count_scores(sample) if histograms is None else histograms
            fitted = cls.from_histograms(histograms, rule, sample.method)
            if fitted is None:
                return None
            optimism = fitted.score - expected_f1(sample, rule)
            # The same difference as in from_histograms, to the last bit.
            return replace(fitted, score=_limit(fitted.score - optimism), optimism=optimism)
        is_empty = not sample.truth.any()
        has_reference = prior is not None and prior.reference is not None
        if len(sample.classes) < 2 or (is_empty and not has_reference):
            return None
        calibrator = fit_calibrator(sample, prior=prior)
        proba = calibrator.calibrate(sample.scores, sample.lengths, lambda _: sample.log_odds())
        # Without its only document a class is unknown, so that its document cannot be classified
        # correctly: that shows nothing about the model of all documents.
        n_possible = int((sample.truth & np.isfinite(sample.scores)).any(axis=1).sum())
        names = sample.classes.tolist()
        return cls(
            classes=names,
            calibrator=calibrator,
            common=None,
            sets=PredictionSets.without_scores(names)
            if is_empty
            else PredictionSets.fit(proba, sample.truth, names),
            thresholds=None,
            score=selection_score(sample),
            n_documents=len(sample.scores) if n_possible else 0,
            method=sample.method,
        )

    @classmethod
    def from_histograms(
        cls,
        histograms: ScoreHistograms,
        rule: ThresholdRule = "micro",
        method: str = "",
        optimism: float = 0.0,
    ) -> Calibration | None:
        """Return a calibration of several labels, or None if no label has a score.

        Parameters
        ----------
        histograms : ScoreHistograms
            Of log-odds per token of documents before they were learned.
        rule : {"micro", "macro", "per-class"} or float, default="micro"
            How thresholds are chosen.
        method : str, default=""
            How the documents were held out.
        optimism : float, default=0.0
            Subtracted from the F1 of the thresholds on these documents.
        """
        columns = np.flatnonzero(histograms.n_own)
        if not len(columns):
            return None
        # A class without a held-out document that the model could know gets the common calibration,
        # as one that comes later.
        known = histograms.take(columns)
        common = Platt.from_histograms(histograms.pool())
        calibrator = Isotonic.from_histograms(known)
        # The sigmoid of a class with a handful of documents follows chance; it would give the class
        # to many documents.
        own_share = known.n_own / (known.n_own + _PRIOR_DOCUMENTS)
        calibrator = replace(calibrator, platt=calibrator.platt.shrink(common, own_share))
        centres, own, others = histograms.compact()
        proba = np.tile(common.proba(centres[:, None])[:, 0], (len(own), 1))
        each = np.broadcast_to(centres[:, None], (len(centres), len(columns)))
        proba[columns] = calibrator.proba(each).T
        by_label = rule if isinstance(rule, Mapping) else {}
        fitted = fit_thresholds(
            proba, own, others, histograms.n_labels, "micro" if isinstance(rule, Mapping) else rule
        )
        names = list(known.classes)
        thresholds = [
            float(by_label.get(name, threshold))
            for name, threshold in zip(names, fitted.by_class[columns], strict=True)
        ]
        return cls(
            classes=names,
            calibrator=calibrator,
            common=common,
            sets=PredictionSets.from_counts(proba[columns], own[columns], names),
            thresholds=np.array(thresholds),
            score=_limit(fitted.f1 - optimism),
            n_documents=histograms.n_documents,
            method=method,
            common_threshold=fitted.common,
            optimism=optimism,
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
        return self.proba_of_odds(log_odds_per_token(log_odds(scores), lengths), classes)

    def proba_of_odds(self, odds: FloatArray, classes: NDArray[Any]) -> FloatArray:
        """Return the probability of each class of documents that may have several labels.

        Parameters
        ----------
        odds : ndarray of shape (n_documents, n_classes)
            Log-odds per token; -inf for a class that the model does not know.
        classes : ndarray
            The labels of the columns.
        """
        assert self.common is not None
        is_known = np.isfinite(odds)
        odds = np.where(is_known, odds, 0.0)
        proba = self.common.proba(odds.reshape(-1, 1)).reshape(odds.shape)
        columns, places = self._known_columns(classes)
        # The calibrator needs a column for each class it was fitted for; the columns of classes
        # that are gone by now are computed but not read.
        own_odds = np.zeros((len(odds), len(self.classes)))
        own_odds[:, places] = odds[:, columns]
        proba[:, columns] = _proba(self.calibrator, own_odds)[:, places]
        return np.where(is_known, proba, 0.0)

    def add_check(
        self,
        scores: FloatArray,
        lengths: FloatArray,
        right: NDArray[np.bool_],
        log_odds: Callable[[FloatArray], FloatArray],
    ) -> Calibration:
        """Return the calibration with a check on more documents that have one label each.

        Parameters
        ----------
        scores, lengths : ndarray
            Of documents before they were learned.
        right : ndarray of bool
            True if the class with the highest score was the right one.
        log_odds : callable
            Turns scores into log-odds.
        """
        proba = self.calibrator.calibrate(scores, lengths, log_odds)
        return replace(self, check=self.check.add(proba.max(axis=1), right))

    def holds(self, growth: float) -> bool:
        """Return True if probabilities are still within their error, for one label per document.

        Confidence and accuracy of the documents learned since the fit must not differ by more than
        chance explains. Documents that were not scored, since they were forgotten or came with
        another classifier, must not be so many that the accuracy is expected to change by more than
        its standard error.

        Parameters
        ----------
        growth : float
            The number of training documents relative to that at the fit, as far as it changed by
            documents that were not scored.
        """
        # Smoothed, since an accuracy of 1 on a few documents is not free of error.
        n = self.n_documents
        accuracy = (self.score * n + 1) / (n + 2)
        error = float(np.sqrt(accuracy * (1 - accuracy) / (n + 2)))
        if growth <= 0 or abs(expected_accuracy(accuracy, growth) - accuracy) > error:
            return False
        return not self.check.is_significant(error)

    def class_thresholds(self, classes: NDArray[Any]) -> FloatArray:
        """Return the probability from which each class is assigned."""
        thresholds = np.full(len(classes), self.common_threshold)
        if self.thresholds is not None:
            columns, places = self._known_columns(classes)
            thresholds[columns] = self.thresholds[places]
        return thresholds

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
            "common_threshold": self.common_threshold,
            "optimism": self.optimism,
            "check": asdict(self.check),
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
            # Files of earlier formats lack these.
            common_threshold=values.get("common_threshold", 0.5),
            optimism=values.get("optimism", 0.0),
            check=ConfidenceCheck(**values.get("check", {})),
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
        matches &= type(self.common_threshold) is float and 0 < self.common_threshold <= 1
        matches &= type(self.optimism) is float and abs(self.optimism) <= 1
        matches &= type(self.n_documents) is int and 0 <= self.n_documents < 2**63
        sums = astuple(self.check)
        matches &= all(type(each) is float and 0 <= each < 2**53 for each in sums)
        matches &= max(sums) <= self.check.n_documents
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


def _limit(score: float) -> float:
    return min(max(score, 0.0), 1.0)


def _proba(calibrator: Calibrator, odds: FloatArray) -> FloatArray:
    assert isinstance(calibrator, Platt | Isotonic)
    return calibrator.proba(odds)


def assign_labels(
    proba: FloatArray, thresholds: FloatArray | float, always: bool
) -> NDArray[np.bool_]:
    """Return True for the labels of each document, which may have several.

    Parameters
    ----------
    proba : ndarray of shape (n_documents, n_classes)
    thresholds : ndarray of shape (n_classes,) or float
        The lowest probability at which each label is assigned.
    always : bool
        True to assign the most probable label to a document without any other.

    Examples
    --------
    >>> assign_labels(np.array([[0.1, 0.2], [0.9, 0.7]]), 0.5, always=True)
    array([[False,  True],
           [ True,  True]])
    """
    assigned: NDArray[np.bool_] = proba >= thresholds
    if always and proba.shape[1]:
        empty = np.flatnonzero(~assigned.any(axis=1))
        best = proba[empty].argmax(axis=1)
        # No label at all is better than one that the model does not know.
        assigned[empty, best] = proba[empty, best] > 0
    return assigned
