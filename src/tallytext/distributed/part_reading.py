"""Documents of a partition, of whatever it is made, in batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tallytext.datasets.batch import Batch, Limits, Row, Skipped, in_batches
from tallytext.datasets.columns import Columns, UnreadableRow
from tallytext.datasets.parquet import batches_of, check_types
from tallytext.datasets.reading import MAX_BYTES, MAX_DOCUMENTS
from tallytext.distributed.files import Split
from tallytext.distributed.job import OnError
from tallytext.errors import InputError

_LIMITS = Limits(MAX_DOCUMENTS, MAX_BYTES)


class PartReader:
    """Reads a partition once.

    Parameters
    ----------
    columns : Columns
        Where texts and labels are.
    on_error : {"fail", "skip"}
        Whether a row that cannot be read ends the reading or is left out.
    name : str
        What the partition is called in messages.

    Attributes
    ----------
    skipped : Skipped
        What was left out so far.

    Examples
    --------
    >>> reader = PartReader(Columns("text", "label"), "skip", "partition 7")
    >>> rows = [("to be", "x"), {"text": "or not", "label": ["x", "y"]}, ("to do", None)]
    >>> [batch.labels for batch in reader.of_rows(rows)]
    [['x', ['x', 'y']]]
    >>> reader.skipped.count
    1
    """

    def __init__(self, columns: Columns, on_error: OnError, name: str) -> None:
        self.skipped = Skipped()
        self._columns, self._on_error, self._name = columns, on_error, name
        self._n_records = 0

    def of_records(self, records: Iterable[Any]) -> Iterator[Batch]:
        """Yield the documents of Arrow's record batches, which follow those of earlier calls."""
        for each in records:
            first = self._n_records
            if not first:
                self._columns.find(each.schema.names, self._name)
                check_types(each.schema, self._columns, self._name)
            yield from batches_of(first, each, self._columns, self.report, _LIMITS)
            self._n_records += each.num_rows

    def of_rows(self, rows: Iterable[Any]) -> Iterator[Batch]:
        """Yield documents that are Python objects: pairs of text and label, or mappings."""
        return in_batches(self._readable(rows), self._columns, _LIMITS, lambda: 0)

    def of_split(self, split: Split) -> Iterator[Batch]:
        """Yield the documents of a piece of a file."""
        columns = self._columns
        reader = split.reader(
            text=columns.text,
            label=columns.label,
            also=columns.also,
            label_separator=columns.separator,
            on_error=self._on_error,
        )
        yield from reader
        self.skipped = reader.skipped

    def _readable(self, rows: Iterable[Any]) -> Iterator[Row]:
        for number, row in enumerate(rows):
            try:
                yield number, *document_in(row, self._columns)
            except UnreadableRow as reason:
                self.report(f"row {number}", str(reason))

    def report(self, place: str, reason: str) -> None:
        """Leave a row out, and take note of it, or raise an error, as was asked for.

        Raises
        ------
        InputError
            If rows that cannot be read end the reading.
        """
        if self._on_error == "skip":
            self.skipped.add(f"{place}: {reason}")
            return
        raise InputError(
            f"cannot read {self._name}, {place}: {reason}. With on_error='skip' such rows are left "
            "out, and counted."
        )


def document_in(row: Any, columns: Columns) -> tuple[str, Any, tuple[Any, ...]]:
    """Return the text, the label or labels, and the further values of a row.

    Raises
    ------
    UnreadableRow
        If it has none.

    Examples
    --------
    >>> document_in(("to be", np.int64(3)), Columns("text", "label"))
    ('to be', 3, ())
    >>> document_in("to be", Columns("text", None))
    ('to be', None, ())
    """
    text, *others = _values_in(row, columns)
    if not isinstance(text, str):
        raise UnreadableRow("the text is null" if text is None else f"{text!r:.60} is no text")
    if columns.label is None:
        return text, None, tuple(others)
    return text, columns.label_in(_plain(others[0])), tuple(others[1:])


def _values_in(row: Any, columns: Columns) -> tuple[Any, ...]:
    if isinstance(row, Mapping):
        missing = [name for name in columns.names if name not in row]
        if missing:
            raise UnreadableRow(f"there is no {missing[0]!r}, but {', '.join(map(str, row))}")
        return tuple(row[name] for name in columns.names)
    values = (row,) if isinstance(row, str) or row is None else row
    if not isinstance(values, tuple | list) or len(values) != len(columns.names):
        wanted = ", ".join(columns.names)
        raise UnreadableRow(f"{row!r:.60} is neither ({wanted}) nor a mapping with these names")
    return tuple(values)


def _plain(label: Any) -> Any:
    """Return a label of Python for one of NumPy, and a list for any collection."""
    if isinstance(label, np.generic):
        return label.item()
    if isinstance(label, set | frozenset):
        label = sorted(label, key=repr)  # as on one machine: a set has no order of its own
    if isinstance(label, np.ndarray | tuple | list):
        return [_plain(each) for each in label]
    return label
