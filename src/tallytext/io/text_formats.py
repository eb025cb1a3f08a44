"""Formats of text files: CSV and TSV with a header line, JSON, fastText and plain text."""

from __future__ import annotations

import codecs
import importlib.util
import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO, NoReturn

from tallytext.errors import FileError, InputError
from tallytext.io.batches import (
    Columns,
    Further,
    ReportRow,
    Row,
    RowLeftOut,
    UnreadableRow,
    describe_columns,
    header_remedy,
    row_remedy,
    short_repr,
    too_large,
)

#: Prefix of a label in a line of a fastText file.
LABEL_PREFIX = "__label__"

_BOM = b"\xef\xbb\xbf"
# Bound once, since json.loads() would examine its options for each line.
_decode_json = JSONDecoder().decode
_decode_element = JSONDecoder().raw_decode
_DELIMITERS = (",", ";", "\t")
_BLOCK_BYTES = 1 << 16
# Bytes at the end of a block in which an error of JSON may come from the cut.
_CUT = 16
# Bytes of memory that Python takes for an object, an array and any other value of JSON.
_VALUE_BYTES = {"{": 232, "[": 120, ",": 60}
# Values of shorter texts take less than 512 MiB, whatever they are.
_MIN_BYTES_TO_MEASURE = 1 << 23


def check_encoding(encoding: str) -> str:
    """Return the encoding, if text in it can be read.

    Raises
    ------
    InputError
        If the encoding is unknown, or has a newline that is not known here.

    Examples
    --------
    >>> check_encoding("latin-1")
    'latin-1'
    """
    try:
        lines = "x\n".encode(encoding).removeprefix(_BOM)
    except LookupError:
        raise InputError(
            f"there is no encoding {encoding!r}. Common ones are utf-8, cp1252 and latin-1."
        ) from None
    if lines != b"x\n" and not _is_wide(encoding):
        raise InputError(
            f"files in {encoding} cannot be read: convert them to UTF-8 first, "
            f"as in iconv -f {encoding} -t UTF-8 old.csv > new.csv."
        )
    return encoding


def _is_wide(encoding: str) -> bool:
    """Return True for UTF-16 and UTF-32, in which a newline has several bytes."""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


def wide_encoding(start: bytes) -> str | None:
    r"""Return the encoding of text that begins with these bytes if it is UTF-16 or UTF-32.

    A byte order mark decides. Without one, text is UTF-16 if its first two characters are printable
    ASCII with a zero byte each, as a header of Latin letters or the start of a JSON object is.

    Examples
    --------
    >>> wide_encoding("\ufefftext".encode("utf-16-be")), wide_encoding("text".encode("utf-16-le"))
    ('utf-16', 'utf-16-le')
    >>> wide_encoding(b"text") is None
    True
    """
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    kinds = ["0" if byte == 0 else "a" if 0x20 <= byte < 0x7F else "?" for byte in start[:4]]
    return {"a0a0": "utf-16-le", "0a0a": "utf-16-be"}.get("".join(kinds))


