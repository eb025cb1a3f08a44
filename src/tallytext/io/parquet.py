"""Documents in parquet files, read as Arrow columns."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tallytext.errors import FileError
from tallytext.io.batches import (
    MAX_ROW_BYTES,
    Batch,
    BatchLimits,
    Columns,
    ReportRow,
    UnreadableRow,
    size_text,
    too_large,
)
from tallytext.io.sources import Source, unpacked_remedy
from tallytext.io.text_formats import describe_decode_error
from tallytext.runtime import import_pyarrow

pa = import_pyarrow("reading Parquet")
pc = import_pyarrow("reading Parquet", "pyarrow.compute")
pq = import_pyarrow("reading Parquet", "pyarrow.parquet")

_BUFFER_BYTES = 1 << 20
# Of the values of a column in a record batch. They may be far larger than in the file, where a
# value that is repeated is written once.
_MAX_COLUMN_BYTES = 1 << 26
_VALUE_BYTES = 64  # of a number or a short text, as a Python object
# Chunks of columns that may be packed to any share of their size.
_ALWAYS_ALLOWED_BYTES, _MOST_TIMES = 1 << 26, 200


def parquet_batches(
    source: Source,
    columns: Columns,
    report: ReportRow,
    limits: BatchLimits,
    max_row: int = MAX_ROW_BYTES,
    groups: range | None = None,
) -> Iterator[Batch]:
    """Yield the wanted columns of a file in batches; places are row numbers from 1.

    Pages are read as needed, whatever the size of a row group. The mean length of the texts gives
    the number of rows of a batch, which is split if its texts are longer. ``groups`` restricts the
    rows to a range of row groups.
    """
    check_columns(source, columns)
    with wrap_arrow_errors(source), _open_parquet(source) as file:
        _check_metadata(source, None if columns.every else columns.names, groups)
        # Bytes on disk per row: progress is measured in bytes of the file, and rows have no
        # position.
        share = (source.size or 0) / max(file.metadata.num_rows, 1)
        taken = round(_rows_before(file, groups) * share)
        n_unpacked = 0
        for first, records in _records(source, file, columns, limits, max_row, groups):
            n_unpacked += records.nbytes
            source.check_unpacked(n_unpacked, source.size or 0)
            for batch in split_record_batch(first, records, columns, report, limits, max_row):
                position = round(batch.places[-1] * share)
                yield replace(batch, n_bytes=position - taken)
                taken = position


def check_columns(source: Source, columns: Columns) -> None:
    """Raise FileError if the source is not a plain file, or a column is missing or mistyped."""
    if source.path is None or source.compression is not None:
        raise FileError(
            f"cannot read parquet from {source}: parquet is read from its end, "
            "so the source must be a file, and not compressed as a whole."
        )
    with wrap_arrow_errors(source), _open_parquet(source) as file:
        columns.positions(file.schema_arrow.names, str(source))
        check_column_types(file.schema_arrow, columns, source)


def split_row_groups(source: Source, most_bytes: int) -> list[tuple[int, int, int]]:
    """Return parts of a file as (first row group, end, bytes), each of at most ``most_bytes``.

    A row group is never split, and a part has at least one.
    """
    with wrap_arrow_errors(source), _open_parquet(source) as file:
        _check_metadata(source, None)
        parts: list[tuple[int, int, int]] = []
        for number in range(file.metadata.num_row_groups):
            size = _compressed_size(file.metadata.row_group(number))
            if parts and parts[-1][2] + size <= most_bytes:
                first, _, before = parts.pop()
                parts.append((first, number + 1, before + size))
            else:
                parts.append((number, number + 1, size))
        return parts


def _compressed_size(group: Any) -> int:
    """Return the compressed size of a row group in bytes."""
    return sum(group.column(at).total_compressed_size for at in range(group.num_columns))


@contextmanager
def _open_parquet(source: Source, dictionaries: Sequence[str] = ()) -> Iterator[Any]:
    # With a buffer, a column is read in blocks; without, a whole row group of it is in memory.
    with (
        pa.OSFile(str(source.path)) as raw,
        pq.ParquetFile(
            raw, read_dictionary=dictionaries, buffer_size=_BUFFER_BYTES, pre_buffer=False
        ) as file,
    ):
        yield file


class _ClosedPages(io.FileIO):
    """A file that refuses to be read once ``is_closing`` is true; ``was_wanted`` notes attempts."""

    is_closing = was_wanted = False

    def read(self, size: int | None = -1) -> bytes:
        if self.is_closing:
            self.was_wanted = True
            raise OSError("no page is read")
        return super().read(-1 if size is None else size)


def _check_metadata(
    source: Source, names: Sequence[str] | None, groups: range | None = None
) -> None:
    """Raise an error of Arrow if the metadata of columns are damaged or encrypted.

    Anywhere but in the reading of rows, Arrow ends the process at such metadata. So the reading of
    each row group begins, and ends before the first page, which may unpack to any size.
    """
    columns = None if names is None else list(dict.fromkeys(names))
    with (
        _ClosedPages(str(source.path)) as raw,
        pq.ParquetFile(
            pa.PythonFile(raw, mode="r"), buffer_size=_BUFFER_BYTES, pre_buffer=False
        ) as file,
    ):
        raw.is_closing = True
        for group in range(file.metadata.num_row_groups) if groups is None else groups:
            begun = file.iter_batches(1, row_groups=[group], columns=columns, use_threads=False)
            try:
                next(begun, None)
            except (pa.ArrowException, OSError):
                if not raw.was_wanted:
                    raise
            raw.was_wanted = False


@contextmanager
def wrap_arrow_errors(source: Source) -> Iterator[None]:
    """Raise errors of Arrow as FileError with the source."""
    try:
        yield
    except UnicodeDecodeError:
        raise FileError(
            f"cannot read {source} as parquet: a name or a value is not UTF-8. Was it copied "
            "completely?"
        ) from None
    except (pa.ArrowException, OSError) as problem:
        # Arrow raises OSError without a number for damage.
        if isinstance(problem, OSError) and problem.errno is not None:
            raise
        first_line = str(problem).strip().partition("\n")[0].rstrip(".")
        is_encrypted = "encrypt" in first_line or "decrypt" in first_line
        remedy = "Decrypt it first." if is_encrypted else "Was it copied completely?"
        raise FileError(f"cannot read {source} as parquet: {first_line}. {remedy}") from None


def check_column_types(schema: Any, columns: Columns, source: object) -> None:
    """Raise FileError if the columns do not hold text and labels."""
    text = _value_type(schema.field(columns.text).type)
    if not is_string_type(text):
        raise FileError(f"column {columns.text!r} of {source} holds {text}, not text.")
    if columns.label is None:
        return
    label = _value_type(schema.field(columns.label).type)
    if pa.types.is_list(label) or pa.types.is_large_list(label):
        label = _value_type(label.value_type)
    if pa.types.is_null(label):
        return  # all labels are null: none of the rows has a label
    if not (is_string_type(label) or pa.types.is_primitive(label)) or pa.types.is_temporal(label):
        raise FileError(
            f"column {columns.label!r} of {source} holds {label}, but labels are strings or "
            "numbers, or lists of them."
        )


def _value_type(type: Any) -> Any:
    return type.value_type if pa.types.is_dictionary(type) else type


def is_string_type(type: Any) -> bool:
    """Return True if columns of an Arrow type hold text."""
    return type in (pa.string(), pa.large_string(), pa.string_view())


def _records(
    source: Source,
    file: Any,
    columns: Columns,
    limits: BatchLimits,
    max_row: int,
    groups: range | None,
) -> Iterator[tuple[int, Any]]:
    """Yield record batches, each with the number of its first row, from 1."""
    first = _rows_before(file, groups) + 1
    groups = range(file.metadata.num_row_groups) if groups is None else groups
    n_usual = int(limits.bytes / _mean_length(file, groups, columns.text))
    for group in groups:
        leaves = _wanted_leaves(file, group, columns)
        _check_unpacked(source, leaves)
        n_rows = max(file.metadata.row_group(group).num_rows, 1)
        n_fitting = _rows_that_fit(source, group, n_rows, leaves, max_row)
        for records in file.iter_batches(
            max(1, min(limits.documents, n_usual, n_fitting)),
            row_groups=[group],
            columns=None if columns.every else list(dict.fromkeys(columns.names)),
            use_threads=False,
        ):
            yield first, records
            first += records.num_rows


class _Leaf(NamedTuple):
    """A column of numbers or bytes in a row group: its path in the schema, and its metadata."""

    path: str
    metadata: Any


def _wanted_leaves(file: Any, group: int, columns: Columns) -> list[_Leaf]:
    """Return the parts of a row group that hold the wanted columns."""
    names, metadata = set(columns.names), file.metadata.row_group(group)
    # Metadata of a damaged file may state other paths than its schema.
    paths = [file.schema.column(at).path for at in range(metadata.num_columns)]
    return [
        _Leaf(path, metadata.column(at))
        for at, path in enumerate(paths)
        if columns.every or path in names or any(path.startswith(f"{name}.") for name in names)
    ]


def _check_unpacked(source: Source, leaves: Sequence[_Leaf]) -> None:
    """Raise FileError if a column unpacks to far more than its size.

    Arrow unpacks a page as a whole, and a column may be a single page.
    """
    for path, leaf in leaves:
        size, packed = leaf.total_uncompressed_size, leaf.total_compressed_size
        allowed = max(_ALWAYS_ALLOWED_BYTES, _MOST_TIMES * packed)
        if size > allowed and source.max_unpacked is None:
            raise FileError(
                f"column {path!r} of {source} unpacks to more than {_MOST_TIMES} "
                f"times its size: {size_text(size)} from {size_text(packed)}. "
                f"{unpacked_remedy(2 * size)}"
            )
        if source.max_unpacked is not None:
            source.check_unpacked(size, packed)


def _rows_that_fit(
    source: Source, group: int, n_rows: int, leaves: Sequence[_Leaf], max_row: int
) -> int:
    """Return the number of rows of a row group whose columns fit into memory."""
    texts = [leaf for leaf in leaves if leaf.metadata.physical_type == "BYTE_ARRAY"]
    written_once = [leaf.path for leaf in texts if leaf.metadata.has_dictionary_page]
    longest: dict[str, int] = {}
    if written_once:
        with _open_parquet(source, written_once) as file:
            names = list({path.partition(".")[0] for path in written_once})
            for row in file.iter_batches(1, row_groups=[group], columns=names, use_threads=False):
                columns = dict(zip(row.schema.names, row.columns, strict=True))
                longest = {name: _longest_value(column) for name, column in columns.items()}
                break
    fitting = [1 << 40]
    for path, leaf in leaves:
        value = longest.get(path.partition(".")[0], 0)
        if "DELTA_BYTE_ARRAY" in leaf.encodings:  # what two values have in common is written once
            value = min(max_row, leaf.total_uncompressed_size)
        if value or leaf.num_values > n_rows:
            per_row = max(leaf.num_values / n_rows, 1.0)
            fitting.append(int(_MAX_COLUMN_BYTES / (per_row * (value + _VALUE_BYTES))))
    return min(fitting)


def _longest_value(column: Any) -> int:
    """Return the length of the longest text in the dictionary of a column, or of lists in it."""
    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if not pa.types.is_dictionary(column.type):
        return 0
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0


def _rows_before(file: Any, groups: range | None) -> int:
    """Return the number of rows before the first wanted row group."""
    before = range(0 if groups is None else groups.start)
    return sum(file.metadata.row_group(number).num_rows for number in before)


def _mean_length(file: Any, groups: range, column: str) -> float:
    """Return the mean length of a text in the row group with the longest texts."""
    paths = [file.schema.column(at).path for at in range(file.metadata.num_columns)]
    at = [number for number, path in enumerate(paths) if path == column]
    # At least one byte, so that a column of empty texts does not divide by zero.
    means = [1.0]
    for number in groups:
        group = file.metadata.row_group(number)
        size = sum(group.column(each).total_uncompressed_size for each in at)
        means.append(size / max(group.num_rows, 1))
    return max(means)


def split_record_batch(
    first: int,
    records: Any,
    columns: Columns,
    report: ReportRow,
    limits: BatchLimits,
    max_row: int = MAX_ROW_BYTES,
) -> Iterator[Batch]:
    """Yield the readable rows of a record batch whose first row has the number ``first``."""
    numbers: Sequence[int] = range(first, first + records.num_rows)
    if columns.where:
        kept = _rows_where(records, columns)
        records, numbers = records.take(pa.array(kept, pa.int64())), [numbers[row] for row in kept]
    records, labels, places = _readable(
        numbers, _without_string_views(records, columns), columns, report, max_row
    )
    texts = records.column(columns.text)
    for start, end in pairwise(_split_points(texts, limits.bytes)):
        part = slice(start, end)
        yield Batch(
            texts[part], labels and labels[part], places[part], _further(records[part], columns)
        )


def _further(records: Any, columns: Columns) -> dict[str, Any]:
    """Return the further columns as lists; all columns as arrays, which keep their types."""
    if columns.every:
        records.validate(full=True)  # text that is not UTF-8 cannot be written to other files
        return dict(zip(records.schema.names, records.columns, strict=True))
    return {name: records.column(name).to_pylist() for name in columns.also}


def _rows_where(records: Any, columns: Columns) -> list[int]:
    """Return the positions of the rows that fulfil the conditions."""
    values = (records.column(each.column).to_pylist() for each in columns.where)
    return [
        row
        for row, found in enumerate(zip(*values, strict=True))
        if all(each.holds(value) for each, value in zip(columns.where, found, strict=True))
    ]


def _without_string_views(records: Any, columns: Columns) -> Any:
    """Return a record batch whose texts are contiguous, unlike string views."""
    texts = records.column(columns.text)
    if texts.type != pa.string_view():
        return records
    at = records.schema.names.index(columns.text)
    return records.set_column(at, columns.text, texts.cast(pa.large_string()))


def _readable(
    numbers: Sequence[int], records: Any, columns: Columns, report: ReportRow, max_row: int
) -> tuple[Any, list[Any] | None, Sequence[int]]:
    """Return the readable rows, with their labels and row numbers."""
    n_rows = records.num_rows
    problems = _text_problems(records.column(columns.text), max_row)
    labels: list[Any] | None = None
    if columns.label is not None:
        labels = _python_values(records.column(columns.label))
        for row, value in enumerate(labels):
            try:
                labels[row] = columns.parse_label(value)
            except UnreadableRow as reason:
                problems.setdefault(row, str(reason))
    if not problems:
        return records, labels, numbers
    for row in sorted(problems):
        report(f"row {numbers[row]}", problems[row])
    kept = [row for row in range(n_rows) if row not in problems]
    kept_labels = None if labels is None else [labels[row] for row in kept]
    return records.take(pa.array(kept, pa.int64())), kept_labels, [numbers[row] for row in kept]


def _python_values(column: Any) -> list[Any]:
    """Return the values of a column; bytes for text that is not UTF-8."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_python_value(value) for value in column]


