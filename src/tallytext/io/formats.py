"""Documents in files of comma- or tab-separated values, with a header line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO

from tallytext.errors import FileError, InputError
from tallytext.io.batches import (
    UNKNOWN,
    Columns,
    Report,
    Row,
    UnreadableRow,
    offered,
    remedy_of_header,
)

# ------------------------------------------------------------------------------------------------
# The lines of a stream as text, and documents that are a line each.

#: A document with more bytes than this is taken for an accident, or for an attack.
LARGEST_DOCUMENT = 1 << 26

TOO_LARGE = f"larger than {LARGEST_DOCUMENT >> 20} MiB"

_BOM = b"\xef\xbb\xbf"


def checked_encoding(encoding: str) -> str:
    """Return an encoding whose lines can be told apart before they are decoded.

    Examples
    --------
    >>> checked_encoding("latin-1")
    'latin-1'
    """
    try:
        lines = "x\n".encode(encoding).removeprefix(_BOM)
    except LookupError:
        raise InputError(f"there is no encoding {encoding!r}.") from None
    if lines != b"x\n":
        raise InputError(
            f"files in {encoding} cannot be read: convert them to UTF-8 first, "
            f"as in iconv -f {encoding} -t UTF-8 old.csv > new.csv."
        )
    return encoding


def text_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[str, str]]:
    r"""Yield each line with its end, and what is wrong with it: nothing, most of the time.

    Examples
    --------
    >>> from io import BytesIO
    >>> list(text_lines(BytesIO(b"fine\nbro\xffken\n"), "utf-8"))
    [('fine\n', ''), ('bro\udcffken\n', 'not utf-8: byte 0xff at 3')]
    """
    for line in _byte_lines(stream):
        if len(line) > LARGEST_DOCUMENT:
            yield "\n", TOO_LARGE
            continue
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as problem:
            yield line.decode(encoding, "surrogateescape"), undecodable(problem)
        else:
            yield text, ""


def undecodable(problem: UnicodeDecodeError) -> str:
    """Return why bytes are no text, in few words."""
    byte = problem.object[problem.start]
    return f"not {problem.encoding}: byte 0x{byte:02x} at {problem.start}"


def plain_rows(stream: BinaryIO, report: Report, encoding: str) -> Iterator[Row]:
    """Yield one document a line, under its number; nothing tells their labels."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if problem:
            report(f"line {number}", problem)
        else:
            yield number, line.removesuffix("\n").removesuffix("\r"), None, ()


def _byte_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines without the mark that some programs put in front of UTF-8.

    Of one that is too long for a document only the beginning is kept.
    """
    line = stream.readline(LARGEST_DOCUMENT + 1).removeprefix(_BOM)
    while line:
        yield line
        while len(line) > LARGEST_DOCUMENT and not line.endswith(b"\n"):
            line = stream.readline(LARGEST_DOCUMENT + 1)
        line = stream.readline(LARGEST_DOCUMENT + 1)


_SEPARATORS = (",", ";", "\t")


def csv_rows(
    stream: BinaryIO,
    columns: Columns,
    report: Report,
    encoding: str,
    source: str,
    delimiter: str,
) -> Iterator[Row]:
    """Yield the records of a file, each under the number of its first line.

    Where commas are expected, a header with semicolons or tabs is read as such.

    A record with fewer or more fields than the header, or with quotes that do not match, cannot
    be read; nor can one without a label, unless there may be several of them.
    """
    # Python's own limit is 128 KiB; without any, a quote left open would swallow a whole disk.
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_DOCUMENT))
    lines = text_lines(stream, encoding)
    first = list(islice(lines, 1))
    if delimiter == ",":
        delimiter = separator_of(first[0][0] if first else "", columns)
    records = _records(chain(first, lines), delimiter)
    line, header, problem = next(records, (1, [], "there is no header line"))
    if problem:
        helps = remedy_of_header(problem)
        raise FileError(f"cannot read {source}, line {line}: {problem}.{helps}")
    positions = columns.find(header, source)
    for line, fields, problem in records:
        try:
            row = _row(fields, problem, columns, positions, len(header))
        except UnreadableRow as reason:
            report(f"line {line}", str(reason))
        else:
            yield line, *row


def separator_of(header: str, columns: Columns) -> str:
    r"""Return what stands between the columns of a header: not all programs write commas.

    It is the one that makes the wanted columns of it; or, if none does, a semicolon or a tab
    where there is no comma.

    Examples
    --------
    >>> separator_of("label;text\n", Columns("text", "label"))
    ';'
    >>> separator_of("text,label;name\n", Columns("text", None))
    ','
    """
    for separator in _SEPARATORS:
        if set(columns.names) <= set(header.rstrip("\r\n").replace('"', "").split(separator)):
            return separator
    return next((separator for separator in _SEPARATORS if separator in header), ",")


class _Feed:
    """Lines for the parser, which takes text alone: problems are kept here meanwhile."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self._lines = lines
        self._problem = ""

    def __iter__(self) -> Iterator[str]:
        for line, problem in self._lines:
            self._problem = self._problem or problem
            yield line

    def take_problem(self) -> str:
        """Return what was wrong with the lines since the last call."""
        problem, self._problem = self._problem, ""
        return problem


