"""Arrays packed for a model file; count matrices as gaps and counts of variable length.

A packed matrix is a byte array. Its first byte is the method, 0 for plain and 1 for zstd, the next
eight are the size of the body in bytes, and the body follows. The body is one sequence of
variable-length integers (seven bits a byte, lowest first; the last byte is below 128):

- the number of rows, and the number of columns;
- the number of cells of each row;
- for each cell the gap to the previous cell of its row, which is the number of columns between
  them; for the first cell of a row its column;
- for each cell its count minus one.

Equal numbers stand side by side, which zstd packs well. Common terms have small column numbers,
since terms are numbered as they come, so that most gaps and nearly all counts take one byte.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import CountError, FileError
from tallytext.features.tf_idf import canonical_csr
from tallytext.runtime import import_zstd

MAX_UNPACKED_BYTES = 2**30
"""Largest body of a packed matrix; a larger one is neither written nor read."""

# Content unpacks to two to eight times its size. What unpacks to more holds next to nothing: it is
# stored as it is, so that a few bytes of a forged file cannot fill the memory.
_FREE_BYTES = 2**22
_MAX_RATIO = 16

_PLAIN, _ZSTD = 0, 1
_HEADER_BYTES = 9
_MAX_INTEGER_BYTES = 5  # of a number below 2³¹
_LIMIT = 2**31  # of every number of the body
_ZSTD_LEVEL = 3
_BLOCK = 1 << 22  # numbers or bytes converted at a time, which bounds temporary arrays

Bytes = NDArray[np.uint8]


def max_unpacked_bytes(n_packed: int) -> int:
    """Return the most bytes to which packed bytes may unpack, in one array or in a file.

    Examples
    --------
    >>> max_unpacked_bytes(1000)
    4210304
    """
    return _FREE_BYTES + _MAX_RATIO * n_packed


def pack_rows(X: Any) -> Bytes:
    """Pack a sparse matrix of whole counts into bytes.

    Parameters
    ----------
    X : sparse matrix or sparse array of shape (n_rows, n_columns)
        Counts; zeros and repeated entries are allowed.

    Returns
    -------
    ndarray of uint8
        Compressed if that is smaller. Equal matrices have equal bytes.

    Raises
    ------
    CountError
        If a count is negative, not a whole number or 2³¹ or more, or the matrix is too large.

    Examples
    --------
    >>> rows = sparse.csr_array([[2, 0, 1], [0, 0, 0], [0, 1, 0]])
    >>> unpack_rows(pack_rows(rows), (3, 3)).toarray()
    array([[2, 0, 1],
           [0, 0, 0],
           [0, 1, 0]], dtype=int32)
    """
    rows = canonical_csr(X)
    _check_counts(rows)
    starts, columns = rows.indptr, rows.indices.astype(np.uint32)
    lengths = np.diff(starts)
    gaps = np.diff(columns, prepend=np.uint32(0)) - np.uint32(1)
    first = starts[:-1][lengths > 0]
    gaps[first] = columns[first]
    counts = rows.data.astype(np.uint32) - np.uint32(1)
    body = np.concatenate([_encode(part) for part in (rows.shape, lengths, gaps, counts)])
    if len(body) > MAX_UNPACKED_BYTES:
        raise CountError(
            f"{rows.nnz:,} counts take {len(body):,} bytes, and the limit of packed rows is "
            f"{MAX_UNPACKED_BYTES:,}."
        )
    method, stored = _compress(body)
    if len(body) > max_unpacked_bytes(len(stored)):
        method, stored = _PLAIN, body
    return _with_header(method, stored, len(body))


def unpack_rows(
    packed: Bytes, shape: tuple[int | None, int], *, max_bytes: int = MAX_UNPACKED_BYTES
) -> sparse.csr_array[Any]:
    """Return the matrix that :func:`pack_rows` packed.

    The bytes may come from a damaged or forged file: every number is checked, and memory is used
    for bytes that are there, not for a size that they promise.

    Parameters
    ----------
    packed : ndarray of uint8
    shape : (int or None, int)
        Required numbers of rows and columns; None for any number of rows.
    max_bytes : int
        Largest size of the body before compression.

    Returns
    -------
    csr_array of int32
        With columns in ascending order and counts of at least one.

    Raises
    ------
    FileError
        If these are not the bytes of a matrix of this shape, or there are too many.

    Examples
    --------
    >>> unpack_rows(pack_rows(sparse.csr_array([[2, 0, 1]]))[:-1], (1, 3))
    Traceback (most recent call last):
    tallytext.errors.FileError: cannot read packed rows: 6 bytes instead of 7. Is the file damaged?
    """
    most = min(max_bytes, max_unpacked_bytes(np.size(packed)))
    numbers = _decode(_unpacked_body(packed, most))
    parts = _split(numbers)
    wanted = parts.n_rows if shape[0] is None else shape[0], shape[1]
    _check(
        (parts.n_rows, parts.n_columns) == wanted,
        f"{parts.n_rows} rows of {parts.n_columns} columns instead of {wanted[0]} of {wanted[1]}",
    )
    columns, starts = _columns(parts)
    counts = parts.counts + np.uint32(1)
    # Sums of gaps may exceed 32 bits only after a column that is out of range already.
    _check(bool(columns.max(initial=0) < max(parts.n_columns, 1)), "a column is out of range")
    _check(parts.n_columns > 0 or not len(columns), "a column is out of range")
    cells = counts.view(np.int32), columns.view(np.int32), starts
    return sparse.csr_array(cells, shape=(parts.n_rows, parts.n_columns))


def pack_array(array: NDArray[Any]) -> Bytes:
    """Return the bytes of an array, compressed if that is smaller.

    Examples
    --------
    >>> len(pack_array(np.zeros(1000))) < 100
    True
    """
    body = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return _with_header(*_compress(body), len(body))


def unpack_array(
    packed: Bytes, dtype: Any, shape: tuple[int, ...], *, max_bytes: int = MAX_UNPACKED_BYTES
) -> NDArray[Any]:
    """Return the array that :func:`pack_array` packed.

    Raises
    ------
    FileError
        If these are not the bytes of an array of this type and shape, or there are too many.

    Examples
    --------
    >>> unpack_array(pack_array(np.array([1, 2])), np.int64, (2,))
    array([1, 2])
    """
    body, dtype = _unpacked_body(packed, max_bytes), np.dtype(dtype)
    size = dtype.itemsize * math.prod(shape)
    _check(len(body) == size, f"{len(body)} bytes instead of {size}")
    return body.view(dtype).reshape(shape)


class _Parts(NamedTuple):
    """The body of a packed matrix; counts are those minus one."""

    n_rows: int
    n_columns: int
    lengths: NDArray[np.uint32]
    gaps: NDArray[np.uint32]
    counts: NDArray[np.uint32]


def _split(numbers: NDArray[np.uint32]) -> _Parts:
    """Split the numbers of a body into its parts."""
    _check(len(numbers) >= 2, "the shape is missing")
    n_rows, n_columns = (int(number) for number in numbers[:2])
    rest = numbers[2:]
    _check(n_rows <= len(rest), f"{n_rows} rows are too many for {len(rest)} numbers")
    lengths, cells = rest[:n_rows], rest[n_rows:]
    n_cells = int(lengths.sum(dtype=np.int64))
    _check(
        len(cells) == 2 * n_cells,
        f"{len(cells)} gaps and counts instead of {n_cells} of each",
    )
    gaps, counts = cells[:n_cells], cells[n_cells:]
    # A stored number is one less than the count, and counts must be below the limit, too.
    _check(bool(counts.max(initial=0) < _LIMIT - 1), "a count is too large")
    return _Parts(n_rows, n_columns, lengths, gaps, counts)


def _columns(parts: _Parts) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """Return the column of each cell, modulo 2³², and the row starts."""
    n_cells = len(parts.gaps)
    index = np.int32 if n_cells < _LIMIT else np.int64
    starts = np.zeros(parts.n_rows + 1, dtype=index)
    np.cumsum(parts.lengths, out=starts[1:])
    ends = np.cumsum(parts.gaps + np.uint32(1), dtype=np.uint32)
    before = np.append(np.uint32(0), ends)[starts[:-1]]
    ends -= np.repeat(before, parts.lengths)
    ends -= np.uint32(1)
    return ends, starts


def _encode(values: Any) -> Bytes:
    """Return numbers below 2³¹ as variable-length integers."""
    values = np.asarray(values, dtype=np.uint32)
    if len(values) <= _BLOCK:
        return _encode_block(values)
    blocks = [values[at : at + _BLOCK] for at in range(0, len(values), _BLOCK)]
    return np.concatenate([_encode_block(block) for block in blocks])


def _encode_block(values: NDArray[np.uint32]) -> Bytes:
    if not len(values) or values.max() < 128:
        return values.astype(np.uint8)
    sizes = np.ones(len(values), dtype=np.uint8)
    for bits in range(7, 32, 7):
        sizes += values >= np.uint32(1 << bits)
    at = np.cumsum(sizes, dtype=np.int64)
    found = np.empty(at[-1], dtype=np.uint8)
    at -= sizes
    while True:
        found[at] = values & np.uint32(127)
        more = np.flatnonzero(values >= 128)
        if not len(more):
            return found
        found[at[more]] |= np.uint8(128)
        at, values = at[more] + 1, values[more] >> np.uint32(7)


def _decode(body: Bytes) -> NDArray[np.uint32]:
    """Return the numbers of a sequence of variable-length integers."""
    is_last = body < 128
    _check(bool(is_last[-1:].all()), "the last number is truncated")
    numbers = np.empty(int(is_last.sum()), dtype=np.uint32)
    filled = start = 0
    while start < len(body):
        stop = min(start + _BLOCK, len(body))
        # A block ends where a number ends; if none does, the number is refused as too long.
        stop += int(is_last[stop - 1 : stop + _MAX_INTEGER_BYTES].argmax())
        block = _decode_block(body[start:stop], np.flatnonzero(is_last[start:stop]))
        numbers[filled : filled + len(block)] = block
        filled, start = filled + len(block), stop
    return numbers


def _decode_block(body: Bytes, last: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return the numbers of some bytes, given the place of the last byte of each."""
    if len(last) == len(body):
        return body.astype(np.uint32)
    _check(len(last) > 0 and last[-1] == len(body) - 1, "a number is too long")
    sizes = np.diff(last, prepend=-1)
    _check(bool(sizes.max() <= _MAX_INTEGER_BYTES), "a number is too long")
    # Each number has one form only, so that equal matrices have equal bytes.
    _check(bool(((body[last] > 0) | (sizes == 1)).all()), "a number is padded with zeros")
    at = last - sizes + 1
    numbers = (body[at] & np.uint8(127)).astype(np.uint64)
    for place in range(1, int(sizes.max())):
        longer = np.flatnonzero(sizes > place)
        digits = (body[at[longer] + place] & np.uint8(127)).astype(np.uint64)
        numbers[longer] |= digits << np.uint64(7 * place)
    _check(bool(numbers.max() < _LIMIT), "a number is too large")
    return numbers.astype(np.uint32)


