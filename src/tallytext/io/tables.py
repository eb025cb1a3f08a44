"""Documents in sheets of workbooks (.xlsx) and in tables of databases (SQLite, DuckDB)."""

from __future__ import annotations

import shlex
import sqlite3
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from typing import Any, NoReturn, Self
from urllib.parse import quote
from xml.etree.ElementTree import ParseError

from tallytext.errors import FileError, TallytextError, did_you_mean
from tallytext.io.batches import (
    Columns,
    Further,
    ReportRow,
    Row,
    RowLeftOut,
    UnreadableRow,
    utf8_length,
    value_text,
)
from tallytext.io.sources import Source
from tallytext.io.text_formats import MAX_DOCUMENT_BYTES, TOO_LARGE, describe_decode_error

_MAX_TABLES_SHOWN = 20
_ROWS_FETCHED = 256
_LOCK_SECONDS = 5.0
# openpyxl holds the distinct strings of a workbook in memory.
_MAX_STRING_BYTES = 1 << 30
# The first bytes of a compound file: an old .xls, or a workbook with a password.
_COMPOUND_FILE = bytes.fromhex("d0cf11e0")


# openpyxl raises these for files that lack a part or have a damaged one.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, ParseError, EOFError, NotImplementedError, RuntimeError),
    *(KeyError, ValueError, TypeError, AttributeError, IndexError),
)


class TableFile(ABC):
    """An open file of tables, and the rows of the one to read.

    Rows are numbered from 1; the header of a sheet is not counted.

    Parameters
    ----------
    source : Source

    Attributes
    ----------
    n_bytes : int
        Number of bytes read so far, estimated from the number of rows.
    """

    #: What messages call the file, and a table in it.
    file_kind: str
    table_kind: str

    def __init__(self, source: Source) -> None:
        self._source = source
        self._stack = ExitStack()
        self._n_rows = 0
        self._total: int | None = None

    @staticmethod
    def of_source(source: Source) -> TableFile:
        """Return a file in the format of a source, to be entered as a context."""
        kinds: dict[str | None, type[TableFile]] = {
            "xlsx": _Workbook,
            "sqlite": _SqliteFile,
            "duckdb": _DuckdbFile,
        }
        return kinds[source.format](source)

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
                try:
                    row = _table_row(values, names, positions, columns)
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
        except (TallytextError, OSError):
            raise
        except Exception as problem:
            reason = self._describe_error(problem)
            if reason is None:
                raise
            first_line = reason.partition("\n")[0]
            raise FileError(
                f"cannot read {self._source} as {self.file_kind}: {first_line}"
            ) from None


def _table_row(
    values: Sequence[Any], names: list[str], positions: list[int], columns: Columns
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
    if utf8_length(text := value_text(text)) > MAX_DOCUMENT_BYTES:
        raise UnreadableRow(TOO_LARGE)
    others = [_plain(value) for value in others]
    label = None if columns.label is None else columns.parse_label(others.pop(0))
    if columns.every:
        return text, label, dict(zip(names, map(_plain, values), strict=True))
    return text, label, others


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
            strings = [each for each in archive.infolist() if "sharedStrings" in each.filename]
        if sum(each.file_size for each in strings) > _MAX_STRING_BYTES:
            self._fail("its texts take more than 1 GiB. Save the sheet as CSV, and read that.")
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
        sheet = self._book[self._table()]
        self._total = sheet.max_row
        # The size that a file states is often wrong, and would cut rows.
        sheet.reset_dimensions()
        rows = sheet.iter_rows(values_only=True)
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


def _has_value(row: Sequence[Any]) -> bool:
    return any(value is not None and value != "" for value in row)


def _cells(row: Sequence[Any], width: int) -> list[str]:
    """Return the cells of a row as text; a cell without a value is an empty string, as in CSV."""
    cells = [value_text(value) for value in row[:width]]
    return cells + [""] * (width - len(cells))


class _Database(TableFile):
    """A database, of whose table only the wanted columns are read."""

    table_kind = "table"
    _execute: Callable[[str], Any]

    def _read(self, columns: Columns) -> tuple[list[str], Iterator[Sequence[Any] | None]]:
        table = _quote_name(self._table())
        described = self._execute(f"SELECT * FROM {table} LIMIT 0").description
        names = [each[0] for each in described]
        columns.positions(names, str(self._source))  # raises FileError if one is missing
        wanted = names if columns.every else list(dict.fromkeys(columns.names))
        self._total = self._execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        cursor = self._execute(f"SELECT {', '.join(map(_quote_name, wanted))} FROM {table}")
        fetched = iter(lambda: cursor.fetchmany(_ROWS_FETCHED), [])
        return wanted, chain.from_iterable(fetched)


def _quote_name(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


class _SqliteFile(_Database):
    """A SQLite database, opened for reading only."""

    file_kind = "SQLite"

    def _connect(self) -> None:
        assert self._source.path is not None
        address = f"file:{quote(str(self._source.path.absolute()))}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=_LOCK_SECONDS)
        self._stack.callback(connection.close)
        # Bytes that are not UTF-8 stay bytes, so that only their row is unreadable.
        connection.text_factory = _text_or_bytes
        connection.execute("PRAGMA trusted_schema = OFF")
        self._execute = connection.execute

    def _tables(self) -> list[str]:
        names = self._execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        return [str(name) for (name,) in names]

    def _describe_error(self, problem: Exception) -> str | None:
        if not isinstance(problem, sqlite3.Error):
            return None
        reason = str(problem)
        if "locked" in reason:
            return f"{reason}. Another program is writing to it; try again when it has finished."
        if "not a database" in reason:
            return f"{reason}. Is it encrypted? If it is text, name its format with --format."
        if "malformed" in reason:
            return f"{reason}. Was it copied as a whole, while no program was writing to it?"
        return f"{reason}."


def _text_or_bytes(value: bytes) -> str | bytes:
    with suppress(UnicodeDecodeError):
        return value.decode()
    return value


class _DuckdbFile(_Database):
    """A DuckDB database, opened for reading only; its views cannot open other files."""

    file_kind = "DuckDB"

    def _connect(self) -> None:
        try:
            import duckdb
        except ImportError:
            raise FileError(
                f"cannot read {self._source}: DuckDB files need the package duckdb. Install it "
                "with pip install duckdb (tallytext[duckdb])."
            ) from None
        self._error = duckdb.Error
        connection = duckdb.connect(
            str(self._source.path), read_only=True, config={"enable_external_access": "false"}
        )
        self._stack.callback(connection.close)
        self._execute = connection.execute

    def _tables(self) -> list[str]:
        names = self._execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' "
            "ORDER BY table_type, table_name"
        )
        return [name for (name,) in names.fetchall()]

    def _describe_error(self, problem: Exception) -> str | None:
        if not isinstance(problem, self._error):
            return None
        reason = str(problem).partition("\n")[0].rstrip(".")
        if "lock" in reason:
            return (
                f"{reason}. Another program has it open for writing; try again when it is closed."
            )
        return f"{reason}."
