"""Documents in parquet files, as the columns they are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tallytext.errors import FileError
from tallytext.io.batches import Batch, Columns, Limits, Report, UnreadableRow
from tallytext.io.formats import undecodable
from tallytext.io.sources import Source

_BUFFER = 1 << 20


def parquet_batches(
    source: Source,
    columns: Columns,
    report: Report,
    limits: Limits,
    groups: range | None = None,
) -> Iterator[Batch]:
    """Yield the wanted columns of a file in batches, each document under the number of its row.

    Pages are read as they are needed, whatever the size of a row group. A batch has as many rows
    as the mean length of the texts allows, and is cut where they are longer. Of a file in many row
    groups, those of some of these may be wanted only.
    """
    check_columns(source, columns)
    with arrow_errors(source), _opened(source) as file:
        share = (source.size or 0) / max(file.metadata.num_rows, 1)
        taken = round(_rows_before(file, groups) * share)
        for first, records in _records(file, columns, limits, groups):
            for batch in batches_of(first, records, columns, report, limits):
                position = round((batch.places[-1] + 1) * share)
                yield replace(batch, n_bytes=position - taken)
                taken = position


def check_columns(source: Source, columns: Columns) -> None:
    """Refuse what is no file, or one that lacks columns or has them of the wrong types."""
    if source.path is None or source.compression is not None:
        raise FileError(
            f"cannot read parquet from {source}: it is read from its end, "
            "so it must be a file, and one that is not compressed as a whole."
        )
    with arrow_errors(source), _opened(source) as file:
        columns.find(file.schema_arrow.names, str(source))
        check_types(file.schema_arrow, columns, source)


def row_groups(source: Source, most_bytes: int) -> list[tuple[int, int, int]]:
    """Return the first row group, the end, and the bytes of parts of a file of at most this size.

    A row group is never cut, and a part has one of them at least.
    """
    with arrow_errors(source), _opened(source) as file:
        parts: list[tuple[int, int, int]] = []
        for number in range(file.metadata.num_row_groups):
            size = _size(file.metadata.row_group(number))
            if parts and parts[-1][2] + size <= most_bytes:
                first, _, before = parts.pop()
                parts.append((first, number + 1, before + size))
            else:
                parts.append((number, number + 1, size))
        return parts


def _size(group: Any) -> int:
    """Return how many bytes of a file a row group has."""
    return sum(group.column(at).total_compressed_size for at in range(group.num_columns))


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    # Buffered, a column is read in pieces; otherwise it is in memory, a whole row group of it.
    with (
        pa.OSFile(str(source.path)) as raw,
        pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False) as file,
    ):
        yield file


@contextmanager
def arrow_errors(source: Source) -> Iterator[None]:
    """Turn what is raised at a damaged file into a sentence about it."""
    try:
        yield
    except pa.ArrowException as problem:
        first_line = str(problem).partition("\n")[0].rstrip(".")
        raise FileError(f"cannot read {source} as parquet: {first_line}.") from None


def check_types(schema: Any, columns: Columns, source: object) -> None:
    """Refuse columns that hold no text, or no labels."""
    text = _values(schema.field(columns.text).type)
    if not is_string(text):
        raise FileError(f"column {columns.text!r} of {source} holds {text}, not text.")
    if columns.label is None:
        return
    label = _values(schema.field(columns.label).type)
    if pa.types.is_list(label) or pa.types.is_large_list(label):
        label = _values(label.value_type)
    if pa.types.is_null(label):
        return  # nobody has a label; whether that may be is seen row by row
    if not (is_string(label) or pa.types.is_primitive(label)) or pa.types.is_temporal(label):
        raise FileError(
            f"column {columns.label!r} of {source} holds {label}, but labels are strings or "
            "numbers, or lists of them."
        )


def _values(type: Any) -> Any:
    return type.value_type if pa.types.is_dictionary(type) else type


def is_string(type: Any) -> bool:
    """Whether a column of a type holds text."""
    return type in (pa.string(), pa.large_string(), pa.string_view())


def _records(
    file: Any, columns: Columns, limits: Limits, groups: range | None
) -> Iterator[tuple[int, Any]]:
    """Yield rows in batches, and the number of the first of each."""
    first = _rows_before(file, groups)
    for records in file.iter_batches(
        min(
            limits.documents, max(1, int(limits.bytes / _mean_length(file.metadata, columns.text)))
        ),
        row_groups=None if groups is None else list(groups),
        columns=list(dict.fromkeys(columns.names)),
        use_threads=False,
    ):
        yield first, records
        first += records.num_rows


def _rows_before(file: Any, groups: range | None) -> int:
    """Return how many rows there are before the first wanted row group."""
    before = range(0 if groups is None else groups.start)
    return sum(file.metadata.row_group(number).num_rows for number in before)


def _mean_length(metadata: Any, column: str) -> float:
    """Return how long a text is on the average, in the row group where they are longest."""
    means = [1.0]
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = map(group.column, range(group.num_columns))
        size = sum(c.total_uncompressed_size for c in chunks if c.path_in_schema == column)
        means.append(size / max(group.num_rows, 1))
    return max(means)


def batches_of(
    first: int, records: Any, columns: Columns, report: Report, limits: Limits
) -> Iterator[Batch]:
    """Yield the rows of a record batch that can be read, the first of which has this number."""
    records, labels, places = _readable(first, _in_one_piece(records, columns), columns, report)
    texts = records.column(columns.text)
    for start, end in pairwise(_ends(texts, limits.bytes)):
        part = slice(start, end)
        also = {name: records.column(name)[part].to_pylist() for name in columns.also}
        yield Batch(texts[part], labels and labels[part], places[part], also)


def _in_one_piece(records: Any, columns: Columns) -> Any:
    """Return a record batch whose texts lie side by side, unlike those of views."""
    texts = records.column(columns.text)
    if texts.type != pa.string_view():
        return records
    at = records.schema.names.index(columns.text)
    return records.set_column(at, columns.text, texts.cast(pa.large_string()))


def _readable(
    first: int, records: Any, columns: Columns, report: Report
) -> tuple[Any, list[Any] | None, Sequence[int]]:
    """Return the rows that can be read, with their labels and numbers."""
    n_rows = records.num_rows
    problems = _text_problems(records.column(columns.text))
    labels: list[Any] | None = None
    if columns.label is not None:
        labels = records.column(columns.label).to_pylist()
        for row, value in enumerate(labels):
            try:
                labels[row] = columns.label_in(value)
            except UnreadableRow as reason:
                problems.setdefault(row, str(reason))
    if not problems:
        return records, labels, range(first, first + n_rows)
    for row in sorted(problems):
        report(f"row {first + row}", problems[row])
    kept = [row for row in range(n_rows) if row not in problems]
    kept_labels = None if labels is None else [labels[row] for row in kept]
    return records.take(pa.array(kept, pa.int64())), kept_labels, [first + row for row in kept]


def _text_problems(texts: Any) -> dict[int, str]:
    """Return the rows without a text, or with one that is not UTF-8, and why."""
    problems = {}
    if texts.null_count:
        nulls = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        problems = dict.fromkeys(nulls.tolist(), "the text is null")
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        for row, text in enumerate(plain_texts(texts).cast(pa.large_binary())):
            try:
                str(text.as_py() or b"", "utf-8")
            except UnicodeDecodeError as problem:
                problems[row] = undecodable(problem)
    return problems


def plain_texts(texts: Any) -> Any:
    """Return a column of texts as one that holds each of them, unlike a dictionary."""
    return texts.dictionary_decode() if pa.types.is_dictionary(texts.type) else texts


def _ends(texts: Any, max_bytes: int) -> list[int]:
    """Return where to cut, so that no part is longer than a limit, unless it is one text."""
    below = np.cumsum(pc.binary_length(plain_texts(texts)).to_numpy(zero_copy_only=False))
    ends, before = [0], 0
    while ends[-1] < len(texts):
        fitting = int(np.searchsorted(below, before + max_bytes, side="right"))
        ends.append(max(fitting, ends[-1] + 1))
        before = int(below[ends[-1] - 1])
    return ends
