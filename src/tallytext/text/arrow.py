"""Columns of text from any producer of Arrow data, read where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tallytext._core import Texts
from tallytext.errors import InputError


def is_arrow(source: object) -> bool:
    """Whether ``source`` offers its data through the Arrow PyCapsule interface."""
    kind = type(source)
    return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")


def is_table(source: object) -> bool:
    """Whether ``source`` is Arrow data with named columns: a table, a relation, a data frame."""
    # Asked of the type, since pandas answers for a Series with the values of its index.
    named = (hasattr(type(source), name) for name in ("columns", "column_names", "schema"))
    return is_arrow(source) and any(named)


def column_chunks(column: Any) -> list[Any]:
    """Return the pyarrow arrays that a column consists of, without copying it."""
    import pyarrow as pa

    try:
        if hasattr(type(column), "__arrow_c_stream__"):
            chunks: list[Any] = pa.chunked_array(column).chunks
        else:
            chunks = [pa.array(column)]
    except pa.ArrowException as problem:
        raise InputError(f"this {type(column).__name__} is no column of text: {problem}") from None
    return chunks


def table_chunks(table: Any) -> Iterator[Any]:
    """Return the pyarrow arrays of a table's only column, one at a time as they are produced."""
    import pyarrow as pa

    # Asked before any data is converted: a column that nobody wants may be of any kind.
    names = getattr(table, "column_names", getattr(table, "columns", None))
    if names is not None:
        _refuse_several(names)
    try:
        reader = pa.RecordBatchReader.from_stream(table)
    except pa.ArrowException as problem:
        raise InputError(f"this {type(table).__name__} holds no text: {problem}") from None
    _refuse_several(reader.schema.names)
    return (batch.column(0) for batch in reader)


def texts_of(chunks: Iterable[Any]) -> Texts:
    """Return views of all texts in some pyarrow arrays.

    Examples
    --------
    >>> import pyarrow as pa
    >>> texts_of([pa.array(["to be", None]), pa.array(["or not"])]).strings()
    ['to be', '', 'or not']
    """
    texts = Texts()
    for chunk in chunks:
        _append(texts, chunk)
    return texts


def _append(texts: Texts, chunk: Any) -> None:
    import pyarrow.types as kinds

    kind = chunk.type
    if kinds.is_string(kind) or kinds.is_binary(kind):
        _append_offsets(texts, chunk, 4)
    elif kinds.is_large_string(kind) or kinds.is_large_binary(kind):
        _append_offsets(texts, chunk, 8)
    elif kinds.is_string_view(kind) or kinds.is_binary_view(kind):
        validity, headers, *data = chunk.buffers()
        texts.append_views(chunk.offset, len(chunk), validity, headers, data)
    elif kinds.is_null(kind):
        texts.append_nulls(len(chunk))
    else:
        _append_nested(texts, chunk)


def _append_offsets(texts: Texts, chunk: Any, width: int) -> None:
    validity, offsets, data = chunk.buffers()
    texts.append_offsets(chunk.offset, len(chunk), validity, offsets, data, width)


def _append_nested(texts: Texts, chunk: Any) -> None:
    import pyarrow as pa

    kind = chunk.type
    if pa.types.is_dictionary(kind):
        _append_entries(texts, chunk.indices, texts_of([chunk.dictionary]))
    elif pa.types.is_struct(kind):
        _refuse_several([field.name for field in kind])
        _append(texts, chunk.flatten()[0])
    elif isinstance(kind, pa.BaseExtensionType):
        _append(texts, chunk.storage)
    else:
        raise InputError(f"documents must be text, but this column holds {kind}.")


def _append_entries(texts: Texts, indices: Any, dictionary: Texts) -> None:
    from pyarrow.types import is_signed_integer

    validity, data = indices.buffers()
    width, signed = indices.type.bit_width // 8, is_signed_integer(indices.type)
    texts.append_entries(indices.offset, len(indices), validity, data, width, signed, dictionary)


def _refuse_several(columns: Iterable[object]) -> None:
    names = [str(name) for name in columns]
    if len(names) != 1:
        there = ", ".join(map(repr, names)) or "no columns"
        raise InputError(
            f"documents must be one column of text, but this table has {len(names)} columns: "
            f"{there}. Select the one that holds the text."
        )