def _with_header(method: int, stored: Bytes, size: int) -> Bytes:
    """Return the method, the size of the body and what is stored of it."""
    sizes = np.array([size], dtype="<u8").view(np.uint8)
    return np.concatenate([np.array([method], dtype=np.uint8), sizes, stored])


def _compress(body: Bytes) -> tuple[int, Bytes]:
    """Return the method and the bytes to store: compressed ones if there are fewer of them."""
    packed = np.frombuffer(import_zstd().compress(body, _ZSTD_LEVEL), dtype=np.uint8)
    return (_ZSTD, packed) if len(packed) < len(body) else (_PLAIN, body)


def _unpacked_body(packed: Any, max_bytes: int) -> Bytes:
    """Check the header and return the body, decompressed."""
    _check(
        isinstance(packed, np.ndarray) and packed.dtype == np.uint8 and packed.ndim == 1,
        "they are not a byte array",
    )
    # Copied: the array may be mapped from a file that changes meanwhile.
    data = np.array(packed)
    _check(len(data) >= _HEADER_BYTES, f"{len(data)} bytes are too few")
    method, size = int(data[0]), int(data[1:_HEADER_BYTES].view("<u8")[0])
    body = data[_HEADER_BYTES:]
    _check(method in (_PLAIN, _ZSTD), f"unknown method {method}")
    _check(size <= max_bytes, f"{size:,} bytes are more than the limit of {max_bytes:,}")
    if method == _ZSTD:
        body = _decompress(body, size)
    _check(len(body) == size, f"{len(body)} bytes instead of {size}")
    return body


