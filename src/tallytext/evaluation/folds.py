"""Split documents for validation: stratified, by groups, by time or at random.

Every part of the package that holds documents out of training takes its splits from here. The
functions share three forms of a split:

- *fold numbers*: an array with the number of the fold of each document, from 0;
- a *fold*: an array with the rows of the documents that are held out together;
- a :class:`TrainTestSplit`: the rows to train on and the rows to test on.

================================  ==================================================================
function                          folds
================================  ==================================================================
:func:`fold_numbers`              Shuffled folds of equal size, stratified by class or by groups.
:func:`stratified_folds`          Folds that are stratified by every class of multi-label documents.
:func:`k_fold_numbers`            The folds of scikit-learn's splitters, stratified or by groups.
:func:`cyclic_fold_numbers`       Each class assigned to the folds in turn, without shuffling.
:func:`time_blocks`               Consecutive blocks of time, for tests on later documents.
:func:`time_block_numbers`        The same, with equal times in the block that holds their middle.
:func:`subtraction_folds`         Folds of a sample, for models that can subtract documents.
:func:`refitting_folds`           Few folds of a sample, for models that are refitted for each.
:func:`self_evaluation_folds`     Folds of a sample, for models that cross-validate themselves.
:func:`folds_of_sorted_groups`    Folds of a sample that is sorted by group.
:func:`latest_fold`               The latest documents of a sample that is sorted by time.
================================  ==================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.errors import LabelError
from tallytext.runtime import ignore_warnings
from tallytext.tally.labels import Targets, sort_labels

Rows: TypeAlias = NDArray[np.intp]

# Limits for the folds of a sample of training documents. A fold is small, so that a model without
# it is nearly the model of all documents.
_MAX_FOLD_SIZE = 2048
_MIN_DOCUMENTS_TO_HOLD_OUT = 5000
_MAX_HELD_OUT = 8192
_MAX_SELF_EVALUATION_FOLDS = 5


class TrainTestSplit(NamedTuple):
    """Documents to train on and documents to test on.

    Attributes
    ----------
    train, test : ndarray of int
        Rows, in ascending order.
    """

    train: Rows
    test: Rows


def iter_splits(numbers: Rows) -> Iterator[TrainTestSplit]:
    """Yield a split for each fold: all other documents, and those of the fold.

    Parameters
    ----------
    numbers : ndarray of int of shape (n_documents,)
        The fold of each document.

    Examples
    --------
    >>> [(split.train.tolist(), split.test.tolist()) for split in iter_splits(np.array([0, 1, 0]))]
    [([1], [0, 2]), ([0, 2], [1])]
    """
    for fold in range(int(numbers.max()) + 1):
        yield TrainTestSplit(np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold))


def fold_numbers(targets: Targets, n_folds: int, groups: Any, random_state: int) -> Rows:
    """Shuffle documents into folds of equal size; stratify them if each has one label.

    Parameters
    ----------
    targets : Targets
        The labels of the documents.
    n_folds : int
        From 2 to the number of documents.
    groups : array-like of shape (n_documents,) or None
        Documents of one group are put into one fold.
    random_state : int
        Seed of the shuffle.

    Returns
    -------
    ndarray of int of shape (n_documents,)
        The fold of each document.

    Examples
    --------
    >>> from tallytext.tally.labels import read_targets
    >>> fold_numbers(read_targets(["a", "a", "b", "b"]), 2, None, 0).reshape(2, 2).sum(axis=1)
    array([1, 1])
    """
    n = len(targets.labels)
    check_n_folds(n_folds, n)
    classes = None
    if not targets.multi_label:
        classes = class_numbers(targets.labels, sort_labels(targets.distinct))
    if groups is not None:
        # Multi-label documents have nothing to stratify by: the largest groups are placed first,
        # which leaves nothing to shuffle.
        seed = None if classes is None else random_state
        return k_fold_numbers(n, n_folds, seed, classes, check_column(groups, n, "groups"))
    order = np.random.default_rng(random_state).permutation(n)
    if classes is not None:
        # Documents of one class become neighbours, and neighbours go to different folds.
        order = order[np.argsort(classes[order], kind="stable")]
    numbers = np.empty(n, dtype=np.intp)
    numbers[order] = np.arange(n) % n_folds
    return numbers


def stratified_folds(truth: NDArray[np.bool_], n_folds: int, random_state: int) -> Rows:
    """Spread the documents of each class over the folds; documents may have several classes.

    Classes are placed from the rarest to the most frequent, each document into the fold with the
    fewest documents of its class. Documents without a label come last.

    Parameters
    ----------
    truth : ndarray of bool of shape (n_documents, n_classes)
    n_folds : int
    random_state : int

    Returns
    -------
    ndarray of int of shape (n_documents,)
        The fold of each document.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    >>> folds = stratified_folds(truth, 2, 0)
    >>> [truth[folds == fold].sum(axis=0).tolist() for fold in (0, 1)]
    [[1, 1], [1, 1]]
    """
    if not 2 <= n_folds <= len(truth):
        raise LabelError(
            f"{len(truth)} documents cannot be split into {n_folds} folds: the number of folds "
            "must be at least 2 and at most the number of documents."
        )
    order = np.random.default_rng(random_state).permutation(len(truth))
    folds = np.full(len(truth), -1, dtype=np.intp)
    # A rare class leaves the fewest choices, and frequent ones can make up for it later.
    # A document is placed once, so the class with the fewest documents must have the first choice.
    rarest_first = truth.T[np.argsort(truth.sum(axis=0), kind="stable")]
    for members in (*rarest_first, np.ones(len(truth), dtype=bool)):
        placed = folds >= 0
        unplaced = order[(members & ~placed)[order]]
        class_sizes = np.bincount(folds[members & placed], minlength=n_folds)
        fold_sizes = np.bincount(folds[placed], minlength=n_folds)
        for row in unplaced:
            # The last key of lexsort() is the first to sort by.
            # The last key of lexsort comes first: sizes of folds only break ties.
            fold = int(np.lexsort((fold_sizes, class_sizes))[0])
            folds[row] = fold
            class_sizes[fold] += 1
            fold_sizes[fold] += 1
    return folds


def k_fold_numbers(
    n_documents: int,
    n_folds: int,
    random_state: int | None,
    classes: Rows | None = None,
    groups: NDArray[Any] | None = None,
) -> Rows:
    """Return the folds of scikit-learn's ``KFold`` and its stratified and grouped relatives.

    Parameters
    ----------
    n_documents, n_folds : int
    random_state : int or None
        Seed of the shuffle; None: no shuffle, which is possible without ``classes`` only.
    classes : ndarray of int of shape (n_documents,), default=None
        The number of the class of each document, to stratify by.
    groups : ndarray of shape (n_documents,), default=None
        Documents of one group are put into one fold.

    Returns
    -------
    ndarray of int of shape (n_documents,)
        The fold of each document. Groups of very different sizes may leave a fold empty.

    Examples
    --------
    >>> k_fold_numbers(4, 2, 0, classes=np.array([0, 0, 1, 1]), groups=np.array([7, 8, 7, 8]))
    array([1, 0, 1, 0])
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    kinds = {
        (False, False): KFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (True, True): StratifiedGroupKFold,
    }
    kind: Any = kinds[classes is not None, groups is not None]
    splitter = kind(n_folds, shuffle=random_state is not None, random_state=random_state)
    numbers = np.empty(n_documents, dtype=np.intp)
    # A class with fewer documents than folds is in some of the folds only, which is fine here.
    with ignore_warnings(UserWarning, "The least populated class"):
        for number, (_, test) in enumerate(splitter.split(np.zeros(n_documents), classes, groups)):
            numbers[test] = number
    return numbers


