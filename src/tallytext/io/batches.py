"""Some documents of a source, and how a stream of rows becomes batches of bounded size."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from tallytext.errors import FileError, InputError, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa


# ------------------------------------------------------------------------------------------------
# Which columns of a source are wanted, and what may stand in them.

#: Is told the place of a row that cannot be read, and why; raises, or lets the reader go on.
Report: TypeAlias = Callable[[str, str], None]

#: Said of a row whose label is missing.
UNKNOWN = (
    "Texts whose label is not known go into a file of their own, for train --unlabelled (which "
    "has no --engine)"
)

_SHOWN = 30

# What columns of documents and of labels are often called.
_USUAL = {
    "text": {"text", "body", "content", "message", "document", "review", "comment", "description"},
    "label": {"label", "labels", "category", "class", "folder", "target", "topic", "tag", "tags"},
}


class UnreadableRow(Exception):
    """Why one row cannot be read; never leaves the readers."""


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read.

    Parameters
    ----------
    text : str
        The column of the documents.
    label : str or None
        The column of their labels, if they are wanted.
    also : tuple of str
        Further columns.
    separator : str or None
        What stands between the labels of a document in a string of them.

    Examples
    --------
    >>> columns = Columns("body", "folder", separator=";")
    >>> columns.names
    ('body', 'folder')
    >>> columns.label_in("work; urgent"), columns.label_in("")
    (['work', 'urgent'], [])
    """

    text: str
    label: str | None
    also: tuple[str, ...] = ()
    separator: str | None = None

    def __post_init__(self) -> None:
        for name in self.names:
            if not isinstance(name, str):
                raise InputError(f"columns go by names that are strings, not by {name!r}: rename.")

    @property
    def names(self) -> tuple[str, ...]:
        """All of them: text, label if wanted, and the others."""
        return (self.text, *(() if self.label is None else (self.label,)), *self.also)

    def find(self, header: Sequence[str], source: str) -> list[int]:
        """Return where each of the names stands in a header."""
        for name in self.names:
            if name not in header:
                raise FileError(f"{source} has no column {name!r}. {offered(name, header)}")
            if header.count(name) > 1:
                raise FileError(f"{source} has {header.count(name)} columns {name!r}.")
        return [header.index(name) for name in self.names]

    def label_in(self, value: Any) -> Any:
        """Return the label, or the list of labels, that a value stands for."""
        if self.separator is not None and isinstance(value, str):
            return [part for text in value.split(self.separator) if (part := text.strip())]
        if type(value) is str:
            return value
        if isinstance(value, list):
            return [_checked(label) for label in value]
        return _checked(value)


def offered(name: str, known: Sequence[str]) -> str:
    """Return a sentence with the names there are, and the nearest to the one that was wanted.

    Examples
    --------
    >>> offered("boddy", ["body", "folder"])
    "It has: body, folder. Did you mean 'body'?"
    >>> offered("label", ["body", "kind"])
    "It has: body, kind. Did you mean 'kind' (--label kind)?"
    """
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    names = [str(each) for each in known]  # those of a table without a header are numbers
    return f"It has: {', '.join(names[:_SHOWN])}{more}.{_hint(name, names)}"


def _hint(name: str, known: Sequence[str]) -> str:
    """Return which columns may be meant by a name, which is often one that nobody has chosen."""
    if nearest := did_you_mean(name, known):
        return nearest
    likely = _likely(name, known)
    if len(likely) == 1:
        return f" Did you mean {likely[0]!r} (--{name} {likely[0]})?"
    return f" Say with --{name} which of them to read." if name in _USUAL else ""


def _likely(name: str, known: Sequence[str]) -> list[str]:
    """Return the columns with a usual name, or of two columns the one that is not the other."""
    usual = [column for column in known if column.lower() in _USUAL.get(name, ())]
    if usual or len(known) != 2 or name not in _USUAL:
        return usual
    (other,) = _USUAL.keys() - {name}
    return [column for column in known if column.lower() not in _USUAL[other]]


