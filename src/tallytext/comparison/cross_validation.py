"""Cross-validation of learners on the same folds, with time, memory and a time budget."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.registry import CHOICES, Learner
from tallytext.comparison.documents import Documents, Splits
from tallytext.comparison.outcomes import Outcomes, score_difference
from tallytext.comparison.suspects import (
    Suspect,
    find_multi_label_suspects,
    find_suspects,
    most_surprising,
)
from tallytext.decision.explanation import Explanation
from tallytext.errors import ScoreError, TallytextError
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.folds import Rows, TrainTestSplit
from tallytext.runtime import current_memory, peak_memory, rows_per_block

MAX_SUSPECTS = 200
"""The largest number of suspects of a comparison."""
# Explanations take time, and pages show no more.
_MAX_EXPLAINED_SUSPECTS = 20
# Fitting time is estimated from one tenth of the training documents, if they are many.
_MIN_DOCUMENTS_TO_ESTIMATE, _ESTIMATE_FRACTION = 500, 10
# All documents take at least this many times as long as a tenth. The factor is small, because
# the time of tree ensembles hardly depends on the number of documents.
_MIN_TIME_RATIO = 2
# A learner that fits within so many seconds is never excluded, however small the budget.
_MIN_EXCLUDED_SECONDS = 60.0
# A learner is stopped after the first fold if it is worse than the best at this level, two-sided.
# Stricter than the 95% of the table: the best of many learners on one fold is partly lucky.
STOPPING_LEVEL = 0.99

# Writing 5 resets the peak of the resident memory (VmHWM) to its current value.
_CLEAR_REFS = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


class PeakMemory:
    """The peak of this process's memory above its use at construction.

    Only Linux can reset the peak; elsewhere ``megabytes`` is None.

    Examples
    --------
    >>> peak = PeakMemory()
    >>> held = bytearray(b"x") * 300_000_000
    >>> peak.megabytes is None or peak.megabytes > 100
    True
    """

    def __init__(self) -> None:
        _release_memory()
        try:
            _CLEAR_REFS.write_text(_RESET_PEAK)
            self._before: int | None = current_memory()
        except OSError:
            self._before = None

    @property
    def megabytes(self) -> float | None:
        """The difference between the peak and the memory used at first."""
        return None if self._before is None else (peak_memory() - self._before) / 2**20


def _release_memory() -> None:
    """Return unused memory to the system; a learner that reused it would seem to need none."""
    # Cycles hold memory until they are collected, and would count for the next learner.
    gc.collect()
    if sys.platform == "linux":
        # Only glibc has malloc_trim.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


@dataclass
class FoldResult:
    """The result of a learner on one fold, without probabilities, which may be too many to keep.

    Attributes
    ----------
    split : TrainTestSplit
        The training and test documents.
    score : float
        The score on the test documents.
    suspects : list of Suspect
        The test documents with the most surprising labels, without evidence.
    classifier : TextClassifier or None
        The classifier fitted on the training documents; None after it was dropped.
    """

    split: TrainTestSplit
    score: float
    suspects: list[Suspect]
    classifier: TextClassifier | None


# Runs are compared by identity: two learners with equal results are still two.
@dataclass(eq=False)
class LearnerRun:
    """The cross-validation of one learner: results of the folds so far, time and memory.

    Attributes
    ----------
    learner : Learner
        The learner.
    documents : Documents
        All documents.
    make : callable
        Returns a new classifier for a learner.
    ranking : bool
        True for average precision and break-even point, too.
    folds : list of FoldResult
        The folds evaluated so far.
    fit_seconds, predict_seconds : list of float
        Times for each of these folds.
    megabytes : float or None
        The peak of memory during the first fold.
    seconds : float
        The time spent on all folds.
    failure : str
        The reason why no more folds are evaluated, or an empty string.
    worse_than : str
        The learner that was significantly better on the first fold, so that this one was stopped
        after it; or an empty string.
    chosen : list of str
        The learner and features that were selected in each fold, if the learner selects them.
    """

    learner: Learner
    documents: Documents
    make: Callable[[Learner], TextClassifier]
    ranking: bool = False
    folds: list[FoldResult] = field(default_factory=list)
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    megabytes: float | None = None
    seconds: float = 0.0
    failure: str = ""
    worse_than: str = ""
    chosen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        multi_label = self.documents.multi_label
        self.evaluation = Evaluation(multi_label=multi_label, ranking=self.ranking)
        self.outcomes = Outcomes.empty(len(self.documents.labels))

    @property
    def score(self) -> float:
        """The score on all folds so far; -1 if there are none."""
        return self.outcomes.score if self.folds else -1.0

    def evaluate_fold(self, split: TrainTestSplit) -> None:
        """Fit on the training documents and predict the test documents; record a failure."""
        start = perf_counter()
        try:
            self._fit_and_predict(split)
        except TallytextError as problem:
            self.failure = str(problem)
        except Exception as problem:
            # A registered learner may raise anything; the results of the others must survive.
            self.failure = f"{type(problem).__name__}: {problem}"
        self.seconds += perf_counter() - start

    def estimate_fit_seconds(self, split: TrainTestSplit) -> float:
        """Return a lower bound of the fitting time, from a tenth of the training documents.

        0 if there are fewer than 500 of them.
        """
        if len(split.train) < _MIN_DOCUMENTS_TO_ESTIMATE:
            return 0.0
        # A random tenth: rows may be sorted, and then the first ones are all of one class.
        n, chance = len(split.train) // _ESTIMATE_FRACTION, np.random.default_rng(0)
        tenth = np.sort(chance.choice(split.train, n, replace=False))
        start = perf_counter()
        try:
            self.make(self.learner).fit(*self.documents.take(tenth))
        except Exception:
            # evaluate_fold will fail for the same reason, and report it.
            return 0.0
        return _MIN_TIME_RATIO * (perf_counter() - start)

    def _fit_and_predict(self, split: TrainTestSplit) -> None:
        texts, truth = self.documents.take(split.test)
        # In the first fold only: releasing memory can take longer than fitting.
        peak = None if self.folds else PeakMemory()
        start = perf_counter()
        classifier = self._fit(split)
        middle = perf_counter()
        predicted = classifier.predict(texts).tolist()
        end, megabytes = perf_counter(), peak.megabytes if peak else self.megabytes
        evaluation, suspects = self._evaluate_probabilities(classifier, split.test, predicted)
        # Nothing is stored before this point, so that a failure leaves no half-evaluated fold.
        self.outcomes.add(split.test, truth, predicted)
        self.evaluation = evaluation
        self.fit_seconds.append(middle - start)
        self.predict_seconds.append(end - middle)
        self.megabytes = megabytes
        if self.learner.name in CHOICES and classifier.trials_:
            self.chosen.append(classifier.trials_[0].setting)
        score = self.outcomes.score_on(split.test)
        self.folds.append(FoldResult(split, score, suspects, classifier))

    def _evaluate_probabilities(
        self, classifier: TextClassifier, rows: Rows, predicted: list[Any]
    ) -> tuple[Evaluation, list[Suspect]]:
        """Return the evaluation of all folds including these documents, and their suspects."""
        # A copy, so that an error in a later block leaves the evaluation as it was.
        evaluation, classes = deepcopy(self.evaluation), classifier.classes_.tolist()
        find = find_multi_label_suspects if self.documents.multi_label else find_suspects
        suspects: list[Suspect] = []
        # Probabilities of all documents and classes may not fit into memory.
        size = rows_per_block(len(classes))
        for block in (slice(at, at + size) for at in range(0, len(rows), size)):
            texts, truth = self.documents.take(rows[block])
            probabilities = classifier.predict_proba(texts)
            evaluation.add(truth, predicted[block], probabilities, classes)
            suspects += find(rows[block], truth, probabilities, classes, MAX_SUSPECTS)
        return evaluation, most_surprising(suspects, MAX_SUSPECTS)

    def _fit(self, split: TrainTestSplit) -> TextClassifier:
        """Return a calibrated classifier of the training documents."""
        classifier = self.make(self.learner).fit(*self.documents.take(split.train))
        # Calibration is fitted on first access; it belongs to the time of fitting.
        _ = classifier.calibration_
        return classifier

    def classifier(self, fold: int) -> TextClassifier:
        """Return the classifier of a fold; it is fitted again if it was dropped."""
        result = self.folds[fold]
        result.classifier = result.classifier or self._fit(result.split)
        return result.classifier

    def drop_classifiers(self) -> None:
        """Drop the classifiers of all folds to free their memory."""
        for fold in self.folds:
            fold.classifier = None

    def suspects(self) -> list[Suspect]:
        """Return the documents whose label may be wrong, the first twenty with evidence."""
        fold_of = {each.row: at for at, fold in enumerate(self.folds) for each in fold.suspects}
        found = [each for fold in self.folds for each in fold.suspects]
        ranked = most_surprising(found, MAX_SUSPECTS)
        first, others = ranked[:_MAX_EXPLAINED_SUSPECTS], ranked[_MAX_EXPLAINED_SUSPECTS:]
        explained = (
            each._replace(evidence=self._explain(each, fold_of[each.row])) for each in first
        )
        return [*explained, *others]

    def _explain(self, suspect: Suspect, fold: int) -> Explanation | None:
        """Explain the likelier label against the given one, or the multi-label one in doubt.

        None for learners whose scores are not sums over words.
        """
        text, labels = self.documents.texts[suspect.row], (suspect.likelier, suspect.label)
        if self.documents.multi_label:
            labels = (suspect.label if suspect.likelier is None else suspect.likelier, None)
        try:
            return self.classifier(fold).explain(text, *labels)
        except ScoreError:
            return None


def select_best(runs: Sequence[LearnerRun], units: Any) -> LearnerRun:
    """Return the run with the highest score among those with the most folds.

    A run with fewer folds may owe its score to easy folds. It is the best one only if it is
    significantly better on the same documents.

    Parameters
    ----------
    runs : sequence of LearnerRun
        Runs of which at least one has a fold.
    units : ndarray of int of shape (n_documents,)
        The number of the independent unit of each document.
    """
    first = max(runs, key=lambda run: (len(run.folds), run.score))
    shorter = [run for run in runs if 0 < len(run.folds) < len(first.folds)]
    gains = [score_difference(run.outcomes, first.outcomes, units).interval[0] for run in shorter]
    # The lower bounds of the intervals: positive only if the gain is significant.
    gain, run = max(zip(gains, shorter, strict=True), key=lambda pair: pair[0], default=(0, first))
    return run if gain > 0 else first


def is_worse(run: LearnerRun, best: LearnerRun, units: Any, level: float = 0.95) -> bool:
    """Return True if a run is significantly worse than the best."""
    if run is best:
        return False
    return score_difference(run.outcomes, best.outcomes, units, level).interval[1] < 0


def cross_validate(
    runs: Sequence[LearnerRun],
    splits: Splits,
    budget: float | None,
    step: Callable[[], None],
    *,
    named: bool = True,
) -> None:
    """Evaluate all learners fold by fold; drop those that are worse, or if time is short.

    Parameters
    ----------
    runs : sequence of LearnerRun
        The runs, to which folds are added.
    splits : Splits
        The folds.
    budget : float or None
        Seconds for all folds after the first, which every learner gets, so that one slow learner
        takes no time from the others. Learners that are significantly worse than the best are
        dropped first, and the slowest of them before the others; a dropped learner does not
        return. A learner that got a second fold and is not worse gets all folds, even if it takes
        longer than expected.
    step : callable
        Called after each learner and fold, evaluated or not.
    named : bool, default=True
        False if the learners were not named by the user: then learners that are worse than the
        best at the 99% level on the first fold are stopped after it, and learners are excluded
        from the first fold, too, if fitting takes longer than the budget and than a minute.
    """
    start, remaining = 0.0, [*runs]
    if not named and budget is not None:
        _exclude_slow(runs, splits.splits[0], max(budget, _MIN_EXCLUDED_SECONDS))
    for at, split in enumerate(splits):
        # The budget counts from the second fold on: every learner gets the first.
        if at == 1:
            start = perf_counter()
            if not named:
                remaining = _stop_worse(remaining, splits.units)
        if at and budget is not None:
            left = budget - (perf_counter() - start)
            remaining = _affordable_runs(
                remaining, left, len(splits) - at, splits.units, finish_good=at > 1
            )
        for run in runs:
            if run in remaining and not run.failure:
                run.evaluate_fold(split)
                _keep_leading_classifiers(runs)
            step()


def _exclude_slow(runs: Sequence[LearnerRun], split: TrainTestSplit, limit: float) -> None:
    """Exclude learners that need more than ``limit`` seconds to fit, but not the fastest."""
    needed = [run.estimate_fit_seconds(split) for run in runs]
    for run, seconds in zip(runs, needed, strict=True):
        if seconds > max(limit, min(needed)):
            run.failure = (
                f"excluded: one fit would take {format_seconds(seconds)} or more. "
                f"Name it (--learner {run.learner.name}), or give more time (--budget)."
            )


def _stop_worse(runs: Sequence[LearnerRun], units: Any) -> list[LearnerRun]:
    """Return the runs that are not worse than the best; record the others as stopped."""
    able = [run for run in runs if run.folds]
    if not able:
        return []
    best = select_best(able, units)
    for run in able:
        if is_worse(run, best, units, STOPPING_LEVEL):
            run.worse_than = best.learner.name
    return [run for run in able if not run.worse_than]


def _keep_leading_classifiers(runs: Sequence[LearnerRun]) -> None:
    """Drop all classifiers but those of two learners: all may not fit into memory."""
    # The suspects of the best learner are explained by its classifiers, which are stored for that.
    # Two, because the lead often changes between two learners, and fitting again takes time.
    leaders = sorted(runs, key=lambda run: -run.score)[:2]
    for run in runs:
        if run not in leaders:
            run.drop_classifiers()


def _affordable_runs(
    runs: Sequence[LearnerRun], left: float, n_folds: int, units: Any, finish_good: bool
) -> list[LearnerRun]:
    """Return the runs that can finish the remaining folds in the time left.

    With ``finish_good``, all runs that are not worse than the best are among them.
    """
    able = [run for run in runs if run.folds and not run.failure]
    if not able:
        return []
    best = select_best(able, units)
    worse = {run for run in able if is_worse(run, best, units)}
    chosen, needed = [], 0.0
    # Good learners first and the fastest of them, so that most of them can finish.
    for run in sorted(able, key=lambda run: (run in worse, run.seconds)):
        cost = run.seconds / len(run.folds) * n_folds
        if needed + cost <= left or (finish_good and run not in worse):
            needed += cost
            chosen.append(run)
    return chosen


def format_seconds(value: float) -> str:
    """Return a time with a unit.

    Examples
    --------
    >>> format_seconds(0.0314), format_seconds(12.34), format_seconds(0.0004), format_seconds(123.4)
    ('0.03 s', '12.3 s', '0.4 ms', '123 s')
    """
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f} s"
