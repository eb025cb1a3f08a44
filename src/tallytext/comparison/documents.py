"""Documents to compare learners on, and their train/test splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.classifier.labels import (
    check_label_count,
    check_labels,
    has_one_label,
    read_labels,
    single_labels,
)
from tallytext.errors import InputError, LabelError, VocabularyError, quote_value
from tallytext.evaluation.folds import (
    Rows,
    TrainTestSplit,
    class_numbers,
    iter_splits,
    k_fold_numbers,
    time_block_numbers,
)
from tallytext.text.sources import as_texts
from tallytext.text.vectorizer import TextVectorizer

# Nearly every collection has a word among its first documents, so few are counted as a rule.
_N_CHECKED_FOR_WORDS = 1_000
# Stratifying groups takes time in proportion to groups times classes.
_MAX_STRATIFIED_CELLS = 2_000_000


@dataclass(frozen=True)
class Documents:
    """Texts and their labels.

    Attributes
    ----------
    texts : sequence of str
        The texts.
    labels : list
        One label per document, or a list of labels per document.
    multi_label : bool
        True if documents may have several labels or none.
    """

    texts: Sequence[str]
    labels: list[Any]
    multi_label: bool

    def take(self, rows: Rows) -> tuple[list[str], list[Any]]:
        """Return the texts and labels of some documents.

        Parameters
        ----------
        rows : ndarray of int
            The documents, counted from 0.
        """
        return [self.texts[row] for row in rows], [self.labels[row] for row in rows]


def read_documents(texts: Any, labels: Any) -> Documents:
    """Return texts with their labels; raise if learners cannot be compared on them.

    Parameters
    ----------
    texts : list, column or iterable of str
        The texts.
    labels : list, column or array
        One label per text, or a list of labels per text.

    Examples
    --------
    >>> read_documents(["a wave", "a cloud", "a reef"], ["sea", "sky", "sea"]).multi_label
    False
    """
    listed, _ = read_labels(labels)
    check_labels(listed)
    read = as_texts(texts).strings()
    check_label_count(len(read), listed)
    if not any(map(str.strip, read)):
        raise InputError("all documents are empty. Is this the column of the texts (--text)?")
    multi_label = not all(map(has_one_label, listed))
    documents = Documents(read, listed if multi_label else single_labels(listed), multi_label)
    _check_classes(documents)
    return documents


def _check_classes(documents: Documents) -> None:
    """Raise LabelError if there is one class only, or no class with two documents."""
    labels = documents.labels
    distinct = {label for each in labels for label in (each if documents.multi_label else [each])}
    if len(distinct) < 2:
        only = next(iter(distinct), None)
        raise LabelError(
            f"all documents have the label {quote_value(only)}, and a comparison needs two "
            "classes. Is this the column of the labels (--label)?"
        )
    if not documents.multi_label and len(distinct) == len(labels):
        raise LabelError(
            f"no two of the {len(labels)} documents have the same label, so no label is in both "
            "training and test documents. Is this the column of the labels (--label)?"
        )


def check_words(texts: Sequence[str], vectorizer: TextVectorizer) -> None:
    """Raise InputError if texts have no terms, before each learner fails on them.

    Parameters
    ----------
    texts : sequence of str
        The texts of all documents.
    vectorizer : TextVectorizer
        Turns texts into terms; it is fitted.

    Examples
    --------
    >>> check_words(["?!", "..."], TextVectorizer())
    Traceback (most recent call last):
    tallytext.errors.InputError: no document has a word. Is this the column of the texts?
    """
    try:
        if vectorizer.fit_transform(texts[:_N_CHECKED_FOR_WORDS]).shape[1]:
            return
    except VocabularyError:
        # A limit such as min_df removed all terms of the first documents; it may keep some of all.
        pass
    if not vectorizer.fit_transform(texts).shape[1]:
        raise InputError("no document has a word. Is this the column of the texts?")


@dataclass(frozen=True)
class Splits:
    """Train/test splits of documents: at random, by groups or by time.

    Attributes
    ----------
    method : {"random", "groups", "time"}
        Random folds, stratified by class; folds of whole groups; or blocks of time, each tested
        after training on all earlier documents.
    splits : tuple of TrainTestSplit
        The splits. Blocks of time are in reverse order: the latest has most training documents.
    units : ndarray of int of shape (n_documents,)
        The number of the independent unit of each document: of its group, or of itself.
    time_ranks : ndarray of int of shape (n_documents,) or None
        The rank of each document in time, if it is known.
    """

    method: str
    splits: tuple[TrainTestSplit, ...]
    units: Rows
    time_ranks: Rows | None = None

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[TrainTestSplit]:
        return iter(self.splits)

    @property
    def description(self) -> str:
        """The number and kind of the splits, in words."""
        n = len(self)
        return {
            "random": f"{n} random folds",
            "groups": f"{n} folds of whole groups",
            "time": f"{n} block{'s' * (n > 1)} of time, each after all earlier ones",
        }[self.method]

    @property
    def n_evaluated(self) -> int:
        """The number of test documents: with time, all but those of the first block."""
        return sum(len(split.test) for split in self.splits)


def make_splits(
    labels: list[Any],
    multi_label: bool,
    n_folds: int,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    seed: int = 0,
) -> Splits:
    """Split documents into training and test documents.

    Parameters
    ----------
    labels : list
        One label for each document, or a list of labels.
    multi_label : bool
        True if documents may have several labels or none.
    n_folds : int
        The number of splits, at least two; fewer if there are too few documents or groups.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group stay in one fold. A document without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        Values that order documents; not together with groups.
    seed : int, default=0
        Seed of random folds.

    Examples
    --------
    >>> found = make_splits([*"aabb"], False, 2)
    >>> [(split.train.tolist(), split.test.tolist()) for split in found]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    >>> [split.test.tolist() for split in make_splits([*"aabb"], False, 2, groups=[7, 8, 7, 8])]
    [[1, 3], [0, 2]]
    >>> [split.test.tolist() for split in make_splits([*"abab"], False, 2, time=[3, 1, 2, 2])]
    [[0], [2, 3]]
    """
    if n_folds < 2:
        raise InputError(f"a comparison needs 2 folds or more, not {n_folds}.")
    if groups is not None and time is not None:
        raise InputError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if len(labels) < 4:
        raise InputError(
            f"too few documents for a comparison: {len(labels)}, and it needs 4 or more."
        )
    if groups is not None:
        numbers = group_numbers(groups, len(labels))
        return Splits("groups", _group_splits(numbers, labels, multi_label, n_folds, seed), numbers)
    each = np.arange(len(labels))
    if time is not None:
        ranks = time_ranks(time, len(labels))
        return Splits("time", _time_splits(ranks, n_folds), each, ranks)
    return Splits("random", _random_splits(labels, multi_label, n_folds, seed), each)


def _random_splits(
    labels: list[Any], multi_label: bool, n_folds: int, seed: int
) -> tuple[TrainTestSplit, ...]:
    n_folds, classes = min(n_folds, len(labels)), None
    if not multi_label:
        classes = class_numbers(labels, dict.fromkeys(labels))
        n_folds = _limit_to_largest_class(n_folds, classes)
    return tuple(iter_splits(k_fold_numbers(len(labels), n_folds, seed, classes)))


def _group_splits(
    numbers: Rows, labels: list[Any], multi_label: bool, n_folds: int, seed: int
) -> tuple[TrainTestSplit, ...]:
    n_groups = int(numbers.max()) + 1
    if n_groups < 2:
        raise InputError(
            "all documents are in one group, so there is no other group to test on. "
            "Is this the right column (--groups)?"
        )
    n_folds = min(n_folds, n_groups)
    classes = None if multi_label else class_numbers(labels, dict.fromkeys(labels))
    if classes is not None and n_groups * (int(classes.max()) + 1) > _MAX_STRATIFIED_CELLS:
        classes = None
    if classes is not None:
        n_folds = _limit_to_largest_class(n_folds, classes)
    splits = iter_splits(k_fold_numbers(len(labels), n_folds, seed, classes, numbers))
    # Groups of very different sizes may leave a fold empty.
    return tuple(split for split in splits if len(split.train) and len(split.test))


def _limit_to_largest_class(n_folds: int, classes: Rows) -> int:
    """Return at most as many folds as the largest class has documents, but two."""
    return max(2, min(n_folds, int(np.bincount(classes).max())))


def _time_splits(ranks: Rows, n_folds: int) -> tuple[TrainTestSplit, ...]:
    """Return the blocks of time, the latest first, each with all earlier documents to train on."""
    if not ranks.any():
        raise InputError(
            "all documents have the same time, so there are no later ones to test "
            "on. Is this the right column (--time)?"
        )
    # The latest block comes first: a short budget ends after it, and the curves use it alone.
    blocks = time_block_numbers(ranks, n_folds)
    return tuple(
        TrainTestSplit(np.flatnonzero(blocks < block), np.flatnonzero(blocks == block))
        for block in np.unique(blocks)[:0:-1]
    )


def group_numbers(groups: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Number groups in order of arrival; a document without a value is a group of its own.

    Examples
    --------
    >>> group_numbers(["tea", None, "milk", "tea", None], 5)
    array([0, 1, 2, 0, 3])
    """
    numbers: dict[Any, int] = {}
    values = _values(groups, n_documents, "groups")
    # Tuples of different lengths: a missing value never equals a value that is given.
    keys = [("none", at) if is_missing(value) else (value,) for at, value in enumerate(values)]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def time_ranks(time: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Rank times from the earliest to the latest; equal times have one rank.

    Examples
    --------
    >>> time_ranks([2009, 1999, 2024, 2009], 4)
    array([1, 0, 2, 1])
    """
    values = _values(time, n_documents, "time")
    missing = [at for at, value in enumerate(values) if is_missing(value)]
    if missing:
        others = f", nor for {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise InputError(
            f"time has no value for document {missing[0]}{others}. "
            "Leave such documents out: they are neither earlier nor later than others."
        )
    try:
        distinct = sorted(set(values))
    except TypeError as problem:
        raise InputError(
            f"values of time cannot be put in order: {problem}. Give numbers only, or dates only."
        ) from problem
    rank_of = {value: at for at, value in enumerate(distinct)}
    return np.array([rank_of[value] for value in values], dtype=np.intp)


def is_missing(value: Any) -> bool:
    """Return True for None, NaN and an empty string.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "0")]
    [True, True, True, False, False]
    """
    # Comparing pandas.NA with itself gives neither True nor False, but pandas.NA.
    known = value is not None and isinstance(value == value, bool) and value == value
    return not known or value == ""


def _values(given: ArrayLike, n_documents: int, name: str) -> list[Any]:
    """Return a column as a list; raise if its length is not the number of documents."""
    if hasattr(given, "to_pylist"):
        # np.asarray() would turn Arrow's nulls into NaN, and integers beside them into floats.
        given = given.to_pylist()
    values = given if isinstance(given, list) else np.asarray(given).tolist()
    shape = np.shape(values) if values and isinstance(values[0], list) else (len(values),)
    if shape != (n_documents,):
        raise InputError(f"{n_documents} documents, but {name} of shape {shape}.")
    return values