def _decompress(stored: Bytes, size: int) -> Bytes:
    """Decompress up to size + 1 bytes."""
    zstd = import_zstd()
    decoder, data = zstd.ZstdDecompressor(), stored.tobytes()
    # In pieces, so that memory grows with the bytes that come and not with the size announced.
    pieces, n = [], 0
    try:
        while n <= size and not decoder.eof:
            piece = decoder.decompress(data, min(_BLOCK, size + 1 - n))
            if not piece and decoder.needs_input:
                break
            pieces.append(np.frombuffer(piece, dtype=np.uint8))
            n, data = n + len(piece), b""
    except zstd.ZstdError as problem:
        raise FileError(
            f"cannot read packed rows: {str(problem).splitlines()[0]:.80}. Is the file damaged?"
        ) from None
    _check(n > size or (decoder.eof and not decoder.unused_data), "they do not end as they should")
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint8)


def _check_counts(rows: Any) -> None:
    """Raise CountError for counts that cannot be packed."""
    data = rows.data
    if not data.size or data.dtype.kind == "b":
        return
    if not (data.min() >= 1 and data.max() < _LIMIT):  # false for NaN, too
        raise CountError(
            f"packed counts must lie from 1 to {_LIMIT - 1}, but they range from {data.min()} to "
            f"{data.max()}."
        )
    if data.dtype.kind == "f" and not (data == np.floor(data)).all():
        raise CountError("only whole counts can be packed, and some are fractional.")


def _check(condition: bool, problem: str) -> None:
    if not condition:
        raise FileError(f"cannot read packed rows: {problem}. Is the file damaged?")
