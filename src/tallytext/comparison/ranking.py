"""The order of learners, and which differences are more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tallytext.comparison.contender import Contender
from tallytext.comparison.intervals import Difference, difference, score_interval
from tallytext.comparison.judging import Trial
from tallytext.evaluation import EvaluationReport


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
