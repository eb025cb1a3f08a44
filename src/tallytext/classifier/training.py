"""From counted documents to a fitted classifier."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from tallytext.classifier.budget import Deadline, Size, affordable
from tallytext.classifier.choosing import Choice, Trial, choose, untried
from tallytext.classifier.counting import Counting
from tallytext.classifier.folds import Rows, dealt_out, few_for_refitting, grouped, latest, whole
from tallytext.classifier.judging import Candidate, Judge, most_judged
from tallytext.classifier.kept import KeptRows
from tallytext.classifier.labels import expect_single
from tallytext.classifier.pending import Pending
from tallytext.classifier.sample import Drawn
from tallytext.classifier.selecting import (
    Selector,
    expect_documents,
    planes_to_select,
    selector_for,
)
from tallytext.duplicates import Duplicates
from tallytext.errors import LabelError, VocabularyError
from tallytext.learners import CHOICES, Learner, find_learner, learner_of, learners
from tallytext.learners.features import FEATURES, GIVEN
from tallytext.planes import Plane
from tallytext.progress import progress_bar
from tallytext.selection import SelectedTally, TermSelector
from tallytext.tally import Tally
from tallytext.vectorizer import TextVectorizer


@dataclass(frozen=True)
class Fitted:
    """What training comes to."""

    model: Any
    vectorizer: TextVectorizer
    tally: Tally
    selector: Selector | None
    selected: SelectedTally | None
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
        self.candidates = candidates_for(settings)
        base = self.candidates[0].features
        self.vectorizer = vectorizer_for(settings, base)
        self.at_once = self.vectorizer.is_limited
        kept = {}
        for each in self.candidates:
            if each.learner.needs_documents and each.features not in kept:
                own = each.features == base
                counts = self.vectorizer if own else vectorizer_for(settings, each.features)
                kept[each.features] = KeptRows(counts)
        self.selector = selector_for(settings.select)
        expect_documents(self.selector, [each.learner for each in self.candidates])
        planes = [plane for candidate in self.candidates for plane in self._planes(candidate)]
        self.counting = Counting(self.vectorizer, planes, kept, _limits(kept, base))

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
        documents = self.counting.documents(several)
        judge = Judge(tally, drawn, folds, several, documents, method, self.selector)
        choice = self._choice(judge)
        return self._fitted(judge, choice)

    def _fitted(self, judge: Judge, choice: Choice) -> Fitted:
        learner = choice.candidate.learner
        planes = self._planes(choice.candidate) if learner.additive else []
        vectorizer, tally = self._counted(judge, choice)
        kept = tally if set(planes) == set(tally.planes) else tally.keep_planes(planes)
        selected = None
        if learner.additive and isinstance(self.selector, TermSelector):
            selected = SelectedTally(kept, self.selector)
        read = kept if selected is None else selected.tally
        return Fitted(
            model=choice.model.with_tally(read) if learner.additive else choice.model,
            vectorizer=vectorizer,
            tally=read,
            selector=self.selector if selected is None else selected.selector,
            selected=selected,
            learner=learner,
            several=judge.several,
            pending=Pending(judge.later(kept, learner.additive), choice),
            trials=choice.trials,
            duplicates=self.counting.duplicates(),
        )

    def _counted(self, judge: Judge, choice: Choice) -> tuple[TextVectorizer, Tally]:
        """Return what counts texts for the model that was chosen, and what it has counted."""
        features = choice.candidate.features
        if features == self.candidates[0].features or judge.documents is None:
            return self.vectorizer, judge.tally
        rows = judge.documents.kept[features]
        vectorizer = rows.vectorizer
        labels = judge.documents.labels
        return vectorizer, Tally.from_counts(rows.matrix(), labels, vectorizer.vocabulary_)

    def _planes(self, candidate: Candidate) -> list[Plane]:
        own = planes_of(candidate)
        return [*own, *(each for each in planes_to_select(self.selector) if each not in own)]

    def _folds(self, drawn: Drawn, several: bool, by_group: bool, by_time: bool) -> list[Rows]:
        tally = self.counting.tally
        n_documents, n_classes = int(tally.n_documents), max(1, len(tally.classes))
        # Scores of all classes are held for all documents that are judged.
        n = min(len(drawn.labels), most_judged(n_classes))
        if n_classes < 2 and not several:
            return []
        if by_time:
            return latest(whole(drawn.keys, n), n_documents)
        if by_group:
            return grouped(whole(drawn.keys, n), n_documents)
        refitted = any(each.learner.judged_by == "refitting" for each in self.candidates)
        deal = few_for_refitting if refitted else dealt_out
        return deal(drawn.labels[:n], n_documents, several)

    def _choice(self, judge: Judge) -> Choice:
        suited = [each for each in self.candidates if each.learner.multi_label or not judge.several]
        name = self.candidates[0].learner.name
        if not suited:
            raise LabelError(f"{name} cannot give a document several labels.")
        suited = self._counted_for(suited, judge)
        if not suited:
            raise VocabularyError(f"{name} has nothing to learn from: no document has a word.")
        tried, skipped = self._affordable(suited, judge)
        over = Deadline(self._settings.budget)
        with progress_bar("Trying models", len(tried), self._settings.verbose) as step:
            choice = choose(tried, judge, over, step)
        return replace(choice, trials=[*choice.trials, *map(untried, skipped)])

    def _affordable(
        self, candidates: list[Candidate], judge: Judge
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return what is tried where nobody said how long a choice may take, and what is not."""
        if self._settings.model not in CHOICES or self._settings.budget is not None:
            return candidates, []
        tally, drawn = judge.tally, judge.drawn
        size = Size(
            n_documents=int(tally.n_documents),
            n_tokens=int(tally.n_tokens),
            n_cells=drawn.X.nnz * int(tally.n_documents) // max(len(drawn.labels), 1),
            n_terms=int(tally.n_terms),
            n_classes=len(tally.classes),
        )
        tried = [each for each in candidates if affordable(each.learner, self._size(size, each))]
        return tried, [each for each in candidates if each not in tried]

    def _counted_for(self, candidates: list[Candidate], judge: Judge) -> list[Candidate]:
        """Return the candidates whose features were counted."""
        documents = judge.documents
        return [
            each
            for each in candidates
            if not each.learner.needs_documents
            or (documents is not None and documents.has_words(each.features))
        ]

    def _size(self, size: Size, candidate: Candidate) -> Size:
        """Return how much there is to learn from, in terms of the features of a candidate."""
        kept = self.counting.kept.get(candidate.features)
        return size if kept is None else size._replace(n_terms=len(kept.vectorizer.vocabulary_))


