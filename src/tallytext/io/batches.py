"""Batches of documents: wanted columns, checks of labels, and batches of bounded size."""

from __future__ import annotations

import math
import re
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from tallytext.errors import FileError, InputError, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa


#: Called with the place of an unreadable row and the reason; raises, or counts the row as skipped.
ReportRow: TypeAlias = Callable[[str, str], None]

#: Ends the error message about a row without a label.
MISSING_LABEL_HINT = (
    "Leave rows without a label out with on_unlabelled='skip' (--where LABEL!=), or train on them "
    "too with tally train --unlabelled use"
)

_MAX_COLUMNS_SHOWN = 30
_MAX_COLUMNS_COMPARED = 1000  # with the name of a missing column
_MAX_CHARACTERS_SHOWN = 60  # of a value or the name of a column

#: Largest row that is read by default. A longer one is most likely an accident or an attack.
MAX_ROW_BYTES = 1 << 25

# A longer label is most likely a text.
_MAX_LABEL_LENGTH = 1 << 16

# Usual names of the columns of texts and labels, in lower case.
_USUAL_COLUMN_NAMES = {
    "text": {"text", "body", "content", "message", "document", "review", "comment", "description"},
    "label": {"label", "labels", "category", "class", "folder", "target", "topic", "tag", "tags"},
}