def _records(
    lines: Iterable[tuple[str, str]], delimiter: str
) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of a record's first line, its fields, and what is wrong with it."""
    feed = _Feed(lines)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        first, problem = reader.line_num + 1, ""
        try:
            fields = next(reader, None)
        except csv.Error as error:
            fields, problem = [], _reason(str(error), reader.line_num - first)
        if fields is None:
            return
        problem = feed.take_problem() or problem
        if fields or problem:
            yield first, fields, problem


def _row(
    fields: list[str], problem: str, columns: Columns, positions: list[int], width: int
) -> tuple[str, object, list[str]]:
    if problem:
        raise UnreadableRow(problem)
    if len(fields) != width:
        raise UnreadableRow(f"{len(fields)} fields, but the header has {width}")
    text, *others = [fields[position] for position in positions]
    if columns.label is None:
        return text, None, others
    if not others[0] and columns.separator is None:
        raise UnreadableRow(f"the label is empty. {UNKNOWN}")
    return text, columns.label_in(others[0]), others[1:]


def _reason(error: str, more_lines: int) -> str:
    if error.startswith("unexpected end"):
        return f"a quote is opened and never closed: it takes the rest, {more_lines} more lines"
    if error.startswith("field larger"):
        return f"a field {TOO_LARGE}, with {more_lines} more lines; is a quote not closed?"
    return f"{error} (with {more_lines} more lines)" if more_lines else error


# ------------------------------------------------------------------------------------------------
# Documents in files of JSON objects, one a line.

_decode = JSONDecoder().decode


def json_rows(stream: BinaryIO, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
    """Yield the objects of a file, each under the number of its line; blank lines are none."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if line.isspace() and not problem:
            continue
        try:
            row = _row_of_json_lines(line, problem, columns)
        except UnreadableRow as reason:
            report(f"line {number}", str(reason))
        else:
            yield number, *row


def value_of(record: dict[str, Any], name: str) -> Any:
    """Return what stands under a key; dots lead into objects within.

    Examples
    --------
    >>> value_of({"mail": {"body": "See you at noon"}}, "mail.body")
    'See you at noon'
    """
    if name in record:
        return record[name]
    value: Any = record
    for key in name.split("."):
        if not isinstance(value, dict) or key not in value:
            raise UnreadableRow(f"no key {name!r}. {offered(name, list(record))}".rstrip("."))
        value = value[key]
    return value


def _row_of_json_lines(line: str, problem: str, columns: Columns) -> tuple[str, Any, list[Any]]:
    if problem:
        raise UnreadableRow(problem)
    record = _object(line)
    text = value_of(record, columns.text)
    if not isinstance(text, str):
        raise UnreadableRow(f"{columns.text!r} is {text!r:.60}, not a string")
    wanted = columns.label
    label = None if wanted is None else columns.label_in(value_of(record, wanted))
    return text, label, [value_of(record, name) for name in columns.also]


def _object(line: str) -> dict[str, Any]:
    try:
        record = _decode(line)
    except JSONDecodeError as problem:
        reason = problem.msg.removesuffix(" at")
        raise UnreadableRow(f"not JSON: {reason}, column {problem.colno}") from None
    except (ValueError, RecursionError) as problem:
        raise UnreadableRow(f"not readable as JSON: {problem}") from None
    if not isinstance(record, dict):
        raise UnreadableRow(f"not an object, but {line.strip()!r:.60}")
    return record


# ------------------------------------------------------------------------------------------------
# Documents that are a line each, with their labels in it, as fastText has them.

MARK = "__label__"


def marked_rows(stream: BinaryIO, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
    """Yield the documents of a file under the numbers of their lines; blank lines are none."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if line.isspace() and not problem:
            continue
        labels, text = split_marks(line)
        if columns.label is not None and not labels:
            problem = problem or f"no word begins with {MARK}. {UNKNOWN}"
        if problem:
            report(f"line {number}", problem)
        else:
            yield number, text, _wanted(labels, columns), ()


def split_marks(line: str) -> tuple[list[str], str]:
    """Return the labels in a line, and its text without them.

    Examples
    --------
    >>> split_marks("__label__bread __label__oven Why does my  bread not rise?")
    (['bread', 'oven'], 'Why does my bread not rise?')
    """
    words = line.split()
    labels = [word.removeprefix(MARK) for word in words if word.startswith(MARK)]
    return labels, " ".join(word for word in words if not word.startswith(MARK))


def _wanted(labels: list[str], columns: Columns) -> Any:
    if columns.label is None:
        return None
    return labels[0] if len(labels) == 1 else labels