def _checked(label: Any) -> Any:
    if label is None:
        raise UnreadableRow(f"the label is null; write [] for a document that has none. {UNKNOWN}")
    infinite = isinstance(label, float) and not math.isfinite(label)
    if infinite or not isinstance(label, str | int | float):
        raise UnreadableRow(f"{label!r:.60} cannot be a label; use a string or a number")
    return label


#: The place of a document, its text, its label or labels, and the further columns.
Row: TypeAlias = tuple[Any, str, Any, Sequence[Any]]

_MESSAGES = 10


class Limits(NamedTuple):
    """Where a batch ends: so many documents, or so many bytes of text."""

    documents: int
    bytes: int


@dataclass(frozen=True)
class Batch:
    """Documents that follow one another in a source; its length is their number.

    Attributes
    ----------
    texts : list of str or pyarrow.Array
        The documents, for anything that takes documents. A parquet column stays one.
    labels : list or None
        For each document its label or the list of its labels; None if none were asked for.
    places : sequence of int or of str
        Where each document is from: the line, from 1 on (of a CSV record its first line), the
        row, from 0 on (parquet), or the name of the file.
    also : dict of str to list
        The further columns that were asked for, by name.
    n_bytes : int
        How many bytes of the source, compressed as it may be, were taken since the last batch.

    Examples
    --------
    >>> batch = Batch(["Cheap pills!", "See you at noon"], ["spam", "ham"], places=[2, 3])
    >>> len(batch), batch.labels
    (2, ['spam', 'ham'])
    """

    texts: list[str] | pa.Array
    labels: list[Any] | None
    places: Sequence[Any]
    also: dict[str, list[Any]] = field(default_factory=dict)
    n_bytes: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def strings(self) -> list[str]:
        """The documents as a list, whatever they came as."""
        return self.texts if isinstance(self.texts, list) else self.texts.to_pylist()

    def some(self, rows: Sequence[int]) -> Batch:
        """Return some of the documents.

        Parameters
        ----------
        rows : sequence of int
            Which, from 0 on.

        Examples
        --------
        >>> Batch(["a", "b", "c"], None, [7, 8, 9]).some([0, 2]).places
        [7, 9]
        """
        texts, labels = self.texts, self.labels
        return replace(
            self,
            texts=[texts[r] for r in rows] if isinstance(texts, list) else _taken(texts, rows),
            labels=None if labels is None else [labels[row] for row in rows],
            places=[self.places[row] for row in rows],
            also={name: [values[row] for row in rows] for name, values in self.also.items()},
        )