class Absent(Enum):
    """The type of ABSENT, the value of a column that a row does not have."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


#: The value of a column in rows that lack it, as JSON objects may; null is None.
ABSENT = Absent.ABSENT


class UnreadableRow(Exception):
    """The reason why a row cannot be read; readers catch it and report the row."""


class RowLeftOut(Exception):
    """Raised for a row that does not fulfil the conditions of ``where``; readers catch it."""


class Condition(NamedTuple):
    """A condition on a column: its value, as text, equals a value, or does not.

    Examples
    --------
    >>> Condition.parse("split!=test")
    Condition(column='split', value='test', equal=False)
    >>> Condition.parse("split=train").holds("train"), Condition.parse("year=2024").holds(2024.0)
    (True, True)
    """

    column: str
    value: str
    equal: bool

    @classmethod
    def parse(cls, written: str) -> Condition:
        """Return the condition that is written as COLUMN=VALUE or COLUMN!=VALUE.

        Raises
        ------
        InputError
        """
        column, sign, value = written.partition("=")
        equal = not column.endswith("!")
        column = column if equal else column[:-1]
        if not sign or not column:
            raise InputError(
                f"a condition is COLUMN=VALUE or COLUMN!=VALUE, such as split=train, not "
                f"{written!r}."
            )
        return cls(column, value, equal)

    def holds(self, value: Any) -> bool:
        """Return True if a value fulfils the condition."""
        return (value_text(value) == self.value) is self.equal


def size_text(n_bytes: int) -> str:
    """Return a number of bytes in the largest unit of which there is at least one.

    Examples
    --------
    >>> size_text(32 << 20), size_text(3 << 29), size_text(100)
    ('32 MiB', '1.5 GiB', '100 bytes')
    """
    for exponent, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if n_bytes >= 1 << exponent:
            return f"{n_bytes / (1 << exponent):.1f}".removesuffix(".0") + f" {unit}"
    return f"{n_bytes} bytes"


def too_large(max_row: int) -> str:
    """Return the reason why a row that is larger than this number of bytes cannot be read."""
    return f"larger than {size_text(max_row)}"


def short_repr(value: object) -> str:
    """Return the beginning of a value as Python writes it, however long or deep the value is.

    Examples
    --------
    >>> short_repr("spam"), len(short_repr("x" * 1000))
    ("'spam'", 60)
    """
    short = isinstance(value, str | bytes)
    shown = repr(value[:_MAX_CHARACTERS_SHOWN]) if short else reprlib.repr(value)  # type: ignore[index]
    return shown[:_MAX_CHARACTERS_SHOWN]


def value_text(value: Any) -> str:
    """Return a value of a table as text: null as '', 2.0 as '2', dates in ISO format.

    Examples
    --------
    >>> from datetime import datetime
    >>> [value_text(value) for value in ("a", None, 2.0, 2.5, True, datetime(2024, 5, 31))]
    ['a', '', '2', '2.5', 'true', '2024-05-31']
    """
    if type(value) is str:
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, datetime):
        midnight = not (value.hour or value.minute or value.second or value.microsecond)
        return value.date().isoformat() if midnight and not value.tzinfo else value.isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value)


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read.

    Parameters
    ----------
    text : str
        The column of the documents.
    label : str or None
        The column of the labels; None to read no labels.
    also : tuple of str
        Further columns.
    separator : str or None
        Separator of the labels in a string with several labels.
    every : bool
        True to read all columns of the source as further columns.
    where : tuple of Condition
        Conditions that all hold for the rows to read.
    keeps_unlabelled : bool
        True if a row without a label has the label None; False if it is unreadable.

    Examples
    --------
    >>> columns = Columns("body", "folder", separator=";")
    >>> columns.names
    ('body', 'folder')
    >>> columns.parse_label("work; urgent"), columns.parse_label("")
    (['work', 'urgent'], [])
    """

    text: str
    label: str | None
    also: tuple[str, ...] = ()
    separator: str | None = None
    every: bool = False
    where: tuple[Condition, ...] = ()
    keeps_unlabelled: bool = False

    def __post_init__(self) -> None:
        for name in self.names:
            if not isinstance(name, str):
                raise InputError(f"names of columns must be strings, not {name!r}: rename it.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns to read: text, label if wanted, others, those of conditions."""
        label = () if self.label is None else (self.label,)
        return (self.text, *label, *self.also, *(each.column for each in self.where))

    def check_where(self, values: Iterable[Any]) -> None:
        """Raise RowLeftOut unless the values of the columns fulfil the conditions."""
        for condition, value in zip(self.where, values, strict=True):
            if not condition.holds(value):
                raise RowLeftOut

    def positions(self, header: Sequence[str], source: str, place: str = "") -> list[int]:
        """Return the position of each column in a header.

        Parameters
        ----------
        header : sequence of str
            The names of the columns.
        source : str
            The name of the file, for messages.
        place : str, default=""
            Where the header is, such as "first line", if it could be data by mistake.

        Raises
        ------
        FileError
            If a column is missing, or its name occurs twice.
        """
        for name in self.names:
            if name not in header:
                if place and not set(self.names) & set(header) and _looks_like_data(header):
                    raise FileError(
                        f"{source} has no column {name!r}: the {place} looks like data, not like "
                        f"column names. Add names above it, such as {','.join(self.names)}."
                    )
                raise FileError(
                    f"{source} has no column {name!r}. {describe_columns(name, header)}"
                )
            # CSV allows equal names. Choosing one of the columns silently would be a guess.
            if header.count(name) > 1:
                raise FileError(
                    f"{source} has {header.count(name)} columns {name!r}. Rename all but one."
                )
        if self.every:
            _check_unique(header, source)
        return [header.index(name) for name in self.names]

    def further(self, row: Mapping[str, Any]) -> Further:
        """Return the values of the further columns; with ``every``, the row itself."""
        return row if self.every else [row[name] for name in self.also]

    def parse_label(self, value: Any) -> Any:
        """Return the label or the list of labels in a value; None for a row without a label.

        Null, NaN, and an empty or blank string are no label; with a separator, an empty string is
        an empty list of labels.
        """
        if self.separator is not None and isinstance(value, str):
            return [part for text in value.split(self.separator) if (part := text.strip())]
        # The usual case comes early, since this runs for every row.
        if type(value) is str:
            if len(value) > _MAX_LABEL_LENGTH:
                return _check_label(value)
            return value if value and not value.isspace() else self._no_label("empty")
        if isinstance(value, list):
            return [_check_label(label) for label in value]
        if value is None or value != value:
            return self._no_label("null; write [] for a document that has none")
        return _check_label(value)

    def _no_label(self, reason: str) -> None:
        if not self.keeps_unlabelled:
            hint = MISSING_LABEL_HINT.replace("LABEL", self.label or "label")
            raise UnreadableRow(f"the label is {reason}. {hint}")


def _looks_like_data(header: Sequence[str]) -> bool:
    """Return True if a field is too long for a name, or none has a letter."""
    has_letter = any(char.isalpha() for name in header for char in name)
    return not has_letter or any(len(name) > _MAX_NAME_LENGTH for name in header)


def _check_unique(header: Sequence[str], source: str) -> None:
    twice, times = next(iter(Counter(header).most_common(1)), ("", 0))
    if times > 1:
        raise FileError(
            f"{source} has {times} columns {short_repr(twice)}, so its columns cannot be told "
            "apart by name. Rename one."
        )


def describe_columns(name: str, known: Sequence[str]) -> str:
    """Return a sentence that lists the columns and suggests the one that was meant.

    Examples
    --------
    >>> describe_columns("boddy", ["body", "folder"])
    "It has: body, folder. Did you mean 'body'?"
    >>> describe_columns("label", ["body", "kind"])
    "It has: body, kind. Did you mean 'kind' (--label kind)?"
    >>> describe_columns("Body", ["body", "folder"])
    "It has: body, folder. Did you mean 'body'?"
    """
    more = f" and {len(known) - _MAX_COLUMNS_SHOWN} more" if len(known) > _MAX_COLUMNS_SHOWN else ""
    # Columns of a table without a header are numbers.
    names = [str(each)[:_MAX_CHARACTERS_SHOWN] for each in known[:_MAX_COLUMNS_COMPARED]]
    return f"It has: {', '.join(names[:_MAX_COLUMNS_SHOWN])}{more}.{_suggest_column(name, names)}"


def _suggest_column(name: str, known: Sequence[str]) -> str:
    """Return a sentence that suggests a column; the missing name is often just the default."""
    if nearest := did_you_mean(name, known):
        return nearest
    folded = {each.strip().casefold(): each for each in known}
    if similar := get_close_matches(name.strip().casefold(), folded, 1, _MIN_SIMILARITY):
        return f" Did you mean {folded[similar[0]]!r}?"
    likely = _likely_columns(name, known)
    if len(likely) == 1:
        return f" Did you mean {likely[0]!r} (--{name} {likely[0]})?"
    return f" Choose the column to read with --{name}." if name in _USUAL_COLUMN_NAMES else ""


def _likely_columns(name: str, known: Sequence[str]) -> list[str]:
    """Return the columns with a usual name; of two columns, the one without the other's name."""
    usual = [column for column in known if column.lower() in _USUAL_COLUMN_NAMES.get(name, ())]
    if usual or len(known) != 2 or name not in _USUAL_COLUMN_NAMES:
        return usual
    (other,) = _USUAL_COLUMN_NAMES.keys() - {name}
    return [column for column in known if column.lower() not in _USUAL_COLUMN_NAMES[other]]


def _check_label(label: Any) -> Any:
    if label is None:
        raise UnreadableRow("a label of the list is null; write [] for a document that has none")
    infinite = isinstance(label, float) and not math.isfinite(label)
    if infinite or not isinstance(label, str | int | float):
        raise UnreadableRow(f"{short_repr(label)} cannot be a label; use a string or a number")
    if isinstance(label, str) and len(label) > _MAX_LABEL_LENGTH:
        raise UnreadableRow(
            f"the label has {len(label):,} characters, but at most {_MAX_LABEL_LENGTH:,} are "
            "allowed; is --label the right column, or a quote not closed?"
        )
    return label


#: Values of the further columns in their order; of all columns, by name.
Further: TypeAlias = Sequence[Any] | Mapping[str, Any]

#: The place of a document, its text, its label or labels, and the further columns.
Row: TypeAlias = tuple[Any, str, Any, Further]

_MAX_MESSAGES = 10
# Of labels and further columns in a batch; _OBJECT_BYTES for each value is part of it.
_MAX_OTHER_BYTES = 1 << 27
_OBJECT_BYTES, _ENTRY_BYTES = 60, 100
_MIN_SIMILARITY = 0.8  # of the names of columns, apart from case
_MAX_NAME_LENGTH = 40  # of a column; a longer field of a header is most likely a text


class BatchLimits(NamedTuple):
    """Largest number of documents, and of bytes of text, in a batch."""

    documents: int
    bytes: int


@dataclass(frozen=True)
class Batch:
    """Consecutive documents of a source; its length is their number.

    Attributes
    ----------
    texts : list of str or pyarrow.Array
        The documents; an Arrow array if they come from a parquet file.
    labels : list or None
        For each document its label or the list of its labels, or None if it has no label and the
        reader has ``on_unlabelled="keep"``; None if no labels are read.
    places : sequence of int or of str
        The place of each document in the source: the number of its row, counted from 1 in every
        format, or in folders and archives the name of its file. The header of a CSV file and
        blank lines are not rows; rows that were skipped are counted.
    also : dict of str to list
        Further columns by name. All columns of a parquet file (``also="all"``) are Arrow arrays; a
        JSON object without a key has the value ``ABSENT`` there.
    n_bytes : int
        Number of bytes, before decompression, read from the source since the last batch.

    Examples
    --------
    >>> batch = Batch(["Cheap pills!", "See you at noon"], ["spam", "ham"], places=[1, 2])
    >>> len(batch), batch.labels
    (2, ['spam', 'ham'])
    """

    texts: list[str] | pa.Array
    labels: list[Any] | None
    places: Sequence[Any]
    also: dict[str, Any] = field(default_factory=dict)
    n_bytes: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def strings(self) -> list[str]:
        """The documents as a list of strings."""
        return self.texts if isinstance(self.texts, list) else self.texts.to_pylist()

    def take(self, rows: Sequence[int]) -> Batch:
        """Return the documents with these row numbers, in this order.

        Parameters
        ----------
        rows : sequence of int
            Row numbers within the batch, from 0.

        Examples
        --------
        >>> Batch(["a", "b", "c"], None, [7, 8, 9]).take([0, 2]).places
        [7, 9]
        """
        texts, labels = self.texts, self.labels
        return replace(
            self,
            texts=_take_rows(texts, rows),
            labels=None if labels is None else [labels[row] for row in rows],
            places=[self.places[row] for row in rows],
            also={name: _take_rows(values, rows) for name, values in self.also.items()},
        )


def _take_rows(values: Any, rows: Sequence[int]) -> Any:
    if isinstance(values, list):
        return [values[row] for row in rows]
    import pyarrow as pa

    return values.take(pa.array([*rows], pa.int64()))  # an empty list alone has no type


@dataclass
class SkippedRows:
    """Number of rows that could not be read, and messages about the first ten.

    Attributes
    ----------
    count : int
        Number of rows.
    messages : list of str
        Place and reason of the first ten.

    Examples
    --------
    >>> skipped = SkippedRows()
    >>> skipped.add("line 7: not JSON")
    >>> skipped
    SkippedRows(count=1, messages=['line 7: not JSON'])
    """

    count: int = 0
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Count one more row.

        Parameters
        ----------
        message : str
            Place and reason.
        """
        self.count += 1
        if len(self.messages) < _MAX_MESSAGES:
            self.messages.append(message)

    def __iadd__(self, other: SkippedRows) -> Self:
        self.count += other.count
        self.messages = [*self.messages, *other.messages][:_MAX_MESSAGES]
        return self


def batch_rows(
    rows: Iterable[Row], columns: Columns, limits: BatchLimits, position: Callable[[], int]
) -> Iterator[Batch]:
    """Collect rows into batches within the limits; a longer document is a batch of its own.

    Parameters
    ----------
    rows : iterable of Row
        The documents.
    columns : Columns
        The columns of the rows.
    limits : Limits
        Largest size of a batch.
    position : callable
        Returns the number of bytes read from the source so far.

    Examples
    --------
    >>> rows = [(i, text, None, ()) for i, text in enumerate(["a", "b", "c", "long", "d"])]
    >>> batches = batch_rows(rows, Columns("text", None), BatchLimits(2, 3), lambda: 0)
    >>> [batch.texts for batch in batches]
    [['a', 'b'], ['c'], ['long'], ['d']]
    """
    some: list[Row] = []
    size = others = before = 0
    for row in rows:
        length = utf8_length(row[1])
        if some and size + length > limits.bytes:
            yield _batch(some, columns, position() - before)
            some, size, others, before = [], 0, 0, position()
        some.append(row)
        size += length
        others += _memory(row[2]) + (_memory(row[3]) if row[3] else 0)
        # Yield before the next row is read: the writer of a pipe may wait for the results first.
        if len(some) == limits.documents or others > _MAX_OTHER_BYTES:
            yield _batch(some, columns, position() - before)
            some, size, others, before = [], 0, 0, position()
    if some:
        yield _batch(some, columns, position() - before)


def _memory(value: Any) -> int:
    """Return the approximate memory of labels and further columns, which may be nested."""
    if type(value) is str:
        return _OBJECT_BYTES + len(value)
    total = 0
    found: list[Collection[Any]] = [[value]]
    while found:
        values = found.pop()
        total += _OBJECT_BYTES * len(values)
        for each in values:
            if isinstance(each, str):
                total += len(each)
            elif isinstance(each, Mapping):
                total += _ENTRY_BYTES * len(each) + sum(map(len, each))
                found.append(each.values())
            elif isinstance(each, list | tuple):
                found.append(each)
    return total


def utf8_length(text: str) -> int:
    """Return the length of a text in UTF-8.

    Examples
    --------
    >>> utf8_length("naïve")
    6
    """
    # isascii() takes constant time, since CPython stores the answer in the string.
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _batch(rows: list[Row], columns: Columns, n_bytes: int) -> Batch:
    places, texts, labels, also = zip(*rows, strict=True)
    return Batch(
        list(texts),
        None if columns.label is None else list(labels),
        list(places),
        _all_columns(also) if columns.every else _columns_by_name(columns.also, also),
        n_bytes,
    )


def _columns_by_name(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    columns = zip(*rows, strict=True)
    return {name: list(values) for name, values in zip(names, columns, strict=False)}


def _all_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows, in the order in which they first occur."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name, ABSENT) for row in rows] for name in names}


_SKIP = "Rows like this one are left out with on_error='skip' (--on-error skip)."
_FOLDERS = "Put files into folders that are named after their labels, such as spam/1.txt."

# Patterns of reasons and their remedies; the first match counts.
_REMEDIES = (
    (
        re.compile(r"not \S+: byte 0x"),
        "Is it in another encoding? Name that, as in encoding='cp1252' (--encoding cp1252).",
    ),
    (re.compile(r"not in a folder"), _FOLDERS),
    (
        re.compile(r"(.* )?larger than [\d.]+ "),
        "If it is no mistake, raise the limit, as in max_row=1073741824 (--max-row 1G).",
    ),
)

_FORMAT_REMEDIES = {
    **dict.fromkeys(("xls", "ods", "numbers"), "Save the sheet as .xlsx or CSV, and read that."),
    **dict.fromkeys(("doc", "docx", "odt", "pdf", "rtf"), "Only plain text can be read."),
    **dict.fromkeys(("html", "htm", "xml"), "Extract its text first."),
    "tally": "Its name is that of a model. Commands that use a model take it before the documents.",
    **dict.fromkeys(("zip", "7z", "rar"), "Unpack it first."),
    **dict.fromkeys(("arrow", "feather", "orc", "avro"), "Convert it to Parquet first."),
}


def row_remedy(reason: str) -> str:
    """Return the remedy for an unreadable row, by the reason.

    Examples
    --------
    >>> row_remedy("not utf-8: byte 0xe9 at 3").split(". ")[0]
    "Is it in another encoding? Name that, as in encoding='cp1252' (--encoding cp1252)"
    >>> row_remedy("the label is empty")
    "Rows like this one are left out with on_error='skip' (--on-error skip)."
    """
    return " ".join([*_find_remedy(reason), _SKIP])


def header_remedy(reason: str) -> str:
    """Return the remedy for an unreadable header line, with a leading space, or ''."""
    return "".join(f" {known}" for known in _find_remedy(reason))


def format_remedy(suffix: str) -> str:
    """Return the remedy for a file format that cannot be read, or ''.

    Examples
    --------
    >>> format_remedy("xls"), format_remedy("py")
    ('Save the sheet as .xlsx or CSV, and read that.', '')
    """
    return _FORMAT_REMEDIES.get(suffix, "")


def _find_remedy(reason: str) -> list[str]:
    return [text for pattern, text in _REMEDIES if pattern.match(reason)][:1]
