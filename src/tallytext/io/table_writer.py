"""Tables written to files in batches: CSV, TSV, JSON, Parquet and Excel, complete or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import date, datetime, time
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from tallytext.errors import FileError, did_you_mean
from tallytext.io.atomic import replace_atomically
from tallytext.io.batches import ABSENT
from tallytext.runtime import import_pyarrow, import_zstd

#: A table as columns by name: lists, or Arrow arrays.
Table = Mapping[str, Any]

#: The formats of tables by the ending of a file's name.
ENDINGS = {
    "csv": "csv",
    "tsv": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "json": "json",
    "parquet": "parquet",
    "xlsx": "xlsx",
}
#: Formats whose cells hold no lists.
FLAT_FORMATS = ("csv", "tsv", "xlsx")

_COMPRESSIONS = ("gz", "bz2", "xz", "zst")
_NESTED = (bool, list, tuple, dict)
# A row group of a parquet file is written when it has as many rows or bytes.
_GROUP_ROWS = 16_384
_GROUP_BYTES = 32 << 20
_MAX_SHEET_ROWS = 1 << 20
_MAX_CELL_CHARACTERS = 32_767
# Larger integers are not exact in a sheet, which holds all numbers as doubles.
_MAX_SHEET_INTEGER = 1 << 53
# The first characters of formulas, as OWASP lists them under "CSV injection"; also after a
# semicolon, at which spreadsheets of some countries split the fields.
_FORMULA = re.compile(r"(?:^|(?<=;))(?=[=+\-@\t\r\n＝＋－＠])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def table_format(path: Path) -> tuple[str, str | None]:
    """Return the format and the compression that the name of a file implies.

    Raises
    ------
    FileError
        If the ending is that of no format.

    Examples
    --------
    >>> table_format(Path("labelled.ndjson.gz")), table_format(Path("labelled.XLSX"))
    (('jsonl', 'gz'), ('xlsx', None))
    """
    stem, _, last = path.name.lower().rpartition(".")
    name, compression = (stem, last) if last in _COMPRESSIONS else (path.name.lower(), None)
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending not in ENDINGS:
        known = ", ".join(f".{each}" for each in ENDINGS)
        raise FileError(
            f"cannot write to {str(path)!r}: the ending of the name gives the format, and must be "
            f"one of {known}, or one of these and .gz.{did_you_mean(ending, ENDINGS)}"
        )
    format = ENDINGS[ending]
    if compression is not None and format in ("parquet", "xlsx"):
        raise FileError(
            f"cannot write to {str(path)!r}: {ending} files are compressed inside. Leave "
            f".{compression} out of the name."
        )
    return format, compression


@contextmanager
def open_table(path: Path, escape_formulas: bool = False) -> Iterator[TableWriter]:
    """Yield a writer of a table; its file takes its name when the block has succeeded.

    Parameters
    ----------
    path : Path
        The file; the ending of its name is the format. An existing file is replaced.
    escape_formulas : bool, default=False
        As for :func:`csv_lines`, in CSV and TSV. In Excel files, text is never a formula.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "labelled.csv"
    >>> with open_table(path) as table:
    ...     table.write({"text": ["a, b", "naïve"], "tags": [["x"], None]})
    ...     table.write({"text": ["c"], "tags": [["y", "z"]]})
    >>> print(path.read_text(encoding="utf-8"), end="")
    text,tags
    "a, b","[""x""]"
    naïve,
    c,"[""y"", ""z""]"
    """
    format, compression = table_format(path)
    with replace_atomically(path) as temporary, ExitStack() as stack:
        writer: TableWriter
        if format == "parquet":
            writer = _ParquetTable(path, temporary)
        elif format == "xlsx":
            writer = _ExcelTable(path, temporary)
        else:
            stream = _open_compressed(temporary, compression, stack)
            if format in ("jsonl", "json"):
                writer = (_JsonLines if format == "jsonl" else _JsonArray)(path, stream)
            else:
                writer = _CsvTable(path, stream, "\t" if format == "tsv" else ",", escape_formulas)
        # Closed in the other order, so that compressed data ends after its content.
        stack.callback(writer.abandon)
        yield writer
        writer.close()


def _open_compressed(path: Path, compression: str | None, stack: ExitStack) -> Any:
    """Open a file for writing; the stack closes it."""
    if compression == "bz2":
        import bz2

        return stack.enter_context(bz2.open(path, "wb"))
    if compression == "xz":
        import lzma

        return stack.enter_context(lzma.open(path, "wb"))
    if compression == "zst":
        return stack.enter_context(import_zstd().open(path, "wb"))
    file = stack.enter_context(path.open("wb"))
    if compression is None:
        return file
    import gzip

    # Without the temporary name, and without the time: a wrong clock may have one that does not
    # fit, and equal tables give equal files.
    return stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))


class TableWriter:
    """Writes a table in batches; the columns are those of the first batch.

    Attributes
    ----------
    n_rows : int
        Number of rows written so far.
    """

    #: Whether rows may differ in their columns.
    is_ragged = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: list[str] | None = None
        self.n_rows = 0

    @property
    def notes(self) -> list[str]:
        """Sentences about values that the format cannot hold as they are."""
        return []

    def write(self, table: Table, kinds: Mapping[str, Any] | None = None) -> None:
        """Write rows.

        Parameters
        ----------
        table : mapping of str to list or Arrow array
            Columns of equal length.
        kinds : mapping of str to type, default=None
            For columns whose first values may be empty: ``str``, ``int``, ``float``, ``bool``, or a
            list of one of these, such as ``list[str]``. The types of the first rows stay.

        Raises
        ------
        FileError
            If there is a column that the rows before did not have, or a value that does not fit.
        """
        n_rows = len(next(iter(table.values()), []))
        if self._names is None:
            self._names = [*table]
            self._begin(table, kinds or {})
        if not self.is_ragged:
            table = self._fill(table, n_rows)
        self._write(table)
        self.n_rows += n_rows

    def _fill(self, table: Table, n_rows: int) -> Table:
        """Return a table with all columns of the file; raise FileError if it has others."""
        names = self._names or []
        known = set(names)
        new = [name for name in table if name not in known]
        if new:
            raise FileError(
                f"cannot write the column {new[0]!r} to {str(self._path)!r}: the first "
                f"{self.n_rows:,} rows did not have it. Write JSON lines, whose rows may differ "
                "(-o FILE.jsonl)."
            )
        return {name: table.get(name, [ABSENT] * n_rows) for name in names}

    def close(self) -> None:
        """Write what comes after all rows."""

    def abandon(self) -> None:
        """Release resources, also after an error."""

    def _begin(self, table: Table, kinds: Mapping[str, Any]) -> None:
        """Write what comes before all rows."""

    def _write(self, table: Table) -> None:
        raise NotImplementedError


class _TextTable(TableWriter):
    def __init__(self, path: Path, stream: Any) -> None:
        super().__init__(path)
        self._stream = stream


class _CsvTable(_TextTable):
    def __init__(self, path: Path, stream: Any, delimiter: str, escape_formulas: bool) -> None:
        super().__init__(path, stream)
        self._lines = partial(csv_lines, delimiter=delimiter, escape_formulas=escape_formulas)

    def _begin(self, table: Table, kinds: Mapping[str, Any]) -> None:
        self._stream.write(self._lines([[*table]]))

    def _write(self, table: Table) -> None:
        columns = [[as_cell(value) for value in as_list(column)] for column in table.values()]
        self._stream.write(self._lines(zip(*columns, strict=True)))


class _JsonLines(_TextTable):
    is_ragged = True

    def _write(self, table: Table) -> None:
        self._stream.write("".join(f"{line}\n" for line in _json_objects(table)).encode())


class _JsonArray(_TextTable):
    is_ragged = True

    def _write(self, table: Table) -> None:
        before = ",\n" if self.n_rows else "[\n"
        lines = ",\n".join(_json_objects(table))
        self._stream.write(f"{before}{lines}".encode() if lines else b"")

    def close(self) -> None:
        self._stream.write(b"\n]\n" if self.n_rows else b"[]\n")


def _json_objects(table: Table) -> Iterator[str]:
    columns = [as_list(column) for column in table.values()]
    for values in zip(*columns, strict=True):
        row = zip(table, values, strict=True)
        yield as_json({name: value for name, value in row if value is not ABSENT})


class _ParquetTable(TableWriter):
    """Arrow arrays keep their types; other columns get the type of the first batch."""

    def __init__(self, path: Path, temporary: Path) -> None:
        super().__init__(path)
        self._temporary = temporary
        self._schema: Any = None
        self._writer: Any = None
        self._waiting: list[Any] = []

    def _begin(self, table: Table, kinds: Mapping[str, Any]) -> None:
        pa = import_pyarrow("writing Parquet")
        pq = import_pyarrow("writing Parquet", "pyarrow.parquet")
        types = {name: _column_type(column, kinds.get(name)) for name, column in table.items()}
        self._schema = pa.schema(types.items())
        self._writer = pq.ParquetWriter(str(self._temporary), self._schema)

    def _write(self, table: Table) -> None:
        import pyarrow as pa

        columns = [self._array(name, table[name]) for name in self._schema.names]
        self._waiting.append(pa.record_batch(columns, schema=self._schema))
        n_rows = sum(each.num_rows for each in self._waiting)
        if n_rows >= _GROUP_ROWS or sum(each.nbytes for each in self._waiting) >= _GROUP_BYTES:
            self._write_group()

    def _array(self, name: str, column: Any) -> Any:
        import pyarrow as pa

        type = self._schema.field(name).type
        try:
            if not isinstance(column, list):
                return column if column.type == type else column.cast(type)
            values = [None if value is ABSENT else value for value in column]
            if pa.types.is_string(type):
                return pa.array([_as_text(value) for value in values], type)
            return pa.array(values, type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as problem:
            reason = str(problem).partition("\n")[0].rstrip(".")
            raise FileError(
                f"cannot write the column {name!r} to {str(self._path)!r}: it holds {type} in the "
                f"first rows, and another kind of value later ({reason}). Write JSON lines, whose "
                "values may differ (-o FILE.jsonl)."
            ) from None

    def _write_group(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
        self._waiting = []

    def close(self) -> None:
        self._write_group()
        if self._writer is not None:
            self._writer.close()

    def abandon(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _column_type(column: Any, kind: Any) -> Any:
    if kind is not None:
        return _arrow_type(kind)
    return _infer_type(column) if isinstance(column, list) else column.type


def _arrow_type(kind: Any) -> Any:
    """Return the Arrow type of a Python type."""
    import pyarrow as pa

    if parameters := get_args(kind):
        return pa.list_(_arrow_type(parameters[0]))
    return {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}[kind]


def _infer_type(values: list[Any]) -> Any:
    """Return the Arrow type of a column of Python values; text if they have no common one."""
    import pyarrow as pa

    present = [value for value in values if value is not None and value is not ABSENT]
    kinds = {type(value) for value in present}
    if not kinds or kinds == {str} or any(kind in (dict, tuple) for kind in kinds):
        return pa.string()
    try:
        found = pa.array(present).type
    except (pa.ArrowException, OverflowError):
        return pa.string()  # kinds are mixed, or an integer is too large
    return pa.string() if _holds_objects(present) or pa.types.is_null(found) else found


def _holds_objects(values: list[Any]) -> bool:
    """Return True if lists hold anything but strings and numbers, whose type could be a guess."""
    nested = chain.from_iterable(value for value in values if isinstance(value, list))
    listed = [*nested]
    if not any(isinstance(value, list) for value in values):
        return False
    return not listed or not all(isinstance(each, str | int | float) for each in listed)


def _as_text(value: Any) -> str | None:
    if value is None:
        return None
    return str(as_cell(value)).encode("utf-8", "replace").decode()


def check_excel(path: Path) -> None:
    """Raise FileError if Excel files cannot be written, because openpyxl is not installed."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise FileError(
            f"cannot write {str(path)!r}: Excel files need openpyxl. Install it with "
            "pip install openpyxl (tallytext[excel])."
        ) from None


