"""Formats of text files: CSV and TSV with a header line, JSON lines, fastText and plain text."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO

from tallytext.errors import FileError, InputError
from tallytext.io.batches import (
    MISSING_LABEL_HINT,
    Columns,
    Further,
    ReportRow,
    Row,
    UnreadableRow,
    describe_columns,
    header_remedy,
)

#: Largest document that is read. A longer one is most likely an accident or an attack.
MAX_DOCUMENT_BYTES = 1 << 26

TOO_LARGE = f"larger than {MAX_DOCUMENT_BYTES >> 20} MiB"

#: Prefix of a label in a line of a fastText file.
LABEL_PREFIX = "__label__"

_BOM = b"\xef\xbb\xbf"
# Bound once, since json.loads() would examine its options for each line.
_decode_json = JSONDecoder().decode
_DELIMITERS = (",", ";", "\t")


def check_encoding(encoding: str) -> str:
    """Return the encoding, if a stream in it can be split into lines before it is decoded.

    Raises
    ------
    InputError
        If the encoding is unknown, or a newline is not the single byte 10 in it, as in UTF-16.

    Examples
    --------
    >>> check_encoding("latin-1")
    'latin-1'
    """
    try:
        # In UTF-16 and UTF-32 a newline has several bytes, so byte lines would be cut in the
        # middle.
        lines = "x\n".encode(encoding).removeprefix(_BOM)
    except LookupError:
        raise InputError(f"there is no encoding {encoding!r}.") from None
    if lines != b"x\n":
        raise InputError(
            f"files in {encoding} cannot be read: convert them to UTF-8 first, "
            f"as in iconv -f {encoding} -t UTF-8 old.csv > new.csv."
        )
    return encoding


def decode_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[str, str]]:
    r"""Yield each line, with its newline, and its problem: '' if it can be decoded.

    Examples
    --------
    >>> from io import BytesIO
    >>> list(decode_lines(BytesIO(b"fine\nbro\xffken\n"), "utf-8"))
    [('fine\n', ''), ('bro\udcffken\n', 'not utf-8: byte 0xff at 3')]
    """
    for line in _byte_lines(stream):
        if len(line) > MAX_DOCUMENT_BYTES:
            yield "\n", TOO_LARGE
            continue
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as problem:
            # The line is still passed on, because a CSV record may continue on the next one.
            yield line.decode(encoding, "surrogateescape"), describe_decode_error(problem)
        else:
            yield text, ""


def describe_decode_error(problem: UnicodeDecodeError) -> str:
    """Return the encoding, the byte and its position in a few words."""
    byte = problem.object[problem.start]
    return f"not {problem.encoding}: byte 0x{byte:02x} at {problem.start}"


def _byte_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines without a byte order mark; of a line that is too long only the beginning."""
    # One byte more than the limit shows that a line is too long, without reading all of it.
    line = stream.readline(MAX_DOCUMENT_BYTES + 1).removeprefix(_BOM)
    while line:
        yield line
        while len(line) > MAX_DOCUMENT_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MAX_DOCUMENT_BYTES + 1)
        line = stream.readline(MAX_DOCUMENT_BYTES + 1)


def txt_rows(stream: BinaryIO, columns: Columns, report: ReportRow, encoding: str) -> Iterator[Row]:
    """Yield one document per line, without labels, with its number from 1."""
    for number, (line, problem) in enumerate(decode_lines(stream, encoding), 1):
        if problem:
            report(f"line {number}", problem)
        else:
            # Not strip() or splitlines(): white space belongs to the text, and so do separators
            # like U+2028.
            text = line.removesuffix("\n").removesuffix("\r")
            yield number, text, None, columns.further({columns.text: text})


def json_rows(
    stream: BinaryIO, columns: Columns, report: ReportRow, encoding: str
) -> Iterator[Row]:
    """Yield the JSON object of each line with the number of its row; skip blank lines."""
    for number, (place, line, problem) in enumerate(_filled_lines(stream, encoding), 1):
        try:
            row = _json_row(line, problem, columns)
        except UnreadableRow as reason:
            report(f"line {place}", str(reason))
        else:
            yield number, *row