def _python_value(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError as problem:
        return problem.object


def _text_problems(texts: Any, max_row: int) -> dict[int, str]:
    """Return the reasons, by row, why texts are null, not UTF-8, or too large."""
    problems = {}
    if texts.null_count:
        nulls = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        problems = dict.fromkeys(nulls.tolist(), "the text is null")
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        # Arrow reports only the first invalid text, without its row; as bytes, each can be checked.
        for row, text in enumerate(decode_dictionary(texts).cast(pa.large_binary())):
            try:
                str(text.as_py() or b"", "utf-8")
            except UnicodeDecodeError as problem:
                problems[row] = describe_decode_error(problem)
    if texts.nbytes > max_row:
        lengths = pc.binary_length(decode_dictionary(texts)).fill_null(0)
        large = np.flatnonzero(lengths.to_numpy(zero_copy_only=False) > max_row)
        problems |= dict.fromkeys(large.tolist(), too_large(max_row))
    return problems


def decode_dictionary(texts: Any) -> Any:
    """Return a column of texts without dictionary encoding."""
    return texts.dictionary_decode() if pa.types.is_dictionary(texts.type) else texts


def _split_points(texts: Any, max_bytes: int) -> list[int]:
    """Return the row numbers at which to split, so that parts of several texts fit the limit."""
    totals = np.cumsum(pc.binary_length(decode_dictionary(texts)).to_numpy(zero_copy_only=False))
    ends, before = [0], 0
    while ends[-1] < len(texts):
        fitting = int(np.searchsorted(totals, before + max_bytes, side="right"))
        # A text longer than the limit is a part of its own; without the maximum the loop would not
        # end.
        ends.append(max(fitting, ends[-1] + 1))
        before = int(totals[ends[-1] - 1])
    return ends