class _ExcelTable(TableWriter):
    """A workbook of one sheet; rows go to a temporary file of openpyxl as they come."""

    def __init__(self, path: Path, temporary: Path) -> None:
        super().__init__(path)
        self._temporary = temporary
        self._n_cut = self._n_replaced = 0
        self._is_saved = False
        check_excel(path)
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell

        self._cell = WriteOnlyCell
        self._book = Workbook(write_only=True)
        self._sheet: Any = self._book.create_sheet("documents")

    @property
    def notes(self) -> list[str]:
        notes = []
        if self._n_cut:
            cells = "1 text was" if self._n_cut == 1 else f"{self._n_cut:,} texts were"
            notes.append(
                f"{cells} cut to {_MAX_CELL_CHARACTERS:,} characters, the most that a cell of "
                "Excel holds. Other formats keep whole texts."
            )
        if self._n_replaced:
            cells = "1 text" if self._n_replaced == 1 else f"{self._n_replaced:,} texts"
            notes.append(f"control characters in {cells} were replaced, as Excel has none.")
        return notes

    def _begin(self, table: Table, kinds: Mapping[str, Any]) -> None:
        self._sheet.append([self._value(name) for name in table])

    def _write(self, table: Table) -> None:
        columns = [as_list(column) for column in table.values()]
        n_rows = len(columns[0]) if columns else 0
        if self.n_rows + n_rows >= _MAX_SHEET_ROWS:
            raise FileError(
                f"cannot write more than {_MAX_SHEET_ROWS - 1:,} documents to "
                f"{str(self._path)!r}, which is the limit of Excel. Write another format, such as "
                ".csv."
            )
        for values in zip(*columns, strict=True):
            self._sheet.append([self._value(value) for value in values])

    def _value(self, value: Any) -> Any:
        """Return a value that the sheet shows as it is."""
        if value is None or value is ABSENT:
            return None
        return value if _fits_a_sheet(value) else self._text_cell(str(as_cell(value)))

    def _text_cell(self, text: str) -> Any:
        if 2 * len(text) > _MAX_CELL_CHARACTERS:
            # Excel counts units of UTF-16, of which an emoji has two.
            units = text.encode("utf-16-le", "surrogatepass")
            if len(units) > 2 * _MAX_CELL_CHARACTERS:
                self._n_cut += 1
                text = units[: 2 * _MAX_CELL_CHARACTERS].decode("utf-16-le", "ignore")
        if _NOT_IN_XML.search(text):
            self._n_replaced += 1
            text = _NOT_IN_XML.sub("\ufffd", text)
        if not text.startswith(("=", "#")):
            return text
        # Text, and not a formula or an error, whatever its first character is.
        cell = self._cell(self._sheet, value=text)
        cell.data_type = "s"
        return cell

    def close(self) -> None:
        from openpyxl.writer.excel import ExcelWriter

        with self._temporary.open("wb") as file:
            archive = _undated_archive(file)
            try:
                ExcelWriter(self._book, archive).save()
            except BaseException:
                # Else it writes its end when it is removed, and the error of that is printed.
                archive.fp = None
                raise
        self._is_saved = True

    def abandon(self) -> None:
        if not self._is_saved:
            with suppress(Exception):  # a row may have been written by half
                self._sheet.close()


