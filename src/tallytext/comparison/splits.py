"""Which documents are learned and which are judged: at random, by groups, or by time."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from tallytext.errors import InputError

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """Documents to learn from, and documents to be judged by."""

    learned: Rows
    judged: Rows


@dataclass(frozen=True)
class Splits:
    """Several of them, and how they came about.

    Attributes
    ----------
    method : {"random", "groups", "time"}
        At random, classes dealt out evenly; groups kept whole; or each block of documents after
        all earlier ones.
    splits : tuple of Split
    """

    method: str
    splits: tuple[Split, ...]

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
            "time": f"{n} blocks of time, each after all earlier ones",
        }[self.method]


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
    groups, time : array-like of shape (n_documents,), default=None
        What keeps documents together, or in order; one of both at most.
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
    [[2, 3], [0]]
    """
    if n_folds < 2:
        raise InputError(f"models are compared on 2 folds or more, not on {n_folds}.")
    if groups is not None and time is not None:
        raise InputError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if len(labels) < 4:
        raise InputError(f"there are {len(labels)} documents: too few to compare anything on.")
    if groups is not None:
        return Splits("groups", _of_groups(_per_document(groups, labels, "groups"), n_folds))
    if time is not None:
        return Splits("time", _of_time(_per_document(time, labels, "time"), n_folds))
    return Splits("random", _at_random(labels, several, n_folds, seed))


def _at_random(labels: list[Any], several: bool, n_folds: int, seed: int) -> tuple[Split, ...]:
    folds = min(n_folds, len(labels))
    if several:
        parts = KFold(folds, shuffle=True, random_state=seed).split(labels)
    else:
        number = {label: at for at, label in enumerate(Counter(labels))}
        classes = np.array([number[label] for label in labels])
        folds = max(2, min(folds, max(Counter(labels).values())))
        dealer = StratifiedKFold(folds, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            # A class with fewer documents than folds is in some of them only.
            warnings.simplefilter("ignore", UserWarning)
            parts = [*dealer.split(classes, classes)]
    return tuple(Split(learned, judged) for learned, judged in parts)


def _of_groups(groups: NDArray[Any], n_folds: int) -> tuple[Split, ...]:
    _, numbers = np.unique(groups, return_inverse=True)
    n_groups = int(numbers.max()) + 1
    if n_groups < 2:
        raise InputError("all documents are of one group, which cannot be learned and judged by.")
    parts = GroupKFold(min(n_folds, n_groups)).split(numbers, groups=numbers)
    return tuple(Split(learned, judged) for learned, judged in parts)


def _of_time(time: NDArray[Any], n_folds: int) -> tuple[Split, ...]:
    """Return blocks of moments, so that documents of one moment stay together."""
    moments, numbers = np.unique(time, return_inverse=True)
    if len(moments) < 2:
        raise InputError("all documents are of one moment, so that none is later than others.")
    blocks = np.array_split(np.arange(len(moments)), min(n_folds, len(moments) - 1) + 1)
    return tuple(
        Split(np.flatnonzero(numbers < block[0]), np.flatnonzero(np.isin(numbers, block)))
        for block in blocks[1:]
    )


def _per_document(given: ArrayLike, labels: list[Any], name: str) -> NDArray[Any]:
    values = np.asarray(given)
    if values.shape != (len(labels),):
        raise InputError(f"{len(labels)} documents, but {name} of shape {values.shape}.")
    missing = [at for at, value in enumerate(values.tolist()) if value is None or value != value]
    if missing:
        raise InputError(f"{name} lacks a value for document {missing[0]}.")
    return values
