"""Labels of documents: checked, and numbered in order of arrival."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from tallytext._core import number_labels
from tallytext.errors import LabelError, UnknownNameError, did_you_mean
from tallytext.text.sources import is_table, table_chunks

Label: TypeAlias = str | int | float | bool
Encoded: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


class LabelIndex:
    """A numbering of class labels; labels that are equal are one label.

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
        """Number the labels of each document, adding those that are new.

        Returns
        -------
        starts, ids
            The labels of document d are ``ids[starts[d]:starts[d + 1]]``, each once.
        """
        listed = listed_labels(labels)
        if len(listed) != n_documents:
            raise LabelError(f"there are {n_documents} documents, but labels for {len(listed)}.")
        ids = number_labels(listed, self._ids, self.names)
        return self._encode_each(listed) if ids is None else (np.arange(n_documents + 1), ids)

    def encode_one(self, labels: Any) -> Encoded:
        """Number the label or labels of a single document."""
        known = self._ids.get(labels) if type(labels) is str else None
        ids = self._ids_of(labels, "the document") if known is None else [known]
        return np.array([0, len(ids)]), np.array(ids, dtype=np.int32)

    def truncate(self, size: int) -> None:
        """Forget the labels that came after the first ``size``."""
        for name in self.names[size:]:
            del self._ids[name]
        del self.names[size:]

    def add(self, label: Any) -> int:
        """Return the number of a label, which is added if it is new."""
        return self._id(label, "class")

    def find(self, label: Any) -> int:
        """Return the number of a label, -1 if it is unknown."""
        return self._ids.get(plain(label, "class"), -1)

    def join(self, other: LabelIndex) -> NDArray[np.int32]:
        """Add the labels of ``other``; return where each of its numbers went."""
        return np.array([self.add(name) for name in other.names], dtype=np.int32)

    def _encode_each(self, listed: list[Any]) -> Encoded:
        each = [self._ids_of(labels, f"document {i}") for i, labels in enumerate(listed)]
        starts = np.zeros(len(each) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in each], out=starts[1:])
        return starts, np.array([id for ids in each for id in ids], dtype=np.int32)

    def _ids_of(self, labels: Any, where: str) -> list[int]:
        if not isinstance(labels, _COLLECTIONS):
            return [self._id(labels, where)]
        # A set has no order of its own, and new classes are numbered in order of arrival.
        ordered = sorted(labels, key=repr) if isinstance(labels, set | frozenset) else labels
        return list(dict.fromkeys(self._id(label, where) for label in ordered))

    def _id(self, label: Any, where: str) -> int:
        name = plain(label, where)
        id = self._ids.setdefault(name, len(self.names))
        if id == len(self.names):
            self.names.append(name)
        return id


def plain(label: Any, where: str) -> Label:
    """Return a label as a Python value, or say which document has none.

    Examples
    --------
    >>> plain(np.int64(3), "document 0")
    3
    """
    if isinstance(label, np.generic):
        label = label.item()
    elif hasattr(label, "as_py"):
        label = label.as_py()
    if label is None or (isinstance(label, float) and math.isnan(label)):
        raise LabelError(
            f"{where} has the label {label}. Texts whose label is not known belong to those that "
            "TextClassifier.fit takes as unlabelled=; where documents may have several labels, "
            "write [] for one that has none."
        )
    if not isinstance(label, str | int | float) or label in (math.inf, -math.inf):
        raise LabelError(f"{where}: {label!r} cannot be a label; use a string or a number.")
    return label


def listed_labels(labels: Any) -> list[Any]:
    """Return one entry per document, from a list, an array, a column or anything iterable."""
    if isinstance(labels, str | bytes | Mapping | set | frozenset):
        raise LabelError(f"one label per document is needed, in order, not {labels!r:.80}")
    if getattr(labels, "ndim", 1) != 1:
        raise LabelError("labels must have one dimension: one label, or one list, per document.")
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(labels, method):
            return list(getattr(labels, method)())
    if not isinstance(labels, Iterable):
        raise LabelError(f"one label per document is needed, not {labels!r:.80}")
    return labels if isinstance(labels, list) else list(labels)


