"""Where Spark's documents come from: a DataFrame, or files that its workers read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tallytext.datasets.columns import Columns
from tallytext.datasets.parquet import check_types
from tallytext.distributed.files import Files
from tallytext.distributed.spark_running import chosen_session, needed_spark
from tallytext.errors import FileError, InputError

_NAME = "the DataFrame"


def is_files(source: object) -> bool:
    """Whether a source is files; if it is no DataFrame either, say so.

    Raises
    ------
    InputError
        If the source is neither.
    """
    if isinstance(source, Files):
        return True
    needed_spark()
    from pyspark.sql import DataFrame

    if not isinstance(source, DataFrame):
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise InputError(f"documents must be a Spark DataFrame or Files, not {kind}.")
    return False


def session_of(source: Any, session: Any) -> Any:
    """Return the session that a source belongs to, or is to be read by."""
    return chosen_session(session if isinstance(source, Files) else source.sparkSession)


def rows_of(frame: Any, columns: Columns) -> Any:
    """Return a DataFrame of the wanted columns only.

    Raises
    ------
    FileError
        If a column is missing, or holds no text or no labels.
    InputError
        If it is of a type that Spark cannot send to Python as it is, or the rows never end.
    """
    if frame.isStreaming:
        raise InputError("a DataFrame of a stream has no end: count what each batch brings.")
    columns.find(frame.columns, _NAME)
    frame = _with_typed_labels(frame, columns.label)
    check_columns(frame, columns)
    return frame.select(*dict.fromkeys(columns.names))


def check_columns(frame: Any, columns: Columns) -> None:
    """Refuse a DataFrame that lacks columns, or has them of the wrong types."""
    columns.find(frame.columns, _NAME)
    fields = [frame.schema[name] for name in dict.fromkeys(columns.names)]
    for field in fields:
        check_field(field)
    check_types(pa.schema([_arrow_field(field) for field in fields]), columns, _NAME)


def _arrow_field(field: Any) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    try:
        return to_arrow_schema(StructType([field])).field(0)
    except Exception:  # of many kinds, and without a word on the column
        kind = field.dataType.simpleString()
        raise FileError(
            f"column {field.name!r} of {_NAME} holds {kind}, which is neither text nor a label nor "
            "a weight: cast it to string, for instance."
        ) from None


def _with_typed_labels(frame: Any, label: str | None) -> Any:
    """Return a DataFrame whose arrays of labels, if all are empty, are such of strings."""
    from pyspark.sql.types import ArrayType, NullType

    if label is None or "`" in label:
        return frame
    kind = frame.schema[label].dataType
    if not (isinstance(kind, ArrayType) and isinstance(kind.elementType, NullType)):
        return frame
    return frame.withColumn(label, frame[f"`{label}`"].cast("array<string>"))


def check_field(field: Any) -> None:
    """Refuse a column that Spark cannot send to Python, or not under its name.

    Raises
    ------
    InputError
        With what to do about it.
    """
    from pyspark.sql.types import UserDefinedType

    if isinstance(field.dataType, UserDefinedType):
        raise InputError(
            f"column {field.name!r} of {_NAME} is of a user-defined type, "
            f"{type(field.dataType).__name__}: select what it stands for, as text or numbers."
        )
    if meant := _mistaken(field.name):
        raise InputError(
            f"column {field.name!r} of {_NAME} has {meant}: give it another with withColumnRenamed."
        )


def _mistaken(name: str) -> str | None:
    """Return what Spark takes a name for, where it sends columns to Python without quotes."""
    if name == "*":
        return "a star for a name, which Spark takes for all columns"
    if "." in name:
        return "a dot in its name, which Spark takes for a field of a struct"
    return "a backtick in its name, which Spark takes for a quote" if "`" in name else None
