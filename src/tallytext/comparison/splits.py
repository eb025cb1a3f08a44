"""Which documents are learned and which are judged: at random, by groups, or by time."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from tallytext.comparison.per_document import group_numbers, moment_numbers
from tallytext.errors import InputError

Rows = NDArray[np.intp]
# To deal out groups by their classes takes a look at all classes for each group.
_MOST_DEALT = 2_000_000


@dataclass(frozen=True)
class Split:
    """Documents to learn from, and documents to be judged by.

    Attributes
    ----------
    learned, judged : ndarray of int
        Rows, in order.
    """

    learned: Rows
    judged: Rows


@dataclass(frozen=True)
class Splits:
    """How documents are kept from models: each split has some to learn and some to be judged by.

    Attributes
    ----------
    method : {"random", "groups", "time"}
        At random, classes dealt out evenly; groups kept whole; or each block of documents after
        all earlier ones.
    splits : tuple of Split
        Those of time: the latest first, which have most to learn from.
    units : ndarray of int of shape (n_documents,)
        What is independent of each other: the number of the group of each document, or of the
        document itself.
    moments : ndarray of int of shape (n_documents,) or None
        The place of each document in time, where that is known.
    """

    method: str
    splits: tuple[Split, ...]
    units: Rows
    moments: Rows | None = None

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[Split]:
        return iter(self.splits)

    @property
    def described(self) -> str:
        """How documents were kept from models, in words."""
        n = len(self)
        return {
            "random": f"{n} folds at random",
            "groups": f"{n} folds of whole groups",
            "time": f"{n} block{'s' * (n > 1)} of time, each after all earlier ones",
        }[self.method]

    @property
    def n_judged(self) -> int:
        """How many documents are judged: of time, all but those of the first block."""
        return sum(len(split.judged) for split in self.splits)


def splits_of(
    labels: list[Any],
    several: bool,
    n_folds: int,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    seed: int = 0,
) -> Splits:
    """Return as many splits as asked for, or as there can be.

    Parameters
    ----------
    labels : list
        One label for each document, or a list of labels.
    several : bool
        Whether documents may have several labels.
    n_folds : int
        How many; at least two.
    groups : array-like of shape (n_documents,), default=None
        What keeps documents together. A document without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        What puts documents in order; not both of them.
    seed : int
        For folds at random.

    Examples
    --------
    >>> found = splits_of([*"aabb"], False, 2)
    >>> [(split.learned.tolist(), split.judged.tolist()) for split in found]
    [([0, 3], [1, 2]), ([1, 2], [0, 3])]
    >>> [split.judged.tolist() for split in splits_of([*"aabb"], False, 2, groups=[7, 8, 7, 8])]
    [[1, 3], [0, 2]]
    >>> [split.judged.tolist() for split in splits_of([*"abab"], False, 2, time=[3, 1, 2, 2])]
    [[0], [2, 3]]
    """
    if n_folds < 2:
        raise InputError(f"models are compared on 2 folds or more, not on {n_folds}.")
    if groups is not None and time is not None:
        raise InputError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if len(labels) < 4:
        raise InputError(f"there are {len(labels)} documents: too few to compare anything on.")
    if groups is not None:
        numbers = group_numbers(groups, len(labels))
        return Splits("groups", _of_groups(numbers, labels, several, n_folds, seed), numbers)
    each = np.arange(len(labels))
    if time is not None:
        moments = moment_numbers(time, len(labels))
        return Splits("time", _of_time(moments, n_folds), each, moments)
    return Splits("random", _at_random(labels, several, n_folds, seed), each)


def class_numbers(labels: list[Any], several: bool) -> Rows | None:
    """Return the number of each document's class, in order of arrival; None for several."""
    if several:
        return None
    number = {label: at for at, label in enumerate(dict.fromkeys(labels))}
    return np.array([number[label] for label in labels], dtype=np.intp)


def _at_random(labels: list[Any], several: bool, n_folds: int, seed: int) -> tuple[Split, ...]:
    folds, classes = min(n_folds, len(labels)), class_numbers(labels, several)
    if classes is None:
        parts = [*KFold(folds, shuffle=True, random_state=seed).split(labels)]
    else:
        folds = max(2, min(folds, max(Counter(labels).values())))
        dealer = StratifiedKFold(folds, shuffle=True, random_state=seed)
        parts = _dealt(dealer, classes)
    return _as_splits(parts)


def _of_groups(
    numbers: Rows, labels: list[Any], several: bool, n_folds: int, seed: int
) -> tuple[Split, ...]:
    n_groups = int(numbers.max()) + 1
    if n_groups < 2:
        raise InputError("all documents are of one group, which cannot be learned and judged by.")
    folds, classes = min(n_folds, n_groups), class_numbers(labels, several)
    if classes is None or n_groups * (int(classes.max()) + 1) > _MOST_DEALT:
        dealer = GroupKFold(folds, shuffle=True, random_state=seed)
        return _as_splits([*dealer.split(numbers, groups=numbers)])
    folds = max(2, min(folds, int(np.bincount(classes).max())))
    stratified = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    return _as_splits(_dealt(stratified, classes, numbers))


def _dealt(dealer: Any, classes: Rows, groups: Rows | None = None) -> list[tuple[Rows, Rows]]:
    with warnings.catch_warnings():
        # A class with fewer documents than folds is in some of them only.
        warnings.simplefilter("ignore", UserWarning)
        return [*dealer.split(classes, classes, groups)]


def _as_splits(parts: list[tuple[Rows, Rows]]) -> tuple[Split, ...]:
    # Groups of very different sizes may leave a fold without any.
    return tuple(Split(learned, judged) for learned, judged in parts if len(learned) * len(judged))


def _of_time(moments: Rows, n_folds: int) -> tuple[Split, ...]:
    """Return blocks of about as many documents each; those of one moment stay together."""
    sizes = np.bincount(moments)
    if len(sizes) < 2:
        raise InputError("all documents are of one moment, so that none is later than others.")
    middles = (np.cumsum(sizes) - sizes / 2) / len(moments)
    block_of = np.floor(middles * (n_folds + 1)).astype(np.intp)[moments]
    return tuple(
        Split(np.flatnonzero(block_of < block), np.flatnonzero(block_of == block))
        for block in np.unique(block_of)[:0:-1]
    )