def label_iterator(labels: Any) -> Iterator[Any]:
    """Return the labels of one document after the other; an iterator is not read ahead.

    Examples
    --------
    >>> import pyarrow as pa
    >>> list(label_iterator(pa.array(["x", "y"])))
    ['x', 'y']
    """
    if is_table(labels):
        # All at once: a database may not be able to stream two results at a time.
        return iter([label for chunk in table_chunks(labels) for label in chunk.to_pylist()])
    return labels if isinstance(labels, Iterator) else iter(listed_labels(labels))


def unknown_class(label: object, classes: Iterable[Label]) -> UnknownNameError:
    """Return the error that no class has this label, with the nearest that there are."""
    return UnknownNameError(f"there is no class {label!r} here.{did_you_mean(label, classes)}")


def sort_labels(labels: Iterable[Label]) -> list[Label]:
    """Return labels in order; of several kinds, kind by kind.

    Examples
    --------
    >>> sort_labels(["b", 10, "a", 2])
    [2, 10, 'a', 'b']
    """
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


def distinct_labels(labels: list[Any]) -> list[Label]:
    """Return each label of documents once, in order.

    Examples
    --------
    >>> distinct_labels(["sky", ["sea", "sky"], []])
    ['sea', 'sky']
    """
    index = LabelIndex()
    index.encode(labels, len(labels))
    return sort_labels(index.names)


def place_of(label: Any, classes: NDArray[Any]) -> int:
    """Return where a label is among classes.

    Examples
    --------
    >>> place_of("sky", np.array(["sea", "sky"]))
    1
    """
    shown = classes.tolist()
    if label not in shown:
        raise unknown_class(label, shown)
    return shown.index(label)


def array_of_labels(labels: list[Label]) -> NDArray[Any]:
    """Return labels as an array that keeps each as it is.

    Examples
    --------
    >>> array_of_labels([2, "a"])
    array([2, 'a'], dtype=object)
    >>> array_of_labels([2**53 + 1, 0.5])
    array([9007199254740993, 0.5], dtype=object)
    """
    kinds = {str if isinstance(label, str) else type(label) for label in labels}
    # NumPy takes a NUL at the end of a string for padding.
    padded = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    if padded or len(kinds) > 1:
        mixed = np.empty(len(labels), dtype=object)
        mixed[:] = labels
        return mixed
    return np.array(labels) if labels else np.array([], dtype=object)


# ------------------------------------------------------------------------------------------------
# What documents are labelled with: one label each, or several, or none.

_SEVERAL = (list, tuple, set, frozenset)
_ROW = (list, tuple, np.ndarray)
_PLAIN = {str, int, bool}


class Targets(NamedTuple):
    """The labels of documents.

    Attributes
    ----------
    labels : list
        A label per document, or a list of labels.
    several : bool
        Whether documents may have several labels or none.
    columns : int or None
        How many classes an indicator matrix has.
    """

    labels: list[Any]
    multi_label: bool
    columns: int | None = None

    @property
    def distinct(self) -> set[Any]:
        """Each label once."""
        return (
            {label for labels in self.labels for label in labels}
            if self.multi_label
            else {*self.labels}
        )

    @property
    def classes(self) -> list[Any]:
        """All classes in order: each label once, or the columns of an indicator matrix."""
        return sort_labels(self.distinct if self.columns is None else range(self.columns))

    def some(self, rows: NDArray[np.intp]) -> Targets:
        """Return the labels of some documents."""
        return self._replace(labels=[self.labels[row] for row in rows.tolist()])


def targets_as(labels: list[Any], multi_label: bool) -> Targets:
    """Return labels that were read before, listed where documents may have several.

    Examples
    --------
    >>> targets_as(["a", ["b", "c"]], several=True).labels
    [['a'], ['b', 'c']]
    """
    return Targets([_listed(each) for each in labels] if multi_label else labels, multi_label)