def class_numbers(labels: list[Any], classes: Iterable[Any]) -> Rows:
    """Return the position in ``classes`` of the label of each document.

    Examples
    --------
    >>> class_numbers(["sky", "sea", "sky"], ["sea", "sky"])
    array([1, 0, 1])
    """
    number = {label: at for at, label in enumerate(classes)}
    return np.array([number[label] for label in labels], dtype=np.intp)


def ranks_within_classes(truth: FloatArray) -> Rows:
    """Return the number of earlier documents of the same class, for each document.

    Parameters
    ----------
    truth : ndarray of shape (n_documents, n_classes)
        1 for the class of each document, 0 elsewhere.

    Examples
    --------
    >>> ranks_within_classes(np.array([[1, 0], [0, 1], [1, 0]]))
    array([0, 0, 1])
    """
    before = np.cumsum(truth, axis=0) - truth
    return (before * truth).sum(axis=1).astype(np.intp)


def cyclic_fold_numbers(truth: FloatArray, n_folds: int) -> Rows:
    """Assign the documents of each class to the folds in turn: the first to the first fold.

    Parameters
    ----------
    truth : ndarray of shape (n_documents, n_classes)
        1 for the class of each document, 0 elsewhere.
    n_folds : int

    Examples
    --------
    >>> cyclic_fold_numbers(np.array([[1, 0], [0, 1], [1, 0], [1, 0]]), 2)
    array([0, 0, 1, 0])
    """
    return ranks_within_classes(truth) % n_folds


