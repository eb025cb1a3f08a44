"""Cross-validation by subtraction: the model without a fold is the tally without its documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tallytext._typing import FloatArray
from tallytext._validation import checked_matrix, weights_of
from tallytext.decision.out_of_sample import OutOfSample, in_columns
from tallytext.errors import LabelError
from tallytext.models.naive_bayes import ModelBase, NaiveBayes, check_documents
from tallytext.models.reading import (
    Ordering,
    Reader,
    at_one_moment,
    documents_of,
    transformed,
    unit_of,
    vocabulary_for,
)
from tallytext.runtime import thread_count
from tallytext.tally.labels import Targets, sort_labels, targets_of, truth_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally

Indices: TypeAlias = NDArray[np.intp]
Judge: TypeAlias = tuple[NaiveBayes, Indices]  # a model, and the documents that it judges

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def cross_validate(
    model: NaiveBayes,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> OutOfSample:
    """Return how documents are judged by models that have not seen their fold.

    Everything is counted once; the model for a fold is all counts less those of the fold. What a
    smoothing chooses from documents is chosen without the fold, too. A class that is not among the
    other documents gets a score of minus infinity.

    Parameters
    ----------
    model : NaiveBayes
        The settings; it need not be fitted, and stays as it is.
    X, y, sample_weight
        Documents, as for ``fit``.
    folds : int, default=5
        Number of folds, of about equal size. Where each document has one label, the documents of
        each class are dealt out evenly.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group are in one fold: threads, authors, near duplicates.
    time : array-like of shape (n_documents,), default=None
        Anything that sorts. Documents are judged by a model of all earlier ones. There is one
        block more than there are folds; the first has nothing before it and is left out of the
        result, so look at ``rows``. Documents of one moment stay together.
    random_state : int, default=0
        How documents are shuffled before they are dealt out.

    Returns
    -------
    OutOfSample

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> X, y = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2]], ["sea", "sea", "sky", "sky"]
    >>> cross_validate(MultinomialNB(), X, y, folds=2).accuracy
    1.0
    """
    if groups is not None and time is not None:
        raise ValueError("give groups or time, not both: blocks of time cannot keep groups whole.")
    whole = _Whole.of(model, X, y, sample_weight)
    if time is not None:
        blocks = blocks_of_time(_column(time, whole.n, "time"), folds)
        return whole.judged(forward(whole, blocks), np.sort(np.concatenate(blocks[1:])))
    splits = fold_numbers(whole.targets, folds, groups, random_state)
    rest = _less(whole, [np.flatnonzero(splits == fold) for fold in range(splits.max() + 1)])
    return whole.judged(rest, None)


def fold_numbers(targets: Targets, folds: int, groups: Any, random_state: int) -> Indices:
    """Return the fold of each document.

    Examples
    --------
    >>> fold_numbers(targets_of(["a", "a", "b", "b"]), 2, None, 0).reshape(2, 2).sum(axis=1)
    array([1, 1])
    """
    n = len(targets.labels)
    _check_folds(folds, n)
    if groups is not None:
        return _grouped(targets, folds, _column(groups, n, "groups"), random_state)
    shuffled = np.random.default_rng(random_state).permutation(n)
    if not targets.multi_label:
        shuffled = shuffled[np.argsort(_numbered(targets)[shuffled], kind="stable")]
    numbers = np.empty(n, dtype=np.intp)
    numbers[shuffled] = np.arange(n) % folds
    return numbers


def blocks_of_time(time: NDArray[Any], folds: int) -> list[Indices]:
    """Return documents in blocks, earlier ones first; those of one moment are in one block.

    Examples
    --------
    >>> blocks_of_time(np.array([3, 1, 2, 2]), 2)
    [array([1]), array([2, 3]), array([0])]
    """
    _check_folds(folds, len(time) - 1)
    order = np.argsort(time, kind="stable")
    at = np.linspace(0, len(time), folds + 2)[1:-1].round().astype(np.intp)
    sorted_time = time[order]
    before, after = (np.searchsorted(sorted_time, sorted_time[at], side) for side in _SIDES)
    starts = np.unique(np.where(before > 0, before, after))
    if starts[0] == len(time):
        raise ValueError("all documents are of one moment: there is no earlier one to learn from.")
    return np.split(order, starts[starts < len(time)])


@dataclass(frozen=True)
class _Whole:
    """All documents, and a model of them."""

    model: NaiveBayes
    X: Any
    targets: Targets
    weights: Any

    @classmethod
    def of(cls, model: NaiveBayes, X: Any, y: Any, sample_weight: Any) -> _Whole:
        fitted = clone(model).fit(X, y, sample_weight)
        matrix = checked_matrix(fitted, X, reset=False, open_width=False)
        return cls(fitted, matrix, targets_of(y), weights_of(sample_weight, matrix.shape[0]))

    @property
    def n(self) -> int:
        return len(self.targets.labels)

    def tally(self, rows: Indices) -> Tally:
        """Return the tally of some documents."""
        mine = self.model.tally_
        part = self.model.with_tally(Tally(mine.vocabulary, planes=mine.planes))
        part._learn(*self._some(rows), +1)
        return part.tally_

    def trained(self, tally: Tally, rows: Indices) -> NaiveBayes:
        """Return the model of a tally, that of some documents."""
        model = self.model.with_tally(tally)
        model._choose(*self._some(rows))
        return model

    def _some(self, rows: Indices) -> tuple[Any, Targets, Any]:
        """Return some documents, without those that weigh nothing."""
        weights = None if self.weights is None else self.weights[rows]
        return self.model._weighed(self.X[rows], self.targets.some(rows), weights)

    def judged(self, models: Iterator[Judge], rows: Indices | None) -> OutOfSample:
        """Return what each model says of its documents, for the rows asked for or for all."""
        classes = self.model.classes_
        scores, lengths = np.full((self.n, len(classes)), -np.inf), np.zeros(self.n)
        for model, some in models:
            columns = np.flatnonzero(np.isin(classes, model.classes_))
            if columns.size:
                found = model._scores(model._documents(self.X[some]))
                scores[np.ix_(some, columns)], lengths[some] = found
        kept = slice(None) if rows is None else rows
        return OutOfSample(
            scores=scores[kept],
            lengths=lengths[kept],
            truth=truth_of(self.targets.labels, classes)[kept],
            classes=classes,
            contrasts=self.model._contrasts,
            multi_label=self.model.multi_label_,
            method="cross-validation",
            rows=rows,
        )


def _less(whole: _Whole, folds: list[Indices]) -> Iterator[Judge]:
    for fold in folds:
        others = np.setdiff1d(np.arange(whole.n), fold, assume_unique=True)
        yield whole.trained(whole.model.tally_ - whole.tally(fold), others), fold


def forward(whole: _Whole, blocks: list[Indices]) -> Iterator[Judge]:
    """Yield a model of all blocks before, and the block, for each but the first."""
    earlier, tally = blocks[0], whole.tally(blocks[0])
    for block in blocks[1:]:
        yield whole.trained(tally, earlier), block
        earlier, tally = np.concatenate([earlier, block]), tally + whole.tally(block)


def _grouped(targets: Targets, folds: int, groups: NDArray[Any], random_state: int) -> Indices:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    n, labels, splitter = len(groups), None, GroupKFold(folds)
    if not targets.multi_label:
        labels = _numbered(targets)
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=random_state)
    numbers = np.empty(n, dtype=np.intp)
    with warnings.catch_warnings():
        # Classes smaller than the number of folds are no reason to worry a user here.
        warnings.filterwarnings("ignore", message="The least populated class")
        for number, (_, fold) in enumerate(splitter.split(np.zeros(n), labels, groups)):
            numbers[fold] = number
    return numbers


def _numbered(targets: Targets) -> Indices:
    """Return the number of the label of each document."""
    number = {label: at for at, label in enumerate(sort_labels(targets.distinct))}
    return np.array([number[label] for label in targets.labels], dtype=np.intp)


def _column(values: Any, n: int, name: str) -> NDArray[Any]:
    column = np.asarray(values)
    if column.shape != (n,):
        raise LabelError(f"{n} documents, but {name} of shape {column.shape}.")
    return column


def _check_folds(folds: int, most: int) -> None:
    if not isinstance(folds, Integral) or not 2 <= folds <= most:
        raise ValueError(f"folds must be from 2 to {most} for these documents, not {folds!r}.")


# ------------------------------------------------------------------------------------------------
# Folds of training documents, and for each the model of all others: total minus fold.

Model = TypeVar("Model", bound=NaiveBayes)


def fold_models(
    model: Model, X: Any, targets: Targets, folds: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], Model]]:
    """Yield the documents of each fold, and a model that has forgotten them.

    The classes of all these models are those of the one that knows all documents.
    """
    for fold in range(int(folds.max()) + 1):
        rows = np.flatnonzero(folds == fold)
        rest = deepcopy(model)
        rest.ordering_ = Ordering(model.classes_.tolist())
        rest.forget(X[rows], [targets.labels[row] for row in rows])
        yield rows, rest


def held_out(
    model: Model,
    X: Any,
    targets: Targets,
    folds: NDArray[np.intp],
    score: Callable[[Model, Any], FloatArray],
) -> FloatArray:
    """Return what models say of documents that they have forgotten, documents by classes."""
    found = np.empty((X.shape[0], len(model.classes_)))
    for rows, rest in fold_models(model, X, targets, folds):
        found[rows] = score(rest, X[rows])
    return found


# ------------------------------------------------------------------------------------------------
# Documents to examine models on: prepared once, however many models are to judge them.


class Exam:
    """Documents that models have not learned, and their labels.

    A model makes weights for the words of these documents and for no others, and does not keep
    them, so that examining many models costs little where the vocabulary is large.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_terms)
        Counts, by the ids of the vocabulary of the models' tallies.
    labels : list
        A label per document, or a list of labels.
    """

    def __init__(self, X: Any, labels: list[Any]) -> None:
        documents = documents_of(X)
        used = np.zeros(X.shape[1], dtype=np.int32)
        used[documents.terms] = 1
        self._terms = np.flatnonzero(used).astype(np.int32)
        used[self._terms] = np.arange(len(self._terms), dtype=np.int32)
        self._documents = documents._replace(terms=used[documents.terms])
        self._labels = labels

    def __len__(self) -> int:
        return len(self._labels)

    def judged(self, model: ModelBase, classes: Any, method: str) -> OutOfSample:
        """Return what a model says of these documents.

        Parameters
        ----------
        model : NaiveBayes
        classes : ndarray
            The labels of the columns, sorted: those of the model and perhaps more, which get a
            score of minus infinity.
        method : str
            How these documents were kept from the model.
        """
        found, lengths, known = at_one_moment(
            model._reader(), lambda reader: self._scores(model, reader)
        )
        return OutOfSample(
            scores=in_columns(found, known, classes),
            lengths=lengths,
            truth=truth_of(self._labels, classes),
            classes=classes,
            contrasts=model._contrasts,
            multi_label=model.multi_label_,
            method=method,
        )

    def _scores(self, model: ModelBase, reader: Reader) -> tuple[FloatArray, FloatArray, Any]:
        reading = reader.read(self._terms)
        if not reading.n_classes:  # what is left has no label
            return np.empty((len(self), 0)), np.zeros(len(self)), reading.order.classes
        weights = model._weights(reading)
        documents = transformed(self._documents, model.tf_test)
        scores, lengths = weights.scores(documents, thread_count(model.n_jobs))
        scores = model._lengthened(model._or_prior(scores, weights), documents, reading)
        return scores, lengths, reading.order.classes


# ------------------------------------------------------------------------------------------------
# Several models on one count of the documents.


def fit_together(
    models: Sequence[NaiveBayes], X: Any, y: Any, sample_weight: Any = None
) -> Sequence[NaiveBayes]:
    """Fit models that differ in their parameters, counting each document once for all of them.

    They share one tally with all the planes that any of them reads, so that what one of them
    learns later all will know.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> plain, contrast = MultinomialNB(), MultinomialNB(tf="log", complement=True)
    >>> _ = fit_together([plain, contrast], [[2, 0], [0, 1]], ["sea", "sky"])
    >>> plain.tally_ is contrast.tally_, contrast.predict([[1, 0]])
    (True, array(['sea'], dtype='<U3'))
    """
    if not models:
        raise ValueError("there is no model to fit: models is empty.")
    first = models[0]
    X = checked_matrix(first, X, reset=True, open_width=False)
    X, targets, weights = first._weighed(X, targets_of(y), sample_weight)
    check_documents(X)
    unit, weighted = unit_of(X), weights is not None
    for model in models:
        model._settle(targets.multi_label)
    columns = [column for model in models for column in model._columns(unit, weighted)]
    planes = [column for column in columns if isinstance(column, Plane)]
    tally = Tally(vocabulary_for(first), planes=planes)
    tally.number_labels(sort_labels(targets.distinct))
    for model in models:
        model._start(tally, unit, weighted, open_=False)
        model._announce(range(targets.columns or 0))
        _take_columns(model, first)
    first._learn(X, targets, weights, +1)
    for model in models:
        model._choose(X, targets, weights)
    return models


def _take_columns(model: NaiveBayes, first: NaiveBayes) -> None:
    """Give a model the columns that the first has seen, in the place of any from before."""
    model.n_features_in_ = first.n_features_in_
    if hasattr(first, "feature_names_in_"):
        model.feature_names_in_ = first.feature_names_in_
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