def _filled_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[int, str, str]]:
    """Yield each line that is not blank with its number in the file, and its problem or ''."""
    for place, (line, problem) in enumerate(decode_lines(stream, encoding), 1):
        if problem or not line.isspace():
            yield place, line, problem


def get_value(record: dict[str, Any], name: str) -> Any:
    """Return the value of a key; a key with dots leads into nested objects.

    Examples
    --------
    >>> get_value({"mail": {"body": "See you at noon"}}, "mail.body")
    'See you at noon'
    """
    # A key that itself has a dot comes before a path into nested objects.
    if name in record:
        return record[name]
    value: Any = record
    for key in name.split("."):
        if not isinstance(value, dict) or key not in value:
            hint = describe_columns(name, list(record))
            raise UnreadableRow(f"no key {name!r}. {hint}".rstrip("."))
        value = value[key]
    return value


def _json_row(line: str, problem: str, columns: Columns) -> tuple[str, Any, Further]:
    if problem:
        raise UnreadableRow(problem)
    record = _parse_object(line)
    text = get_value(record, columns.text)
    if not isinstance(text, str):
        raise UnreadableRow(f"{columns.text!r} is {text!r:.60}, not a string")
    name = columns.label
    label = None if name is None else columns.parse_label(get_value(record, name))
    if columns.every:
        return text, label, record
    return text, label, [get_value(record, name) for name in columns.also]


def _parse_object(line: str) -> dict[str, Any]:
    try:
        record = _decode_json(line)
    except JSONDecodeError as problem:
        reason = problem.msg.removesuffix(" at")
        raise UnreadableRow(f"not JSON: {reason}, column {problem.colno}") from None
    # ValueError: integers of more than 4,300 digits, which Python refuses to convert.
    except (ValueError, RecursionError) as problem:
        raise UnreadableRow(f"not readable as JSON: {problem}") from None
    if not isinstance(record, dict):
        raise UnreadableRow(f"not an object, but {line.strip()!r:.60}")
    return record


def fasttext_rows(
    stream: BinaryIO, columns: Columns, report: ReportRow, encoding: str
) -> Iterator[Row]:
    """Yield the document of each line with the number of its row; skip blank lines."""
    for number, (place, line, problem) in enumerate(_filled_lines(stream, encoding), 1):
        labels, text = split_labels(line)
        if columns.label is not None and not labels:
            problem = problem or f"no word begins with {LABEL_PREFIX}. {MISSING_LABEL_HINT}"
        if problem:
            report(f"line {place}", problem)
            continue
        label = labels[0] if len(labels) == 1 else labels
        further = columns.further({columns.text: text, "label": label})
        yield number, text, None if columns.label is None else label, further


def split_labels(line: str) -> tuple[list[str], str]:
    """Return the labels in a line of a fastText file, and its text without them.

    Examples
    --------
    >>> split_labels("__label__bread __label__oven Why does my  bread not rise?")
    (['bread', 'oven'], 'Why does my bread not rise?')
    """
    words = line.split()
    labels = [word.removeprefix(LABEL_PREFIX) for word in words if word.startswith(LABEL_PREFIX)]
    return labels, " ".join(word for word in words if not word.startswith(LABEL_PREFIX))


def _private_parser() -> Any:
    """Return an instance of Python's CSV parser with a field size limit of its own.

    ``csv.field_size_limit`` belongs to the module ``_csv``, so that raising it would change how
    the rest of the process reads CSV. A second instance of the module has its own limit.
    """
    spec = importlib.util.find_spec("_csv")
    if spec is None or spec.loader is None:
        raise FileError("cannot read CSV: this Python was built without the module _csv.")
    parser: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parser)
    # The default is 128 KiB. Without any limit, an unclosed quote would read the whole file.
    parser.field_size_limit(MAX_DOCUMENT_BYTES)
    return parser