def time_blocks(time: NDArray[Any], n_folds: int) -> list[Rows]:
    """Cut documents into one block more than there are folds, from the earliest to the latest.

    Documents of the same time stay in one block: a cut between them is moved before the first.

    Parameters
    ----------
    time : ndarray of shape (n_documents,)
        Anything that sorts.
    n_folds : int
        Number of blocks with an earlier block to train on.

    Returns
    -------
    list of ndarray of int
        The rows of each block; there are fewer blocks if many documents have the same time.

    Examples
    --------
    >>> time_blocks(np.array([3, 1, 2, 2]), 2)
    [array([1]), array([2, 3]), array([0])]
    """
    n = len(time)
    # There is one block more than folds, since nothing precedes the first.
    check_n_folds(n_folds, n - 1)
    order = np.argsort(time, kind="stable")
    sorted_time = time[order]
    cuts = np.linspace(0, n, n_folds + 2)[1:-1].round().astype(np.intp)
    first = np.searchsorted(sorted_time, sorted_time[cuts], "left")
    end = np.searchsorted(sorted_time, sorted_time[cuts], "right")
    # A cut before the earliest documents would leave an empty block, so it is moved after them.
    starts = np.unique(np.where(first > 0, first, end))
    if starts[0] == n:
        raise ValueError(
            "all documents have the same time, so none is earlier than another: check the values "
            "of time."
        )
    return np.split(order, starts[starts < n])


def time_block_numbers(times: Rows, n_folds: int) -> Rows:
    """Cut documents into one block more than there are folds; return the block of each document.

    All documents of the same time are put into the block that contains their middle. Numbers of
    blocks ascend with time; a number is missing if documents of the same time fill more than a
    block.

    Parameters
    ----------
    times : ndarray of int of shape (n_documents,)
        The time of each document, as numbers from 0 without gaps.
    n_folds : int
        Number of blocks with an earlier block to train on.

    Examples
    --------
    >>> time_block_numbers(np.array([2, 0, 1, 1]), 2)
    array([2, 0, 1, 1])
    """
    sizes = np.bincount(times)
    middles = (np.cumsum(sizes) - sizes / 2) / len(times)
    return np.floor(middles * (n_folds + 1)).astype(np.intp)[times]


