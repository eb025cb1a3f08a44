"""Records with named columns as lines of CSV, TSV or JSON, by the name of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tallytext.errors import FileError
from tallytext.io.table_writer import as_json, csv_lines

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_JSON_LINES = (".jsonl", ".ndjson", ".json")


class RecordFormat:
    """The format of a file of records, by its ending.

    Parameters
    ----------
    path : str or Path
        The name of the file: .csv, .tsv or .jsonl.
    columns : sequence of str
        The names of the columns.
    separator : str, default=";"
        Separator of lists in a field of CSV.

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

    def __init__(self, path: str | Path, columns: Sequence[str], separator: str = ";") -> None:
        ending = Path(path).suffix.lower()
        if ending not in _DELIMITERS and ending not in _JSON_LINES:
            raise FileError(
                f"cannot write to {str(path)!r}: the ending says neither CSV nor JSON lines. Use "
                ".csv, .tsv or .jsonl."
            )
        self._columns, self._separator = list(columns), separator
        self._delimiter = _DELIMITERS.get(ending)

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
        return csv_lines(rows, self._delimiter or ",")

    def _cell(self, value: Any) -> Any:
        return self._separator.join(map(str, value)) if isinstance(value, list) else value
