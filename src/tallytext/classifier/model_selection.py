"""Model selection: score candidates on held-out folds, take the best, fit it on all documents.

The terms that a model reads can be selected, too. A selector is fitted for each fold again, on the
training documents only, so that a held-out document has no part in the choice of its terms.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from numbers import Real
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext.classifier.calibration import Calibration, count_scores, selection_score
from tallytext.classifier.class_names import ClassNames
from tallytext.classifier.expressions import build_selector
from tallytext.classifier.registry import CHOICES, FEATURES, Learner
from tallytext.classifier.report import HeldOutDuplicates, UnlabelledSummary, describe_model
from tallytext.decision.calibrators import (
    AccuracyPrior,
    OutOfSample,
    align_columns,
    concatenate_samples,
)
from tallytext.decision.score_histograms import ScoreHistograms
from tallytext.decision.thresholds import ThresholdRule
from tallytext.errors import LabelError, NotAdditiveError, VocabularyError
from tallytext.evaluation.folds import Rows, fold_size
from tallytext.features.selected_tally import SelectedTally
from tallytext.features.selector import TermSelector
from tallytext.models.base import TrainedClassifier
from tallytext.models.cross_validation import HeldOutDocuments, subtract_documents
from tallytext.models.naive_bayes import NO_TERMS
from tallytext.models.refined import RefinedNB
from tallytext.runtime import progress_bar, rows_per_block
from tallytext.tally.labels import (
    Targets,
    indicator_matrix,
    label_array,
    sort_labels,
    targets_from_labels,
)
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates, has_near_duplicate, splitmix64
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

# Scores are documents times classes; this many are in memory at a time (128 MiB).
_MAX_SCORES = 1 << 24

# Model selection has two rounds: all candidates on the first folds, the best four on up to three.
_N_FINALISTS = 4
# Features are compared by models of at most this many documents.
MAX_SELECTION_DOCUMENTS = 10_000
_FIRST_ROUND_DOCUMENTS = 512
_MAX_FOLDS = 3

# Estimated costs in nanoseconds on an average machine. Counting words costs other libraries
# several times _NS_PER_TOKEN, so the default budget stays a small part of the training time.
_NS_PER_TOKEN = 60.0
_NS_PER_DENSE_CELL = 60.0
_MIN_BUDGET_NS = 5e7

# So many held-out documents show the scale of scores well enough.
_ENOUGH_HELD_OUT = 300

# The fold number of documents that are in no fold: the model always knows their labels.
# Shorter texts are equal by chance.
_MIN_MEDIAN_WORDS = 3
_NO_FOLD = -1

if TYPE_CHECKING:
    from tallytext.features.l1 import L1Selector


class ClassifierSettings(Protocol):
    """The parameters of a :class:`~tallytext.TextClassifier` that training reads."""

    model: Any
    vectorizer: TextVectorizer | None
    select: Any
    multi_label: bool | None
    thresholds: ThresholdRule
    keep: str
    descriptions: Any
    budget: float | None
    n_jobs: int | None
    verbose: bool | None


@dataclass(frozen=True)
class Candidate:
    """A learner with one of its settings: an unfitted model and the features it is fitted on."""

    learner: Learner
    model: Any
    features: str = "words"

    def __str__(self) -> str:
        return f"{self.learner.name}: {self.model!r}"

    @property
    def setting(self) -> str:
        """The parameters that differ from the defaults, and the features if there is a choice."""
        words = describe_model(self.model)
        has_choice = len(self.learner.features) > 1 and self.features in FEATURES
        return f"{words} on {FEATURES[self.features].summary}" if has_choice else words


@dataclass(frozen=True)
class CandidateScore:
    """The held-out score of a candidate; ``score`` is None if the candidate was skipped."""

    learner: str
    setting: str
    score: float | None
    n_documents: int


Selector: TypeAlias = "TermSelector | L1Selector"


def selector_for(select: Any, learners: Iterable[Learner] = ()) -> Selector | None:
    """Return an unfitted selector for the parameter ``select`` of a classifier.

    Parameters
    ----------
    select : TermSelector, L1Selector, str or None
        A str is an expression such as "chi(keep=0.02)", or its short form "chi:0.02".
    learners : iterable of Learner, default=()
        The learners whose models will read the selected terms.

    Raises
    ------
    NotAdditiveError
        If the selector needs documents and a learner reads counts only.

    Examples
    --------
    >>> selector_for("chi"), selector_for(None)
    (TermSelector(method='chi', nonempty=True), None)
    """
    if select is None:
        return None
    selector: Any = build_selector(select) if isinstance(select, str) else select
    is_l1 = is_l1_selector(selector)
    if not isinstance(selector, TermSelector) and not is_l1:
        raise TypeError(
            "select must be a TermSelector, an L1Selector or an expression such as 'chi', not "
            f"{select!r:.80}."
        )
    selector = clone(selector)
    selector._check_parameters()
    if is_l1 and any(learner.additive for learner in learners):
        raise NotAdditiveError(
            f"{type(selector).__name__} selects terms by documents, and this model reads counts "
            'only. Use a learner that is trained on documents, such as model="refined", or select '
            'terms by a score, as in select="chi".'
        )
    return selector


def is_l1_selector(selector: Any) -> bool:
    """Return True for an L1Selector, without importing its module if it is not in use."""
    if type(selector).__name__ != "L1Selector":
        return False
    from tallytext.features.l1 import L1Selector

    return isinstance(selector, L1Selector)


def masked_tally(tally: Tally, selector: Selector | None, documents: Any) -> Tally:
    """Return the counts of the terms that a selector selects by these counts.

    Parameters
    ----------
    tally : Tally
    selector : TermSelector, L1Selector or None
        An L1Selector has no effect.
    documents : sparse matrix
        Documents of the tally that a selector with ``nonempty`` must not make empty.
    """
    if not isinstance(selector, TermSelector):
        return tally
    return tally.mask(clone(selector).fit_tally(tally, documents).best_)


Keys: TypeAlias = NDArray[np.uint64]


class SampledDocuments(NamedTuple):
    """A sample of the training documents, by ascending keys; ``rows`` are their positions."""

    X: Any
    labels: list[Any]
    keys: Keys
    rows: NDArray[np.int64]


class DocumentSample:
    """Sample of a stream of documents: those with the lowest keys.

    The key of a document is a function of its position in the stream, so the sample does not
    depend on the sizes of the batches.

    Parameters
    ----------
    size : int
        Number of documents to sample.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._blocks: list[SampledDocuments] = []
        self._max_key = np.iinfo(np.uint64).max
        self._n_documents = 0

    def add(self, X: Any, labels: list[Any], keys: Keys | None = None) -> None:
        """Add the next documents of the stream.

        Parameters
        ----------
        X : CSR matrix
        labels : list
        keys : ndarray of uint64, default=None
            Keys to sample by; None for pseudo-random keys.
        """
        if keys is None:
            keys = random_keys(self._n_documents, X.shape[0])
        max_key = self._max_key
        # A batch larger than the sample is cut before its rows are copied.
        if len(keys) > self._size:
            max_key = min(max_key, int(np.partition(keys, self._size - 1)[self._size - 1]))
        rows = np.flatnonzero(keys <= max_key)
        self._blocks.append(
            SampledDocuments(
                X[rows], [labels[row] for row in rows], keys[rows], rows + self._n_documents
            )
        )
        self._n_documents += X.shape[0]
        # Pruning at twice the size costs a constant per document, however small the batches are.
        if sum(len(block.keys) for block in self._blocks) > 2 * self._size:
            self._prune()

    def documents(self, n_terms: int) -> SampledDocuments:
        """Return the sampled documents, with a matrix of ``n_terms`` columns."""
        if not self._blocks:
            empty: Any = sparse.csr_matrix(np.zeros((0, n_terms), dtype=np.int64))
            return SampledDocuments(empty, [], np.empty(0, np.uint64), np.empty(0, np.int64))
        # Early blocks have fewer columns, because the vocabulary has grown since.
        matrices = [
            sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], n_terms))
            for X in (block.X for block in self._blocks)
        ]
        labels = [label for block in self._blocks for label in block.labels]
        keys = np.concatenate([block.keys for block in self._blocks])
        rows = np.concatenate([block.rows for block in self._blocks])
        order = np.argsort(keys, kind="stable")
        if len(order) > self._size:
            # All documents with the last key, because these are one group or of one time.
            order = order[keys[order] <= keys[order[self._size - 1]]]
        X = sparse.vstack(matrices, format="csr")[order]
        return SampledDocuments(X, [labels[at] for at in order], keys[order], rows[order])

    def _prune(self) -> None:
        """Drop the documents that cannot be in the sample any more."""
        keys = np.concatenate([block.keys for block in self._blocks])
        self._max_key = int(np.partition(keys, self._size - 1)[self._size - 1])
        for at, block in enumerate(self._blocks):
            kept = np.flatnonzero(block.keys <= self._max_key)
            labels = [block.labels[row] for row in kept]
            self._blocks[at] = SampledDocuments(
                block.X[kept], labels, block.keys[kept], block.rows[kept]
            )