_parser = _private_parser()


def csv_rows(
    stream: BinaryIO,
    columns: Columns,
    report: ReportRow,
    encoding: str,
    source: str,
    delimiter: str,
) -> Iterator[Row]:
    """Yield the records of a file, each with its number from 1, without the header.

    If the delimiter is a comma, a header with semicolons or tabs is recognised.

    A record is unreadable if its number of fields differs from the header's, if its quotes do not
    match, or if it has no label, unless there is a label separator.
    """
    lines = decode_lines(stream, encoding)
    first = list(islice(lines, 1))
    if delimiter == ",":
        delimiter = detect_delimiter(first[0][0] if first else "", columns)
    records = _records(chain(first, lines), delimiter)
    line, header, problem = next(records, (1, [], "there is no header line"))
    if problem:
        raise FileError(f"cannot read {source}, line {line}: {problem}.{header_remedy(problem)}")
    positions = columns.positions(header, source)
    for number, (line, fields, problem) in enumerate(records, 1):
        try:
            row = _csv_row(fields, problem, columns, positions, header)
        except UnreadableRow as reason:
            report(f"line {line}", str(reason))
        else:
            yield number, *row


def detect_delimiter(header: str, columns: Columns) -> str:
    r"""Return the delimiter of a header line: a comma, a semicolon or a tab.

    It is the first that gives all wanted columns; if none does, the first that occurs.

    Examples
    --------
    >>> detect_delimiter("label;text\n", Columns("text", "label"))
    ';'
    >>> detect_delimiter("text,label;name\n", Columns("text", None))
    ','
    """
    for delimiter in _DELIMITERS:
        if set(columns.names) <= set(header.rstrip("\r\n").replace('"', "").split(delimiter)):
            return delimiter
    return next((delimiter for delimiter in _DELIMITERS if delimiter in header), ",")


class _LineFeed:
    """Iterator of lines for the parser, which accepts text only; it holds the decoding errors."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self._lines = lines
        self._problem = ""

    def __iter__(self) -> Iterator[str]:
        for line, problem in self._lines:
            self._problem = self._problem or problem
            yield line

    def pop_problem(self) -> str:
        """Return the first problem of the lines since the last call, or an empty string."""
        problem, self._problem = self._problem, ""
        return problem


def _records(
    lines: Iterable[tuple[str, str]], delimiter: str
) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of a record's first line, its fields, and its problem or ''."""
    feed = _LineFeed(lines)
    reader = _parser.reader(feed, delimiter=delimiter, strict=True)
    while True:
        first, problem = reader.line_num + 1, ""
        try:
            fields = next(reader, None)
        except _parser.Error as error:
            fields, problem = [], _describe_error(str(error), reader.line_num - first)
        if fields is None:
            return
        # A decoding error comes first: it is often the cause of the parser's error.
        problem = feed.pop_problem() or problem
        if fields or problem:
            yield first, fields, problem


def _csv_row(
    fields: list[str], problem: str, columns: Columns, positions: list[int], header: list[str]
) -> tuple[str, object, Further]:
    if problem:
        raise UnreadableRow(problem)
    if len(fields) != len(header):
        raise UnreadableRow(f"{len(fields)} fields, but the header has {len(header)}")
    text, *others = [fields[position] for position in positions]
    every = dict(zip(header, fields, strict=True)) if columns.every else None
    if columns.label is None:
        return text, None, others if every is None else every
    if not others[0] and columns.separator is None:
        raise UnreadableRow(f"the label is empty. {MISSING_LABEL_HINT}")
    return text, columns.parse_label(others[0]), others[1:] if every is None else every


def _describe_error(error: str, more_lines: int) -> str:
    if error.startswith("unexpected end"):
        return f"a quote is opened and never closed: it takes the rest, {more_lines} more lines"
    if error.startswith("field larger"):
        return f"a field {TOO_LARGE}, with {more_lines} more lines; is a quote not closed?"
    return f"{error} (with {more_lines} more lines)" if more_lines else error
