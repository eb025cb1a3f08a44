"""Documents whose label is most likely wrong: models that have not seen them say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tallytext._typing import FloatArray
from tallytext.comparison.documents import Rows
from tallytext.decision.explanation import Explanation


class Suspect(NamedTuple):
    """A document of which a model without it says something else than its label does.

    Where documents have several labels, one of them is in doubt: it was given, and ``likelier`` is
    None, or it was not, and ``label`` is None.

    Attributes
    ----------
    row : int
        Which document, counted from 0.
    label : Any
        What it was given.
    likelier : Any
        What the model says.
    probability, label_probability : float
        Of both, to the model.
    evidence : Explanation or None
        What speaks for the one against the other; with several labels, for the one in doubt.
    """

    row: int
    label: Any
    likelier: Any
    probability: float
    label_probability: float
    evidence: Explanation | None = None

    @property
    def surprise(self) -> float:
        """By how much more probable the other label is."""
        return self.probability - self.label_probability


def most_surprising(found: Sequence[Suspect], most: int) -> list[Suspect]:
    """Return so many of them, the most surprising first; of equals, the first by row."""
    return sorted(found, key=lambda each: (-each.surprise, each.row))[:most]


def suspects_among(
    rows: Rows, labels: Sequence[Any], probabilities: FloatArray, classes: Sequence[Any], most: int
) -> list[Suspect]:
    """Return the documents whose label surprises a model most.

    Labels that the model does not know are left out: it cannot be asked.

    Parameters
    ----------
    rows : ndarray of int
        Which documents.
    labels : sequence
        What they were given.
    probabilities : ndarray of shape (n_rows, n_classes)
    classes : sequence
        What the columns stand for.
    most : int
        How many to return.

    Examples
    --------
    >>> found = suspects_among(np.array([4, 7]), ["sea", "sky"],
    ...                        np.array([[0.75, 0.25], [0.875, 0.125]]), ["sea", "sky"], 5)
    >>> found[0][:3]
    (7, 'sky', 'sea')
    """
    place = {label: at for at, label in enumerate(classes)}
    columns = np.array([place.get(label, -1) for label in labels], dtype=np.intp)
    best, every = probabilities.argmax(axis=1), np.arange(len(rows))
    likely, given = probabilities[every, best], probabilities[every, columns]
    odd = np.flatnonzero((columns >= 0) & (columns != best))
    found = [
        Suspect(int(rows[at]), labels[at], classes[best[at]], float(likely[at]), float(given[at]))
        for at in odd[np.argsort(given[odd] - likely[odd], kind="stable")[:most]]
    ]
    return most_surprising(found, most)


def labels_in_doubt(
    rows: Rows, labels: Sequence[Any], probabilities: FloatArray, classes: Sequence[Any], most: int
) -> list[Suspect]:
    """Return documents with a label that surprises a model most, or without one.

    Parameters
    ----------
    rows, probabilities, classes, most
        As in :func:`suspects_among`.
    labels : sequence of list
        What documents were given, one label or several.

    Examples
    --------
    >>> found = labels_in_doubt(np.array([4, 7]), [["sea"], ["sky"]],
    ...                         np.array([[0.75, 0.875], [0.25, 0.125]]), ["sea", "sky"], 5)
    >>> [suspect[:4] for suspect in found]
    [(4, None, 'sky', 0.875), (7, 'sky', None, 0.875)]
    """
    place = {label: at for at, label in enumerate(classes)}
    given = np.zeros(probabilities.shape, dtype=bool)
    for at, some in enumerate(labels):
        listed = some if isinstance(some, list | tuple | set | frozenset) else [some]
        given[at, [place[label] for label in listed if label in place]] = True
    doubt = np.where(given, 1 - probabilities, probabilities)
    column, every = doubt.argmax(axis=1), np.arange(len(rows))
    largest = doubt[every, column]
    found = []
    for at in np.argsort(-largest, kind="stable")[:most]:
        sides = _sides(classes[column[at]], bool(given[at, column[at]]))
        odds = float(largest[at]), float(1 - largest[at])
        found += [Suspect(int(rows[at]), *sides, *odds)] if largest[at] > 0.5 else []
    return most_surprising(found, most)


def _sides(label: Any, was_given: bool) -> tuple[Any, Any]:
    return (label, None) if was_given else (None, label)
