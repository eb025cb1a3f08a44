"""Cross-validation by subtraction: the model without a fold is the tally minus its documents.

- :func:`cross_validate` scores every document by a model that was not trained on it.
- :class:`HeldOutModels` yields those models, for folds or for blocks of time.
- :class:`HeldOutDocuments` are documents that many models score.
- :func:`subtract_documents` is the same subtraction for a tally without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext._validation import check_matrix, check_weights
from tallytext.decision.calibrators import OutOfSample, align_columns
from tallytext.evaluation.folds import Rows, check_column, fold_numbers, iter_splits, time_blocks
from tallytext.models.base import EstimatedWeights, to_documents, to_units, transform_counts
from tallytext.models.class_counts import ClassOrderCache, CountsReader, with_snapshot
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.tally.labels import Targets, indicator_matrix, read_targets
from tallytext.tally.tally import Tally

Model = TypeVar("Model", bound=NaiveBayes)


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
    """Return the scores of each document by a model that was trained without its fold.

    Documents are counted once; the counts of a fold are subtracted to get the model without it.
    Hyperparameters that a smoothing chooses from documents are chosen without the fold as well. A
    class that has no document outside the fold scores minus infinity.

    Parameters
    ----------
    model : NaiveBayes
        The parameters; the model need not be fitted and does not change.
    X, y, sample_weight
        Documents, as for ``fit``.
    folds : int, default=5
        Number of folds of equal size, stratified by class if each document has one label.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group are put into one fold: threads, authors, near duplicates.
    time : array-like of shape (n_documents,), default=None
        Anything that sorts. Documents are scored by a model of all earlier documents. There is one
        block more than there are folds; the first has no earlier documents and is not in the
        result, so look at ``rows``. Documents of the same time stay together.
    random_state : int, default=0
        Seed of the shuffle.

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
    models = HeldOutModels.fit(model, X, y, sample_weight)
    n_documents = len(models.targets.labels)
    if time is None:
        numbers = fold_numbers(models.targets, folds, groups, random_state)
        return models.score_documents(models.iter_folds(numbers))
    blocks = time_blocks(check_column(time, n_documents, "time"), folds)
    later = np.sort(np.concatenate(blocks[1:]))
    return models.score_documents(models.iter_blocks(blocks), later)


def subtract_documents(tally: Tally, X: Any, labels: list[Any], sample_weight: Any = None) -> Tally:
    """Return the tally without some of its documents; the tally itself does not change.

    Parameters
    ----------
    tally : Tally
    X : CSR matrix of shape (n_documents, n_terms)
        Counts, with the columns of the vocabulary of the tally.
    labels : list
        The labels of the documents.
    sample_weight : array-like, default=None
        Their weights.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> tally = Tally().learn({"salt": 2}, "sea").learn({"blue": 1}, "sky")
    >>> subtract_documents(tally, csr_array([[2, 0]]), ["sea"])
    <Tally of 1 documents: 1 tokens, 1 terms, 1 classes>
    """
    return tally - count_documents(tally, X, labels, sample_weight)


def count_documents(like: Tally, X: Any, labels: list[Any], sample_weight: Any = None) -> Tally:
    """Count documents into a new tally with the vocabulary and planes of another one."""
    tally = Tally(like.vocabulary, planes=like.planes)
    tally.learn(X, labels, terms=like.vocabulary, sample_weight=sample_weight)
    return tally


