"""Labels of documents: reading, checking and numbering them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import number_labels
from tallytext._validation import check_sparse
from tallytext.errors import InputError, LabelError, UnknownNameError, did_you_mean
from tallytext.runtime import import_pyarrow
from tallytext.text.sources import is_table, table_chunks

Label: TypeAlias = str | int | float | bool
Encoded: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]

# A document's entry of one of these types holds several labels.
_LABEL_LISTS = (list, tuple, set, frozenset)
_COLLECTIONS = (*_LABEL_LISTS, np.ndarray)
_INDICATOR_ROWS = (list, tuple, np.ndarray)
_PLAIN_TYPES = {str, int, bool}


class LabelIndex:
    """A numbering of class labels, in order of arrival; equal labels are one label.

    Examples
    --------
    >>> index = LabelIndex(["ham"])
    >>> starts, ids = index.encode(["spam", ["ham", "spam", "ham"], []], n_documents=3)
    >>> starts, ids
    (array([0, 1, 3, 3]), array([1, 0, 1], dtype=int32))
    >>> index.names
    ['ham', 'spam']
    """

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.names: list[Label] = []
        self._ids: dict[Label, int] = {}
        for name in names:
            self.add(name)

    def __len__(self) -> int:
        return len(self.names)

    def copy(self) -> LabelIndex:
        """Return an independent index with the same numbers."""
        return LabelIndex(self.names)

    def encode(self, labels: Any, n_documents: int) -> Encoded:
        """Return the numbers of the labels of each document, adding new labels.

        Returns
        -------
        starts, ids
            The labels of document d are ``ids[starts[d]:starts[d + 1]]``, each once.
        """
        listed = list_labels(labels)
        if len(listed) != n_documents:
            raise LabelError(f"there are {n_documents} documents, but labels for {len(listed)}.")
        # The core numbers str and int; it returns None at the first entry of another type. Labels
        # numbered before that entry keep their numbers when each entry is read below.
        ids = number_labels(listed, self._ids, self.names)
        return self._encode_each(listed) if ids is None else (np.arange(n_documents + 1), ids)

    def encode_one(self, labels: Any) -> Encoded:
        """Return the numbers of the label or labels of a single document."""
        known = self._ids.get(labels) if type(labels) is str else None
        ids = self._ids_of(labels, "the document") if known is None else [known]
        return np.array([0, len(ids)]), np.array(ids, dtype=np.int32)

    def truncate(self, size: int) -> None:
        """Remove all labels after the first ``size``."""
        for name in self.names[size:]:
            del self._ids[name]
        del self.names[size:]

    def add(self, label: Any, where: str = "class") -> int:
        """Return the number of a label, adding it if it is new; ``where`` is for errors."""
        name = label if type(label) is str else plain_label(label, where)
        id = self._ids.setdefault(name, len(self.names))
        if id == len(self.names):
            self.names.append(name)
        return id

    def find(self, label: Any) -> int:
        """Return the number of a label, -1 if it is unknown."""
        return self._ids.get(plain_label(label, "class"), -1)

    def join(self, other: LabelIndex) -> NDArray[np.int32]:
        """Add the labels of ``other``; return the number here of each number there."""
        return np.array([self.add(name) for name in other.names], dtype=np.int32)

    def _encode_each(self, listed: list[Any]) -> Encoded:
        each = [self._ids_of(labels, f"document {i}") for i, labels in enumerate(listed)]
        starts = np.zeros(len(each) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in each], out=starts[1:])
        return starts, np.array([id for ids in each for id in ids], dtype=np.int32)

    def _ids_of(self, labels: Any, where: str) -> list[int]:
        if not isinstance(labels, _COLLECTIONS):
            return [self.add(labels, where)]
        # New classes are numbered in order of arrival, and the order of a set is arbitrary.
        ordered = sorted(labels, key=repr) if isinstance(labels, set | frozenset) else labels
        return list(dict.fromkeys(self.add(label, where) for label in ordered))


def plain_label(label: Any, where: str) -> Label:
    """Return a label as a plain Python value; raise LabelError if it is missing or no label.

    Examples
    --------
    >>> plain_label(np.int64(3), "document 0")
    3
    """
    if isinstance(label, np.generic):
        label = label.item()
    elif hasattr(label, "as_py"):
        label = label.as_py()
    # NaN marks a missing label in pandas. It does not equal itself, so it could not be found again.
    if label is None or (isinstance(label, float) and math.isnan(label)):
        raise LabelError(
            f"{where} has the label {label}. Pass texts without a known label to "
            "TextClassifier.fit as unlabelled=; if documents may have several labels, write [] for "
            "a document that has none."
        )
    if not isinstance(label, str | int | float) or label in (math.inf, -math.inf):
        raise LabelError(f"{where}: {label!r} cannot be a label; use a string or a number.")
    return label if type(label) in _PLAIN_TYPES else _without_methods(label)


def _without_methods(label: Label) -> Label:
    """Return a label of a subclass as what it is: its own methods could fail while it is stored."""
    if isinstance(label, str):
        return str.__str__(label)
    return int.__int__(label) if isinstance(label, int) else float.__float__(label)


def list_labels(labels: Any) -> list[Any]:
    """Return a list with one entry per document, from a list, an array, a column or an iterable."""
    if isinstance(labels, str | bytes | Mapping | set | frozenset):
        raise LabelError(f"one label per document is needed, in order, not {labels!r:.80}")
    if getattr(labels, "ndim", 1) != 1:
        raise LabelError("labels must have one dimension: one label, or one list, per document.")
    if is_table(labels):  # such as a column of duckdb, which is a relation with one column
        import_pyarrow(f"a {type(labels).__name__} as labels")
        try:
            return [label for chunk in table_chunks(labels) for label in chunk.to_pylist()]
        except InputError:
            raise LabelError(
                f"labels must be one column, but this {type(labels).__name__} has more or none. "
                "Select the column of the labels."
            ) from None
    # NumPy and pandas, pyarrow, polars. These give Python values, where iterating gives scalars of
    # the library.
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(labels, method):
            return list(getattr(labels, method)())
    if not isinstance(labels, Iterable):
        raise LabelError(f"one label per document is needed, not {labels!r:.80}")
    return labels if isinstance(labels, list) else list(labels)


def label_iterator(labels: Any) -> Iterator[Any]:
    """Return an iterator over the labels of each document, which does not read ahead.

    Examples
    --------
    >>> import pyarrow as pa
    >>> list(label_iterator(pa.array(["x", "y"])))
    ['x', 'y']
    """
    # A table is read at once: some databases cannot stream texts and labels at the same time.
    return labels if isinstance(labels, Iterator) else iter(list_labels(labels))


def unknown_class_error(label: object, classes: Iterable[Label]) -> UnknownNameError:
    """Return the error for an unknown class, with the most similar class names."""
    return UnknownNameError(f"there is no class {label!r} here.{did_you_mean(label, classes)}")


def sort_labels(labels: Iterable[Label]) -> list[Label]:
    """Return labels sorted; numbers come before strings.

    Examples
    --------
    >>> sort_labels(["b", 10, "a", 2])
    [2, 10, 'a', 'b']
    """
    # Python does not compare numbers with strings.
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


def distinct_labels(labels: list[Any]) -> list[Label]:
    """Return each label of the documents once, sorted.

    Examples
    --------
    >>> distinct_labels(["sky", ["sea", "sky"], []])
    ['sea', 'sky']
    """
    index = LabelIndex()
    index.encode(labels, len(labels))
    return sort_labels(index.names)


def class_position(label: Any, classes: NDArray[Any]) -> int:
    """Return the position of a label in an array of classes.

    Examples
    --------
    >>> class_position("sky", np.array(["sea", "sky"]))
    1
    """
    shown = classes.tolist()
    if label not in shown:
        raise unknown_class_error(label, shown)
    return shown.index(label)


def label_array(labels: list[Label]) -> NDArray[Any]:
    """Return labels as an array that holds each label unchanged.

    Examples
    --------
    >>> label_array([2, "a"])
    array([2, 'a'], dtype=object)
    >>> label_array([2**53 + 1, 0.5])
    array([9007199254740993, 0.5], dtype=object)
    """
    # NumPy would make one type of several: numbers become strings, large integers floats.
    kinds = {str if isinstance(label, str) else type(label) for label in labels}
    # NumPy drops NUL characters at the end of a string as padding.
    padded = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    if padded or len(kinds) > 1:
        mixed = np.empty(len(labels), dtype=object)
        mixed[:] = labels
        return mixed
    return np.array(labels) if labels else np.array([], dtype=object)


class Targets(NamedTuple):
    """The target labels of documents.

    Attributes
    ----------
    labels : list
        A label per document, or a list of labels.
    multi_label : bool
        True if documents may have several labels or none.
    columns : int or None
        Number of columns, if the labels were given as an indicator matrix.
    """

    labels: list[Any]
    multi_label: bool
    columns: int | None = None

    @property
    def distinct(self) -> set[Any]:
        """Each label once."""
        if self.multi_label:
            return {label for labels in self.labels for label in labels}
        return {*self.labels}

    @property
    def classes(self) -> list[Any]:
        """All classes, sorted: each label once, or the columns of an indicator matrix."""
        return sort_labels(self.distinct if self.columns is None else range(self.columns))

    def take(self, rows: NDArray[np.intp]) -> Targets:
        """Return the targets of some documents."""
        return self._replace(labels=[self.labels[row] for row in rows.tolist()])


def targets_from_labels(labels: list[Any], multi_label: bool) -> Targets:
    """Return targets from checked labels, as one list per document if they are multi-label.

    Examples
    --------
    >>> targets_from_labels(["a", ["b", "c"]], multi_label=True).labels
    [['a'], ['b', 'c']]
    """
    return Targets([_as_list(each) for each in labels] if multi_label else labels, multi_label)


def read_targets(y: Any) -> Targets:
    """Read labels given as one per document, as lists of labels, or as an indicator matrix.

    Lists that contain only 0 and 1 are ambiguous. They are read as an indicator matrix if a value
    occurs twice in one of them, since a list of labels has each label once.

    Examples
    --------
    >>> read_targets([["a", "b"], []])
    Targets(labels=[['a', 'b'], []], multi_label=True, columns=None)
    >>> read_targets(np.array([[0, 1, 1], [1, 0, 0]])).labels
    [[1, 2], [0]]
    """
    if isinstance(y, Targets):
        return y
    if y is None:
        raise LabelError("this classifier requires y to be passed, but the target y is None.")
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2:
        return _targets_from_matrix(y)
    if isinstance(y, np.ndarray) and y.dtype == object:
        y = y.tolist()  # its entries may be lists of labels
    if isinstance(y, list | tuple):
        if is_indicator(y):
            return _targets_from_matrix(np.array(y))
        if any(issubclass(kind, _LABEL_LISTS) for kind in {*map(type, y)}):
            return Targets([_as_list(labels) for labels in y], multi_label=True)
    return Targets(_single_labels(y), multi_label=False)


def check_lengths(X: Any, targets: Targets) -> None:
    """Raise LabelError if there are more or fewer labels than documents."""
    if len(targets.labels) != X.shape[0]:
        raise LabelError(
            f"X and y have inconsistent numbers of samples: {X.shape[0]} documents, "
            f"but labels for {len(targets.labels)}."
        )


def indicator_matrix(labels: list[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the indicator matrix of documents by classes; labels of other classes are ignored.

    Examples
    --------
    >>> indicator_matrix(["sea", ["sky", "sea"], []], np.array(["sea", "sky"])).astype(int).tolist()
    [[1, 0], [1, 1], [0, 0]]
    """
    place = {label: at for at, label in enumerate(classes.tolist())}
    # The last column collects labels of other classes, and is cut off.
    table = np.zeros((len(labels), len(place) + 1), dtype=bool)
    if {*map(type, labels)}.isdisjoint(_LABEL_LISTS):
        table[np.arange(len(labels)), [place.get(label, -1) for label in labels]] = True
        return table[:, :-1]
    for row, given in enumerate(labels):
        for label in given if isinstance(given, _LABEL_LISTS) else [given]:
            table[row, place.get(label, -1)] = True
    return table[:, :-1]


