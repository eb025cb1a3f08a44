"""Readers of documents: lists, arrays, columns and iterables, as batches for the native core.

Text that is in memory is not copied: the core reads it through views.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallytext._core import Texts
from tallytext.errors import InputError
from tallytext.runtime import has_pyarrow, import_pyarrow, thread_count

Item = TypeVar("Item")


class _Decoding(NamedTuple):
    """The encoding of bytes objects, and the handling of errors."""

    encoding: str
    errors: str


class _Limits(NamedTuple):
    """The size at which a batch ends."""

    documents: int
    bytes: int


def read_batches(
    texts: object,
    *,
    max_documents: int = 65_536,
    max_bytes: int = 32 << 20,
    encoding: str = "utf-8",
    decode_error: str = "strict",
) -> Iterator[Texts]:
    """Return an iterator over the documents in batches, at least one.

    Documents that are in memory (a list, an array, a column) are one batch of views. Documents
    that are produced while reading (by a generator, a file, a query) come in bounded batches.

    Parameters
    ----------
    texts : list, array, column or iterable of documents
        As for :func:`as_texts`.
    max_documents, max_bytes : int
        A bounded batch ends with the document that reaches one of these limits.
    encoding, decode_error : str
        The decoding of bytes objects, as for :meth:`bytes.decode`.

    Raises
    ------
    InputError
        If ``texts`` is not a collection of documents, or holds something that is not text.

    Examples
    --------
    >>> [batch.strings() for batch in read_batches((str(i) for i in range(5)), max_documents=2)]
    [['0', '1'], ['2', '3'], ['4']]
    """
    limits, decoding = _Limits(max_documents, max_bytes), _Decoding(encoding, decode_error)
    if is_table(texts):
        groups = _group_items(table_chunks(texts), len, _chunk_bytes, limits)
        return (texts_from_arrow(group) for group in groups)
    views = _in_memory(texts, decoding)
    return _read_iterator(_iterator(texts), limits, decoding) if views is None else iter((views,))


def _chunk_bytes(chunk: Any) -> int:
    try:
        return int(chunk.nbytes)
    except TypeError:  # string views, of which older releases of pyarrow know the buffers only
        return int(chunk.get_total_buffer_size())


def as_texts(texts: object, *, encoding: str = "utf-8", decode_error: str = "strict") -> Texts:
    """Return all documents as one batch of views.

    Parameters
    ----------
    texts : list, array, column or iterable of documents
        A list or tuple of str; a NumPy array of objects or of fixed-width strings; a pandas,
        polars or pyarrow column, or anything else that offers one column of text through the
        Arrow PyCapsule interface; any other iterable. ``None``, NaN and nulls are empty documents.
        Bytes in an Arrow column are read as UTF-8, with U+FFFD for each invalid byte.
    encoding, decode_error : str
        The decoding of bytes objects, as for :meth:`bytes.decode`.

    Raises
    ------
    InputError
        If ``texts`` is not a collection of documents, or holds something that is not text.

    Examples
    --------
    >>> as_texts(["To be,", None, b"or not"]).strings()
    ['To be,', '', 'or not']
    """
    decoding = _Decoding(encoding, decode_error)
    if is_table(texts):
        return texts_from_arrow(table_chunks(texts))
    views = _in_memory(texts, decoding)
    return _texts_from_list(list(_iterator(texts)), decoding) if views is None else views


def split_documents(texts: Any, size: int) -> Iterator[Any]:
    """Split documents into batches of at most ``size`` documents that :func:`as_texts` reads.

    Slices of a column are columns, so that their memory is not copied.

    Examples
    --------
    >>> list(split_documents(["a", "b", "c"], 2)), list(split_documents(iter("abc"), 2))
    ([['a', 'b'], ['c']], [['a', 'b'], ['c']])
    """
    if size < 1:
        raise InputError(f"a batch must have at least one document, not {size}.")
    # pandas columns of str objects are sliced as they are: Arrow would copy the whole column first.
    in_python = _holds_python_strings(texts) or _lists_without_pyarrow(texts)
    if isinstance(texts, list | tuple | np.ndarray) or in_python:
        items = getattr(texts, "iloc", texts)  # a pandas column slices by label, not by position
        yield from (items[at : at + size] for at in range(0, len(texts), size))
    elif is_arrow(texts):
        for chunk in table_chunks(texts) if is_table(texts) else column_chunks(texts):
            yield from (chunk[at : at + size] for at in range(0, len(chunk), size))
    else:
        iterator = _iterator(texts)
        while batch := list(islice(iterator, size)):
            yield batch


def fingerprints(
    texts: object,
    *,
    encoding: str = "utf-8",
    decode_error: str = "strict",
    n_jobs: int | None = None,
) -> NDArray[np.uint64]:
    r"""Return a 64-bit hash of each document, which depends only on its text.

    Two different texts have the same hash with probability :math:`2^{-64}`. With
    :math:`g` = 0x9E3779B97F4A7C15, :math:`m` = 0xD6E8FEB86659FD93 and all numbers modulo
    :math:`2^{64}`, a text of n bytes in UTF-8, cut into words :math:`w_i` of eight bytes (the first
    byte lowest, the last word filled up with zeros), has

    .. math::

        h_0 = n g, \quad h_i = s((h_{i-1} \oplus w_i)\, m), \quad h = s(h_{\mathrm{last}}\, m),
        \quad s(x) = x \oplus \lfloor x / 2^{32} \rfloor.

    The definition will not change, so fingerprints can be stored in files. The hash is not
    cryptographic: collisions can be constructed on purpose.

    Parameters
    ----------
    texts : list, array, column or iterable of documents
        As for :func:`as_texts`. Lone surrogates are encoded in three bytes.
    encoding, decode_error : str
        The decoding of bytes objects, as for :meth:`bytes.decode`.
    n_jobs : int or None, default=None
        Number of threads; None for all cores that this process may use.

    Returns
    -------
    ndarray of uint64, of shape (n_documents,)

    Examples
    --------
    >>> first, second, third = fingerprints(["To be", "or not", "To be"]).tolist()
    >>> first == third, first == second
    (True, False)
    >>> [hex(h) for h in fingerprints(["", "sea"])]
    ['0x0', '0x4f5cbdfde6a7924a']
    """
    n_threads = thread_count(n_jobs)
    read = read_batches(texts, encoding=encoding, decode_error=decode_error)
    return np.concatenate([batch.fingerprints(n_threads) for batch in read])


def is_arrow(source: object) -> bool:
    """Return True if ``source`` offers its data through the Arrow PyCapsule interface."""
    kind = type(source)
    return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")


def is_table(source: object) -> bool:
    """Return True if ``source`` is Arrow data with named columns, such as a table or data frame."""
    # Attributes of the type: on a pandas Series, hasattr also finds the labels of its index.
    named = (hasattr(type(source), name) for name in ("columns", "column_names", "schema"))
    return any(named) and is_arrow(source)


def column_chunks(column: Any) -> list[Any]:
    """Return the pyarrow arrays of a column, without copying it."""
    pa = import_pyarrow(f"a {type(column).__name__} as documents")
    try:
        if hasattr(type(column), "__arrow_c_stream__"):
            chunks: list[Any] = pa.chunked_array(column).chunks
        else:
            chunks = [pa.array(column)]
    except pa.ArrowException as problem:
        raise InputError(
            f"this {type(column).__name__} is not a column of text: {problem}"
        ) from None
    return chunks


def table_chunks(table: Any) -> Iterator[Any]:
    """Return an iterator over the pyarrow arrays of a table's only column."""
    pa = import_pyarrow(f"a {type(table).__name__} as documents")
    # Checked before any data is converted: a column that is not needed may have any type.
    names = getattr(table, "column_names", getattr(table, "columns", None))
    if names is not None:
        _check_one_column(names)
    try:
        reader = pa.RecordBatchReader.from_stream(table)
    except pa.ArrowException as problem:
        raise InputError(f"this {type(table).__name__} holds no text: {problem}") from None
    _check_one_column(reader.schema.names)
    return (batch.column(0) for batch in reader)


