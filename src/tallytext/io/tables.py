"""Documents in sheets of workbooks (.xlsx) and in tables of databases (SQLite, DuckDB)."""

from __future__ import annotations

import errno
import shlex
import sqlite3
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, Any, NoReturn, Self
from urllib.parse import quote
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from tallytext.errors import FileError, TallytextError, did_you_mean
from tallytext.io.batches import (
    MAX_ROW_BYTES,
    Columns,
    Further,
    ReportRow,
    Row,
    RowLeftOut,
    UnreadableRow,
    row_remedy,
    size_text,
    too_large,
    utf8_length,
    value_text,
)
from tallytext.io.sources import Source, unpacked_remedy
from tallytext.io.text_formats import describe_decode_error

_MAX_TABLES_SHOWN = 20
_LOCK_SECONDS = 5.0
_MAX_SHEET_ROWS = 1 << 20  # as in Excel
# openpyxl holds all parts of a workbook in memory, apart from the content of rows.
_MAX_WORKBOOK_BYTES = 3 << 28
_XML_BLOCK = 1 << 18
_ELEMENT_BYTES, _ATTRIBUTE_BYTES = 100, 150
# Elements that openpyxl empties as soon as it has read them.
_RELEASED = ("row", "si")
_DIMENSION = "http://schemas.openxmlformats.org/spreadsheetml/2006/main}dimension"
# Instructions of SQLite until the next row, of which a second has about 100 million. Large files
# may need more.
_STEPS_PER_CALL, _MAX_STEPS, _STEPS_PER_BYTE = 1_000_000, 400_000_000, 100
_CELL_BYTES = 50  # of memory, beside its text
_DUCKDB_SETTINGS: dict[str, Any] = {
    "enable_external_access": "false",
    "memory_limit": "512MB",
    "temp_directory": "",
}
# The first bytes of a compound file: an old .xls, or a workbook with a password.
_COMPOUND_FILE = bytes.fromhex("d0cf11e0")


# openpyxl raises these for files that lack a part or have a damaged one.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, ParseError, expat.ExpatError, EOFError),
    *(NotImplementedError, RuntimeError, MemoryError, OSError),
    *(KeyError, ValueError, TypeError, AttributeError, IndexError),
)


_VIEW_BYTES = 1 << 30  # named in a remedy


class TableFile(ABC):
    """An open file of tables, and the rows of the one to read.

    Rows are numbered from 1; the header of a sheet is not counted.

    Parameters
    ----------
    source : Source
    max_row : int
        Largest size of a text in bytes.

    Attributes
    ----------
    n_bytes : int
        Number of bytes read so far, estimated from the number of rows.
    """

    #: What messages call the file, and a table in it.
    file_kind: str
    table_kind: str

    def __init__(self, source: Source, max_row: int) -> None:
        self._source, self._max_row = source, max_row
        self._stack = ExitStack()
        self._n_rows = self._n_unpacked = 0
        self._total: int | None = None

    @staticmethod
    def of_source(source: Source, max_row: int = MAX_ROW_BYTES) -> TableFile:
        """Return a file in the format of a source, to be entered as a context."""
        kinds: dict[str | None, type[TableFile]] = {
            "xlsx": _Workbook,
            "sqlite": _SqliteFile,
            "duckdb": _DuckdbFile,
        }
        return kinds[source.format](source, max_row)

    def __enter__(self) -> Self:
        with self._wrap_errors():
            self._connect()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def n_bytes(self) -> int:
        """Number of bytes read so far, estimated from the number of rows."""
        if not self._total:
            return 0
        return round((self._source.size or 0) * min(self._n_rows / self._total, 1))

    def rows(self, columns: Columns, report: ReportRow) -> Iterator[Row]:
        """Yield the rows with their numbers; report those that cannot be read."""
        with self._wrap_errors():
            names, records = self._read(columns)
            positions = [names.index(name) for name in columns.names]
            for self._n_rows, values in enumerate(records, 1):
                if values is None:
                    continue
                self._n_unpacked += _value_bytes(values)
                self._source.check_unpacked(self._n_unpacked, self._source.size or 0)
                try:
                    row = _table_row(values, names, positions, columns, self._max_row)
                except RowLeftOut:
                    continue
                except UnreadableRow as reason:
                    report(f"row {self._n_rows}", str(reason))
                else:
                    yield self._n_rows, *row
        self._total = self._n_rows

    @abstractmethod
    def _connect(self) -> None:
        """Open the file, and close it with the stack."""

    @abstractmethod
    def _tables(self) -> list[str]:
        """Return the names of the tables."""

    @abstractmethod
    def _read(self, columns: Columns) -> tuple[list[str], Iterator[Sequence[Any] | None]]:
        """Return the names of the columns read, and the rows; None for a row without a value."""

    @abstractmethod
    def _describe_error(self, problem: Exception) -> str | None:
        """Return the damage and the remedy; None if the error is not one of the file."""

    def _table(self) -> str:
        """Return the name of the table to read: the one that was given, or the only one."""
        tables, wanted = self._tables(), self._source.table
        if wanted in tables:
            return wanted
        shown = ", ".join(tables[:_MAX_TABLES_SHOWN]) or "none"
        shown += f" and {len(tables) - _MAX_TABLES_SHOWN} more" * (len(tables) > _MAX_TABLES_SHOWN)
        if wanted is not None:
            raise FileError(
                f"{str(self._source.path)!r} has no {self.table_kind} {wanted!r}. It has: {shown}."
                f"{did_you_mean(wanted, tables)}"
            )
        if len(tables) == 1:
            return tables[0]
        example = f", as in {self._source.path}::{tables[0]}" if tables else ""
        raise FileError(
            f"{self._source} has {len(tables)} {self.table_kind}s: {shown}. Name the one to read "
            f"after the file{example}."
        )

    def _fail(self, reason: str) -> NoReturn:
        raise FileError(f"cannot read {self._source} as {self.file_kind}: {reason}")

    @contextmanager
    def _wrap_errors(self) -> Iterator[None]:
        try:
            yield
        except TallytextError:
            raise
        except Exception as problem:
            # A position before the start of the file is damage; other errors are the system's.
            if isinstance(problem, OSError) and problem.errno != errno.EINVAL:
                raise
            reason = self._describe_error(problem)
            if reason is None:
                raise
            first_line = reason.partition("\n")[0]
            raise FileError(
                f"cannot read {self._source} as {self.file_kind}: {first_line}"
            ) from None


