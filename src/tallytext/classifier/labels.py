"""Labels in the forms that users have them in, and back."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import LabelError
from tallytext.tally.labels import LabelIndex, is_indicator, listed_labels, targets_of

_SEVERAL = (list, tuple, set, frozenset, np.ndarray)


def labels_of(labels: Any) -> tuple[list[Any], int | None]:
    """Return a label, or a list of labels, for each document.

    Parameters
    ----------
    labels : list, array, column or indicator matrix

    Returns
    -------
    labels : list
    columns : int or None
        How many columns an indicator matrix has, whose numbers are the labels.

    Examples
    --------
    >>> labels_of(np.array([[0, 1], [1, 1]]))
    ([[1], [0, 1]], 2)
    """
    rows = isinstance(labels, list | tuple) and is_indicator(labels)
    if rows or sparse.issparse(labels) or getattr(labels, "ndim", 1) == 2:
        targets = targets_of(labels)
        return targets.labels, targets.columns
    listed = listed_labels(labels)
    if _are_single(listed):
        return listed, None
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in listed], None


def _are_single(labels: list[Any]) -> bool:
    """Whether no document has its labels in a collection."""
    return {*map(type, labels)}.isdisjoint(_SEVERAL)


def is_single(label: Any) -> bool:
    """Whether this says of a document that it has exactly one label."""
    return not isinstance(label, _SEVERAL) or len(set(label)) == 1


def check_single(labels: list[Any], before: int = 0) -> list[Any]:
    """Return one label for each document, or refuse those that have several or none.

    Parameters
    ----------
    labels : list
    before : int, default=0
        How many documents came before these.
    """
    if _are_single(labels):
        return labels
    for at, label in enumerate(labels, before):
        if not is_single(label):
            raise LabelError(
                f"document {at} has the labels {list(label)!r}, but this classifier is for "
                "documents with one label each. Train it with multi_label=True."
            )
    return [next(iter(label)) if isinstance(label, _SEVERAL) else label for label in labels]


def check_labels(labels: list[Any]) -> None:
    """Refuse what cannot be a label."""
    LabelIndex().encode(labels, len(labels))


def check_as_many(n_texts: int, labels: list[Any]) -> None:
    """Refuse more or fewer labels than texts."""
    if n_texts != len(labels):
        raise LabelError(f"there are {n_texts} documents, but labels for {len(labels)}.")


def check_columns(labels: list[Any], columns: int | None, expected: int | None) -> None:
    """Refuse labels that are no columns of the indicator matrix that a classifier was trained on.

    Parameters
    ----------
    labels : list
    columns : int or None
        How many columns these have, if they are an indicator matrix.
    expected : int or None
        The same of the labels of fit.
    """
    if columns is not None and columns != expected:
        raise LabelError(f"these labels have {columns} columns, but those of fit had {expected}.")
    if expected is None or columns is not None:
        return
    lists = (given if isinstance(given, _SEVERAL) else (given,) for given in labels)
    for label in chain.from_iterable(lists):
        if label not in range(expected):
            raise LabelError(
                f"{label!r} cannot be a label: those of fit were a matrix of {expected} columns."
            )


def as_lists(decided: NDArray[np.bool_], classes: NDArray[Any]) -> NDArray[np.object_]:
    """Return the labels of each document as a list.

    Examples
    --------
    >>> as_lists(np.array([[True, False], [True, True]]), np.array(["sea", "sky"])).tolist()
    [['sea'], ['sea', 'sky']]
    """
    lists = np.empty(len(decided), dtype=object)
    names = classes.tolist()
    for row, chosen in enumerate(decided):
        lists[row] = [names[column] for column in np.flatnonzero(chosen)]
    return lists


def as_indicator(lists: NDArray[np.object_], columns: int) -> NDArray[np.int64]:
    """Return lists of labels that are numbers of columns as a matrix of 0 and 1.

    Examples
    --------
    >>> as_indicator(as_lists(np.array([[True, True], [False, False]]), np.array([0, 2])), 3)
    array([[1, 0, 1],
           [0, 0, 0]])
    """
    matrix = np.zeros((len(lists), columns), dtype=np.int64)
    rows = np.repeat(np.arange(len(lists)), [len(labels) for labels in lists])
    matrix[rows, [*chain.from_iterable(lists)]] = 1
    return matrix


def shared(given: list[Any], wanted: list[Any]) -> tuple[int, int, int]:
    """Return how many labels documents were given rightly, were given, and have.

    Examples
    --------
    >>> shared([["sea"], ["sea", "sky"]], [["sea", "ice"], "sky"])
    (2, 3, 3)
    """
    pairs = [
        (set(a), set(b if isinstance(b, _SEVERAL) else [b]))
        for a, b in zip(given, wanted, strict=True)
    ]
    sums = ((len(a & b), len(a), len(b)) for a, b in pairs)
    right, n_given, n_wanted = map(sum, zip(*sums, strict=True)) if pairs else (0, 0, 0)
    return right, n_given, n_wanted