def _undated_archive(file: Any) -> Any:
    """Return a zip archive whose members have no time: that of a wrong clock may not fit."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    class Archive(ZipFile):
        def writestr(self, name: Any, data: Any, *given: Any) -> None:
            member = ZipInfo(name)
            member.external_attr = 0o600 << 16  # as for members with a time
            super().writestr(member, data, ZIP_DEFLATED)

    return Archive(file, "w", ZIP_DEFLATED, strict_timestamps=False)


def _fits_a_sheet(value: Any) -> bool:
    """Return True if a sheet has a kind of cell that holds a value exactly."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) <= _MAX_SHEET_INTEGER
    if isinstance(value, float):
        return math.isfinite(value)
    # Sheets have no time zones, and no dates before 1900.
    has_zone = getattr(value, "tzinfo", None) is not None
    return isinstance(value, date) and value.year > 1900 and not has_zone


def as_list(column: Any) -> list[Any]:
    """Return a column as Python values."""
    if isinstance(column, list):
        return column
    try:
        return list(column.to_pylist())
    except ValueError:  # nanoseconds, for which Python has no type
        import pyarrow as pa

        return list(column.cast(pa.string()).to_pylist())


def as_cell(value: Any) -> Any:
    """Return a value for a cell of text: no value is empty, and what is nested is JSON.

    Examples
    --------
    >>> [as_cell(value) for value in ("a", None, 0.5, True, ["a", 1], date(2024, 5, 31))]
    ['a', '', 0.5, 'true', '["a", 1]', '2024-05-31']
    """
    if isinstance(value, str):
        return value
    if value is None or value is ABSENT:
        return ""
    if isinstance(value, _NESTED):
        return as_json(value)
    return value if isinstance(value, int | float) else _plain(value)