def texts_from_arrow(chunks: Iterable[Any]) -> Texts:
    """Return views of all texts in pyarrow arrays.

    Examples
    --------
    >>> import pyarrow as pa
    >>> texts_from_arrow([pa.array(["to be", None]), pa.array(["or not"])]).strings()
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
        _append_entries(texts, chunk.indices, texts_from_arrow([chunk.dictionary]))
    elif pa.types.is_struct(kind):
        _check_one_column([field.name for field in kind])
        _append(texts, chunk.flatten()[0])  # a field alone would ignore the nulls of the struct
    elif isinstance(kind, pa.BaseExtensionType):
        _append(texts, chunk.storage)
    else:
        raise InputError(f"documents must be text, but this column holds {kind}.")


def _append_entries(texts: Texts, indices: Any, dictionary: Texts) -> None:
    from pyarrow.types import is_signed_integer

    validity, data = indices.buffers()
    width, signed = indices.type.bit_width // 8, is_signed_integer(indices.type)
    texts.append_entries(indices.offset, len(indices), validity, data, width, signed, dictionary)


def _check_one_column(columns: Iterable[object]) -> None:
    names = [str(name) for name in columns]
    if len(names) != 1:
        there = ", ".join(map(repr, names)) or "no columns"
        raise InputError(
            f"documents must be one column of text, but this table has {len(names)} columns: "
            f"{there}. Select the one that holds the text."
        )


def _in_memory(texts: Any, decoding: _Decoding) -> Texts | None:
    """Return views of documents that are in memory; None if they have to be iterated over."""
    if isinstance(texts, Texts):
        return texts
    if isinstance(texts, list | tuple):
        return _texts_from_list(texts, decoding)
    if isinstance(texts, np.ndarray):
        return _texts_from_array(texts, decoding)
    if _holds_python_strings(texts):
        return _texts_from_list(texts.to_numpy(dtype=object, na_value=None).tolist(), decoding)
    if _lists_without_pyarrow(texts):
        return _texts_from_list(texts.to_list(), decoding)
    return texts_from_arrow(column_chunks(texts)) if is_arrow(texts) else None


def _lists_without_pyarrow(texts: object) -> bool:
    """Return True for a column, as of polars, that has to be copied because pyarrow is missing."""
    return is_arrow(texts) and hasattr(texts, "to_list") and not has_pyarrow()


def _holds_python_strings(texts: object) -> bool:
    """Return True for a pandas column of str objects, which Arrow would have to copy."""
    dtype = getattr(texts, "dtype", None)
    python = getattr(dtype, "storage", None) == "python"
    return hasattr(texts, "to_numpy") and (python or dtype == np.dtype(object))


def _texts_from_array(array: NDArray[Any], decoding: _Decoding) -> Texts:
    if array.ndim != 1:
        raise InputError(f"documents must be a 1-D array, but this one has shape {array.shape}.")
    if array.dtype.kind not in "OUST" and array.size:  # an empty array is float64 by default
        raise InputError(f"documents must be text, but this array holds {array.dtype}.")
    # Masked entries become None, and strings of width 0 have no memory that could be viewed.
    if array.dtype.kind != "U" or not array.dtype.itemsize or np.ma.isMaskedArray(array):
        return _texts_from_list(array.tolist(), decoding)
    # The core reads UCS-4 code points in place, so they must be aligned and in native byte order.
    native = np.require(array, dtype=array.dtype.newbyteorder("="), requirements=["C", "A"])
    return Texts.from_rows(native.view(np.uint32), native.dtype.itemsize // 4)


def _texts_from_list(
    items: list[Any] | tuple[Any, ...], decoding: _Decoding, before: int = 0
) -> Texts:
    try:
        return Texts.from_strings(items)
    except TypeError:  # the core reads str, None and NaN: convert the items one by one
        strings = [_text(item, before + i, decoding) for i, item in enumerate(items)]
    return Texts.from_strings(strings)


def _text(item: Any, position: int, decoding: _Decoding) -> str | None:
    if hasattr(item, "as_py"):  # a pyarrow scalar
        item = item.as_py()
    if isinstance(item, bytes | bytearray | memoryview):
        return _decode(bytes(item), position, decoding)
    if isinstance(item, str):
        return item
    if _is_missing(item):
        return None
    raise InputError(
        f"document {position} is {type(item).__name__}, not text: {_short_repr(item)}. "
        "Documents must be str (or bytes, or None for an empty one)."
    )


def _decode(raw: bytes, position: int, decoding: _Decoding) -> str:
    try:
        return raw.decode(decoding.encoding, decoding.errors)
    except UnicodeDecodeError as error:
        error.add_note(f"This is document {position}.")
        raise


def _is_missing(item: object) -> bool:
    if item is None or (isinstance(item, float | np.floating) and item != item):
        return True
    # Importing pandas takes long, and without it no item can be one of its missing values.
    pandas = sys.modules.get("pandas")
    return pandas is not None and (item is pandas.NA or item is pandas.NaT)


def _short_repr(item: object, width: int = 60) -> str:
    text = repr(item)
    return text if len(text) <= width else text[: width - 1] + "…"


def _iterator(texts: object) -> Iterator[Any]:
    if isinstance(texts, str | bytes | bytearray):
        raise InputError("documents must be a list, not one string: pass [text] instead of text.")
    if isinstance(texts, Mapping):
        raise InputError("documents must be a list, not a dict: pass list(documents.values()).")
    if isinstance(texts, set | frozenset):
        raise InputError("documents must be a list, not a set, which has no defined order.")
    if not isinstance(texts, Iterable):
        raise InputError(f"documents must be a list or another iterable, not {_short_repr(texts)}.")
    return iter(texts)


def _read_iterator(items: Iterator[Any], limits: _Limits, decoding: _Decoding) -> Iterator[Texts]:
    before = 0  # documents of earlier batches, so that errors name the position in the input
    for group in _group_items(items, lambda _: 1, sys.getsizeof, limits):
        yield _texts_from_list(group, decoding, before)
        before += len(group)


def _group_items(
    items: Iterable[Item],
    documents_in: Callable[[Item], int],
    bytes_in: Callable[[Item], int],
    limits: _Limits,
) -> Iterator[list[Item]]:
    """Group items; the item that reaches a limit ends its group. No items give one empty group."""
    group: list[Item] = []
    documents = size = groups = 0
    for item in items:
        group.append(item)
        documents += documents_in(item)
        size += bytes_in(item)
        if documents >= limits.documents or size >= limits.bytes:
            yield group
            group, documents, size, groups = [], 0, 0, groups + 1
    # One batch even without documents: its counts give the empty result its shape and type.
    if group or not groups:
        yield group
