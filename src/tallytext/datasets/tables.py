"""Corpora in parquet files: a row for each document, a column for each thing known of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallytext.datasets.opening import Source, plain_errors
from tallytext.errors import FileError

if TYPE_CHECKING:
    import pyarrow as pa

_NEEDED = ("text", "labels", "split", "id")


def read_table(path: Path) -> dict[str, list[Any]]:
    """Return the columns of a corpus.

    Parameters
    ----------
    path : Path
        A parquet file with columns text, split and id of text, and labels of lists of it.

    Raises
    ------
    FileError
        If it is damaged, or a column is missing or of another kind.
    """
    import pyarrow.parquet as pq

    from tallytext.datasets.parquet import arrow_errors

    source = Source(path, "parquet")
    with plain_errors(source), arrow_errors(source):
        table = pq.read_table(path)
        _check_columns(table, source)
        columns: dict[str, list[Any]] = table.to_pydict()
    return columns


def check_labels(columns: Mapping[str, list[Any]], source: object) -> None:
    """Refuse documents without a label, where each has one."""
    for number, given in enumerate(columns["labels"]):
        if len(given) != 1:
            raise FileError(
                f"cannot read {source}: each document should have one label, "
                f"but {columns['id'][number]!r} has {len(given)}."
            )


def _check_columns(table: pa.Table, source: Source) -> None:
    names = table.schema.names
    if missing := [name for name in _NEEDED if name not in names]:
        raise FileError(
            f"{source} is no table of a corpus: there is no column {' or '.join(missing)}. "
            f"It has {', '.join(names)}."
        )
    for name in _NEEDED:
        found = table.schema.field(name).type
        if not _is_as_needed(name, found):
            needed = "lists of text" if name == "labels" else "text"
            raise FileError(f"column {name!r} of {source} holds {found}, not {needed}.")
        if table.column(name).null_count:
            raise FileError(f"column {name!r} of {source} has empty places.")


def _is_as_needed(name: str, found: Any) -> bool:
    import pyarrow as pa

    from tallytext.datasets.parquet import is_string

    if name != "labels":
        return is_string(found)
    return (pa.types.is_list(found) or pa.types.is_large_list(found)) and is_string(
        found.value_type
    )