def _table_row(
    values: Sequence[Any],
    names: list[str],
    positions: list[int],
    columns: Columns,
    max_row: int,
) -> tuple[str, Any, Further]:
    text, *others = [values[at] for at in positions]
    if columns.where:
        n_before = len(others) - len(columns.where)
        columns.check_where(others[n_before:])
        del others[n_before:]
    if text is None:
        raise UnreadableRow("the text is null")
    if isinstance(text, bytes):
        raise UnreadableRow(_describe_bytes(text))
    if utf8_length(text := value_text(text)) > max_row:
        raise UnreadableRow(too_large(max_row))
    others = [_plain(value) for value in others]
    label = None if columns.label is None else columns.parse_label(others.pop(0))
    if columns.every:
        return text, label, dict(zip(names, map(_plain, values), strict=True))
    return text, label, others


def _value_bytes(values: Sequence[Any]) -> int:
    return sum(
        _CELL_BYTES + len(each) if isinstance(each, str | bytes) else _CELL_BYTES for each in values
    )


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it: dates and decimal numbers as text."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.hex() if isinstance(value, bytes) else value_text(value)


def _describe_bytes(value: bytes) -> str:
    try:
        value.decode()
    except UnicodeDecodeError as problem:
        return describe_decode_error(problem)
    return "the text is a blob of bytes"


