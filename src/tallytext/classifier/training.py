"""From counted documents to a fitted classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from tallytext.bayes.model import NaiveBayes
from tallytext.classifier.budget import Deadline, Size, affordable
from tallytext.classifier.choosing import Choice, Trial, choose, untried
from tallytext.classifier.counting import Counting
from tallytext.classifier.folds import Rows, dealt_out, grouped, latest, whole
from tallytext.classifier.judging import Candidate, Judge, most_judged
from tallytext.classifier.labels import expect_single
from tallytext.classifier.pending import Pending
from tallytext.classifier.sample import Drawn
from tallytext.duplicates import Duplicates
from tallytext.errors import LabelError
from tallytext.learners import CHOICES, Learner, find_learner, learners
from tallytext.planes import Plane
from tallytext.progress import progress_bar
from tallytext.tally import Tally
from tallytext.vectorizer import TextVectorizer


@dataclass(frozen=True)
class Fitted:
    """What training comes to."""

    model: Any
    tally: Tally
    learner: Learner
    several: bool
    pending: Pending
    trials: list[Trial]
    duplicates: Duplicates


class Training:
    """One training of a classifier, from its settings: add documents, then finish.

    Parameters
    ----------
    settings : TextClassifier
        Its parameters are read; it is not changed.
    """

    def __init__(self, settings: Any) -> None:
        self._settings = settings
        self.vectorizer = vectorizer_for(settings)
        self.at_once = self.vectorizer.is_limited
        self.candidates = candidates_for(settings.model, settings.multi_label, settings.n_jobs)
        needs_documents = any(each.learner.needs_documents for each in self.candidates)
        planes = [plane for candidate in self.candidates for plane in planes_of(candidate)]
        self.counting = Counting(self.vectorizer, planes, needs_documents)

    def add(self, texts: Any, labels: list[Any], keys: Any = None) -> None:
        """Count more documents."""
        if self._settings.multi_label is False:
            labels = expect_single(labels, self.counting.n_documents)
        self.counting.add(texts, labels, keys)

    def finished(self, indicator: bool, by_group: bool, by_time: bool) -> Fitted:
        """Choose a model, and calibrate it."""
        tally, settings = self.counting.tally, self._settings
        several = settings.multi_label
        if several is None:
            several = indicator or tally.n_several > 0 or tally.n_unlabelled > 0
        drawn = self.counting.sample.drawn(len(self.vectorizer.vocabulary_))
        if not several:
            drawn = drawn._replace(labels=expect_single(drawn.labels))
        folds = self._folds(drawn, several, by_group, by_time)
        method = "groups" if by_group else "time" if by_time else "cross-validation"
        judge = Judge(tally, drawn, folds, several, self.counting.documents(several), method)
        choice = self._choice(judge)
        planes = planes_of(choice.candidate)
        kept = tally if set(planes) == set(tally.planes) else tally.keep_planes(planes)
        additive = choice.candidate.learner.additive
        return Fitted(
            model=choice.model.with_tally(kept) if additive else choice.model,
            tally=kept,
            learner=choice.candidate.learner,
            several=several,
            pending=Pending(judge.later(kept, additive), choice),
            trials=choice.trials,
            duplicates=self.counting.duplicates(),
        )

    def _folds(self, drawn: Drawn, several: bool, by_group: bool, by_time: bool) -> list[Rows]:
        tally = self.counting.tally
        n_documents, n_classes = int(tally.n_documents), max(1, len(tally.classes))
        # Scores of all classes are held for all documents that are judged.
        n = min(len(drawn.labels), most_judged(n_classes))
        if n_classes < 2:
            return []
        if by_time:
            return latest(whole(drawn.keys, n), n_documents)
        if by_group:
            return grouped(whole(drawn.keys, n), n_documents)
        return dealt_out(drawn.labels[:n], n_documents, several)

    def _choice(self, judge: Judge) -> Choice:
        suited = [each for each in self.candidates if each.learner.multi_label or not judge.several]
        if not suited:
            name = self.candidates[0].learner.name
            raise LabelError(f"{name} cannot give a document several labels.")
        tried, skipped = self._affordable(suited, judge)
        over = Deadline(self._settings.budget)
        with progress_bar("Trying models", len(tried), self._settings.verbose) as step:
            choice = choose(tried, judge, over, step)
        return replace(choice, trials=[*choice.trials, *map(untried, skipped)])

    def _affordable(
        self, candidates: list[Candidate], judge: Judge
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return what is tried where nobody said how long a choice may take, and what is not."""
        if self._settings.model != "auto" or self._settings.budget is not None:
            return candidates, []
        tally, drawn = judge.tally, judge.drawn
        size = Size(
            n_documents=int(tally.n_documents),
            n_tokens=int(tally.n_tokens),
            n_cells=drawn.X.nnz * int(tally.n_documents) // max(len(drawn.labels), 1),
            n_terms=int(tally.n_terms),
            n_classes=len(tally.classes),
        )
        tried = [each for each in candidates if affordable(each.learner, size)]
        return tried, [each for each in candidates if each not in tried]


def vectorizer_for(settings: Any) -> TextVectorizer:
    """Return a vectorizer that is not fitted yet, as the settings of a classifier say."""
    given = settings.vectorizer
    if given is None:
        return TextVectorizer(hangul="words+bigrams", n_jobs=settings.n_jobs)
    if not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    return clone(given)


def candidates_for(model: Any, multi_label: bool | None, n_jobs: int | None) -> list[Candidate]:
    """Return what there is to choose from.

    Examples
    --------
    >>> [str(each) for each in candidates_for("bernoulli", None, None)]
    ['bernoulli: BernoulliNB(gamma=0.1)']
    """
    several = bool(multi_label)
    if isinstance(model, str) and model in CHOICES:
        kinds = learners(additive=True if model == "auto" else None, multi_label=several)
        found = [Candidate(kind, each) for kind in kinds for each in kind.models()]
    elif isinstance(model, str):
        found = [Candidate(find_learner(model), find_learner(model).default())]
    elif isinstance(model, NaiveBayes):
        name = type(model).__name__
        found = [Candidate(Learner(name, "given by its settings", type(model)), clone(model))]
    else:
        raise TypeError(f"model must be the name of a learner, or a model, not {model!r:.80}.")
    for candidate in found:
        if n_jobs is not None and "n_jobs" in candidate.model.get_params(deep=False):
            candidate.model.set_params(n_jobs=n_jobs)
    return found


def planes_of(candidate: Candidate) -> list[Plane]:
    """Return what a tally must count for a model to be read off it."""
    if not candidate.learner.additive:
        return []
    candidate.model._settle(bool(candidate.model.multi_label))
    return [column for column in candidate.model._columns(1.0, False) if isinstance(column, Plane)]
