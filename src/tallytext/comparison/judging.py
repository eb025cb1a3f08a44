"""Judging one learner by documents that were kept from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from tallytext.classifier import TextClassifier
from tallytext.comparison.contender import Contender
from tallytext.comparison.memory import PeakMemory
from tallytext.comparison.splits import Rows, Split, Splits
from tallytext.errors import TallytextError
from tallytext.evaluation import Evaluation, EvaluationReport
from tallytext.learners import Learner
from tallytext.smoothing.base import Numbers


@dataclass(frozen=True)
class Documents:
    """Texts and their labels, one each or a list."""

    texts: Sequence[str]
    labels: list[Any]
    several: bool

    def some(self, rows: Rows) -> tuple[list[str], list[Any]]:
        """Return the texts and labels of some rows."""
        return [self.texts[row] for row in rows], [self.labels[row] for row in rows]


@dataclass(frozen=True)
class Answers:
    """What a classifier said of documents that were kept from it.

    Attributes
    ----------
    classifier : TextClassifier
        Which has not seen them.
    rows : ndarray of int
        Which documents.
    probabilities : ndarray of shape (n_rows, n_classes)
    predicted : list
        Labels, or lists of labels.
    """

    classifier: TextClassifier
    rows: Rows
    probabilities: Numbers
    predicted: list[Any]


@dataclass
class Trial:
    """A learner on trial: what it said so far, and what that took."""

    learner: Learner
    documents: Documents
    make: Callable[[Learner], TextClassifier]
    answers: list[Answers] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    megabytes: list[float | None] = field(default_factory=list)
    failure: str = ""

    def judge(self, split: Split) -> None:
        """Learn one side of a split, and answer the other."""
        texts, labels = self.documents.some(split.learned)
        new, _ = self.documents.some(split.judged)
        peak, start = PeakMemory(), perf_counter()
        try:
            classifier = self.make(self.learner).fit(texts, labels)
            _ = (
                classifier.calibration_
            )  # which is fitted when it is needed, and belongs to learning
            fitted = perf_counter()
            probabilities = classifier.predict_proba(new)
            predicted = classifier.predict(new).tolist()
        except TallytextError as problem:
            self.failure = str(problem)
            return
        self.fit_seconds.append(fitted - start)
        self.predict_seconds.append(perf_counter() - fitted)
        self.megabytes.append(peak.megabytes)
        self.answers.append(Answers(classifier, split.judged, probabilities, predicted))

    @property
    def seconds(self) -> float:
        """What it has taken so far."""
        return sum(self.fit_seconds) + sum(self.predict_seconds)

    def contender(self) -> Contender:
        """Return how it did."""
        named = self.learner.name, self.learner.summary
        if not self.answers:
            return Contender(*named, None, failure=self.failure or "there was no time for it")
        known = [each for each in self.megabytes if each is not None]
        return Contender(
            *named,
            EvaluationReport.of(self.evaluation()),
            n_folds=len(self.answers),
            fit_seconds=float(np.mean(self.fit_seconds)),
            predict_seconds=float(np.mean(self.predict_seconds)),
            megabytes=max(known, default=None),
        )

    def evaluation(self) -> Evaluation:
        """Return what became of the labels that it gave."""
        evaluation = Evaluation()
        for each in self.answers:
            _, truth = self.documents.some(each.rows)
            classes = each.classifier.classes_.tolist()
            evaluation.add(truth, each.predicted, each.probabilities, classes)
        return evaluation


def judge_all(
    trials: Sequence[Trial], splits: Splits, budget: float | None, step: Callable[[], None]
) -> None:
    """Let every learner judge a fold, then the next; those that are too slow stop early.

    Parameters
    ----------
    trials : sequence of Trial
    splits : Splits
    budget : float or None
        Seconds in all. A learner goes on to the next fold while there is time for all that are
        still in: the slowest give way first.
    step : callable
        Called after each learner and fold, judged or not.
    """
    start = perf_counter()
    for at, split in enumerate(splits):
        left = None if budget is None else budget - (perf_counter() - start)
        going = trials if at == 0 else _affordable(trials, left, len(splits) - at)
        for trial in trials:
            if trial in going and not trial.failure:
                trial.judge(split)
            step()


def _affordable(trials: Sequence[Trial], left: float | None, n_folds: int) -> list[Trial]:
    """Return the quickest learners that can be judged on all remaining folds in the time left."""
    if left is None:
        return [*trials]
    going, needed = [], 0.0
    for trial in sorted(trials, key=lambda trial: trial.seconds):
        needed += trial.seconds / max(len(trial.answers), 1) * n_folds
        if needed > left:
            break
        going.append(trial)
    return going
