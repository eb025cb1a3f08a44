"""Conversion of labels: columns, lists of labels and indicator matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._validation import check_weights
from tallytext.errors import LabelError, SettingsError
from tallytext.tally.labels import LabelIndex, is_indicator, list_labels, read_targets

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


def read_labels(labels: Any) -> tuple[list[Any], int | None]:
    """Return a label, or a list of labels, for each document.

    Parameters
    ----------
    labels : list, array, column or indicator matrix

    Returns
    -------
    labels : list
    columns : int or None
        The number of columns of an indicator matrix; their positions are the labels.

    Examples
    --------
    >>> read_labels(np.array([[0, 1], [1, 1]]))
    ([[1], [0, 1]], 2)
    """
    # Rows of 0 and 1 in a list might be lists of the labels 0 and 1, unless one has a label twice.
    rows = isinstance(labels, list | tuple) and is_indicator(labels)
    if rows or sparse.issparse(labels) or getattr(labels, "ndim", 1) == 2:
        targets = read_targets(labels)
        return targets.labels, targets.columns
    listed = list_labels(labels)
    if {*map(type, listed)}.isdisjoint(_COLLECTIONS):
        return listed, None
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in listed], None


def has_one_label(label: Any) -> bool:
    """Return True for a label, or for a collection with exactly one label."""
    return not isinstance(label, _COLLECTIONS) or len(set(label)) == 1


def single_labels(labels: list[Any], before: int = 0) -> list[Any]:
    """Return one label for each document; raise LabelError if one has several or none.

    Parameters
    ----------
    labels : list
    before : int, default=0
        The number of documents before these, for the error message.
    """
    # There are few types and many documents, so this is much faster than a look at each label.
    if {*map(type, labels)}.isdisjoint(_COLLECTIONS):
        return labels
    for at, label in enumerate(labels, before):
        if not has_one_label(label):
            raise LabelError(
                f"document {at} has the labels {list(label)!r}, but this classifier is for "
                "documents with one label each. Train it with multi_label=True."
            )
    return [next(iter(label)) if isinstance(label, _COLLECTIONS) else label for label in labels]


def document_weights(
    labels: list[Any], sample_weight: Any, class_weight: Any
) -> NDArray[np.float64] | None:
    r"""Return the weight of each document: its own times that of its class; None without weights.

    "balanced" is :math:`n / (k\, n_c)` for n documents in k classes, as in scikit-learn.

    Parameters
    ----------
    labels : list
        A label per document; or a list of labels, if there is no class_weight.
    sample_weight : array-like of shape (n_documents,) or None
    class_weight : {"balanced"}, mapping or None
        A class that a mapping lacks has the weight 1.

    Raises
    ------
    SettingsError
        If a class weight is given for a label that no document has, or for multi-label documents.

    Examples
    --------
    >>> document_weights(["sea", "sky", "sky", "sky"], None, "balanced").round(3)
    array([2.   , 0.667, 0.667, 0.667])
    >>> document_weights(["sea", "sky"], [1, 2], {"sky": 3})
    array([1., 6.])
    """
    weights = check_weights(sample_weight, len(labels))
    if class_weight is None:
        return weights
    if not all(map(has_one_label, labels)):
        raise SettingsError(
            "class_weight needs documents with one label each. Give a document with several labels "
            "its weight by sample_weight=."
        )
    labels = single_labels(labels)
    counts = Counter(labels)
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors = {label: len(labels) / (len(counts) * n) for label, n in counts.items()}
    elif isinstance(class_weight, Mapping):
        factors = dict(class_weight)
        unknown = [label for label in factors if label not in counts]
        if unknown:
            raise SettingsError(f"class_weight has the label {unknown[0]!r}, but no document has.")
    else:
        raise SettingsError(
            f"class_weight must be 'balanced', a mapping or None, not {class_weight!r:.80}."
        )
    by_class = check_weights([factors.get(label, 1.0) for label in labels], len(labels))
    assert by_class is not None
    return by_class if weights is None else by_class * weights


def check_labels(labels: list[Any]) -> None:
    """Raise LabelError if a value cannot be a label."""
    LabelIndex().encode(labels, len(labels))


def check_label_count(n_texts: int, labels: list[Any]) -> None:
    """Raise LabelError unless there are as many labels as texts."""
    if n_texts != len(labels):
        documents = "is 1 document" if n_texts == 1 else f"are {n_texts} documents"
        raise LabelError(f"there {documents}, but labels for {len(labels)}.")


def check_indicator_columns(labels: list[Any], columns: int | None, expected: int | None) -> None:
    """Raise LabelError unless labels match the indicator matrix that a classifier was trained on.

    Parameters
    ----------
    labels : list
    columns : int or None
        The number of columns, if these labels are an indicator matrix.
    expected : int or None
        The number of columns of the training labels.
    """
    if columns is not None and columns != expected:
        raise LabelError(f"these labels have {columns} columns, but those of fit had {expected}.")
    if expected is None or columns is not None:
        return
    lists = (given if isinstance(given, _COLLECTIONS) else (given,) for given in labels)
    for label in chain.from_iterable(lists):
        if label not in range(expected):
            raise LabelError(
                f"{label!r} cannot be a label: those of fit were a matrix of {expected} columns."
            )


def label_lists(assigned: NDArray[np.bool_], classes: NDArray[Any]) -> NDArray[np.object_]:
    """Return the labels of each document as a list.

    Examples
    --------
    >>> label_lists(np.array([[True, False], [True, True]]), np.array(["sea", "sky"])).tolist()
    [['sea'], ['sea', 'sky']]
    """
    # Filled row by row: NumPy would turn lists of the same length into a matrix.
    lists = np.empty(len(assigned), dtype=object)
    names = classes.tolist()
    for row, chosen in enumerate(assigned):
        lists[row] = [names[column] for column in np.flatnonzero(chosen)]
    return lists


def lists_to_indicator(lists: NDArray[np.object_], columns: int) -> NDArray[np.int64]:
    """Return an indicator matrix, given lists of column numbers.

    Examples
    --------
    >>> truth = np.array([[True, True], [False, False]])
    >>> lists_to_indicator(label_lists(truth, np.array([0, 2])), 3)
    array([[1, 0, 1],
           [0, 0, 0]])
    """
    matrix = np.zeros((len(lists), columns), dtype=np.int64)
    rows = np.repeat(np.arange(len(lists)), [len(labels) for labels in lists])
    matrix[rows, [*chain.from_iterable(lists)]] = 1
    return matrix


def count_matches(predicted: list[Any], truth: list[Any]) -> tuple[int, int, int]:
    """Return the number of labels that are predicted rightly, that are predicted, and true.

    Examples
    --------
    >>> count_matches([["sea"], ["sea", "sky"]], [["sea", "ice"], "sky"])
    (2, 3, 3)
    """
    pairs = [
        (set(a), set(b if isinstance(b, _COLLECTIONS) else [b]))
        for a, b in zip(predicted, truth, strict=True)
    ]
    sums = ((len(a & b), len(a), len(b)) for a, b in pairs)
    n_right, n_predicted, n_true = map(sum, zip(*sums, strict=True)) if pairs else (0, 0, 0)
    return n_right, n_predicted, n_true