class _Transcoder(io.RawIOBase):
    """A stream of UTF-8 made of a stream in UTF-16 or UTF-32.

    What cannot be decoded becomes bytes that are not UTF-8, so that its line is reported.
    """

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        self._ready = b""
        self._is_first = True

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the bytes that are available."""
        while not self._ready:
            # read1 returns the bytes that a pipe has, without waiting for more.
            some = self._stream.read1(_BLOCK_BYTES)  # type: ignore[attr-defined]
            self._ready = self._decode(some)
            if not some:
                break
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _decode(self, some: bytes) -> bytes:
        try:
            text = self._decoder.decode(some, final=not some)
        except UnicodeDecodeError:
            # The rest, half a character, is dropped, so that the next call finds the end.
            self._decoder.reset()
            return b"\xff"
        if self._is_first and text:
            text, self._is_first = text.removeprefix("\ufeff"), False
        return text.encode("utf-8", "surrogatepass")


def as_narrow(stream: io.BufferedReader[Any], encoding: str) -> tuple[io.BufferedReader[Any], str]:
    """Return a stream whose newline is one byte, and its encoding: UTF-16 becomes UTF-8."""
    wide = wide_encoding(stream.peek(4)[:4]) or (encoding if _is_wide(encoding) else None)
    if wide is None:
        return stream, encoding
    return io.BufferedReader(_Transcoder(stream, wide), _BLOCK_BYTES), "utf-8"


def detect_text_format(stream: io.BufferedReader[Any]) -> str:
    r"""Return the format of a stream by its first byte that is not blank: "jsonl" or "csv".

    Examples
    --------
    >>> from io import BytesIO, BufferedReader
    >>> detect_text_format(BufferedReader(BytesIO(b'  [{"text": "a"}]')))
    'jsonl'
    >>> detect_text_format(BufferedReader(BytesIO(b"text,label\n")))
    'csv'
    """
    start = stream.peek(1).removeprefix(_BOM).lstrip()
    return "jsonl" if not start or start[:1] in (b"{", b"[") else "csv"


def decode_lines(stream: BinaryIO, encoding: str, max_row: int) -> Iterator[tuple[str, str]]:
    r"""Yield each line, with its newline, and its problem: '' if it can be decoded.

    Examples
    --------
    >>> from io import BytesIO
    >>> list(decode_lines(BytesIO(b"fine\nbro\xffken\n"), "utf-8", 1000))
    [('fine\n', ''), ('bro\udcffken\n', 'not utf-8: byte 0xff at 3')]
    """
    for line in _byte_lines(stream, max_row):
        if len(line) > max_row:
            yield "\n", too_large(max_row)
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


def _byte_lines(stream: BinaryIO, max_row: int) -> Iterator[bytes]:
    """Yield lines without a byte order mark; of a line that is too long only the beginning."""
    # One byte more than the limit shows that a line is too long, without reading all of it.
    line = stream.readline(max_row + 1).removeprefix(_BOM)
    while line:
        yield line
        while len(line) > max_row and not line.endswith(b"\n"):
            line = stream.readline(max_row + 1)
        line = stream.readline(max_row + 1)


def txt_rows(
    stream: BinaryIO, columns: Columns, report: ReportRow, encoding: str, max_row: int
) -> Iterator[Row]:
    """Yield one document per line, without labels, with its number from 1."""
    for number, (line, problem) in enumerate(decode_lines(stream, encoding, max_row), 1):
        if problem:
            report(f"line {number}", problem)
        else:
            # Not strip() or splitlines(): white space belongs to the text, and so do separators
            # like U+2028.
            text = line.removesuffix("\n").removesuffix("\r")
            yield number, text, None, columns.further({columns.text: text})


def json_rows(
    stream: BinaryIO,
    columns: Columns,
    report: ReportRow,
    encoding: str,
    max_row: int,
    source: str,
) -> Iterator[Row]:
    """Yield the JSON object of each line, or of each element of an array, with its number.

    A file whose first byte that is not blank is ``[`` is an array; its elements are read one by
    one. If the key of the labels is missing in some objects, these have no label; if it is missing
    in all, this is reported for the first.
    """
    buffered: Any = stream
    if buffered.peek(1).removeprefix(_BOM).lstrip()[:1] == b"[":
        records = _array_records(stream, encoding, max_row, source)
    else:
        records = _line_records(stream, encoding, max_row)
    # The first object without the key of the labels, unless another object has it.
    missing: tuple[str, str] | None = None
    has_key = False
    for number, place, read in records:
        try:
            record = read()
            row = _json_row(record, columns)
            if row[1] is None and columns.label is not None and not has_key:
                try:
                    get_value(record, columns.label)
                    has_key = True
                except UnreadableRow as reason:
                    missing = missing or (place, str(reason))
            else:
                has_key = True
        except RowLeftOut:
            continue
        except UnreadableRow as reason:
            report(place, str(reason))
        else:
            yield number, *row
    if missing and not has_key:
        report(*missing)


def _line_records(
    stream: BinaryIO, encoding: str, max_row: int
) -> Iterator[tuple[int, str, Callable[[], dict[str, Any]]]]:
    for number, (place, line, problem) in enumerate(_filled_lines(stream, encoding, max_row), 1):
        yield number, f"line {place}", partial(_parse_line, line, problem, max_row)


def _array_records(
    stream: BinaryIO, encoding: str, max_row: int, source: str
) -> Iterator[tuple[int, str, Callable[[], dict[str, Any]]]]:
    """Yield the elements of a JSON array, with memory for the longest of them."""
    text = _ArrayText(stream, encoding, max_row, source)
    for number, element in enumerate(_array_elements(text), 1):
        yield number, f"row {number}", partial(_as_object, element)


def _array_elements(text: _ArrayText) -> Iterator[Any]:
    text.take("[")
    if text.next_sign() == "]":
        text.take("]")
    else:
        yield text.element()
        while text.next_sign() != "]":
            text.take(",")
            yield text.element()
        text.take("]")
    if text.next_sign():
        text.fail("there is more after the end of the array")


class _ArrayText:
    """The text of a JSON array that is read in blocks; raises FileError where it is damaged.

    After a damaged element, the beginning of the next one is unknown, so that it cannot be skipped.
    """

    def __init__(self, stream: BinaryIO, encoding: str, max_row: int, source: str) -> None:
        codec = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
        self._decoder = codecs.getincrementaldecoder(codec)()
        self._stream, self._max_row, self._source = stream, max_row, source
        self._text, self._at, self._n_elements = "", 0, 0
        self._has_more = True

    def next_sign(self) -> str:
        """Return the next character that is not blank, or '' at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text) or not self._read(_BLOCK_BYTES):
                return self._text[self._at : self._at + 1]

    def take(self, sign: str) -> None:
        """Move behind the next character, which must be this one."""
        found = self.next_sign()
        if found != sign:
            self.fail(f"no {sign!r} but {found!r}" if found else "the array has no end")
        self._at += 1

    def element(self) -> Any:
        """Return the next element."""
        self.next_sign()
        while True:
            try:
                value, end = _decode_element(self._text, self._at)
            except JSONDecodeError as problem:
                # A string that is cut is reported at its beginning.
                is_cut = problem.msg.startswith("Unterminated string")
                if not is_cut and problem.pos < len(self._text) - _CUT:
                    self.fail(f"not JSON: {problem.msg}")
                # Twice as much each time, so that the time is linear in the length.
                if not self._read(max(_BLOCK_BYTES, len(self._text) - self._at)):
                    self.fail("the array is damaged, or was not written to its end")
            except (ValueError, RecursionError) as problem:
                self.fail(f"not readable as JSON: {problem}")
            else:
                self._at, self._n_elements = end, self._n_elements + 1
                return value

    def fail(self, reason: str) -> NoReturn:
        """Raise FileError with the number of the element."""
        raise FileError(
            f"cannot read {self._source}, row {self._n_elements + 1}: {reason}. Rows after this "
            "one cannot be read."
        )

    def _read(self, size: int) -> bool:
        """Read one more block; return False at the end of the file."""
        if len(self._text) - self._at > self._max_row:
            reason = too_large(self._max_row)
            self.fail(f"{reason}.{header_remedy(reason)}".removesuffix("."))
        if not self._has_more:
            return False
        some = self._stream.read(size)
        self._has_more = bool(some)
        try:
            more = self._decoder.decode(some, final=not some)
        except UnicodeDecodeError as problem:
            reason = describe_decode_error(problem)
            raise FileError(f"cannot read {self._source}: {reason}. {row_remedy(reason)}") from None
        self._text, self._at = self._text[self._at :] + more, 0
        try:
            _check_memory(self._text, self._max_row)
        except UnreadableRow as problem:
            self.fail(f"{problem}.{header_remedy(str(problem))}".removesuffix("."))
        return True


