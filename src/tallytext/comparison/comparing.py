"""Every learner judged by the same documents, and a look into the best."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.registry import Learner, find_learner
from tallytext.classifier.registry import learners as registered
from tallytext.comparison.documents import (
    Documents,
    Outcomes,
    Rows,
    Split,
    Splits,
    check_words,
    documents_of,
    near_duplicates,
    splits_of,
)
from tallytext.comparison.learning_curve import SHARES, learning_curve
from tallytext.comparison.result import (
    Comparison,
    Contender,
    Difference,
    difference,
    score_interval,
)
from tallytext.comparison.suspects import Suspect, labels_in_doubt, most_surprising, suspects_among
from tallytext.decision.explanation import Explanation
from tallytext.errors import InputError, ScoreError, TallytextError
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.report import EvaluationReport
from tallytext.features.selector import typical_terms
from tallytext.runtime import held_memory, peak_memory, progress_bar
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.tuning.curves import VocabularyCurve, vocabulary_curve

# ------------------------------------------------------------------------------------------------
# How much memory some work needs at its peak, where the system can tell.

_CLEAR = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"


class PeakMemory:
    """What this process holds at its peak, beyond what it held when asked to watch.

    Only Linux tells; elsewhere ``megabytes`` is None.

    Examples
    --------
    >>> peak = PeakMemory()
    >>> held = bytearray(b"x") * 300_000_000
    >>> peak.megabytes is None or peak.megabytes > 100
    True
    """

    def __init__(self) -> None:
        _give_back()
        try:
            _CLEAR.write_text(_FORGET_PEAK)
            self._before: int | None = held_memory()
        except OSError:
            self._before = None

    @property
    def megabytes(self) -> float | None:
        """By how much the peak is above what was held at first."""
        return None if self._before is None else (peak_memory() - self._before) / 2**20


def _give_back() -> None:
    """Give memory back that is not used, or the next one would use it and seem to need none."""
    gc.collect()
    if sys.platform == "linux":
        # Not all C libraries have it.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


# ------------------------------------------------------------------------------------------------
# Judging one learner by documents that were kept from it.

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
        doubted = labels_in_doubt if self.documents.multi_label else suspects_among
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
        if self.documents.multi_label:
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


# ------------------------------------------------------------------------------------------------
# The order of learners, and which differences are more than chance.


def best_of(trials: Sequence[Trial], units: Any) -> Trial:
    """Return the trial with the highest score among those judged on most folds.

    One that was judged on fewer may owe its score to easy folds: it is the best if it is better
    on the same documents, by more than chance.

    Parameters
    ----------
    trials : sequence of Trial
        One of them was judged, at least.
    units : ndarray of int of shape (n_documents,)
        What is independent of each other.
    """
    first = max(trials, key=lambda trial: (len(trial.folds), trial.score))
    rivals = [trial for trial in trials if 0 < len(trial.folds) < len(first.folds)]
    gains = [_difference(trial, first, units).interval[0] for trial in rivals]
    ahead = max(zip(gains, rivals, strict=True), key=lambda pair: pair[0], default=(0.0, first))
    return ahead[1] if ahead[0] > 0 else first


def is_behind(trial: Trial, best: Trial, units: Any) -> bool:
    """Whether a trial is worse than the best by more than chance."""
    return trial is not best and _difference(trial, best, units).interval[1] < 0


def ranked(trials: Sequence[Trial], units: Any) -> list[Contender]:
    """Return the best, then the others by their difference from it, then those that failed.

    Each is compared with the best on the documents that both were judged by, so that one that was
    judged on fewer folds is neither helped nor harmed by these.

    Parameters
    ----------
    trials : sequence of Trial
    units : ndarray of int of shape (n_documents,)
        What is independent of each other.
    """
    best = best_of(trials, units)
    found = [_compared(trial, best, units) for trial in trials]
    return sorted(found, key=lambda each: (each.name != best.learner.name, -_gain(each)))


def _gain(each: Contender) -> float:
    return -2.0 if each.difference is None else each.difference.value


def _compared(trial: Trial, best: Trial, units: Any) -> Contender:
    contender = trial.contender()
    if contender.report is None:
        return contender
    return replace(
        contender,
        report=_with_interval(contender.report, score_interval(trial.outcomes, units)),
        difference=_itself(trial) if trial is best else _difference(trial, best, units),
    )


def _itself(trial: Trial) -> Difference:
    return Difference(0.0, (0.0, 0.0), trial.outcomes.n_judged)


def _difference(trial: Trial, best: Trial, units: Any) -> Difference:
    return difference(trial.outcomes, best.outcomes, units)


def _with_interval(report: EvaluationReport, interval: tuple[float, float]) -> EvaluationReport:
    if report.several_labels:
        return replace(report, micro_f1_interval=interval)
    return replace(report, accuracy_interval=interval, micro_f1_interval=interval)


# ------------------------------------------------------------------------------------------------
# Who is judged on how many folds, where there is not time for all.

# Nobody is left out who learns within so many seconds, however small the budget.
NOT_SLOW = 60.0


def judge_all(
    trials: Sequence[Trial],
    splits: Splits,
    budget: float | None,
    step: Callable[[], None],
    *,
    all_wanted: bool = True,
) -> None:
    """Let every learner be judged on a fold, then on the next; some stop early if time is short.

    Parameters
    ----------
    trials : sequence of Trial
    splits : Splits
    budget : float or None
        Seconds for all folds after the first, which is for everyone, so that one slow learner
        does not cost the others theirs. Those stop first that are behind the best by more than
        chance, the slowest of these first of all; and who has stopped does not come back. Who
        went on after the first fold and is not behind is judged on all of them, though it took
        longer than foreseen.
    step : callable
        Called after each learner and fold, judged or not.
    all_wanted : bool, default=True
        Whether a learner is judged on the first fold though learning will take longer than the
        budget, and than a minute.
    """
    start, going = 0.0, [*trials]
    if not all_wanted and budget is not None:
        _leave_out_slow(trials, splits.splits[0], max(budget, NOT_SLOW))
    for at, split in enumerate(splits):
        if at == 1:
            start = perf_counter()
        if at and budget is not None:
            left = budget - (perf_counter() - start)
            going = _affordable(going, left, len(splits) - at, splits.units, promised=at > 1)
        for trial in trials:
            if trial in going and not trial.failure:
                trial.judge(split)
                _keep_leader(trials)
            step()


def _leave_out_slow(trials: Sequence[Trial], split: Split, most: float) -> None:
    """Leave out who would take more seconds to learn once; the quickest stays in any case."""
    from tallytext.comparison.result import seconds

    foreseen = [trial.foreseen(split) for trial in trials]
    for trial, needed in zip(trials, foreseen, strict=True):
        if needed > max(most, min(foreseen)):
            trial.failure = (
                f"left out: learning once would take {seconds(needed)} or more. "
                f"Name it (--learner {trial.learner.name}), or give more time (--budget)."
            )


def _keep_leader(trials: Sequence[Trial]) -> None:
    """Let all classifiers go but those of the learner that leads: they may not fit into memory."""
    leader = max(trials, key=lambda trial: trial.score)
    for trial in trials:
        if trial is not leader:
            trial.let_go()


def _affordable(
    trials: Sequence[Trial], left: float, n_folds: int, units: Any, promised: bool
) -> list[Trial]:
    """Return learners that can be judged on all remaining folds in the time left.

    Those that are not behind are among them in any case, if that was promised.
    """
    able = [trial for trial in trials if trial.folds and not trial.failure]
    if not able:
        return []
    best = best_of(able, units)
    behind = {id(trial) for trial in able if is_behind(trial, best, units)}
    going, needed = [], 0.0
    for trial in sorted(able, key=lambda trial: (id(trial) in behind, trial.seconds)):
        cost = trial.seconds / len(trial.folds) * n_folds
        if needed + cost <= left or (promised and id(trial) not in behind):
            needed += cost
            going.append(trial)
    return going


_FOLDS = 5
_CLASSES, _TERMS = 100, 12
# Learning from documents without labels is no use here, and slow where labels are many.
_POOLED = "pooled"


def compare(
    texts: Any,
    labels: Any,
    *,
    learners: Iterable[str] | None = None,
    folds: int = _FOLDS,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    vectorizer: TextVectorizer | None = None,
    budget: float | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    verbose: bool | None = None,
) -> Comparison:
    """Judge every learner by the same documents, each kept from it while it learned.

    Parameters
    ----------
    texts : list, column or iterable of str
    labels : list, column or array
        One label per text, or a list of labels per text.
    learners : iterable of str, default=None
        Names of learners, see :func:`tallytext.classifier.learners`; None for all that can do what
        is asked, but for "pooled", which is for documents without labels.
    folds : int, default=5
        How often documents are dealt out.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group (thread, author, near duplicates) are kept together. A document
        without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        Documents are judged by models of earlier ones only: numbers, dates, or anything else that
        can be put in order (strings are, letter by letter). Those of one moment are kept together.
    vectorizer : TextVectorizer, default=None
        How texts become terms; None: as :class:`~tallytext.TextClassifier` does by itself.
    budget : float, default=None
        Seconds for judging on all folds but the first, which is for everyone; None for as many as
        it takes. Where time is short, those stop first that are behind the best by more than
        chance, and of these the slowest. Left out altogether, unless they are named, are learners
        that would need more to learn once, and more than a minute, as a tenth of the documents
        tells. The curves of the best are made after that, and are not part of it.
    n_jobs : int, default=None
        Number of threads; None for all cores. Scores do not depend on it.
    seed : int, default=0
        How documents are dealt out.
    verbose : bool, default=None
        Whether to show a progress bar; None: on a terminal, if it takes its time.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.best.name, found.best.score
    ('multinomial', 1.0)
    """
    documents = documents_of(texts, labels)
    splits = splits_of(
        documents.labels, documents.multi_label, folds, groups=groups, time=time, seed=seed
    )

    def make(learner: Learner) -> TextClassifier:
        multi_label = documents.multi_label
        return TextClassifier(
            learner.name,
            vectorizer=vectorizer,
            multi_label=multi_label,
            n_jobs=n_jobs,
            verbose=False,
        )

    trials = [Trial(learner, documents, make) for learner in _chosen(learners, documents)]
    check_words(documents.texts, _counting(vectorizer, min_length=1))
    with progress_bar("Comparing", len(trials) * len(splits) + len(SHARES) + 2, verbose) as step:
        judge_all(trials, splits, budget, step, all_wanted=learners is not None)
        if not any(trial.folds for trial in trials):
            raise InputError(f"no learner could be judged. {trials[0].failure}")
        return _looked_into(trials, splits, vectorizer, seed, step)


def _looked_into(
    trials: list[Trial],
    splits: Splits,
    vectorizer: TextVectorizer | None,
    seed: int,
    step: Callable[[], None],
) -> Comparison:
    best = best_of(trials, splits.units)
    suspects, terms = best.suspects(), _telling(best.classifier(0).tally_)
    best.let_go()
    documents = best.documents
    # It may have failed on others, or there was no time for them.
    known = replace(splits, splits=tuple(fold.split for fold in best.folds))
    curve = learning_curve(lambda: best.make(best.learner), documents, known, step, seed=seed)
    sizes = _sizes(documents, splits, vectorizer)
    step()
    alike = near_duplicates(documents.texts, splits, seed, best.outcomes)
    step()
    return Comparison(
        ranked(trials, splits.units),
        "micro-F1" if documents.multi_label else "accuracy",
        splits,
        documents,
        alike,
        curve,
        sizes,
        suspects,
        best.evaluation,
        terms,
    )


def _sizes(
    documents: Documents, splits: Splits, vectorizer: TextVectorizer | None
) -> VocabularyCurve | None:
    """Return the vocabulary curve of the first split; None if nothing can be learned there."""
    first, counting = splits.splits[0], _counting(vectorizer)
    (learned, theirs), (new, truth) = documents.some(first.learned), documents.some(first.judged)
    try:
        X = counting.fit_transform(learned)
        if not X.shape[1]:
            return None
        return vocabulary_curve(X, theirs, counting.transform(new), truth, verbose=False)
    except (
        TallytextError
    ):  # no terms within limits, or no labels: learners were judged all the same
        return None


def _counting(vectorizer: TextVectorizer | None, **by_default: Any) -> TextVectorizer:
    """Return a vectorizer to be fitted; what users have given stays as it is."""
    return TextVectorizer(**by_default) if vectorizer is None else clone(vectorizer)


def _telling(tally: Tally) -> dict[Any, list[str]]:
    """Return the most telling terms of the largest classes."""
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    shown = by_size[:_CLASSES]
    terms = typical_terms(tally, shown, _TERMS)
    return {tally.classes[c]: some for c, some in zip(shown, terms, strict=True)}


def _chosen(names: Iterable[str] | None, documents: Documents) -> list[Learner]:
    """Return the learners to compare, in the order of their names' registration."""
    able = registered(multi_label=documents.multi_label)
    if names is None:
        return [learner for learner in able if learner.name != _POOLED]
    chosen = [find_learner(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise InputError("there is no learner to compare.")
    for learner in chosen:
        if learner not in able:
            raise InputError(f"{learner.name!r} cannot give a document several labels.")
    return chosen
