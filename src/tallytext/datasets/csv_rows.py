"""Documents in files of comma- or tab-separated values, with a header line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import UNKNOWN, Columns, Report, UnreadableRow
from tallytext.datasets.remedies import remedy_of_header
from tallytext.datasets.text_lines import LARGEST_DOCUMENT, TOO_LARGE, text_lines
from tallytext.errors import FileError

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