def _filled_lines(stream: BinaryIO, encoding: str, max_row: int) -> Iterator[tuple[int, str, str]]:
    """Yield each line that is not blank with its number in the file, and its problem or ''."""
    for place, (line, problem) in enumerate(decode_lines(stream, encoding, max_row), 1):
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


def _json_row(record: dict[str, Any], columns: Columns) -> tuple[str, Any, Further]:
    columns.check_where(get_value(record, each.column) for each in columns.where)
    text = get_value(record, columns.text)
    if not isinstance(text, str):
        inner = next(iter(text), None) if isinstance(text, dict) else None
        remedy = f". For a key inside it: --text {columns.text}.{inner}" if inner else ""
        raise UnreadableRow(f"{columns.text!r} is {short_repr(text)}, not a string{remedy}")
    label = _json_label(record, columns)
    if columns.every:
        return text, label, record
    return text, label, [get_value(record, name) for name in columns.also]


def _json_label(record: dict[str, Any], columns: Columns) -> Any:
    if columns.label is None:
        return None
    try:
        value = get_value(record, columns.label)
    except UnreadableRow:
        if columns.keeps_unlabelled:
            return None
        raise
    return columns.parse_label(value)


def _parse_line(line: str, problem: str, max_row: int) -> dict[str, Any]:
    if problem:
        raise UnreadableRow(problem)
    _check_memory(line, max_row)
    try:
        record = _decode_json(line)
    except JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        raise UnreadableRow(f"not JSON: {reason}, column {error.colno}") from None
    # ValueError: integers of more than 4,300 digits, which Python refuses to convert.
    except (ValueError, RecursionError) as error:
        raise UnreadableRow(f"not readable as JSON: {error}") from None
    return _as_object(record, line)


