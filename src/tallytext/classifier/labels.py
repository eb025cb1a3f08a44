"""Labels in the forms that users have them in, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.bayes.targets import targets_of
from tallytext.errors import LabelError
from tallytext.labels import listed_labels

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
    if sparse.issparse(labels) or getattr(labels, "ndim", 1) == 2:
        targets = targets_of(labels)
        return targets.labels, targets.columns
    return listed_labels(labels), None


def is_single(label: Any) -> bool:
    """Whether this says of a document that it has exactly one label."""
    return not isinstance(label, _SEVERAL) or len(set(label)) == 1


def expect_single(labels: list[Any]) -> list[Any]:
    """Return one label for each document, or refuse those that have several or none."""
    for at, label in enumerate(labels):
        if not is_single(label):
            raise LabelError(
                f"document {at} has the labels {list(label)!r}, but this classifier was trained on "
                "documents with one label each. Train it with multi_label=True."
            )
    return [next(iter(label)) if isinstance(label, _SEVERAL) else label for label in labels]


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