def _single_labels(y: Any) -> list[Any]:
    # Strings and integers are classes. Only floats may be a regression target, which scikit-learn
    # recognises by their values.
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iubU":
        return y.tolist()
    if isinstance(y, list | tuple) and y and {*map(type, y)} <= _PLAIN_TYPES:
        return [*y]
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    try:
        column = column_or_1d(y, warn=True)
        check_classification_targets(column)
    except TypeError:
        raise LabelError(f"labels must be strings or numbers, not {y!r:.80}") from None
    return column.tolist()


def _targets_from_matrix(y: Any) -> Targets:
    check_sparse(y)
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import column_or_1d

    if y.shape[1] == 1:
        dense: Any = y.toarray() if hasattr(y, "toarray") else y
        return read_targets(column_or_1d(dense, warn=True))
    if type_of_target(y) != "multilabel-indicator":
        raise LabelError(f"Unknown label type: a matrix of labels must hold 0 and 1, not {y!r:.80}")
    rows = sparse.csr_array(y)
    cells = np.split(rows.indices, rows.indptr[1:-1])
    return Targets([cell.tolist() for cell in cells], multi_label=True, columns=y.shape[1])


def is_indicator(y: Any) -> bool:
    """Return True if rows of 0 and 1 cannot be lists of labels, since a row has one of them twice.

    Examples
    --------
    >>> is_indicator([[0, 1, 1], [1, 0, 0]]), is_indicator([[0, 1], [1, 0]])
    (True, False)
    """
    if not y or not isinstance(y[0], _INDICATOR_ROWS) or len(y[0]) < 2 or not {*y[0]} <= {0, 1}:
        return False
    alike = all(isinstance(row, _INDICATOR_ROWS) and len(row) == len(y[0]) for row in y)
    return alike and all({*row} <= {0, 1} for row in y) and any(len({*row}) < len(row) for row in y)


def _as_list(labels: Any) -> list[Any]:
    return list(labels) if isinstance(labels, _LABEL_LISTS) else [labels]
