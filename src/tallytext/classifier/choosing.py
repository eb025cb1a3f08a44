"""The choice of a model: by what each says of documents that were kept from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from tallytext.bayes.out_of_sample import OutOfSample, joined
from tallytext.classifier.budget import Deadline
from tallytext.classifier.judging import Candidate, Judge
from tallytext.classifier.marking import mark

Progress = Callable[[], None]

_FINALISTS = 4
_ENOUGH = 512  # documents for the first round
_MOST_FOLDS = 3  # for finalists, where a fold is large


@dataclass(frozen=True)
class Trial:
    """A candidate, and how it did; ``score`` is None for one that was not tried."""

    learner: str
    setting: str
    score: float | None
    n_documents: int


@dataclass(frozen=True)
class Choice:
    """The model that was chosen, and why.

    Attributes
    ----------
    candidate : Candidate
    model : Any
        Fitted on all training documents.
    trials : list of Trial
        All candidates, the best first; finalists were judged on more documents.
    seen : list of OutOfSample
        What models of its kind said of the first folds that were kept from them.
    """

    candidate: Candidate
    model: Any
    trials: list[Trial]
    seen: list[OutOfSample]


@dataclass
class _Contestant:
    candidate: Candidate
    model: Any = None
    parts: list[OutOfSample] = field(default_factory=list)
    score: float | None = None
    n_documents: int = 0

    def judged_by(self, judge: Judge, folds: Sequence[int]) -> None:
        # What is trained anew for each fold is trained on all documents when it has won.
        if self.model is None and self.candidate.learner.judged_by != "refitting":
            self.model = judge.trained(self.candidate)
        for fold in folds:
            self.parts.append(judge.judged(self.candidate, self.model, fold))
        if folds:
            seen = joined(self.parts)
            self.score, self.n_documents = mark(seen), len(seen.scores)

    def trial(self) -> Trial:
        learner = self.candidate.learner.name
        return Trial(learner, self.candidate.setting, self.score, self.n_documents)


def choose(
    candidates: Sequence[Candidate],
    judge: Judge,
    over: Deadline,
    progress: Progress = lambda: None,
) -> Choice:
    """Return the candidate that does best on documents that were kept from it.

    All are judged on the first folds, and the best of them on more.

    Parameters
    ----------
    candidates : sequence of Candidate
        Of equals the first wins.
    judge : Judge
    over : Deadline
        After it no candidate is tried, but for the first, and there is no second round.
    progress : callable
        Called after each candidate.
    """
    field_ = [_Contestant(candidate) for candidate in candidates]
    if judge.folds and len(field_) > 1:
        field_ = _first_round(field_, judge, over, progress)
        if not over:
            _finals(field_[:_FINALISTS], judge)
            field_[:_FINALISTS] = _best_first(field_[:_FINALISTS])
    winner = field_[0]
    if winner.model is None:
        winner.model = judge.trained(winner.candidate)
    trials = [each.trial() for each in field_]
    return Choice(winner.candidate, winner.model, trials, winner.parts)


def untried(candidate: Candidate) -> Trial:
    """Return the trial of a candidate that was left out."""
    return _Contestant(candidate).trial()


def _first_round(
    contestants: list[_Contestant], judge: Judge, over: Deadline, progress: Progress
) -> list[_Contestant]:
    """Return all contestants, the best first."""
    folds = first_folds([len(rows) for rows in judge.folds])
    for at, each in enumerate(contestants):
        if not at or not over:
            each.judged_by(judge, folds)
        # What was said fills memory where classes are many: only finalists keep it.
        for loser in _best_first(contestants)[_FINALISTS:]:
            loser.parts, loser.model = [], None
        progress()
    return _best_first(contestants)


def _finals(contestants: list[_Contestant], judge: Judge) -> None:
    for each in contestants:
        if each.parts:
            each.judged_by(judge, range(len(each.parts), min(_MOST_FOLDS, len(judge.folds))))


def _best_first(contestants: Sequence[_Contestant]) -> list[_Contestant]:
    return sorted(contestants, key=lambda each: 1.0 if each.score is None else -each.score)


def first_folds(sizes: Sequence[int]) -> range:
    """Return the folds that all candidates are judged on: as many as it takes to tell them apart.

    Examples
    --------
    >>> first_folds([2000, 2000]), first_folds([20] * 10)
    (range(0, 1), range(0, 10))
    """
    documents = accumulate(sizes)
    enough = next((at for at, n in enumerate(documents, 1) if n >= _ENOUGH), len(sizes))
    return range(enough)