def random_keys(first: int, n: int) -> Keys:
    """Return pseudo-random keys of n documents, the first of which is document ``first``.

    Examples
    --------
    >>> np.array_equal(random_keys(0, 5)[2:], random_keys(2, 3))
    True
    """
    # The increment of splitmix64, 2**64 divided by the golden ratio. Unsigned products wrap around,
    # as the generator requires.
    numbers = np.arange(first + 1, first + n + 1, dtype=np.uint64)
    return splitmix64(numbers * np.uint64(0x9E3779B97F4A7C15))


class StoredRows:
    """Rows of counts of all documents, batch by batch while the vocabulary grows.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Counts the documents.
    """

    def __init__(self, vectorizer: TextVectorizer) -> None:
        self.vectorizer = vectorizer
        self.n_documents = 0
        self.n_cells = 0
        self.optional: NDArray[np.bool_] | None = None
        self._rows: list[Any] = []

    def add(self, X: Any) -> None:
        """Add rows."""
        if X.nnz and X.data.max() < 2**31:
            X = X.astype(np.int32)  # half the memory
        self.n_documents += X.shape[0]
        self.n_cells += X.nnz
        self._rows.append(X)

    def count(self, texts: Any) -> Any:
        """Count documents, add their rows, and return these."""
        X = self.vectorizer.partial_fit_transform(texts)
        self.add(X)
        return X

    def matrix(self) -> Any:
        """Return all rows as one CSR matrix."""
        width = len(self.vectorizer.vocabulary_)
        for X in self._rows:
            X.resize(X.shape[0], width)
        if len(self._rows) != 1:
            # In the place of the batches, so that documents are not in memory twice.
            self._rows = [sparse.vstack(self._rows, format="csr")]
        # Sorted, so that no result depends on the batches in which documents were counted.
        self._rows[0].sort_indices()
        return self._rows[0]

    def mark_strings(self) -> None:
        """Make strings of characters optional: a model need not have weights for rare ones."""
        if self.vectorizer.chars is not None:
            self.optional = self.vectorizer.vocabulary_.are_strings()

    def sort_terms(self) -> None:
        """Renumber the terms in an order that depends on the documents alone: frequent ones first.

        Terms that no document has are dropped. The vectorizer is replaced by a copy with the new
        vocabulary. Strings of characters come last; those that only one document has are
        ``optional``, and a model need not have weights for them.
        """
        X, terms = self.matrix(), self.vectorizer.vocabulary_
        vocabulary, rank, n_words = sort_vocabulary(terms, X, self.vectorizer.chars is not None)
        self._rows = [_renumber(X, rank, len(vocabulary))]
        self.vectorizer = copy.copy(self.vectorizer)
        self.vectorizer.vocabulary_ = vocabulary
        if n_words < len(vocabulary):
            self.optional = np.arange(len(vocabulary)) >= n_words


