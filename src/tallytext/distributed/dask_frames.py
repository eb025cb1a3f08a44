"""Partitions of a Dask DataFrame as columns of Arrow, whose strings are not copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tallytext.datasets.batch import Batch
from tallytext.datasets.columns import Columns
from tallytext.datasets.parquet import is_string
from tallytext.datasets.reading import MAX_DOCUMENTS
from tallytext.distributed.part_reading import PartReader
from tallytext.errors import InputError

_NOT_ARROW = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    UnicodeEncodeError,
    OverflowError,
)
_LARGEST = 2.0**53  # up to here, a double is one integer

# As Python spells lists, tuples, sets and NumPy arrays of strings or numbers. Of one item, a tuple
# has a comma; those of none but lists may well be labels.
_ITEM = r"('.*'|\".*\"|-?([0-9][0-9.e+-]*|inf)|True|False|None|nan|np\.\w+\(.*\))"
_ITEMS = rf"{_ITEM}(,?\s+{_ITEM})*"
_SET = rf"\{{{_ITEMS}\}}"
_SPELT_LIST = (
    rf"(?s)^(\[\s*({_ITEMS})?\s*\]|\(({_ITEM},|{_ITEM}(, {_ITEM})+)\)|{_SET}|frozenset\({_SET}\))$"
)


def batches_of_frame(reader: PartReader, frame: Any, columns: Columns) -> Iterator[Batch]:
    """Yield the rows of a pandas DataFrame.

    Columns that Arrow cannot hold, as they have labels of several types, are read row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = Columns("text", "label")
    >>> frame = pd.DataFrame({"text": ["to be", "or not"], "label": ["x", 7]})
    >>> reader = PartReader(columns, "fail", "partition 0")
    >>> [batch.labels for batch in batches_of_frame(reader, frame, columns)]
    [['x', 7]]
    """
    wanted = frame[list(dict.fromkeys(columns.names))]
    try:
        table = typed(pa.Table.from_pandas(wanted, preserve_index=False))
    except _NOT_ARROW:
        yield from reader.of_rows(_rows_of(wanted, columns))
        return
    _refuse_spelt_lists(table, columns)
    yield from reader.of_records(table.to_batches(max_chunksize=MAX_DOCUMENTS))


def texts_of_frame(frame: Any, text: str) -> Any:
    """Return a column of texts, in Arrow if that can hold it."""
    try:
        return typed(pa.Table.from_pandas(frame[[text]], preserve_index=False)).column(0)
    except _NOT_ARROW:
        return _missing_as_none(frame[text])


def with_integers(frame: Any, label: str) -> Any:
    """Return a pandas DataFrame with integers where missing labels have made doubles of them.

    Examples
    --------
    >>> import pandas as pd
    >>> with_integers(pd.DataFrame({"label": [1, None]}), "label")["label"].tolist()
    [1, <NA>]
    """
    labels = frame[label]
    if labels.dtype.kind != "f" or not (labels.dropna() % 1 == 0).all():
        return frame
    if (labels.abs() >= _LARGEST).any():
        raise InputError(
            f"column {label!r} holds integers and nulls, of which pandas has made doubles, and "
            f"some are too large for these: {labels.abs().max():.0f}. Read it with "
            "dtype_backend='pyarrow'."
        )
    return frame.assign(**{label: labels.astype("Int64")})


def typed(table: Any) -> Any:
    """Give columns without a value, of which Arrow knows no type, that of strings."""
    for at, field in enumerate(table.schema):
        if (type := _type_of(field.type)) != field.type:
            table = table.set_column(at, field.name, table.column(at).cast(type))
    return table


def _type_of(type: Any) -> Any:
    if pa.types.is_dictionary(type):
        return pa.string() if pa.types.is_null(type.value_type) else type
    if pa.types.is_list(type) and pa.types.is_null(type.value_type):
        return pa.list_(pa.string())
    return pa.string() if pa.types.is_null(type) else type


def _refuse_spelt_lists(table: Any, columns: Columns) -> None:
    """Refuse lists of labels that became strings, as Dask makes them of objects."""
    if columns.label is None or columns.separator is not None:
        return
    labels = table.column(columns.label)
    if not is_string(labels.type):
        return
    spelt = labels.filter(pc.match_substring_regex(labels, _SPELT_LIST))
    if len(spelt):
        raise InputError(
            f"column {columns.label!r} holds {spelt[0].as_py()!r:.60}: Dask has made a string of "
            "several labels. Make the DataFrame under "
            "dask.config.set({'dataframe.convert-string': False}), or give pandas' column the type "
            "of Arrow's lists. If it is one label, as you write it, give a label_separator that "
            "does not occur in labels."
        )


def _rows_of(frame: Any, columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield rows of Python objects; what pandas takes as missing is None."""
    return zip(*(_missing_as_none(frame[name]) for name in columns.names), strict=True)


def _missing_as_none(column: Any) -> list[Any]:
    return [None if gone else value for value, gone in zip(column, column.isna(), strict=True)]
