"""Documents with their classes as arrays for a file, and back; nothing in a file is believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import FileError, LabelError
from tallytext.labels import LabelIndex
from tallytext.neighbours.collection import Collection

_DTYPES = {
    "starts": np.int64,
    "terms": np.int32,
    "counts": np.float64,
    "width": np.int64,
    "label_starts": np.int64,
    "labels": np.int32,
}


class Stored(NamedTuple):
    """What a file held."""

    documents: Collection
    announced: list[Any]


def collection_to_arrays(counts: Any, labels: Any) -> dict[str, NDArray[Any]]:
    """Return counts and labels of documents as arrays by name.

    Examples
    --------
    >>> rows, labels = sparse.csr_array([[2, 0], [0, 1]]), sparse.csr_array([[1.0], [1.0]])
    >>> sorted(collection_to_arrays(rows, labels))
    ['counts', 'label_starts', 'labels', 'starts', 'terms', 'width']
    """
    labels = labels.sorted_indices()
    parts = (
        counts.indptr,
        counts.indices,
        counts.data,
        [counts.shape[1]],
        labels.indptr,
        labels.indices,
    )
    return {
        name: np.ascontiguousarray(part, dtype=dtype)
        for (name, dtype), part in zip(_DTYPES.items(), parts, strict=True)
    }


def collection_from(
    arrays: Mapping[str, NDArray[Any]],
    values: Mapping[str, Any],
    classes: NDArray[Any],
    several: bool,
) -> Stored:
    """Read what was written, and check all of it.

    Raises
    ------
    FileError
        If these cannot be documents of such classes.
    """
    _expect(isinstance(values, Mapping) and values.keys() == {"announced"}, "its values")
    _expect(arrays.keys() == _DTYPES.keys(), "the names of its arrays")
    for name, dtype in _DTYPES.items():
        _expect(arrays[name].ndim == 1 and arrays[name].dtype == dtype, f"the kind of its {name}")
    _expect(len(arrays["width"]) == 1 and 0 <= arrays["width"][0] < 2**31, "its width")
    width = int(arrays["width"][0])
    counts = _rows(arrays["starts"], arrays["terms"], arrays["counts"], width)
    ones = np.ones(len(arrays["labels"]))
    labels = _rows(arrays["label_starts"], arrays["labels"], ones, len(classes))
    _expect(counts.shape[0] == labels.shape[0], "the number of its labels")
    _expect(several or bool((np.diff(labels.indptr) == 1).all()), "the labels of a document")
    announced = _announced(values["announced"], classes)
    _expect_all_used(labels, announced, classes)
    documents = Collection(width, len(classes))
    documents.learn(counts, labels)
    return Stored(documents, announced)


def _rows(
    starts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], width: int
) -> sparse.csr_array[Any]:
    ends = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(columns)
    _expect(bool(ends) and bool((np.diff(starts) >= 0).all()), "where its rows begin")
    _expect(len(values) == len(columns), "the number of its counts")
    inside = len(columns) == 0 or (columns.min() >= 0 and columns.max() < width)
    _expect(bool(inside), "a column")
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ascends = (np.diff(columns.astype(np.int64)) > 0) | (np.diff(row) > 0)
    _expect(bool(ascends.all()), "the order of its columns")
    _expect(bool((np.isfinite(values) & (values > 0)).all()), "a count")
    parts = values.copy(), columns.copy(), starts.copy()
    return sparse.csr_array(parts, shape=(len(starts) - 1, width))


def _announced(labels: Any, classes: NDArray[Any]) -> list[Any]:
    _expect(isinstance(labels, list), "its announced classes")
    try:
        names = LabelIndex(labels).names
    except LabelError:
        names = []
    _expect(len(names) == len(labels) and {*names} <= {*classes.tolist()}, "its announced classes")
    return labels


def _expect_all_used(labels: Any, announced: list[Any], classes: NDArray[Any]) -> None:
    used = np.bincount(labels.indices, minlength=len(classes)) > 0
    for name, there in zip(classes.tolist(), used.tolist(), strict=True):
        _expect(there or name in announced, "a class that no document has")


def _expect(good: bool, what: str) -> None:
    if not good:
        raise FileError(f"these are not the documents of a CosineKNN: {what} cannot be.")