def sort_vocabulary(
    terms: Vocabulary, X: Any, has_strings: bool
) -> tuple[Vocabulary, NDArray[np.int32], int]:
    """Sort the terms of documents: words before strings of characters, frequent ones first.

    Parameters
    ----------
    terms : Vocabulary
    X : CSR matrix
        The documents.
    has_strings : bool
        True if terms that begin with "#" are strings of characters.

    Returns
    -------
    vocabulary : Vocabulary
        Without the terms that no document has.
    rank : ndarray of int32
        The number there of each term here, -1 for one that is dropped.
    n_words : int
        Number of terms that are no strings.
    """
    df = np.bincount(X.indices, minlength=len(terms))
    keys: list[NDArray[Any]] = [terms.hashes(), -df]
    is_string = np.zeros(len(terms), dtype=bool)
    if has_strings:
        is_string = terms.are_strings()
        keys.append(is_string)
    order = np.lexsort(keys)
    order = order[df[order] > 0]
    rank = np.full(len(terms), -1, dtype=np.int32)
    rank[order] = np.arange(len(order))
    return terms.select(order.astype(np.int32)), rank, int((~is_string[order]).sum())


def _renumber(X: Any, rank: NDArray[np.int32], width: int) -> Any:
    """Return counts with renumbered columns, sorted."""
    moved: Any = sparse.csr_matrix((X.data, rank[X.indices], X.indptr), shape=(X.shape[0], width))
    moved.sort_indices()
    return moved


@dataclass(frozen=True)
class TrainingDocuments:
    """All training documents, for learners that are trained on documents and not on counts.

    Attributes
    ----------
    rows : dict of StoredRows
        Counts of the labelled documents, by the name of the features.
    labels : list
    unlabelled : dict of StoredRows
        Counts of the documents without labels, by the name of the features.
    """

    rows: dict[str, StoredRows]
    labels: list[Any]
    unlabelled: dict[str, StoredRows]

    def has_words(self, features: str) -> bool:
        """Return True if documents were counted by these features and have any term."""
        return features in self.rows and len(self.rows[features].vectorizer.vocabulary_) > 0


