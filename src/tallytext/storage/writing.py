"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.storage.checksums import array_checksum, header_checksum
from tallytext.storage.layout import LONGEST_HEADER, code_of


def save_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> None:
    """Write arrays and a header to a file.

    The file appears whole or not at all: everything is written to a temporary file beside it,
    which is on disk before it takes its name. Whatever goes wrong, a file that was there before
    stays as it was.

    Parameters
    ----------
    path : str or Path
        Where to. A file of that name is replaced.
    arrays : mapping of str to ndarray
        The arrays by name, of any numeric type and shape.
    header : mapping of str to plain values
        What else to keep, as JSON can hold it. ``"kind"`` says what the file holds; ``"format"``,
        1 if it is not given, is the version of how.

    Raises
    ------
    OSError
        If the folder does not exist, cannot be written to, or is full.
    FileError
        If the header is no JSON, or too long to be read again.

    Examples
    --------
    >>> import tempfile
    >>> from tallytext.storage import load_arrays
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_arrays(folder / "odd", {"numbers": np.array([1, 3, 5])}, {"kind": "example"})
    >>> arrays, header = load_arrays(folder / "odd", kind="example")
    >>> arrays["numbers"], header
    (array([1, 3, 5]), {'kind': 'example', 'format': 1})
    """
    save_blocks(path, _blocks(arrays, header))


def save_blocks(path: str | Path, blocks: Iterable[Any]) -> None:
    """Write bytes to a file as they come, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file, which is replaced if it is there.
    blocks : iterable of bytes
        What it will hold. If this fails on the way, there is no file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> save_blocks(path, (b"%d" % number for number in (1, 2, 3)))
    >>> path.read_bytes()
    b'123'
    """
    with _replaced(Path(path)) as temporary, temporary.open("wb") as file:
        for block in blocks:
            file.write(block)


def pack_arrays(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> bytes:
    """Return the bytes that :func:`save_arrays` would write, to be sent somewhere.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays by name.
    header : mapping of str to plain values
        What else to keep.

    Examples
    --------
    >>> from tallytext.storage import unpack_arrays
    >>> packed = pack_arrays({"numbers": np.array([1, 3, 5])}, {"kind": "example"})
    >>> unpack_arrays(packed, kind="example")[0]
    {'numbers': array([1, 3, 5])}
    """
    return b"".join(_blocks(arrays, header))


def save_text(path: str | Path, text: str) -> None:
    """Write a text to a file, in UTF-8, whole or not at all, the same bytes on every system.

    Parameters
    ----------
    path : str or Path
        The file, which is replaced if it is there.
    text : str
        What it will hold.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> save_text(path, "naïve")
    >>> path.read_text(encoding="utf-8")
    'naïve'
    """
    with _replaced(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _blocks(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> list[Any]:
    """Return what is written, block by block: the length of the header, it, and the arrays."""
    # By size, so that each begins where its numbers may; and by name, so that what is equal gives
    # equal files.
    names = sorted(arrays, key=lambda name: (-np.asarray(arrays[name]).itemsize, name))
    dense = {name: _little(np.asarray(arrays[name], order="C")) for name in names}
    spelt = _spelt_header(dense, {**header, "format": header.get("format", 1)})
    blocks = [array.reshape(-1).view(np.uint8).data for array in dense.values()]
    return [len(spelt).to_bytes(8, "little") + spelt, *blocks]


def _spelt_header(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> bytes:
    entries = {name: (code_of(array.dtype), list(array.shape)) for name, array in arrays.items()}
    notes = _notes(arrays, header)
    described: dict[str, Any] = {
        "__metadata__": notes | {"checksum": header_checksum(entries, notes)}
    }
    begin = 0
    for name, (code, shape) in entries.items():
        end = begin + arrays[name].nbytes
        described[name] = {"dtype": code, "shape": shape, "data_offsets": [begin, end]}
        begin = end
    spelt = json.dumps(described).encode("ascii")
    return spelt + b" " * (-len(spelt) % 8)


def _notes(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> dict[str, str]:
    try:
        spelt = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise FileError(f"this cannot be kept in a file: {problem}.") from None
    if len(spelt) > LONGEST_HEADER // 2:
        raise FileError(f"a header of {len(spelt):,} bytes is too long to be kept in a file.")
    checksums = {name: array_checksum(array) for name, array in arrays.items()}
    kind = {"kind": header["kind"]} if isinstance(header.get("kind"), str) else {}
    return {
        **kind,
        "format": str(header["format"]),
        "header": spelt,
        "checksums": json.dumps(checksums),
    }


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Yield the name of a file to write; it takes the name ``path`` when all went well."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    # Cut short, so that a long name does not become one that is too long.
    temporary = path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")
    try:
        yield temporary
        _flush(temporary)
        temporary.replace(path)
    except OSError as problem:
        if problem.filename is None:
            raise
        # Speak of the file that was to be written, or of the folder that is not there.
        about = path.parent if isinstance(problem, FileNotFoundError) else path
        raise OSError(problem.errno, problem.strerror, os.fspath(about)) from problem
    finally:
        temporary.unlink(missing_ok=True)
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder, nor needs to
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
