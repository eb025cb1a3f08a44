"""Records with named columns as CSV, TSV, JSON lines or Excel, by the name of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from tallytext.errors import FileError
from tallytext.io.atomic import save_blocks
from tallytext.io.table_writer import as_json, check_excel, csv_lines, open_table

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_EXCEL = ".xlsx"
_JSON_LINES = (".jsonl", ".ndjson", ".json")


class RecordFormat:
    """The format of a file of records, by its ending.

    Parameters
    ----------
    path : str or Path
        The name of the file: .csv, .tsv, .jsonl or .xlsx.
    columns : sequence of str
        The names of the columns.
    separator : str, default=";"
        Separator of lists in a field of CSV.
    escape_formulas : bool, default=False
        As for :func:`tallytext.io.table_writer.csv_lines`, in CSV and TSV.

    Raises
    ------
    FileError
        If the ending is another one.

    Examples
    --------
    >>> format = RecordFormat("wrong.csv", ["row", "label"])
    >>> format.header + format.lines([{"row": 1, "label": ["sea", "sky"]}])
    b'row,label\\n1,sea;sky\\n'
    >>> RecordFormat("wrong.jsonl", ["row"]).lines([{"row": 1, "label": "sea"}])
    b'{"row": 1}\\n'
    """

    def __init__(
        self,
        path: str | Path,
        columns: Sequence[str],
        separator: str = ";",
        escape_formulas: bool = False,
    ) -> None:
        ending = Path(path).suffix.lower()
        if ending not in _DELIMITERS and ending not in (*_JSON_LINES, _EXCEL):
            raise FileError(
                f"cannot write to {str(path)!r}: the ending says neither CSV, JSON lines nor "
                "Excel. Use .csv, .tsv, .jsonl or .xlsx."
            )
        self._path, self._is_sheet = Path(path), ending == _EXCEL
        if self._is_sheet:
            check_excel(self._path)
        self._columns, self._separator = list(columns), separator
        self._escape_formulas = escape_formulas
        self._delimiter = _DELIMITERS.get(ending)

    def save(self, blocks: Iterable[Iterable[Mapping[str, Any]]]) -> None:
        """Write blocks of records to the file, as a whole or not at all."""
        if not self._is_sheet:
            save_blocks(self._path, chain([self.header], map(self.lines, blocks)))
            return
        with open_table(self._path) as table:
            table.write({name: [] for name in self._columns})
            for block in map(list, blocks):
                table.write(
                    {name: [self._cell(each.get(name)) for each in block] for name in self._columns}
                )

    @property
    def header(self) -> bytes:
        """The line before all records; empty for JSON lines."""
        return b"" if self._delimiter is None else self._csv([self._columns])

    def lines(self, records: Iterable[Mapping[str, Any]]) -> bytes:
        """Return records as lines; values of other columns are left out."""
        if self._delimiter is None:
            rows = ({name: record.get(name) for name in self._columns} for record in records)
            return "".join(as_json(row) + "\n" for row in rows).encode()
        return self._csv(
            [self._cell(record.get(name)) for name in self._columns] for record in records
        )

    def _csv(self, rows: Iterable[Sequence[Any]]) -> bytes:
        return csv_lines(rows, self._delimiter or ",", self._escape_formulas)

    def _cell(self, value: Any) -> Any:
        return self._separator.join(map(str, value)) if isinstance(value, list) else value