@dataclass
class FoldScorer:
    """Fits candidates and scores the documents of each fold by a model that has not seen them.

    Attributes
    ----------
    tally : Tally
        Counts of all training documents, with all planes that a candidate reads.
    sample : SampledDocuments
        The documents that are held out, fold by fold.
    folds : list of ndarray
        Rows of the sample in each fold.
    multi_label : bool
        True if documents may have several labels.
    documents : TrainingDocuments, default=None
        All training documents, for learners that are trained on them.
    method : str, default="cross-validation"
        How documents are held out; also "groups", "time" and "sample".
    selector : TermSelector or L1Selector, default=None
        Unfitted; a clone of it selects terms for each model, by its training documents only.
    thresholds : {"micro", "macro", "per-class"}, float or mapping, default="micro"
        How thresholds are chosen, if documents may have several labels.
    max_training : int, default=None
        Largest number of documents that a model is trained on which is refitted for a fold.
    weights : ndarray of shape (n_documents,), default=None
        The weights of all training documents; held-out documents are scored without weights.
    declared : tuple of labels, default=()
        Classes that need no document, because the words of their names are known.
    descriptions : mapping of str, False or None, default=None
        More words for the names of classes; False to ignore the names.
    """

    tally: Tally
    sample: SampledDocuments
    folds: list[Rows]
    multi_label: bool
    documents: TrainingDocuments | None = None
    method: str = "cross-validation"
    selector: Selector | None = None
    thresholds: ThresholdRule = "micro"
    max_training: int | None = None
    weights: FloatArray | None = None
    declared: tuple[Any, ...] = ()
    descriptions: Mapping[Any, str] | Literal[False] | None = None
    _held_out: dict[int, tuple[Tally, HeldOutDocuments]] = field(default_factory=dict, repr=False)
    _own_scores: dict[int, FloatArray] = field(default_factory=dict, repr=False)
    _selected: Tally | None = field(default=None, init=False, repr=False)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The labels, sorted."""
        return label_array(sort_labels({*self.tally.classes, *self.declared}))

    def fit(self, candidate: Candidate) -> tuple[Any, Selector | None]:
        """Return the model of all training documents and, if it is not additive, its selector."""
        if not candidate.learner.additive:
            X, labels = self._all_documents(candidate)
            return self._fit_documents(candidate, X, labels, self.weights)
        if self._selected is None:
            # Terms are selected once for all additive candidates, which read the same counts.
            self._selected = masked_tally(self.tally, self.selector, self.sample.X)
        # Candidates are made before the labels are read, so they do not know this yet.
        parameters = candidate.model.get_params(deep=False) | {"multi_label": self.multi_label}
        model = type(candidate.model)(**parameters)
        model._resolve_multi_label(self.multi_label)
        model._set_tally(self._selected, 1.0, weighted=self.weights is not None, open_=True)
        if self.sample.labels:
            # Sums do not determine everything: a discount is estimated by leave-one-out.
            targets = Targets(self.sample.labels, self.multi_label)
            sampled = None if self.weights is None else self.weights[self.sample.rows]
            model._fit_hyperparameters(self.sample.X, targets, sampled)
        else:
            # Raises now, not at the first prediction, if the parameters are impossible.
            model.predict(sparse.csr_matrix((1, len(self.tally.vocabulary))))
        model._log_priors(model._reader().read(NO_TERMS))  # raises if the priors are impossible
        return model, None

    def score_fold(self, candidate: Candidate, model: Any, fold: int) -> OutOfSample:
        """Return the scores of the documents of a fold, by a model that has not seen them."""
        if candidate.learner.validation == "self" and self.selector is None:
            return self._score_by_itself(candidate, model, fold)
        if not candidate.learner.additive:
            return self._score_refitted(candidate, fold)
        # All candidates are scored on the same folds, so that each fold is subtracted only once.
        if fold not in self._held_out:
            rows = self.folds[fold]
            labels = [self.sample.labels[row] for row in rows]
            known = np.setdiff1d(np.arange(self.sample.X.shape[0]), rows)
            others = masked_tally(
                self._tally_without(rows, labels), self.selector, self.sample.X[known]
            )
            self._held_out[fold] = others, HeldOutDocuments(self.sample.X[rows], labels)
        others, held_out = self._held_out[fold]
        without_fold, classes = model.with_tally(others), self.classes
        if not isinstance(without_fold.prior, str | Mapping):
            # Priors in the order of classes get names, since a class may be missing without a fold.
            priors = np.asarray(without_fold.prior).tolist()
            without_fold.prior = dict(zip(classes.tolist(), priors, strict=True))
        return held_out.score(without_fold, classes, self.method)

    def _tally_without(self, rows: Rows, labels: list[Any]) -> Tally:
        """Return the tally minus some of the sampled documents."""
        weights = None if self.weights is None else self.weights[self.sample.rows[rows]]
        return subtract_documents(self.tally, self.sample.X[rows], labels, weights)

    def _score_refitted(self, candidate: Candidate, fold: int) -> OutOfSample:
        """Return the scores of a fold by a model that is fitted on all other documents."""
        X, labels = self._all_documents(candidate)
        rows = self.sample.rows[self.folds[fold]]
        # Documents outside the sample are in no fold, and every model is trained on them.
        others = np.setdiff1d(np.arange(len(labels)), rows)
        if self.max_training is not None and len(others) > self.max_training:
            others = np.sort(others[np.argsort(random_keys(0, len(others)))[: self.max_training]])
        classes, held_out = self.classes, X[rows]
        try:
            weights = None if self.weights is None else self.weights[others]
            model, selector = self._fit_documents(
                candidate, X[others], [labels[row] for row in others], weights
            )
            held_out = held_out if selector is None else selector.mask(held_out)
            found, lengths = model.scores_and_lengths(held_out)
            scores, contrasts = align_columns(found, model.classes_, classes), model.contrasts
        except LabelError:  # too few labels are left without the fold
            scores, contrasts = np.full((len(rows), len(classes)), -np.inf), True
            lengths = np.ones(len(rows))
        return self._with_labels(fold, scores, lengths, contrasts)

    def _score_by_itself(self, candidate: Candidate, model: Any, fold: int) -> OutOfSample:
        """Return the scores of a fold by the model's own cross-validation."""
        if id(candidate) not in self._own_scores:
            _, labels = self._all_documents(candidate)
            fold_of = np.full(len(labels), _NO_FOLD)
            for number, rows in enumerate(self.folds):
                fold_of[self.sample.rows[rows]] = number
            # All folds in one call, because most of the work is the same for each of them.
            scores = align_columns(
                model.out_of_sample_scores(fold_of), model.classes_, self.classes
            )
            self._own_scores[id(candidate)] = scores[self.sample.rows]
        scores = self._own_scores[id(candidate)][self.folds[fold]]
        return self._with_labels(fold, scores, np.ones(len(scores)), model.contrasts)

    def prior(self, candidate: Candidate, model: Any, n_held_out: int) -> AccuracyPrior:
        """Return the assumptions about a model, for the case that few documents could be held out.

        Parameters
        ----------
        candidate : Candidate
        model : model
            Fitted on all documents.
        n_held_out : int
        """
        reference = None
        if n_held_out < _ENOUGH_HELD_OUT and hasattr(model, "new_document_scores"):
            reference = model.new_document_scores()
        stored = {} if self.documents is None else self.documents.unlabelled
        return AccuracyPrior(
            n_classes=max(len(self.classes), 1),
            labels_per_class=int(self.tally.n_documents) / max(len(self.classes), 1),
            pooled=candidate.learner.unlabelled and candidate.features in stored,
            reference=reference,
        )

    def no_documents(self, contrasts: bool) -> OutOfSample:
        """Return an empty sample."""
        n = len(self.classes)
        return OutOfSample(
            scores=np.empty((0, n)),
            lengths=np.empty(0),
            truth=np.empty((0, n), dtype=bool),
            classes=self.classes,
            contrasts=contrasts,
            multi_label=self.multi_label,
            method=self.method,
        )

    def _with_labels(
        self, fold: int, scores: FloatArray, lengths: FloatArray, contrasts: bool
    ) -> OutOfSample:
        labels = [self.sample.labels[row] for row in self.folds[fold]]
        return OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=indicator_matrix(labels, self.classes),
            classes=self.classes,
            contrasts=contrasts,
            multi_label=self.multi_label,
            method=self.method,
        )

    def _all_documents(self, candidate: Candidate) -> tuple[Any, list[Any]]:
        if self.documents is None:
            raise ValueError(f"{candidate.learner.name} needs documents, which were not stored.")
        return self.documents.rows[candidate.features].matrix(), self.documents.labels

    def _fit_documents(
        self, candidate: Candidate, X: Any, labels: list[Any], weights: FloatArray | None
    ) -> tuple[Any, Selector | None]:
        """Return a model of documents and the selector of its terms, both fitted on them."""
        model, targets = clone(candidate.model), targets_from_labels(labels, self.multi_label)
        selector = None if self.selector is None else clone(self.selector).fit(X, targets)
        if selector is not None:
            X = selector.mask(X)
        # Training has dropped the learners whose fit has no such parameter.
        more: dict[str, Any] = {} if weights is None else {"sample_weight": weights}
        # A registered learner may make any estimator, which knows labels but no Targets.
        if not isinstance(model, TrainedClassifier):
            return model.fit(X, labels, **more), selector
        if "multi_label" in model.get_params(deep=False):
            model.set_params(multi_label=self.multi_label)
        fit: Any = model.fit  # only semi-supervised models have the parameter unlabelled
        optional = None
        if self.documents is not None:
            optional = self.documents.rows[candidate.features].optional
        if optional is not None and selector is None and isinstance(model, RefinedNB):
            return model.fit(X, targets, optional=optional, **more), None
        stored = {} if self.documents is None else self.documents.unlabelled
        if not candidate.learner.unlabelled or candidate.features not in stored:
            return fit(X, targets, **more), selector
        pool = stored[candidate.features].matrix()
        set_terms(model, stored[candidate.features].vectorizer, self.descriptions)
        if self.declared:
            more["classes"] = self.declared
        return fit(
            X, targets, unlabelled=pool if selector is None else selector.mask(pool), **more
        ), selector