def fold_size(n_documents: int, largest: int = _MAX_FOLD_SIZE) -> int:
    """Return the number of documents of a fold: a fifth of all, or a tenth of 1,000 or fewer.

    Parameters
    ----------
    n_documents : int
        Number of training documents.
    largest : int, default=2048

    Examples
    --------
    >>> fold_size(200), fold_size(5000), fold_size(1_000_000)
    (20, 1000, 2048)
    """
    share = 10 if n_documents <= 1000 else 5
    return max(1, min(n_documents // share, largest))


def subtraction_folds(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Return folds of a sample for models that subtract the documents of a fold.

    Subtraction is cheap, so there may be many folds, and each is small enough for the model without
    it to be nearly the model of all documents.

    Parameters
    ----------
    labels : list
        Labels of the sampled documents, which are in random order.
    n_documents : int
        Number of training documents, sampled or not.
    multi_label : bool
        True if documents may have several labels; otherwise folds are stratified.
    """
    return round_robin_folds(-(-len(labels) // fold_size(n_documents)), labels, multi_label)


def refitting_folds(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Return folds of a sample for models that are refitted for each fold.

    Three folds if there are fewer than 5,000 training documents, otherwise a single one with a
    fifth of them; or three with a tenth each if documents may have several labels, since the
    thresholds of rare labels need more documents. Parameters are those of
    :func:`subtraction_folds`.

    Examples
    --------
    >>> len(refitting_folds([*"ab"] * 50, 100, False))
    3
    >>> [len(fold) for fold in refitting_folds([*"ab"] * 4000, 8000, False)]
    [1600]
    """
    if n_documents < _MIN_DOCUMENTS_TO_HOLD_OUT:
        return round_robin_folds(3, labels, multi_label)
    size = fold_size(n_documents, _MAX_HELD_OUT)
    n_folds = max(round(len(labels) / size), 2)
    if multi_label:
        return round_robin_folds(2 * n_folds, labels, multi_label)[:3]
    return round_robin_folds(n_folds, labels, multi_label)[:1]


def self_evaluation_folds(labels: list[Any], n_documents: int, multi_label: bool) -> list[Rows]:
    """Return at most five folds of a sample, for models that cross-validate themselves.

    A document that is the only one of its class is in no fold, because the class is unknown
    without it. Parameters are those of :func:`subtraction_folds`.

    Examples
    --------
    >>> [fold.tolist() for fold in self_evaluation_folds([*"abbc"], 4, False)]
    [[1], [2]]
    """
    labels = [tuple(given) for given in labels] if multi_label else labels
    sizes = Counter(labels)
    rows = np.array([row for row, label in enumerate(labels) if sizes[label] > 1], dtype=np.intp)
    # As many folds as most classes have documents: so each fold has one of each class, and no class
    # is smaller than the others without the fold.
    n_folds = int(np.median([size for size in sizes.values() if size > 1] or [1]))
    folds = round_robin_folds(
        max(2, min(n_folds, _MAX_SELF_EVALUATION_FOLDS)),
        [labels[row] for row in rows],
        multi_label,
    )
    return [rows[fold] for fold in folds]


def round_robin_folds(n_folds: int, labels: list[Any], multi_label: bool) -> list[Rows]:
    """Assign documents to folds in turn, class after class if each document has one label.

    Parameters
    ----------
    n_folds : int
        Fewer folds are returned if there are fewer documents, and none for a single document.
    labels : list
    multi_label : bool

    Examples
    --------
    >>> [fold.tolist() for fold in round_robin_folds(2, [*"abab"], False)]
    [[0, 1], [2, 3]]
    """
    n = len(labels)
    if n < 2:
        return []
    order, n_folds = np.arange(n), min(n, n_folds)
    if not multi_label:
        number = {label: at for at, label in enumerate(sort_labels(set(labels)))}
        order = np.argsort([number[label] for label in labels], kind="stable")
    return [order[first::n_folds] for first in range(n_folds)]


def folds_of_sorted_groups(keys: NDArray[np.uint64], n_documents: int) -> list[Rows]:
    """Cut a sample that is sorted by group into folds of whole groups.

    Parameters
    ----------
    keys : ndarray of uint64
        The group of each sampled document, ascending.
    n_documents : int
        Number of training documents, sampled or not.

    Examples
    --------
    >>> keys = np.array([3, 3, 5, 8, 8], dtype=np.uint64)
    >>> [fold.tolist() for fold in folds_of_sorted_groups(keys, 5)]
    [[0, 1], [2], [3, 4]]
    """
    if not len(keys) or keys[0] == keys[-1]:
        # One group can be held out if there are training documents of other groups.
        return [np.arange(len(keys))] if 0 < len(keys) < n_documents else []
    size, group_starts = fold_size(n_documents), np.flatnonzero(keys[1:] != keys[:-1]) + 1
    wanted = np.arange(size, len(keys), size)
    # The last start is left out of the search, so that it is found for sizes beyond it.
    # Searching all starts but the last gives a valid index for cuts in the last group, too: they
    # move back to its start.
    cuts = np.unique(group_starts[np.searchsorted(group_starts[:-1], wanted)])
    return np.split(np.arange(len(keys)), cuts)


def take_whole_groups(keys: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """Return the first n keys, without a group at the end that would be cut.

    Parameters
    ----------
    keys : ndarray of uint64
        The group, or the time, of each sampled document, ascending.
    n : int

    Examples
    --------
    >>> take_whole_groups(np.array([3, 3, 5, 5, 8], dtype=np.uint64), 3)
    array([3, 3], dtype=uint64)
    """
    if n >= len(keys):
        return keys
    # The first group may have more than n documents: return all of it rather than nothing.
    end = int(np.searchsorted(keys, keys[n]))
    return keys[: end or int(np.searchsorted(keys, keys[0], side="right"))]


def latest_fold(keys: NDArray[np.uint64], n_documents: int) -> list[Rows]:
    """Return a single fold of the latest documents, about a fifth of all, or no fold.

    Documents of the same time stay together.

    Parameters
    ----------
    keys : ndarray of uint64
        The times of the sampled documents, ascending, with the lowest key for the latest.
    n_documents : int
        Number of training documents, sampled or not.

    Examples
    --------
    >>> latest_fold(np.array([0, 1, 1, 2, 3], dtype=np.uint64), 10)
    [array([0])]
    """
    ends = np.append(np.flatnonzero(keys[1:] != keys[:-1]) + 1, len(keys))
    # An earlier document must be left to train on.
    ends = ends[ends < n_documents]
    wanted = n_documents // 5
    if not len(ends) or not wanted:
        return []
    # At most a fifth, unless the documents of the latest time alone are more.
    return [np.arange(max([ends[0], *ends[ends <= wanted][-1:]]))]


def check_column(values: Any, n: int, name: str) -> NDArray[Any]:
    """Return one value per document as an array; raise LabelError for any other shape."""
    column = np.asarray(values)
    if column.shape != (n,):
        raise LabelError(
            f"{n} documents, but {name} of shape {column.shape}: give one value per document."
        )
    return column


def check_n_folds(n_folds: int, largest: int) -> None:
    """Raise ValueError unless the number of folds is an integer from 2 to ``largest``."""
    if not isinstance(n_folds, Integral) or not 2 <= n_folds <= largest:
        raise ValueError(f"folds must be from 2 to {largest} for these documents, not {n_folds!r}.")
