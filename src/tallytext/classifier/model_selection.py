"""The choice of a model: by what each says of documents that were kept from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from numbers import Real
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext._typing import FloatArray
from tallytext.classifier.calibration import Calibration, mark
from tallytext.classifier.registry import CHOICES, FEATURES, Learner
from tallytext.classifier.report import Pool, in_few_words
from tallytext.classifier.sampling import Drawn, Rows, TrainingDocuments, fold_size
from tallytext.classifier.term_selection import Selector, masked_tally
from tallytext.decision.out_of_sample import OutOfSample, in_columns, joined
from tallytext.errors import LabelError, VocabularyError
from tallytext.features.selected_tally import SelectedTally
from tallytext.features.selector import TermSelector
from tallytext.models.cross_validation import Exam
from tallytext.models.naive_bayes import NO_TERMS
from tallytext.models.trained import TrainedClassifier
from tallytext.runtime import progress_bar
from tallytext.tally.labels import Targets, array_of_labels, sort_labels, targets_as, truth_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# How long a choice may take.

# Estimates in nanoseconds, of a machine that is neither new nor old.
_PER_TOKEN = 60.0  # a small part of what counting takes elsewhere
_PER_DENSE_CELL = 60.0
_LEAST = 5e7


class Size(NamedTuple):
    """How much there is to learn from."""

    n_documents: int
    n_tokens: int
    n_cells: int  # pairs of a document and a word
    n_terms: int
    n_classes: int


def affordable(learner: Learner, size: Size) -> bool:
    """Whether a learner is tried where nobody said how long a choice may take.

    What must have a number for each word and class, and for each document and class, is tried
    where these fit into memory. What others cost is estimated from counts and not measured, so
    that the same documents lead to the same choice, however busy the machine is.

    Examples
    --------
    >>> from tallytext.classifier import find_learner
    >>> small, large = Size(1_000, 10**5, 60_000, 10_000, 5), Size(10**4, 10**6, 10**6, 10**5, 50)
    >>> [affordable(find_learner("poisson"), size) for size in (small, large)]
    [True, False]
    """
    if learner.most_weights is not None:
        return (size.n_terms + size.n_documents) * size.n_classes <= learner.most_weights
    if not learner.dense:
        return True
    in_a_fold = size.n_cells * fold_size(size.n_documents) / max(size.n_documents, 1)
    cost = _PER_DENSE_CELL * (in_a_fold + size.n_terms) * size.n_classes
    return cost <= max(_LEAST, _PER_TOKEN * size.n_tokens)


class Deadline:
    """A moment after which nothing new is begun.

    Parameters
    ----------
    seconds : float or None
        From now; None for never.
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not (isinstance(seconds, Real) and seconds >= 0):
            raise ValueError(f"budget must be a number of seconds, not {seconds!r}.")
        self._end = None if seconds is None else perf_counter() + seconds

    def __bool__(self) -> bool:
        """Whether it is over."""
        return self._end is not None and perf_counter() >= self._end


# ------------------------------------------------------------------------------------------------
# What a model says of its own documents, as if it did not know their labels.

_NEVER = -1  # the fold of documents whose labels the model always knows


def own_scores(
    model: Any, n_documents: int, folds: Sequence[NDArray[np.int64]], classes: NDArray[Any]
) -> FloatArray:
    """Return scores of all documents with labels, those of folds by models without their labels.

    Parameters
    ----------
    model : TrainedClassifier
        Fitted; has ``out_of_sample_scores``.
    n_documents : int
        How many documents with labels it was trained on.
    folds : sequence of ndarray
        Which of these are without their labels together.
    classes : ndarray
        The labels of the columns, sorted.
    """
    fold_of = np.full(n_documents, _NEVER)
    for fold, rows in enumerate(folds):
        fold_of[rows] = fold
    return in_columns(model.out_of_sample_scores(fold_of), model.classes_, classes)


# ------------------------------------------------------------------------------------------------
# How well models do on documents that were kept from them.

_MOST_SCORES = 1 << 24


@dataclass(frozen=True)
class Candidate:
    """A learner with one of its settings: a model that is not fitted, and what it is tried on."""

    learner: Learner
    model: Any
    features: str = "words"

    def __str__(self) -> str:
        return f"{self.learner.name}: {self.model!r}"

    @property
    def setting(self) -> str:
        """What is not as usual, in few words."""
        words = in_few_words(self.model)
        chosen = len(self.learner.features) > 1 and self.features in FEATURES
        return f"{words} on {FEATURES[self.features].summary}" if chosen else words