def set_terms(
    model: Any,
    vectorizer: TextVectorizer,
    descriptions: Mapping[Any, str] | Literal[False] | None = None,
) -> None:
    """Tell a model what its columns are: strings of characters, words of the names of classes.

    Parameters
    ----------
    model : model
    vectorizer : TextVectorizer
        Counts its documents.
    descriptions : mapping of str, False or None, default=None
        More words for the names of classes; False to ignore the names.
    """
    if isinstance(model, RefinedNB) and vectorizer.chars is not None:
        model.optional_terms = vectorizer.vocabulary_
    elif hasattr(model, "class_words"):
        model.terms = None if vectorizer.chars is None else vectorizer.vocabulary_
        ignored = descriptions is False
        model.class_words = None if ignored else ClassNames(vectorizer, descriptions or None)


def n_scored_documents(n_documents: int, n_classes: int, multi_label: bool) -> int:
    """Return the number of documents whose scores for all classes fit into memory.

    It is 0 if there is nothing to predict: a single class that every document has.

    Examples
    --------
    >>> n_scored_documents(10**6, 20, False), n_scored_documents(10**6, 10_000, False)
    (838860, 1677)
    >>> n_scored_documents(10**6, 1, False)
    0
    """
    if n_classes < 2 and not multi_label:
        return 0
    # Even with a great many classes, fewer than 64 documents would say nothing about a model.
    return min(n_documents, max(64, rows_per_block(max(1, n_classes), _MAX_SCORES)))


