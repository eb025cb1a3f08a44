"""Cross-validation by subtraction: the model without a fold is the tally without its documents."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.errors import LabelError
from tallytext.labels import sort_labels
from tallytext.matrices import checked_matrix, weights_of
from tallytext.tally import Tally
from tallytext.targets import Targets, targets_of, truth_of

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
    >>> from tallytext.bayes import MultinomialNB
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
    _expect_folds(folds, n)
    if groups is not None:
        return _grouped(targets, folds, _column(groups, n, "groups"), random_state)
    shuffled = np.random.default_rng(random_state).permutation(n)
    if not targets.several:
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
    _expect_folds(folds, len(time) - 1)
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
            several=self.model.multi_label_,
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
    if not targets.several:
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


def _expect_folds(folds: int, most: int) -> None:
    if not isinstance(folds, Integral) or not 2 <= folds <= most:
        raise ValueError(f"folds must be from 2 to {most} for these documents, not {folds!r}.")