@dataclass(frozen=True)
class HeldOutModels(Generic[Model]):
    r"""Models that are trained without held-out documents, from one model of all documents.

    .. math:: N_{cw}^{\text{without fold}} = N_{cw} - N_{cw}^{\text{fold}}

    Attributes
    ----------
    model : NaiveBayes
        Fitted on all documents.
    X : CSR matrix of shape (n_documents, n_terms)
        All documents.
    targets : Targets
        Their labels.
    weights : ndarray or None
        Their weights.
    all_classes : bool, default=False
        True to list all classes in each model, even those whose documents are all held out, so
        that all models have the same columns.
    """

    model: Model
    X: Any
    targets: Targets
    weights: FloatArray | None = None
    all_classes: bool = False

    @classmethod
    def fit(cls, model: Model, X: Any, y: Any, sample_weight: Any = None) -> HeldOutModels[Model]:
        """Fit a copy of the model on all documents."""
        fitted: Model = clone(model).fit(X, y, sample_weight)
        matrix = check_matrix(fitted, X, reset=False, open_width=False)
        return cls(fitted, matrix, read_targets(y), check_weights(sample_weight, matrix.shape[0]))

    def iter_folds(self, folds: Rows) -> Iterator[tuple[Rows, Model]]:
        """Yield the rows of each fold, and the model of all other documents.

        Parameters
        ----------
        folds : ndarray of int of shape (n_documents,)
            The fold of each document.
        """
        for others, rows in iter_splits(folds):
            yield rows, self._train(self.model.tally_ - self._count(rows), others)

    def iter_blocks(self, blocks: list[Rows]) -> Iterator[tuple[Rows, Model]]:
        """Yield the rows of each block but the first, and the model of all earlier blocks."""
        # Blocks are added, not subtracted: each document is counted once for all models.
        earlier, tally = blocks[0], self._count(blocks[0])
        for rows in blocks[1:]:
            yield rows, self._train(tally, earlier)
            earlier, tally = np.concatenate([earlier, rows]), tally + self._count(rows)

    def apply(self, folds: Rows, score: Callable[[Model, Any], FloatArray]) -> FloatArray:
        """Return ``score(model, X)`` of each fold by the model without it, documents by classes.

        Needs ``all_classes=True`` unless every class has a document outside every fold.
        """
        scores = np.empty((self.X.shape[0], len(self.model.classes_)))
        for rows, model in self.iter_folds(folds):
            scores[rows] = score(model, self.X[rows])
        return scores

    def score_documents(
        self, models: Iterable[tuple[Rows, Model]], rows: Rows | None = None
    ) -> OutOfSample:
        """Return the scores of held-out documents by their models.

        Parameters
        ----------
        models : iterable
            Rows, and the model to score them by.
        rows : ndarray of int, default=None
            The rows of the result; None for all.
        """
        model, n = self.model, len(self.targets.labels)
        # Minus infinity stays where the fold has all documents of a class.
        classes = model.classes_
        scores, lengths = np.full((n, len(classes)), -np.inf), np.zeros(n)
        for held_out, trained in models:
            known = np.flatnonzero(np.isin(classes, trained.classes_))
            if known.size:
                found = trained.scores_and_lengths(self.X[held_out])
                scores[np.ix_(held_out, known)], lengths[held_out] = found
        kept = slice(None) if rows is None else rows
        return OutOfSample(
            scores=scores[kept],
            lengths=lengths[kept],
            truth=indicator_matrix(self.targets.labels, classes)[kept],
            classes=classes,
            contrasts=model.contrasts,
            multi_label=model.multi_label_,
            method="cross-validation",
            rows=rows,
        )

    def _count(self, rows: Rows) -> Tally:
        X, targets, weights = self._take(rows)
        units = to_units(X, self.model.unit_)
        return count_documents(self.model.tally_, units, targets.labels, weights)

    def _train(self, tally: Tally, rows: Rows) -> Model:
        """Return the model of a tally, which counts the documents of these rows."""
        model = self.model.with_tally(tally)
        if self.all_classes:
            model.ordering_ = ClassOrderCache(self.model.classes_.tolist())
        # Chosen without the fold as well, otherwise held-out documents would have a part in it.
        model._fit_hyperparameters(*self._take(rows))
        return model

    def _take(self, rows: Rows) -> tuple[Any, Targets, FloatArray | None]:
        """Return some of the documents, without those of weight zero."""
        weights = None if self.weights is None else self.weights[rows]
        return self.model._drop_zero_weights(self.X[rows], self.targets.take(rows), weights)


class HeldOutDocuments:
    """Held-out documents and their labels, which several models score.

    A model estimates the weights of the terms of these documents only, and does not cache them, so
    that scoring by many models is cheap for a large vocabulary.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_terms)
        Counts, with the columns of the vocabulary of the models' tallies.
    labels : list
        A label per document, or a list of labels.
    """

    def __init__(self, X: Any, labels: list[Any]) -> None:
        documents = to_documents(X)
        # A table instead of np.unique: linear in the entries, and it renumbers them as well.
        numbers = np.zeros(X.shape[1], dtype=np.int32)
        numbers[documents.terms] = 1
        self._terms = np.flatnonzero(numbers).astype(np.int32)
        numbers[self._terms] = np.arange(len(self._terms), dtype=np.int32)
        self._documents = documents._replace(terms=numbers[documents.terms])
        self._labels = labels

    def __len__(self) -> int:
        return len(self._labels)

    def score(self, model: NaiveBayes, classes: NDArray[Any], method: str) -> OutOfSample:
        """Return the scores of these documents by a model.

        Parameters
        ----------
        model : NaiveBayes
            A model that was not trained on these documents.
        classes : ndarray
            The labels of the columns, sorted: the classes of the model, and perhaps more, which
            score minus infinity.
        method : str
            The name of the way in which these documents were held out.
        """
        scores, lengths, known = with_snapshot(
            model._reader(), lambda reader: self._score(model, reader)
        )
        return OutOfSample(
            scores=align_columns(scores, known, classes),
            lengths=lengths,
            truth=indicator_matrix(self._labels, classes),
            classes=classes,
            contrasts=model.contrasts,
            multi_label=model.multi_label_,
            method=method,
        )

    def _score(
        self, model: NaiveBayes, reader: CountsReader
    ) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        class_counts = reader.read(self._terms)
        if not class_counts.n_classes:  # no labelled document is left
            return np.empty((len(self), 0)), np.zeros(len(self)), class_counts.order.classes
        documents = transform_counts(self._documents, model.tf_test)
        # The terms of the documents are numbered as in the weights already.
        estimated = EstimatedWeights(model._weights(class_counts), None, class_counts)
        return (*model._score(documents, estimated), class_counts.order.classes)