def _taken(texts: pa.Array, rows: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    return texts.take(pa.array([*rows], pa.int64()))  # of no rows, a list would have no type


@dataclass
class Skipped:
    """Rows that could not be read: how many, and why the first ten could not.

    Attributes
    ----------
    count : int
        How many.
    messages : list of str
        Why, of the first ten.

    Examples
    --------
    >>> skipped = Skipped()
    >>> skipped.add("line 7: not JSON")
    >>> skipped
    Skipped(count=1, messages=['line 7: not JSON'])
    """

    count: int = 0
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Count one more.

        Parameters
        ----------
        message : str
            Where, and why.
        """
        self.count += 1
        if len(self.messages) < _MESSAGES:
            self.messages.append(message)

    def __iadd__(self, other: Skipped) -> Self:
        self.count += other.count
        self.messages = [*self.messages, *other.messages][:_MESSAGES]
        return self


def in_batches(
    rows: Iterable[Row], columns: Columns, limits: Limits, position: Callable[[], int]
) -> Iterator[Batch]:
    """Gather rows into batches that stay within the limits, or have one document only.

    Parameters
    ----------
    rows : iterable of Row
        The documents.
    columns : Columns
        What was asked for.
    limits : Limits
        Where a batch ends.
    position : callable
        Returns how many bytes of the source have been taken so far.

    Examples
    --------
    >>> rows = [(i, text, None, ()) for i, text in enumerate(["a", "b", "c", "long", "d"])]
    >>> gathered = in_batches(rows, Columns("text", None), Limits(2, 3), lambda: 0)
    >>> [batch.texts for batch in gathered]
    [['a', 'b'], ['c'], ['long'], ['d']]
    """
    some: list[Row] = []
    size = before = 0
    for row in rows:
        length = n_bytes_of(row[1])
        if some and size + length > limits.bytes:
            yield _batch(some, columns, position() - before)
            some, size, before = [], 0, position()
        some.append(row)
        size += length
        # Not when the next row comes: who writes to a pipe may wait for an answer first.
        if len(some) == limits.documents:
            yield _batch(some, columns, position() - before)
            some, size, before = [], 0, position()
    if some:
        yield _batch(some, columns, position() - before)


def n_bytes_of(text: str) -> int:
    """Return the length of a text in UTF-8.

    Examples
    --------
    >>> n_bytes_of("naïve")
    6
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _batch(rows: list[Row], columns: Columns, n_bytes: int) -> Batch:
    places, texts, labels, also = zip(*rows, strict=True)
    further = zip(*also, strict=True)
    return Batch(
        list(texts),
        None if columns.label is None else list(labels),
        list(places),
        {name: list(values) for name, values in zip(columns.also, further, strict=False)},
        n_bytes,
    )


# ------------------------------------------------------------------------------------------------
# What can be done about a row or a file that cannot be read.

_UTF_16 = "UTF-16"
_SKIP = "Rows like this one are left out with on_error='skip' (--on-error skip)."
_LINES = "Make a line of each object: jq -c '.[]' list.json > lines.jsonl."
_FOLDERS = "Put files into folders that are named after their labels, such as spam/1.txt."
_BEFORE_READING = f"Convert it to UTF-8 first: iconv -f {_UTF_16} -t UTF-8 old.csv > new.csv."

# Reasons, as they are told, and what helps. The first that fits is taken.
_REMEDIES = (
    (re.compile(r"not \S+: byte 0x(ff|fe) at 0$"), f"Is it {_UTF_16}? {_BEFORE_READING}"),
    (
        re.compile(r"not \S+: byte 0x"),
        "Is it in another encoding? Name that, as in encoding='cp1252' (--encoding cp1252).",
    ),
    (re.compile(r"not an object, but '\["), _LINES),
    (re.compile(r"not JSON: Expecting value, column [12]$"), f"Is it a list? {_LINES}"),
    (re.compile(r"not in a folder"), _FOLDERS),
)

_FORMATS = {
    **dict.fromkeys(("xls", "xlsx", "ods", "numbers"), "Save the sheet as CSV, and read that."),
    **dict.fromkeys(("doc", "docx", "odt", "pdf", "rtf"), "Only plain text can be read."),
    **dict.fromkeys(("html", "htm", "xml"), "Take the text out of it first."),
    "tally": "It is a model, by its name; a model comes before the documents: MODEL INPUT.",
    "zip": "Unpack it first.",
}


def remedy(reason: str) -> str:
    """Return what to do about a row, by the reason why it cannot be read.

    Examples
    --------
    >>> remedy("not an object, but '[1, 2]'").split(". ")[0]
    "Make a line of each object: jq -c '.[]' list.json > lines.jsonl"
    >>> remedy("the label is empty")
    "Rows like this one are left out with on_error='skip' (--on-error skip)."
    """
    return " ".join([*_known(reason), _SKIP])


def remedy_of_header(reason: str) -> str:
    """Return what to do about a header line that cannot be read, or nothing."""
    return "".join(f" {known}" for known in _known(reason))


def remedy_of_format(suffix: str) -> str:
    """Return what to do about a file of a kind that cannot be read, or nothing.

    Examples
    --------
    >>> remedy_of_format("xlsx"), remedy_of_format("py")
    ('Save the sheet as CSV, and read that.', '')
    """
    return _FORMATS.get(suffix, "")


def _known(reason: str) -> list[str]:
    return [text for pattern, text in _REMEDIES if pattern.match(reason)][:1]
