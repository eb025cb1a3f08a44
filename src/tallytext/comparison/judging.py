"""Judging one learner by documents that were kept from it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from tallytext.classifier import TextClassifier
from tallytext.comparison.contender import Contender
from tallytext.comparison.documents import Documents
from tallytext.comparison.memory import PeakMemory
from tallytext.comparison.outcomes import Outcomes
from tallytext.comparison.splits import Rows, Split
from tallytext.comparison.suspects import (
    Suspect,
    labels_in_doubt,
    most_surprising,
    suspects_among,
)
from tallytext.errors import ScoreError, TallytextError
from tallytext.evaluation import Evaluation, EvaluationReport
from tallytext.explanation import Explanation
from tallytext.learners import Learner

MOST_SUSPECTS = 20
# Time is foreseen where there are so many documents to learn, by one of so many.
_MANY, _ONE_OF = 500, 10
# All of them take so many times as long at least: what trees take hardly depends on documents.
_AT_LEAST = 2
# Documents times classes that are asked for together.
_MOST_PROBABILITIES = 1 << 22


@dataclass
class Fold:
    """What is kept of one fold; not the probabilities, which may be too many to keep.

    Attributes
    ----------
    split : Split
    score : float
    suspects : list of Suspect
        The documents whose label surprises most, without evidence.
    classifier : TextClassifier or None
        Which has not seen the judged documents; None if it was let go.
    """

    split: Split
    score: float
    suspects: list[Suspect]
    classifier: TextClassifier | None


@dataclass
class Trial:
    """A learner on trial: how it did so far, and what that took."""

    learner: Learner
    documents: Documents
    make: Callable[[Learner], TextClassifier]
    folds: list[Fold] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    megabytes: float | None = None
    seconds: float = 0.0
    failure: str = ""

    def __post_init__(self) -> None:
        self.evaluation = Evaluation()
        self.outcomes = Outcomes.none(len(self.documents.labels))

    def judge(self, split: Split) -> None:
        """Learn one side of a split, and answer the other; a failure is kept and told later."""
        start = perf_counter()
        try:
            self._judge(split)
        except TallytextError as problem:
            self.failure = str(problem)
        except Exception as problem:  # of any learner, which is not to cost the others' results
            self.failure = f"{type(problem).__name__}: {problem}"
        self.seconds += perf_counter() - start

    def foreseen(self, split: Split) -> float:
        """Return how many seconds learning will take at least, by a tenth of the documents.

        0 where they are few.
        """
        if len(split.learned) < _MANY:
            return 0.0
        # At random: rows may be in an order, so that each tenth of them is of one kind.
        n, chance = len(split.learned) // _ONE_OF, np.random.default_rng(0)
        tenth = np.sort(chance.choice(split.learned, n, replace=False))
        start = perf_counter()
        try:
            self.make(self.learner).fit(*self.documents.some(tenth))
        except Exception:  # of any learner, which is told when it is judged
            return 0.0
        return _AT_LEAST * (perf_counter() - start)

    def _judge(self, split: Split) -> None:
        new, truth = self.documents.some(split.judged)
        # Once is enough: to have all unused memory given back may take longer than to learn.
        peak = None if self.folds else PeakMemory()
        start = perf_counter()
        classifier = self.fitted(split)
        middle = perf_counter()
        predicted = classifier.predict(new).tolist()
        end, megabytes = perf_counter(), peak.megabytes if peak else self.megabytes
        evaluation, odd = self._looked_at(classifier, split.judged, predicted)
        # Only now is anything entered: a learner that fails half-way leaves all as it was.
        self.outcomes.add(split.judged, truth, predicted)
        self.evaluation = evaluation
        self.fit_seconds.append(middle - start)
        self.predict_seconds.append(end - middle)
        self.megabytes = megabytes
        self.folds.append(Fold(split, self.outcomes.on(split.judged), odd, classifier))

    def _looked_at(
        self, classifier: TextClassifier, rows: Rows, predicted: list[Any]
    ) -> tuple[Evaluation, list[Suspect]]:
        """Return the evaluation with these documents, and those whose label surprises most."""
        evaluation, classes = deepcopy(self.evaluation), classifier.classes_.tolist()
        doubted = labels_in_doubt if self.documents.several else suspects_among
        odd: list[Suspect] = []
        size = max(1, _MOST_PROBABILITIES // max(1, len(classes)))
        for some in (slice(at, at + size) for at in range(0, len(rows), size)):
            new, truth = self.documents.some(rows[some])
            probabilities = classifier.predict_proba(new)
            evaluation.add(truth, predicted[some], probabilities, classes)
            odd += doubted(rows[some], truth, probabilities, classes, MOST_SUSPECTS)
        return evaluation, most_surprising(odd, MOST_SUSPECTS)

    def fitted(self, split: Split) -> TextClassifier:
        """Return a classifier that has learned one side of a split, calibration and all."""
        classifier = self.make(self.learner).fit(*self.documents.some(split.learned))
        # Which is fitted when it is needed, and belongs to learning.
        _ = classifier.calibration_
        return classifier

    def classifier(self, at: int) -> TextClassifier:
        """Return the classifier of a fold; it is trained again if it was let go."""
        fold = self.folds[at]
        fold.classifier = fold.classifier or self.fitted(fold.split)
        return fold.classifier

    def let_go(self) -> None:
        """Keep no classifier."""
        for fold in self.folds:
            fold.classifier = None

    @property
    def score(self) -> float:
        """On all documents that it was judged by; -1 if there are none."""
        return self.outcomes.score if self.folds else -1.0

    def suspects(self) -> list[Suspect]:
        """Return the documents whose label is most likely wrong, with the evidence."""
        at_fold = {each.row: at for at, fold in enumerate(self.folds) for each in fold.suspects}
        found = [each for fold in self.folds for each in fold.suspects]
        return [
            each._replace(evidence=self._evidence(each, at_fold[each.row]))
            for each in most_surprising(found, MOST_SUSPECTS)
        ]

    def _evidence(self, suspect: Suspect, at: int) -> Explanation | None:
        """Return what speaks for the likelier label; with several, for the one in doubt.

        None of learners that do not add up from words.
        """
        text, asked = self.documents.texts[suspect.row], (suspect.likelier, suspect.label)
        if self.documents.several:
            asked = (suspect.label if suspect.likelier is None else suspect.likelier, None)
        try:
            return self.classifier(at).explain(text, *asked)
        except ScoreError:
            return None

    def contender(self) -> Contender:
        """Return how it did, by itself."""
        named = self.learner.name, self.learner.summary
        if not self.folds:
            return Contender(*named, None, failure=self.failure)
        return Contender(
            *named,
            EvaluationReport.of(self.evaluation),
            n_folds=len(self.folds),
            fold_scores=tuple(fold.score for fold in self.folds),
            fit_seconds=float(np.median(self.fit_seconds)),
            predict_seconds=float(np.median(self.predict_seconds)),
            megabytes=self.megabytes,
            failure=self.failure,
        )