class _Workbook(TableFile):
    """A workbook: its cells are text, as in CSV, and its first row with a value is the header."""

    file_kind, table_kind = "xlsx", "sheet"

    def _connect(self) -> None:
        path = self._source.path
        assert path is not None
        with path.open("rb") as file:
            start = file.read(len(_COMPOUND_FILE))
        if start == _COMPOUND_FILE:
            self._fail(
                "it has a password, or is in the old format .xls. Save it as .xlsx without a "
                "password, or as CSV."
            )
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            total = sum(each.file_size for each in members)
            self._source.check_unpacked(total, self._source.size or 0)
            for each in members:
                if each.filename.endswith((".xml", ".rels")):
                    self._check_part(archive.open(each), only_start=True)
        try:
            from openpyxl import load_workbook
        except ImportError:
            raise FileError(
                f"cannot read {self._source}: .xlsx needs the package openpyxl. Install it with "
                "pip install openpyxl (tallytext[excel]), or save the sheet as CSV."
            ) from None
        self._book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        self._stack.callback(self._book.close)

    def _tables(self) -> list[str]:
        return [sheet.title for sheet in self._book.worksheets]

    def _table(self) -> str:
        tables = self._tables()
        return tables[0] if self._source.table is None and tables else super()._table()

    def _read(self, columns: Columns) -> tuple[list[str], Iterator[Sequence[Any] | None]]:
        sheet: Any = self._book[self._table()]
        self._check_part(sheet._get_source())
        self._total = sheet.max_row
        # The size that a file states is often wrong, and would cut rows.
        sheet.reset_dimensions()
        rows = self._check_rows(sheet.iter_rows(values_only=True))
        header = next((row for row in rows if _has_value(row)), ())
        if not header:
            raise FileError(
                f"{self._source} is empty: there is no header row.{self._other_sheets()}"
            )
        names = [value_text(name) for name in header]
        while names and not names[-1]:
            names.pop()
        try:
            columns.positions(names, str(self._source), "first row")
        except FileError as problem:
            raise FileError(f"{problem}{self._other_sheets()}") from None
        width = len(names)
        return names, (_cells(row, width) if _has_value(row) else None for row in rows)

    def _check_rows(self, rows: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        for number, row in enumerate(rows):
            if number == _MAX_SHEET_ROWS:
                self._fail(f"it has more than {_MAX_SHEET_ROWS:,} rows. Save the sheet as CSV.")
            yield row

    def _check_part(self, part: IO[bytes], only_start: bool = False) -> None:
        """Raise FileError if a part of the workbook would take too much memory.

        Of each sheet, openpyxl reads the start up to its dimension, if it states one.
        """
        most = self._source.max_unpacked or _MAX_WORKBOOK_BYTES
        memory = _XmlMemory()
        with part:
            while memory.n_bytes <= most and (some := part.read(_XML_BLOCK)):
                memory.count(some)
                if only_start and memory.has_dimension:
                    return
        if memory.n_bytes > most:
            more = -(-2 * most >> 30)
            self._fail(
                f"it takes more than {size_text(most)} of memory. Save the sheet as CSV, and read "
                f"that, or allow more with max_unpacked={more << 30} (--max-unpacked {more}G)."
            )

    def _other_sheets(self) -> str:
        """Return a hint about other sheets, if the first was read because none was named."""
        tables = self._tables()
        if self._source.table is not None or len(tables) < 2:
            return ""
        shown = ", ".join(tables[:_MAX_TABLES_SHOWN])
        shown += f" and {len(tables) - _MAX_TABLES_SHOWN} more" * (len(tables) > _MAX_TABLES_SHOWN)
        example = shlex.quote(f"{self._source.path}::{tables[1]}")
        return f" This is the first sheet of {shown}. Another one is read with {example}."

    def _describe_error(self, problem: Exception) -> str | None:
        if isinstance(problem, zipfile.BadZipFile) and "not a zip file" in str(problem):
            return (
                "it is not a workbook, or was not copied completely. If it is text, name its "
                "format with --format."
            )
        if isinstance(problem, _DAMAGE):
            reason = f"{type(problem).__name__}: {problem}"
            return f"it is damaged ({reason}). Save it again, or save the sheet as CSV."
        return None


class _XmlMemory:
    """The memory that openpyxl takes to read a part of a workbook, without taking it.

    ``n_bytes`` is the estimate for what was fed so far, ``has_dimension`` tells whether the size of
    a sheet was found in it.
    """

    def __init__(self) -> None:
        self.n_bytes = self._n_pending = 0
        self.has_dimension = False
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse

    def count(self, some: bytes) -> None:
        self._parser.Parse(some)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        size = _ELEMENT_BYTES + _ATTRIBUTE_BYTES * len(attributes)
        self.n_bytes += size
        self._n_pending += size
        if name == _DIMENSION:
            self.has_dimension = True

    def _end(self, name: str) -> None:
        if name.rpartition("}")[2] in _RELEASED:
            self.n_bytes -= self._n_pending
            self._n_pending = 0
            self.n_bytes += _ELEMENT_BYTES

    def _text(self, text: str) -> None:
        self.n_bytes += len(text)
        self._n_pending += len(text)

    def _refuse(self, *_: object) -> None:
        raise ValueError("it defines entities, which workbooks never do")


def _has_value(row: Sequence[Any]) -> bool:
    return any(value is not None and value != "" for value in row)


def _cells(row: Sequence[Any], width: int) -> list[str]:
    """Return the cells of a row as text; a cell without a value is an empty string, as in CSV."""
    cells = [value_text(value) for value in row[:width]]
    return cells + [""] * (width - len(cells))


class _Database(TableFile):
    """A database, of whose table only the wanted columns are read."""

    table_kind = "table"
    _execute: Callable[..., Any]
    _views: str

    def _read(self, columns: Columns) -> tuple[list[str], Iterator[Sequence[Any] | None]]:
        table = _quote_name(self._table())
        is_view = bool(self._execute(self._views, [self._table()]).fetchone()[0])
        if is_view:
            self._check_view()
        described = self._execute(f"SELECT * FROM {table} LIMIT 0").description
        names = [each[0] for each in described]
        columns.positions(names, str(self._source))  # raises FileError if one is missing
        wanted = names if columns.every else list(dict.fromkeys(columns.names))
        # Counting the rows of a view may take as long as reading them, or never end.
        if not is_view:
            self._total = self._execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        cursor = self._execute(f"SELECT {', '.join(map(_quote_name, wanted))} FROM {table}")
        # One by one, since many large rows do not fit into memory.
        return wanted, iter(cursor.fetchone, None)

    def _check_view(self) -> None:
        """Raise FileError if the rows of a view could fill the memory."""


def _quote_name(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


class _SqliteFile(_Database):
    """A SQLite database, opened for reading only."""

    file_kind = "SQLite"
    _views = "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = ?"

    def _connect(self) -> None:
        assert self._source.path is not None
        address = f"file:{quote(str(self._source.path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=_LOCK_SECONDS)
        self._stack.callback(connection.close)
        # Bytes that are not UTF-8 stay bytes, so that only their row is unreadable.
        connection.text_factory = _text_or_bytes
        connection.execute("PRAGMA trusted_schema = OFF")
        # A view can make texts and rows without end. Longer texts than a row may have are
        # reported, as far as they can be read.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(4 * self._max_row, (1 << 30) - 1))
        connection.set_progress_handler(self._count_steps, _STEPS_PER_CALL)
        self._n_calls, self._n_rows_before = 0, -1
        self._execute = connection.execute

    def _count_steps(self) -> bool:
        """Return True, which interrupts the query, if it takes too long to find the next row."""
        if self._n_rows != self._n_rows_before:
            self._n_calls, self._n_rows_before = 0, self._n_rows
        self._n_calls += 1
        most = _MAX_STEPS + _STEPS_PER_BYTE * (self._source.size or 0)
        return self._n_calls * _STEPS_PER_CALL > most

    def _tables(self) -> list[str]:
        names = self._execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        return [str(name) for (name,) in names]

    def _describe_error(self, problem: Exception) -> str | None:
        if isinstance(problem, UnicodeDecodeError):
            return "the name of a column is not UTF-8, so that it is damaged."
        if not isinstance(problem, sqlite3.Error):
            return None
        reason = str(problem)
        if "locked" in reason:
            return f"{reason}. Another program is writing to it; try again when it has finished."
        if "not a database" in reason:
            return f"{reason}. Is it encrypted? If it is text, name its format with --format."
        if "malformed" in reason:
            return f"{reason}. Was it copied as a whole, while no program was writing to it?"
        if "too big" in reason:
            return f"{reason}. {row_remedy(too_large(self._max_row))}"
        if "interrupted" in reason:
            return "a view takes too long. Write its rows to a table or to CSV, and read that."
        return f"{reason}."


def _text_or_bytes(value: bytes) -> str | bytes:
    with suppress(UnicodeDecodeError):
        return value.decode()
    return value


class _DuckdbFile(_Database):
    """A DuckDB database, opened for reading only; its views cannot open other files."""

    file_kind = "DuckDB"
    _views = "SELECT count(*) FROM duckdb_views() WHERE NOT internal AND view_name = ?"

    def _connect(self) -> None:
        try:
            import duckdb
        except ImportError:
            raise FileError(
                f"cannot read {self._source}: DuckDB files need the package duckdb. Install it "
                "with pip install duckdb (tallytext[duckdb])."
            ) from None
        self._error = duckdb.Error
        connection = duckdb.connect(str(self._source.path), read_only=True, config=_DUCKDB_SETTINGS)
        self._stack.callback(connection.close)
        self._execute = connection.execute

    def _tables(self) -> list[str]:
        names = self._execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' "
            "ORDER BY table_type, table_name"
        )
        return [name for (name,) in names.fetchall()]

    def _check_view(self) -> None:
        # Thousands of rows are computed at once, and constants even if no row is read; and their
        # texts are beyond DuckDB's memory limit.
        if self._source.max_unpacked is None:
            raise FileError(
                f"{self._source} is a view, whose rows may take any memory when they are computed. "
                f"Write them to a table. {unpacked_remedy(_VIEW_BYTES)}"
            )

    def _describe_error(self, problem: Exception) -> str | None:
        if not isinstance(problem, self._error):
            return None
        reason = str(problem).partition("\n")[0].rstrip(".")
        if "lock on file" in reason:
            return (
                f"{reason}. Another program has it open for writing; try again when it is closed."
            )
        return f"{reason}."