def targets_of(y: Any) -> Targets:
    """Read labels given as one per document, as lists of labels, or as an indicator matrix.

    Lists of nothing but 0 and 1 are an indicator matrix if they cannot be lists of labels, since a
    label comes twice in one of them.

    Examples
    --------
    >>> targets_of([["a", "b"], []])
    Targets(labels=[['a', 'b'], []], several=True, columns=None)
    >>> targets_of(np.array([[0, 1, 1], [1, 0, 0]])).labels
    [[1, 2], [0]]
    """
    if isinstance(y, Targets):
        return y
    if y is None:
        raise LabelError("this classifier requires y to be passed, but the target y is None.")
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2:
        return _from_matrix(y)
    if isinstance(y, np.ndarray) and y.dtype == object:
        y = y.tolist()
    if isinstance(y, list | tuple):
        if is_indicator(y):
            return _from_matrix(np.array(y))
        if any(issubclass(kind, _SEVERAL) for kind in {*map(type, y)}):
            return Targets([_listed(labels) for labels in y], multi_label=True)
    return Targets(_single(y), multi_label=False)


def check_lengths(X: Any, targets: Targets) -> None:
    """Refuse more or fewer labels than documents."""
    if len(targets.labels) != X.shape[0]:
        raise LabelError(
            f"X and y have inconsistent numbers of samples: {X.shape[0]} documents, "
            f"but labels for {len(targets.labels)}."
        )


def truth_of(labels: list[Any], classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which document has which of some classes; other labels are left out.

    Examples
    --------
    >>> truth_of(["sea", ["sky", "sea"], []], np.array(["sea", "sky"])).astype(int).tolist()
    [[1, 0], [1, 1], [0, 0]]
    """
    place = {label: at for at, label in enumerate(classes.tolist())}
    table = np.zeros((len(labels), len(place) + 1), dtype=bool)
    if {*map(type, labels)}.isdisjoint(_SEVERAL):
        table[np.arange(len(labels)), [place.get(label, -1) for label in labels]] = True
        return table[:, :-1]
    for row, given in enumerate(labels):
        for label in given if isinstance(given, _SEVERAL) else [given]:
            table[row, place.get(label, -1)] = True
    return table[:, :-1]


def _single(y: Any) -> list[Any]:
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iubU":
        return y.tolist()
    if isinstance(y, list | tuple) and y and {*map(type, y)} <= _PLAIN:
        return [*y]
    try:
        column = column_or_1d(y, warn=True)
        check_classification_targets(column)
    except TypeError:
        raise LabelError(f"labels must be strings or numbers, not {y!r:.80}") from None
    return column.tolist()


def _from_matrix(y: Any) -> Targets:
    if y.shape[1] == 1:
        dense: Any = y.toarray() if hasattr(y, "toarray") else y
        return targets_of(column_or_1d(dense, warn=True))
    if type_of_target(y) != "multilabel-indicator":
        raise LabelError(f"Unknown label type: a matrix of labels must hold 0 and 1, not {y!r:.80}")
    rows = sparse.csr_array(y)
    cells = np.split(rows.indices, rows.indptr[1:-1])
    return Targets([cell.tolist() for cell in cells], multi_label=True, columns=y.shape[1])


def is_indicator(y: Any) -> bool:
    """Whether rows of 0 and 1 cannot be lists of labels, since a row has one of them twice.

    Examples
    --------
    >>> is_indicator([[0, 1, 1], [1, 0, 0]]), is_indicator([[0, 1], [1, 0]])
    (True, False)
    """
    if not y or not isinstance(y[0], _ROW) or len(y[0]) < 2 or not {*y[0]} <= {0, 1}:
        return False
    alike = all(isinstance(row, _ROW) and len(row) == len(y[0]) for row in y)
    return alike and all({*row} <= {0, 1} for row in y) and any(len({*row}) < len(row) for row in y)


def _listed(labels: Any) -> list[Any]:
    return list(labels) if isinstance(labels, _SEVERAL) else [labels]
