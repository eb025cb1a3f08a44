"""How well models do on documents that were kept from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext.bayes.base import NO_TERMS
from tallytext.bayes.exam import Exam
from tallytext.bayes.out_of_sample import OutOfSample, in_columns
from tallytext.classifier.by_itself import own_scores
from tallytext.classifier.folds import Rows
from tallytext.classifier.kept import TrainingDocuments
from tallytext.classifier.sample import Drawn
from tallytext.classifier.selecting import Selector, masked_tally
from tallytext.classifier.wording import in_few_words
from tallytext.errors import LabelError
from tallytext.labels import array_of_labels, sort_labels
from tallytext.learners import Learner
from tallytext.learners.features import FEATURES
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.targets import Targets, targets_as, truth_of
from tallytext.trained import TrainedClassifier

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
    several: bool
    documents: TrainingDocuments | None = None
    method: str = "cross-validation"
    selector: Selector | None = None
    _rests: dict[int, tuple[Tally, Exam]] = field(default_factory=dict, repr=False)
    _own: dict[int, Numbers] = field(default_factory=dict, repr=False)

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
            X, labels = self._expect_documents(candidate)
            if self.selector is not None:
                X = self.selector.fit(X, targets_as(labels, self.several)).masked(X)
            return self._fit(candidate, X, labels, self.selector)
        parameters = candidate.model.get_params(deep=False) | {"multi_label": self.several}
        model = type(candidate.model).from_tally(self._read, **parameters)
        if self.drawn.labels:
            # What sums cannot tell (a discount found by leaving out) is found from those drawn.
            model._choose(self.drawn.X, Targets(self.drawn.labels, self.several), None)
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
        X, labels = self._expect_documents(candidate)
        rows = self.drawn.rows[self.folds[fold]]
        others = np.setdiff1d(np.arange(len(labels)), rows)
        some, theirs, new = X[others], [labels[row] for row in others], X[rows]
        classes, selector = self.classes, self.selector
        try:
            if selector is not None:
                selector = clone(selector).fit(some, targets_as(theirs, self.several))
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
            _, labels = self._expect_documents(candidate)
            rows = [self.drawn.rows[each] for each in self.folds]
            # All folds together: most of the work is done once for all documents.
            scores = own_scores(model, len(labels), rows, self.classes)
            self._own[id(candidate)] = scores[self.drawn.rows]
        scores = self._own[id(candidate)][self.folds[fold]]
        return self._said(fold, scores, np.ones(len(scores)), model.contrasts)

    def _said(self, fold: int, scores: Numbers, lengths: Numbers, contrasts: bool) -> OutOfSample:
        """Return what a model says of a fold, beside its labels."""
        labels = [self.drawn.labels[row] for row in self.folds[fold]]
        return OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=truth_of(labels, self.classes),
            classes=self.classes,
            contrasts=contrasts,
            several=self.several,
            method=self.method,
        )

    def _fit(self, candidate: Candidate, X: Any, labels: list[Any], selector: Any) -> Any:
        """Return a model of documents, whose labels have been read before."""
        model = clone(candidate.model)
        if not isinstance(model, TrainedClassifier):
            return model.fit(X, labels)
        if "multi_label" in model.get_params(deep=False):
            model.set_params(multi_label=self.several)
        truth, pool = targets_as(labels, self.several), self._pool(candidate, selector)
        learn: Any = model.fit  # of which only some have ears for documents without labels
        return learn(X, truth) if pool is None else learn(X, truth, unlabelled=pool)

    def _pool(self, candidate: Candidate, selector: Any) -> Any:
        """Return the documents without labels, if there are any that a model learns from."""
        pool = {} if self.documents is None else self.documents.pool
        if not candidate.learner.unlabelled or candidate.features not in pool:
            return None
        X = pool[candidate.features].matrix()
        return X if selector is None else selector.masked(X)

    def _expect_documents(self, candidate: Candidate) -> tuple[Any, list[Any]]:
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


def n_judged(drawn: Drawn, tally: Tally, several: bool) -> int:
    """Return how many of the documents that were drawn, the first, models are judged on."""
    n_classes = max(1, len(tally.classes))
    if n_classes < 2 and not several:
        return 0
    # Scores of all classes are held for all documents that are judged.
    return min(len(drawn.labels), most_judged(n_classes))
