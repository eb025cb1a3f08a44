"""What documents are labelled with: one label each, or several, or none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from tallytext.errors import LabelError
from tallytext.labels import sort_labels

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
    several: bool
    columns: int | None = None

    @property
    def distinct(self) -> set[Any]:
        """Each label once."""
        return (
            {label for labels in self.labels for label in labels}
            if self.several
            else {*self.labels}
        )

    @property
    def classes(self) -> list[Any]:
        """All classes in order: each label once, or the columns of an indicator matrix."""
        return sort_labels(self.distinct if self.columns is None else range(self.columns))

    def some(self, rows: NDArray[np.intp]) -> Targets:
        """Return the labels of some documents."""
        return self._replace(labels=[self.labels[row] for row in rows.tolist()])


def targets_as(labels: list[Any], several: bool) -> Targets:
    """Return labels that were read before, listed where documents may have several.

    Examples
    --------
    >>> targets_as(["a", ["b", "c"]], several=True).labels
    [['a'], ['b', 'c']]
    """
    return Targets([_listed(each) for each in labels] if several else labels, several)


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
            return Targets([_listed(labels) for labels in y], several=True)
    return Targets(_single(y), several=False)


def expect_lengths(X: Any, targets: Targets) -> None:
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
    return Targets([cell.tolist() for cell in cells], several=True, columns=y.shape[1])


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