def _plain(value: Any) -> str:
    """Return a value for which JSON has no form as text."""
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


_encode = json.JSONEncoder(ensure_ascii=False, default=_plain).encode


def as_json(value: Any) -> str:
    """Return a value as one line of JSON that can be encoded as UTF-8.

    Examples
    --------
    >>> as_json({"label": "café"}), as_json("\\ud800")
    ('{"label": "café"}', '"\\\\ud800"')
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can only escape
        return json.dumps(value, default=_plain)
    return text


def csv_lines(
    rows: Iterable[Sequence[Any]], delimiter: str = ",", escape_formulas: bool = False
) -> bytes:
    """Return rows as lines of CSV in UTF-8.

    Parameters
    ----------
    rows : iterable of sequences
    delimiter : str, default=","
    escape_formulas : bool, default=False
        Whether text that a spreadsheet would run as a formula begins with an apostrophe.

    Examples
    --------
    >>> csv_lines([["id", "text"], [7, "a, b"]])
    b'id,text\\n7,"a, b"\\n'
    >>> csv_lines([["=cmd()", "-7", -7]], escape_formulas=True)
    b"'=cmd(),-7,-7\\n"
    """
    if escape_formulas:
        rows = ([escape_formula(value) for value in row] for row in rows)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # The writer does not quote a carriage return, which would end the line for readers.
        has_return = any(isinstance(value, str) and "\r" in value for value in row)
        (quoted if has_return else writer).writerow(row)
    # A lone surrogate has no form in UTF-8, and unlike JSON, CSV cannot escape it.
    return file.getvalue().encode("utf-8", "replace")


def escape_formula(value: Any) -> Any:
    """Return text that a spreadsheet would run as a formula with an apostrophe; all else as it is.

    Examples
    --------
    >>> [escape_formula(value) for value in ("=cmd()", "a;@b", "-7", "well-known", -7)]
    ["'=cmd()", "a;'@b", '-7', 'well-known', -7]
    """
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return _FORMULA.sub("'", value)
