"""An evaluation as arrays and plain values; what is read is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.evaluation.certainty import Certainty
from tallytext.labels import LabelIndex
from tallytext.parts import expect_parts, whole_part

if TYPE_CHECKING:
    from tallytext.evaluation.evaluation import Evaluation

_MOST = 2**63 - 1
_KINDS = (str, int, float, bool)


def arrays_of(evaluation: Evaluation) -> dict[str, NDArray[Any]]:
    """Return the counts of an evaluation."""
    return {
        "by_class": evaluation.by_class,
        "documents": _table(evaluation.documents, 3),
        "confusions": _table(evaluation.confusions, 2),
        "known": np.array(sorted(evaluation.known), dtype=np.int64),
    }


def header_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the rest of it."""
    return {"labels": evaluation.labels, "certainty": evaluation.certainty.to_dict()}


def index_of(header: Mapping[str, Any]) -> LabelIndex:
    """Return the labels of an evaluation that was stored."""
    labels = header.get("labels")
    if not isinstance(labels, list) or not all(type(label) in _KINDS for label in labels):
        raise FileError(f"{labels!r:.80} are no labels.")
    index = LabelIndex(labels)
    if len(index) != len(labels):
        raise FileError("it has a label twice.")
    return index


def fill(
    evaluation: Evaluation, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> None:
    """Give an evaluation, that has its labels, all the rest."""
    expect_parts(arrays, {"by_class", "documents", "confusions", "known"})
    n_labels = len(evaluation.labels)
    # Labels that came last, of classes no document has, may be without counts.
    counts = whole_part(arrays, "by_class", (3, None), 0, _MOST)
    if counts.shape[1] > n_labels or (counts[0] > counts[1:]).any():
        raise FileError("by_class says of more labels to be right than there are.")
    kinds = whole_part(arrays, "documents", (None, 4), 0, _MOST)
    if (kinds[:, 0] > kinds[:, 1:3].min(axis=1, initial=_MOST)).any():
        raise FileError("documents have more labels that are right than labels.")
    pairs = whole_part(arrays, "confusions", (None, 3), 0, _MOST)
    if (pairs[:, :2] >= n_labels).any() or (pairs[:, 0] == pairs[:, 1]).any():
        raise FileError("confusions are not between two of the labels.")
    evaluation.by_class = counts
    evaluation.documents = _counter(kinds)
    evaluation.confusions = _counter(pairs)
    evaluation.known = {*whole_part(arrays, "known", (None,), 0, n_labels).tolist()}
    try:
        evaluation.certainty = Certainty.from_dict(header["certainty"])
    except (KeyError, TypeError) as problem:
        raise FileError(f"its certainty cannot be read: {problem}.") from None


def _table(counter: Mapping[Any, int], width: int) -> NDArray[np.int64]:
    rows = [(*key, n) for key, n in sorted(counter.items())]
    return np.array(rows, dtype=np.int64).reshape(-1, width + 1)


def _counter(table: NDArray[np.int64]) -> Counter[Any]:
    if (table[:, -1] < 1).any():
        raise FileError("it counts what is not there.")
    return Counter({tuple(row[:-1]): row[-1] for row in table.tolist()})
