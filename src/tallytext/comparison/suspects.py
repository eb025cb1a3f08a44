"""Documents whose label may be wrong, by models that were not trained on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tallytext._typing import FloatArray
from tallytext.comparison.outcomes import label_set
from tallytext.decision.evidence import leading_words
from tallytext.decision.explanation import Explanation
from tallytext.evaluation.folds import Rows


class Suspect(NamedTuple):
    """A document whose label a model without it finds less probable than another one.

    With multi-label documents, a single label is in doubt: one that the document has, and then
    ``likelier`` is None, or one that it lacks, and then ``label`` is None.

    Attributes
    ----------
    row : int
        The document, counted from 0.
    label : Any
        Its label.
    likelier : Any
        The label that the model predicts.
    probability, label_probability : float
        The probabilities of ``likelier`` and of ``label`` in the model.
    evidence : Explanation or None
        The words for ``likelier`` and for ``label``; with multi-label documents, for and against
        the label in doubt. None for models that cannot explain their predictions.
    """

    row: int
    label: Any
    likelier: Any
    probability: float
    label_probability: float
    evidence: Explanation | None = None

    @property
    def surprise(self) -> float:
        """The difference of the two probabilities."""
        return self.probability - self.label_probability


SUSPECT_COLUMNS = (
    *("file", "row", "text", "label", "suggested_label", "corrected"),
    *("probability", "label_probability", "words"),
)
"""The columns of a file of suspects."""


def suspect_record(suspect: Suspect, text: str, label: Any) -> dict[str, Any]:
    """Return the values of the columns of a file, except for the place of the document.

    The column ``corrected`` has the present label: learning it again changes nothing, until a
    person has written another one there.

    Parameters
    ----------
    suspect : Suspect
    text : str
        The document.
    label : label or list of labels
        All its labels.

    Examples
    --------
    >>> record = suspect_record(Suspect(4, "sea", None, 0.9, 0.1), "blue", ["sea", "sky"])
    >>> record["label"], record["suggested_label"], record["corrected"]
    (['sea', 'sky'], ['sky'], ['sea', 'sky'])
    """
    suggested: Any = suspect.likelier
    if isinstance(label, list | tuple):
        label = list(label)
        more = [] if suspect.likelier is None else [suspect.likelier]
        suggested = [each for each in label if each != suspect.label] + more
    return {
        "text": text,
        "label": label,
        "suggested_label": suggested,
        "corrected": label,
        "probability": round(suspect.probability, 6),
        "label_probability": round(suspect.label_probability, 6),
        "words": [f"{term} {value:+.2f}" for term, value in leading_words(suspect.evidence)],
    }


def most_surprising(suspects: Sequence[Suspect], limit: int) -> list[Suspect]:
    """Return the suspects with the largest surprise, in descending order; ties go by row."""
    return sorted(suspects, key=lambda each: (-each.surprise, each.row))[:limit]


def find_suspects(
    rows: Rows, labels: Sequence[Any], probabilities: FloatArray, classes: Sequence[Any], limit: int
) -> list[Suspect]:
    """Return the documents whose label has the lowest probability beside the most likely one.

    Documents with a label that the model does not know are left out, as it has no probability.

    Parameters
    ----------
    rows : ndarray of int
        The documents, counted from 0.
    labels : sequence
        Their labels.
    probabilities : ndarray of shape (n_rows, n_classes)
        The probability of each class.
    classes : sequence
        The label of each column.
    limit : int
        The largest number of documents to return.

    Examples
    --------
    >>> found = find_suspects(np.array([4, 7]), ["sea", "sky"],
    ...                       np.array([[0.75, 0.25], [0.875, 0.125]]), ["sea", "sky"], 5)
    >>> found[0][:3]
    (7, 'sky', 'sea')
    """
    column_of = {label: at for at, label in enumerate(classes)}
    # -1 reads the last column, and the mask below excludes these documents.
    columns = np.array([column_of.get(label, -1) for label in labels], dtype=np.intp)
    best, every = probabilities.argmax(axis=1), np.arange(len(rows))
    likely, given = probabilities[every, best], probabilities[every, columns]
    wrong = np.flatnonzero((columns >= 0) & (columns != best))
    suspects = [
        Suspect(int(rows[at]), labels[at], classes[best[at]], float(likely[at]), float(given[at]))
        for at in wrong[np.argsort(given[wrong] - likely[wrong], kind="stable")[:limit]]
    ]
    return most_surprising(suspects, limit)


def find_multi_label_suspects(
    rows: Rows, labels: Sequence[Any], probabilities: FloatArray, classes: Sequence[Any], limit: int
) -> list[Suspect]:
    """Return the documents with the least probable label, or without the most probable one.

    Parameters
    ----------
    rows, probabilities, classes, limit
        As in :func:`find_suspects`.
    labels : sequence of list
        The labels of each document.

    Examples
    --------
    >>> found = find_multi_label_suspects(np.array([4, 7]), [["sea"], ["sky"]],
    ...     np.array([[0.75, 0.875], [0.25, 0.125]]), ["sea", "sky"], 5)
    >>> [suspect[:4] for suspect in found]
    [(4, None, 'sky', 0.875), (7, 'sky', None, 0.875)]
    """
    column_of = {label: at for at, label in enumerate(classes)}
    given = np.zeros(probabilities.shape, dtype=bool)
    for at, some in enumerate(labels):
        given[at, [column_of[label] for label in label_set(some) if label in column_of]] = True
    doubt = np.where(given, 1 - probabilities, probabilities)
    columns, every = doubt.argmax(axis=1), np.arange(len(rows))
    largest = doubt[every, columns]
    suspects = []
    for at in np.argsort(-largest, kind="stable")[:limit]:
        # Up to one half, the given labels are at least as probable as their opposites.
        if largest[at] > 0.5:
            label = classes[columns[at]]
            has_label = given[at, columns[at]]
            present, missing = (label, None) if has_label else (None, label)
            likely, unlikely = float(largest[at]), float(1 - largest[at])
            suspects.append(Suspect(int(rows[at]), present, missing, likely, unlikely))
    return most_surprising(suspects, limit)