@dataclass
class Judge:
    """Keeps documents from models, and asks these about them.

    Attributes
    ----------
    tally : Tally
        All training documents, with all planes that a model to be judged reads.
    drawn : Drawn
        Some of them.
    folds : list of ndarray
        Which of those are kept from a model together.
    several : bool
        Whether documents may have several labels.
    documents : TrainingDocuments, default=None
        All training documents, for models that are trained on them.
    method : str, default="cross-validation"
        How documents are kept from models: also "groups" and "time".
    selector : TermSelector or L1Selector, default=None
        Chooses terms, for each model anew: by the documents that it is trained on.
    """

    tally: Tally
    drawn: Drawn
    folds: list[Rows]
    multi_label: bool
    documents: TrainingDocuments | None = None
    method: str = "cross-validation"
    selector: Selector | None = None
    _rests: dict[int, tuple[Tally, Exam]] = field(default_factory=dict, repr=False)
    _own: dict[int, FloatArray] = field(default_factory=dict, repr=False)

    def later(self, tally: Tally, additive: bool) -> Judge:
        """Return a judge of the model that was chosen, who holds on to no more than he needs."""
        documents = None if additive else self.documents
        own = {} if additive else self._own
        return replace(self, tally=tally, documents=documents, _rests={}, _own=own)

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, sorted."""
        return array_of_labels(sort_labels(self.tally.classes))

    def trained(self, candidate: Candidate) -> Any:
        """Return the model of all training documents."""
        if not candidate.learner.additive:
            X, labels = self._check_documents(candidate)
            if self.selector is not None:
                X = self.selector.fit(X, targets_as(labels, self.multi_label)).masked(X)
            return self._fit(candidate, X, labels, self.selector)
        parameters = candidate.model.get_params(deep=False) | {"multi_label": self.multi_label}
        model = type(candidate.model).from_tally(self._read, **parameters)
        if self.drawn.labels:
            # What sums cannot tell (a discount found by leaving out) is found from those drawn.
            model._choose(self.drawn.X, Targets(self.drawn.labels, self.multi_label), None)
        else:
            model.predict(sparse.csr_matrix((1, len(self.tally.vocabulary))))  # refuses, too
        model._log_priors(model._reader().read(NO_TERMS))  # refuses those that cannot be
        return model

    def judged(self, candidate: Candidate, model: Any, fold: int) -> OutOfSample:
        """Return what the model of all documents but those of a fold says of these."""
        if candidate.learner.judged_by == "itself" and self.selector is None:
            return self._by_itself(candidate, model, fold)
        if not candidate.learner.additive:
            return self._refitted(candidate, fold)
        rest, exam = self._without(fold)
        return exam.judged(_named(model.with_tally(rest), self.classes), self.classes, self.method)

    @cached_property
    def _read(self) -> Tally:
        """What models read that are functions of counts; terms are chosen once for all of them."""
        return masked_tally(self.tally, self.selector)

    def _without(self, fold: int) -> tuple[Tally, Exam]:
        if fold not in self._rests:
            rows = self.folds[fold]
            X, labels = self.drawn.X[rows], [self.drawn.labels[row] for row in rows]
            rest = masked_tally(self._rest(rows, labels), self.selector)
            self._rests[fold] = rest, Exam(X, labels)
        return self._rests[fold]

    def _rest(self, rows: Rows, labels: list[Any]) -> Tally:
        """Return the tally without some of the documents that were drawn."""
        part = Tally(self.tally.vocabulary, planes=self.tally.planes)
        part.learn(self.drawn.X[rows], labels, terms=self.tally.vocabulary)
        return self.tally - part

    def _refitted(self, candidate: Candidate, fold: int) -> OutOfSample:
        X, labels = self._check_documents(candidate)
        rows = self.drawn.rows[self.folds[fold]]
        others = np.setdiff1d(np.arange(len(labels)), rows)
        some, theirs, new = X[others], [labels[row] for row in others], X[rows]
        classes, selector = self.classes, self.selector
        try:
            if selector is not None:
                selector = clone(selector).fit(some, targets_as(theirs, self.multi_label))
                some, new = selector.masked(some), selector.masked(new)
            model = self._fit(candidate, some, theirs, selector)
            found, lengths = model.scores_and_lengths(new)
            scores, contrasts = in_columns(found, model.classes_, classes), model.contrasts
        except LabelError:  # no document is left that has a label, or none that has another
            scores, contrasts = np.full((len(rows), len(classes)), -np.inf), True
            lengths = np.ones(len(rows))
        return self._said(fold, scores, lengths, contrasts)

    def _by_itself(self, candidate: Candidate, model: Any, fold: int) -> OutOfSample:
        """Return what a model of all documents would say of a fold without its labels."""
        if id(candidate) not in self._own:
            _, labels = self._check_documents(candidate)
            rows = [self.drawn.rows[each] for each in self.folds]
            # All folds together: most of the work is done once for all documents.
            scores = own_scores(model, len(labels), rows, self.classes)
            self._own[id(candidate)] = scores[self.drawn.rows]
        scores = self._own[id(candidate)][self.folds[fold]]
        return self._said(fold, scores, np.ones(len(scores)), model.contrasts)

    def _said(
        self, fold: int, scores: FloatArray, lengths: FloatArray, contrasts: bool
    ) -> OutOfSample:
        """Return what a model says of a fold, beside its labels."""
        labels = [self.drawn.labels[row] for row in self.folds[fold]]
        return OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=truth_of(labels, self.classes),
            classes=self.classes,
            contrasts=contrasts,
            multi_label=self.multi_label,
            method=self.method,
        )

    def _fit(self, candidate: Candidate, X: Any, labels: list[Any], selector: Any) -> Any:
        """Return a model of documents, whose labels have been read before."""
        model = clone(candidate.model)
        if not isinstance(model, TrainedClassifier):
            return model.fit(X, labels)
        if "multi_label" in model.get_params(deep=False):
            model.set_params(multi_label=self.multi_label)
        truth, pool = targets_as(labels, self.multi_label), self._pool(candidate, selector)
        learn: Any = model.fit  # of which only some have ears for documents without labels
        return learn(X, truth) if pool is None else learn(X, truth, unlabelled=pool)

    def _pool(self, candidate: Candidate, selector: Any) -> Any:
        """Return the documents without labels, if there are any that a model learns from."""
        pool = {} if self.documents is None else self.documents.pool
        if not candidate.learner.unlabelled or candidate.features not in pool:
            return None
        X = pool[candidate.features].matrix()
        return X if selector is None else selector.masked(X)

    def _check_documents(self, candidate: Candidate) -> tuple[Any, list[Any]]:
        if self.documents is None:
            raise ValueError(f"{candidate.learner.name} needs documents, which were not kept.")
        return self.documents.kept[candidate.features].matrix(), self.documents.labels


def _named(model: Any, classes: NDArray[Any]) -> Any:
    """Return a model whose priors, if they were given in order, stand by the names of classes.

    Without a fold a class may be gone, and the order is another.
    """
    prior = model.prior
    if not isinstance(prior, str | Mapping):
        model.prior = dict(zip(classes.tolist(), np.asarray(prior).tolist(), strict=True))
    return model


def most_judged(n_classes: int) -> int:
    """Return how many documents may be judged together: scores of all classes are held.

    Examples
    --------
    >>> most_judged(20), most_judged(10_000)
    (838860, 1677)
    """
    return max(64, _MOST_SCORES // max(1, n_classes))


def n_judged(drawn: Drawn, tally: Tally, multi_label: bool) -> int:
    """Return how many of the documents that were drawn, the first, models are judged on."""
    n_classes = max(1, len(tally.classes))
    if n_classes < 2 and not multi_label:
        return 0
    # Scores of all classes are held for all documents that are judged.
    return min(len(drawn.labels), most_judged(n_classes))


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


# ------------------------------------------------------------------------------------------------
# A calibration that is fitted when it is first asked for.


class Pending:
    """What a calibration will be fitted on: documents that were drawn, as counts.

    Whoever asks for labels only never pays for it. It must be settled before the tally changes,
    and before a classifier is saved, so that no document is ever kept with a model.

    Parameters
    ----------
    judge : Judge
    choice : Choice
        The model, and what was said of the first folds.
    """

    def __init__(self, judge: Judge, choice: Choice) -> None:
        self._judge, self._choice = judge, choice

    def settled(self) -> Calibration | None:
        """Return the calibration, or None where there is nothing to learn it from."""
        judge, choice = self._judge, self._choice
        rest = range(len(choice.seen), len(judge.folds))
        more = [judge.judged(choice.candidate, choice.model, fold) for fold in rest]
        parts = [*choice.seen, *more]
        return Calibration.fit(joined(parts)) if parts else None


# ------------------------------------------------------------------------------------------------
# A contest of candidates: who may enter, and what becomes of the winner.


@dataclass(frozen=True)
class Fitted:
    """What a classifier consists of when it is trained."""

    model: Any
    vectorizer: TextVectorizer
    tally: Tally
    selector: Selector | None
    selected: SelectedTally | None
    learner: Learner
    multi_label: bool
    pending: Pending
    trials: list[Trial]
    duplicates: Duplicates | None = None
    pool: Pool = field(default_factory=Pool)
    origin: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contest:
    """Candidates, as the settings of a classifier have them.

    Attributes
    ----------
    settings : TextClassifier
    candidates : list of Candidate
        At least one.
    size_for : callable
        From how much there is to learn from, in words, to how much that is for a candidate.
    """

    settings: Any
    candidates: list[Candidate]
    size_for: Callable[[Size, Candidate], Size] = lambda size, _: size

    def choice(self, judge: Judge) -> Choice:
        """Return the candidate that does best.

        Raises
        ------
        LabelError, VocabularyError
            If none can learn from these documents.
        """
        suited = [
            each for each in self.candidates if each.learner.multi_label or not judge.multi_label
        ]
        name = self.candidates[0].learner.name
        if not suited:
            raise LabelError(f"{name} cannot give a document several labels.")
        suited = [each for each in suited if _has_words(each, judge)]
        if not suited:
            raise VocabularyError(f"{name} has nothing to learn from: no document has a word.")
        tried, skipped = self._affordable(suited, judge)
        over = Deadline(self.settings.budget)
        with progress_bar("Trying models", len(tried), self.settings.verbose) as step:
            choice = choose(tried, judge, over, step)
        return replace(choice, trials=[*choice.trials, *map(untried, skipped)])

    def _affordable(
        self, candidates: list[Candidate], judge: Judge
    ) -> tuple[list[Candidate], list[Candidate]]:
        """Return what is tried where nobody said how long a choice may take, and what is not."""
        if self.settings.model not in CHOICES or self.settings.budget is not None:
            return candidates, []
        tally, drawn = judge.tally, judge.drawn
        size = Size(
            n_documents=int(tally.n_documents),
            n_tokens=int(tally.n_tokens),
            n_cells=int(drawn.X.nnz) * int(tally.n_documents) // max(len(drawn.labels), 1),
            n_terms=int(tally.n_terms),
            n_classes=len(tally.classes),
        )
        tried = [each for each in candidates if affordable(each.learner, self.size_for(size, each))]
        return tried, [each for each in candidates if each not in tried]


def fitted(
    judge: Judge,
    choice: Choice,
    counted: tuple[TextVectorizer, Tally],
    planes: list[Plane],
    **more: Any,
) -> Fitted:
    """Return what the winner of a contest comes to.

    Parameters
    ----------
    judge : Judge
    choice : Choice
    counted : (TextVectorizer, Tally)
        What counts texts for the winner, and what it has counted.
    planes : list of Plane
        What is kept besides whole counts.
    **more
        Further fields of :class:`Fitted`.
    """
    learner, selector = choice.candidate.learner, judge.selector
    vectorizer, tally = counted
    kept = tally if set(planes) == set(tally.planes) else tally.keep_planes(planes)
    selected = None
    if learner.additive and isinstance(selector, TermSelector):
        selected = SelectedTally(kept, selector)
    read = kept if selected is None else selected.tally
    return Fitted(
        model=choice.model.with_tally(read) if learner.additive else choice.model,
        vectorizer=vectorizer,
        tally=read,
        selector=selector if selected is None else selected.selector,
        selected=selected,
        learner=learner,
        multi_label=judge.multi_label,
        pending=Pending(judge.later(kept, learner.additive), choice),
        trials=choice.trials,
        **more,
    )


def _has_words(candidate: Candidate, judge: Judge) -> bool:
    """Whether the features of a candidate were counted."""
    documents = judge.documents
    return not candidate.learner.needs_documents or (
        documents is not None and documents.has_words(candidate.features)
    )