def vectorizer_for(settings: Any, features: str) -> TextVectorizer:
    """Return a vectorizer that is not fitted yet, as the settings of a classifier say."""
    given = settings.vectorizer
    if given is None:
        return TextVectorizer(**FEATURES[features].vectorizer, n_jobs=settings.n_jobs)
    if not isinstance(given, TextVectorizer):
        raise TypeError(f"vectorizer must be a TextVectorizer, not {given!r:.80}.")
    return clone(given)


def candidates_for(settings: Any) -> list[Candidate]:
    """Return what there is to choose from.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> [str(each) for each in candidates_for(TextClassifier("bernoulli"))]
    ['bernoulli: BernoulliNB(gamma=0.1)']
    """
    model, n_jobs = settings.model, settings.n_jobs
    if isinstance(model, str) and model in CHOICES:
        additive = True if model == "auto" else None
        kinds = learners(additive=additive, multi_label=bool(settings.multi_label))
        found = [each for kind in kinds if kind.considered for each in _variants(kind)]
    elif isinstance(model, str):
        kind = find_learner(model)
        found = [Candidate(kind, kind.default(), kind.features[0])]
    else:
        found = [Candidate(learner_of(model), clone(model))]
    if settings.vectorizer is not None:
        found = list({(each.learner.name, id(each.model)): each for each in found}.values())
        found = [replace(each, features=GIVEN) for each in found]
    common = {"n_jobs": n_jobs, "verbose": settings.verbose}
    given = {name: value for name, value in common.items() if value is not None}
    for candidate in found:
        known = candidate.model.get_params(deep=False)
        candidate.model.set_params(**{name: given[name] for name in given if name in known})
    return found


def _variants(kind: Learner) -> list[Candidate]:
    return [Candidate(kind, each, name) for each in kind.models() for name in kind.features]


def _limits(kept: dict[str, KeptRows], base: str) -> dict[str, float]:
    """Return how long documents may be for features to be worth counting."""
    limits = {name: FEATURES[name].most_words for name in kept if name not in (GIVEN, base)}
    return {name: most for name, most in limits.items() if most is not None}


def planes_of(candidate: Candidate) -> list[Plane]:
    """Return what a tally must count for a model to be read off it."""
    if not candidate.learner.additive:
        return []
    candidate.model._settle(bool(candidate.model.multi_label))
    return [column for column in candidate.model._columns(1.0, False) if isinstance(column, Plane)]