def _check_memory(text: str, max_row: int) -> None:
    """Raise UnreadableRow if JSON may need far more memory than a text of the same length."""
    if len(text) < _MIN_BYTES_TO_MEASURE:
        return
    # Nested empty arrays take 40 times the length of the text.
    most = 8 * max_row
    if sum(text.count(sign) * size for sign, size in _VALUE_BYTES.items()) > most:
        raise UnreadableRow(f"its values are {too_large(most)} in memory")


def _as_object(record: Any, written: str | None = None) -> dict[str, Any]:
    if not isinstance(record, dict):
        shown = short_repr(record if written is None else written.strip())
        raise UnreadableRow(f"not an object, but {shown}")
    return record


def fasttext_rows(
    stream: BinaryIO, columns: Columns, report: ReportRow, encoding: str, max_row: int
) -> Iterator[Row]:
    """Yield the document of each line with the number of its row; skip blank lines."""
    for number, (place, line, problem) in enumerate(_filled_lines(stream, encoding, max_row), 1):
        labels, text = split_labels(line)
        if columns.label is not None and not labels and not columns.keeps_unlabelled:
            problem = problem or f"no word begins with {LABEL_PREFIX}, so there is no label"
        if problem:
            report(f"line {place}", problem)
            continue
        label = labels[0] if len(labels) == 1 else labels
        further = columns.further({columns.text: text, "label": label})
        yield number, text, None if columns.label is None or not labels else label, further


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
    parser.field_size_limit(sys.maxsize)  # _LineFeed limits the whole row
    return parser


_parser = _private_parser()


def csv_rows(
    stream: BinaryIO,
    columns: Columns,
    report: ReportRow,
    encoding: str,
    max_row: int,
    source: str,
    delimiter: str,
) -> Iterator[Row]:
    """Yield the records of a file, each with its number from 1, without the header.

    If the delimiter is a comma, a header with semicolons or tabs is recognised.

    A record is unreadable if its number of fields differs from the header's, if its quotes do not
    match, or if it has no label, unless there is a label separator.
    """
    lines = decode_lines(stream, encoding, max_row)
    first = list(islice(lines, 1))
    if delimiter == ",":
        delimiter = detect_delimiter(first[0][0] if first else "", columns)
    records = _records(chain(first, lines), delimiter, max_row)
    line, header, problem = next(records, (0, [], ""))
    if not line:
        raise FileError(f"{source} is empty: there is no header line.")
    if problem:
        raise FileError(f"cannot read {source}, line {line}: {problem}.{header_remedy(problem)}")
    positions = columns.positions(header, source, "first line")
    for number, (line, fields, problem) in enumerate(records, 1):
        try:
            row = _csv_row(fields, problem, columns, positions, header)
        except RowLeftOut:
            continue
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


class _RowTooLarge(Exception):
    """The lines of a record are longer than a row may be."""


class _LineFeed:
    """Iterator of lines for the parser, which accepts text only; it holds the decoding errors."""

    def __init__(self, lines: Iterator[tuple[str, str]], max_row: int) -> None:
        self._lines, self._max_row = lines, max_row
        self._problem, self._size = "", 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, problem = next(self._lines)
        self._problem = self._problem or problem
        # Without a limit, an unclosed quote would read the whole file.
        self._size += len(line)
        if self._size > self._max_row:
            raise _RowTooLarge
        return line

    def pop_problem(self) -> str:
        """Return the first problem of the lines since the last call, or an empty string."""
        problem, self._problem, self._size = self._problem, "", 0
        return problem


def _records(
    lines: Iterator[tuple[str, str]], delimiter: str, max_row: int
) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of a record's first line, its fields, and its problem or ''."""
    feed = _LineFeed(lines, max_row)
    reader = _parser.reader(feed, delimiter=delimiter, strict=True)
    while True:
        first, problem = reader.line_num + 1, ""
        try:
            fields = next(reader, None)
        except _parser.Error as error:
            fields, problem = [], _describe_error(str(error), reader.line_num - first)
        except _RowTooLarge:
            more = reader.line_num - first
            fields, problem = [], f"{too_large(max_row)}, with {more + 1} more lines"
            problem += "; is a quote not closed?"
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
    if columns.where:
        n_before = len(others) - len(columns.where)
        columns.check_where(others[n_before:])
        del others[n_before:]
    every = dict(zip(header, fields, strict=True)) if columns.every else None
    if columns.label is None:
        return text, None, others if every is None else every
    return text, columns.parse_label(others[0]), others[1:] if every is None else every


def _describe_error(error: str, more_lines: int) -> str:
    if error.startswith("unexpected end"):
        return f"a quote is opened and never closed: it takes the rest, {more_lines} more lines"
    return f"{error} (with {more_lines} more lines)" if more_lines else error