class TrainingSize(NamedTuple):
    """The size of the training data, which determines the cost of a learner."""

    n_documents: int
    n_tokens: int
    n_cells: int  # pairs of a document and a word
    n_terms: int
    n_classes: int


def training_size(
    candidate: Candidate, tally: Tally, documents: TrainingDocuments | None, n_cells: int = 0
) -> TrainingSize:
    """Return the size of the training data in terms of the features of a candidate.

    Parameters
    ----------
    candidate : Candidate
    tally : Tally
        Counts of all documents with labels.
    documents : TrainingDocuments or None
        All documents, if they were stored.
    n_cells : int, default=0
        Estimated number of pairs of a document and a word.
    """
    n_documents, n_terms = int(tally.n_documents), int(tally.n_terms)
    features = candidate.features
    if documents is not None and features in documents.rows:
        n_terms = len(documents.rows[features].vectorizer.vocabulary_)
    if documents is not None and candidate.learner.unlabelled and features in documents.unlabelled:
        n_documents += documents.unlabelled[features].n_documents
    return TrainingSize(n_documents, int(tally.n_tokens), n_cells, n_terms, len(tally.classes))


def is_affordable(learner: Learner, size: TrainingSize, multi_label: bool = False) -> bool:
    """Return True if a learner is compared without an explicit budget.

    A learner with a limit on its weights must fit into memory. The cost of the others is estimated
    from counts and not measured, so that the same documents lead to the same model on every
    machine. Where documents may have several labels, learners of all words and classes may take
    twenty times as long, since they are often the best.

    Examples
    --------
    >>> from tallytext.classifier import find_learner
    >>> small = TrainingSize(1_000, 10**5, 60_000, 10_000, 5)
    >>> large = TrainingSize(10**4, 10**6, 10**6, 10**5, 50)
    >>> [is_affordable(find_learner("poisson"), size) for size in (small, large)]
    [True, False]
    """
    if learner.max_weights is not None:
        return (size.n_terms + size.n_documents) * size.n_classes <= learner.max_weights
    if not learner.dense:
        return True
    cells_per_fold = size.n_cells * fold_size(size.n_documents) / max(size.n_documents, 1)
    cost = _NS_PER_DENSE_CELL * (cells_per_fold + size.n_terms) * size.n_classes
    budget = max(_MIN_BUDGET_NS, _NS_PER_TOKEN * size.n_tokens)
    return cost <= (20 if multi_label else 1) * budget


@dataclass(frozen=True)
class Selection:
    """The selected model, fitted on all training documents.

    Attributes
    ----------
    candidate : Candidate
    model : Any
        Fitted on all training documents; None if that is done later.
    selector : TermSelector, L1Selector or None
        Fitted with the model if that is trained on documents; None otherwise.
    scores : list of CandidateScore
        All candidates, the best first; finalists were scored on more documents.
    samples : list of OutOfSample
        Out-of-sample scores of the first folds by this candidate.
    """

    candidate: Candidate
    model: Any
    selector: Selector | None
    scores: list[CandidateScore]
    samples: list[OutOfSample]


@dataclass
class _Run:
    """A candidate during model selection: its model and its out-of-sample scores so far."""

    candidate: Candidate
    model: Any = None
    selector: Selector | None = None
    samples: list[OutOfSample] = field(default_factory=list)
    score: float | None = None
    n_documents: int = 0

    def score_folds(self, scorer: FoldScorer, folds: Sequence[int]) -> None:
        # A candidate that is refitted for each fold is fitted on all documents only if it wins.
        if self.model is None and self.candidate.learner.validation != "refitting":
            self.model, self.selector = scorer.fit(self.candidate)
        for fold in folds:
            self.samples.append(scorer.score_fold(self.candidate, self.model, fold))
        if folds:
            sample = concatenate_samples(self.samples)
            self.score = selection_score(sample, scorer.thresholds)
            self.n_documents = len(sample.scores)


def select_model(
    settings: ClassifierSettings,
    candidates: list[Candidate],
    scorer: FoldScorer,
    is_fitted_later: Callable[[Candidate], bool] = lambda _: False,
) -> Selection:
    """Return the candidate with the best held-out score, fitted on all documents.

    All candidates are scored on the first folds and the best of them on more. Of equal candidates
    the first one is selected.

    Parameters
    ----------
    settings : ClassifierSettings
        After ``budget`` seconds only the first candidate is scored, and on the first folds only.
    candidates : list of Candidate
        At least one.
    scorer : FoldScorer
    is_fitted_later : callable
        Returns True for candidates that are not fitted here if they are selected.

    Raises
    ------
    LabelError, VocabularyError
        If no candidate can learn from these documents.
    """
    name = candidates[0].learner.name
    able = [each for each in candidates if each.learner.multi_label or not scorer.multi_label]
    if settings.model in CHOICES and not scorer.multi_label:
        able = [each for each in able if each.learner.automatic != "multi-label"]
    if not able:
        raise LabelError(
            f"{name} cannot give a document several labels. Choose another model, for example "
            'model="auto".'
        )
    documents = scorer.documents
    able = [
        each
        for each in able
        if not each.learner.needs_documents
        or (documents is not None and documents.has_words(each.features))
    ]
    if not able:
        raise VocabularyError(f"{name} has nothing to learn from: no document has a word.")
    compared, budget = able, settings.budget
    # A named learner is trained whatever it costs; and with a budget the clock decides.
    if settings.model in CHOICES and budget is None:
        tally, sample = scorer.tally, scorer.sample
        n_cells = int(sample.X.nnz) * int(tally.n_documents) // max(len(sample.labels), 1)
        compared = [
            each
            for each in able
            if is_affordable(
                each.learner, training_size(each, tally, documents, n_cells), scorer.multi_label
            )
        ]
    if budget is not None and not (isinstance(budget, Real) and budget >= 0):
        raise ValueError(f"budget must be a number of seconds, not {budget!r}.")
    deadline = np.inf if budget is None else perf_counter() + budget
    runs = [_Run(candidate) for candidate in compared]
    with progress_bar("Trying models", len(runs), settings.verbose) as step:
        if scorer.folds and len(runs) > 1:
            runs = _score_candidates(runs, scorer, deadline, step)
        best = runs[0]
        # Nothing was compared, or the folds were scored by refitted models.
        if best.model is None and not is_fitted_later(best.candidate):
            best.model, best.selector = scorer.fit(best.candidate)
    # The report also lists the candidates that were skipped.
    runs += [_Run(each) for each in able if each not in compared]
    scores = [
        CandidateScore(
            run.candidate.learner.name, run.candidate.setting, run.score, run.n_documents
        )
        for run in runs
    ]
    return Selection(best.candidate, best.model, best.selector, scores, best.samples)


def _score_candidates(
    runs: list[_Run], scorer: FoldScorer, deadline: float, step: Callable[[], None]
) -> list[_Run]:
    """Return the candidates, the best first."""
    folds = first_folds([len(rows) for rows in scorer.folds])
    for at, run in enumerate(runs):
        if at == 0 or perf_counter() < deadline:
            run.score_folds(scorer, folds)
        # Scores of many classes fill memory, so that only the finalists store theirs.
        for other in _best_first(runs)[_N_FINALISTS:]:
            other.samples, other.model, other.selector = [], None, None
        step()
    runs = _best_first(runs)
    if perf_counter() < deadline:
        n_folds = min(_MAX_FOLDS, len(scorer.folds))
        for run in runs[:_N_FINALISTS]:
            if run.samples:
                run.score_folds(scorer, range(len(run.samples), n_folds))
        runs[:_N_FINALISTS] = _best_first(runs[:_N_FINALISTS])
    return _prefer_refined(runs, scorer.multi_label)


def _prefer_refined(runs: list[_Run], multi_label: bool) -> list[_Run]:
    """Move a refined model to the front if no other is better by more than chance.

    It gains most from documents that are learned later.
    """
    best = runs[0]
    for at, run in enumerate(runs):
        if multi_label or run.score is None or best.score is None or not run.samples:
            continue
        if isinstance(run.candidate.model, RefinedNB):
            error = np.sqrt(max(best.score * (1 - best.score), 0.0) / max(best.n_documents, 1))
            if best.score - run.score <= error:
                return [run, *runs[:at], *runs[at + 1 :]]
            break
    return runs


def _best_first(runs: Sequence[_Run]) -> list[_Run]:
    # Negative scores are at most 0, so that candidates without a score come last. The sort is
    # stable: of equal candidates the first one stays first.
    return sorted(runs, key=lambda run: 1.0 if run.score is None else -run.score)


def first_folds(sizes: Sequence[int]) -> range:
    """Return the folds of the first round: as many as have enough documents together.

    Examples
    --------
    >>> first_folds([2000, 2000]), first_folds([20] * 10)
    (range(0, 1), range(0, 10))
    """
    totals = enumerate(accumulate(sizes), 1)
    return range(next((at for at, n in totals if n >= _FIRST_ROUND_DOCUMENTS), len(sizes)))


class ProcessLocks:
    """A lock for each process.

    A forked child gets a copy of each lock as it is at that moment. If a thread of the parent holds
    it, no thread of the child ever releases the copy.
    """

    def __init__(self) -> None:
        self._locks: dict[int, Lock] = {}

    def lock(self) -> Lock:
        """Return the lock of this process."""
        return self._locks.setdefault(os.getpid(), Lock())


@dataclass(eq=False)
class LazyCalibration:
    """A calibration that is fitted when a probability is first needed.

    ``predict`` of one label per document never needs it. It must be fitted before the tally
    changes and before the classifier is saved, since it refers to the sampled documents.

    Parameters
    ----------
    scorer : FoldScorer
    selection : Selection
        The model, with its out-of-sample scores of the first folds.
    """

    _scorer: FoldScorer
    _selection: Selection
    locks: ProcessLocks = field(default_factory=ProcessLocks, repr=False)

    def fit(self) -> FittedCalibration:
        """Return the calibration, or None if there are no documents to fit it on."""
        scorer, selection = self._scorer, self._selection
        samples = [
            *selection.samples,
            *(
                scorer.score_fold(selection.candidate, selection.model, fold)
                for fold in range(len(selection.samples), len(scorer.folds))
            ),
        ]
        if scorer.multi_label:
            if not samples:
                return FittedCalibration(None, ScoreHistograms.empty())
            sample = concatenate_samples(samples)
            histograms = count_scores(sample)
            return FittedCalibration(
                Calibration.fit(sample, scorer.thresholds, histograms), histograms
            )
        model = selection.model
        sample = concatenate_samples(samples or [scorer.no_documents(model.contrasts)])
        prior = scorer.prior(selection.candidate, model, len(sample.scores))
        near = _held_out_duplicates(scorer, sample) if samples else None
        return FittedCalibration(Calibration.fit(sample, prior=prior), None, near)


def _held_out_duplicates(scorer: FoldScorer, sample: OutOfSample) -> HeldOutDuplicates | None:
    """Return the held-out documents with a near duplicate outside their fold, and the accuracy.

    None if most texts are a word or two: these are equal by chance.
    """
    rows = np.concatenate(scorer.folds)
    if np.median(np.diff(scorer.sample.X.indptr)[rows]) < _MIN_MEDIAN_WORDS:
        return None
    fold_of = np.full(scorer.sample.X.shape[0], _NO_FOLD)
    for number, fold in enumerate(scorer.folds):
        fold_of[fold] = number
    is_near = has_near_duplicate(scorer.sample.X, fold_of)[rows]
    right = sample.truth[np.arange(len(rows)), sample.scores.argmax(axis=1)]
    without = right[~is_near]
    return HeldOutDuplicates(
        len(rows),
        int(is_near.sum()),
        float(right.mean()),
        float(without.mean()) if len(without) else None,
    )


class FittedCalibration(NamedTuple):
    """A calibration and, if documents may have several labels, the scores it is a function of."""

    calibration: Calibration | None
    histograms: ScoreHistograms | None
    near_duplicates: HeldOutDuplicates | None = None


@dataclass(eq=False)
class CalibrationUpdate:
    """The calibration of scores that have changed, fitted when it is first needed.

    Parameters
    ----------
    histograms : ScoreHistograms
        The scores of documents before they were learned.
    rule : {"micro", "macro", "per-class"}, float or mapping
        How thresholds are chosen.
    method : str
        How the first documents were held out.
    optimism : float
        Subtracted from the F1 of the thresholds on these documents.
    """

    histograms: ScoreHistograms
    rule: ThresholdRule
    method: str
    optimism: float
    locks: ProcessLocks = field(default_factory=ProcessLocks, repr=False)

    def fit(self) -> FittedCalibration:
        """Return the calibration, or None if no label has a score."""
        calibration = Calibration.from_histograms(
            self.histograms, self.rule, self.method, self.optimism
        )
        return FittedCalibration(calibration, self.histograms)


@dataclass(frozen=True)
class FittedParts:
    """The parts of a trained classifier."""

    model: Any
    vectorizer: TextVectorizer
    tally: Tally
    selector: Selector | None
    selected: SelectedTally | None
    learner: Learner
    multi_label: bool
    calibration: LazyCalibration | None
    scores: list[CandidateScore]
    weighted: bool = False
    duplicates: Duplicates | None = None
    pool: UnlabelledSummary = field(default_factory=UnlabelledSummary)
    origin: tuple[str, ...] = ()


def fitted_parts(
    scorer: FoldScorer,
    selection: Selection,
    vectorizer: TextVectorizer,
    tally: Tally,
    planes: list[Plane],
    **more: Any,
) -> FittedParts:
    """Return the parts of a classifier with the selected model.

    Parameters
    ----------
    scorer : FoldScorer
    selection : Selection
    vectorizer : TextVectorizer
        Counts texts for the selected model.
    tally : Tally
        Counts of all training documents by this vectorizer.
    planes : list of Plane
        The planes that the selected model reads; all others are dropped.
    **more
        Further fields of :class:`FittedParts`.
    """
    learner, selector = selection.candidate.learner, selection.selector
    # A plane takes memory, and time with each document learned, so those of the losers are dropped.
    if set(planes) != set(tally.planes):
        tally = tally.keep_planes(planes)
    model, read, selected = selection.model, tally, None
    if learner.additive:
        if isinstance(scorer.selector, TermSelector):
            selected = SelectedTally(tally, scorer.selector, scorer.sample.X)
            read, selector = selected.tally, selected.selector
        model = model.with_tally(read)
    # A classifier stays in memory for long: the calibration that it may still have to fit holds no
    # documents and no tallies of folds beyond those it will read.
    needed = replace(
        scorer,
        tally=tally,
        documents=None if learner.additive else scorer.documents,
        _held_out={},
        _own_scores={} if learner.additive else scorer._own_scores,
    )
    return FittedParts(
        model=model,
        vectorizer=vectorizer,
        tally=read,
        selector=selector,
        selected=selected,
        learner=learner,
        multi_label=scorer.multi_label,
        calibration=LazyCalibration(needed, selection),
        scores=selection.scores,
        weighted=scorer.weights is not None,
        **more,
    )
