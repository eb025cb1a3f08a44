"""Files read by map, with every number of them checked before it is used."""

from __future__ import annotations

import errno
import json
import math
import mmap
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError

# ------------------------------------------------------------------------------------------------
# Checksums, by which damage is told from what was written.
#
# They are CRC-32: as fast as memory, and every flipped byte is found. They are no defence against
# someone who computes them anew; that is what checking all that is read is for.


def array_checksum(array: NDArray[Any]) -> str:
    """Return the checksum of the bytes of an array, from the first to the last.

    Examples
    --------
    >>> array_checksum(np.frombuffer(b"123456789", dtype=np.uint8))
    'cbf43926'
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    return _spelt(zlib.crc32(flat.view(np.uint8).data))


def header_checksum(arrays: Mapping[str, tuple[str, list[int]]], notes: Mapping[str, str]) -> str:
    """Return the checksum of what a file says of its arrays, and of its notes.

    Parameters
    ----------
    arrays : mapping of str to (str, list of int)
        The type and the shape of each array.
    notes : mapping of str to str
        Everything else that the header says, but for this checksum.
    """
    spelt = json.dumps(
        [{name: list(entry) for name, entry in arrays.items()}, dict(notes)], sort_keys=True
    )
    return _spelt(zlib.crc32(spelt.encode("ascii")))


def _spelt(checksum: int) -> str:
    return f"{checksum:08x}"


# ------------------------------------------------------------------------------------------------
# What the header of a safetensors file says of the arrays behind it, trusting nothing.

LONGEST_HEADER = 2**25
"""Bytes of the longest header that is read. A value of JSON can take some twenty times its length
in memory, so there has to be a limit."""

_MOST_DIMENSIONS = 8
_TYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
_CODES = {dtype: code for code, dtype in _TYPES.items()}


@dataclass(frozen=True)
class Entry:
    """Where an array lies in a file, and what it is.

    Attributes
    ----------
    code : str
        The type, as safetensors spells it.
    shape : list of int
    begin, end : int
        Its bytes, counted from the end of the header.
    """

    code: str
    shape: list[int]
    begin: int
    end: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the array."""
        return _TYPES[self.code]


def code_of(dtype: np.dtype[Any]) -> str:
    """Return how safetensors spells a type.

    Examples
    --------
    >>> code_of(np.dtype("int64"))
    'I64'
    """
    if dtype not in _CODES:
        raise FileError(f"arrays of {dtype} cannot be kept in a file: only numbers can.")
    return _CODES[dtype]


def parsed(text: bytes | str, what: str) -> Any:
    """Return the value that JSON text spells, if each name is there once and each number finite."""
    try:
        return json.loads(
            text, object_pairs_hook=_each_once, parse_constant=_refuse, parse_float=_finite
        )
    except (ValueError, RecursionError):
        raise FileError(f"{what} is no JSON that tallytext could have written") from None


def entries_of(header: dict[str, Any]) -> dict[str, Entry]:
    """Return where the arrays lie: one behind the other, without a gap.

    Raises
    ------
    FileError
        If something is of the wrong type, or arrays overlap, or their sizes are not their own.
    """
    entries = {name: _entry(name, value) for name, value in header.items()}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise FileError(f"it is damaged: the array {name!r:.80} is not where it should be")
        at = entry.end
    return entries


def _entry(name: str, value: Any) -> Entry:
    wrong = FileError(f"it is damaged: its header does not describe the array {name!r:.80}")
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise wrong
    code, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not (isinstance(code, str) and code in _TYPES and _are_sizes(shape) and _are_sizes(offsets)):
        raise wrong
    size = _TYPES[code].itemsize
    # NumPy takes no shape whose sides multiply to more than it can count, not even an empty one.
    sides = math.prod(side for side in shape if side) * size
    if len(shape) > _MOST_DIMENSIONS or len(offsets) != 2 or sides >= 2**63:
        raise wrong
    begin, end = offsets
    if end - begin != math.prod(shape) * size or begin % size:
        raise wrong
    return Entry(code, shape, begin, end)


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(number) is int and 0 <= number < 2**63 for number in value
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _finite(spelt: str) -> float:
    number = float(spelt)
    if math.isinf(number):
        _refuse(spelt)
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


_BEGIN = 8  # the length of the header, in eight bytes
# A pipe would keep us waiting for someone to write to it.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def load_arrays(
    path: str | Path, kind: str, *, newest: int = 1, oldest: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read the arrays and the header of a file that :func:`save_arrays` wrote.

    The file is mapped, not copied, and the arrays are views of it that cannot be written to. All
    checksums are compared. Nothing is allocated but for the header, whose length has a limit.

    A file that is replaced, as :func:`save_arrays` does, stays what it was for those who have it
    mapped. One that is written to in place does not: who shortens it ends the processes that
    look at it. So keep the arrays no longer than it takes to copy what is needed of them, and
    check the copies.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : str
        What the file must hold, by its header.
    newest, oldest : int, default=1
        The versions of the format that the caller can read. Files of format 0 say no more than
        their kind, and have no checksums.

    Returns
    -------
    arrays : dict of str to ndarray
        The arrays by name.
    header : dict
        The header, with ``"kind"`` and ``"format"``.

    Raises
    ------
    FileError
        If the file is missing, cannot be read, is cut short, damaged, of a newer format, or holds
        something else.
    """
    try:
        return _Reader(_mapped(path), kind).read(newest, oldest)
    except FileNotFoundError:
        raise FileError(f"there is no file {str(path)!r}.") from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(f"cannot read {str(path)!r}: {reason}.") from None
    except FileError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem}.") from None


def unpack_arrays(
    packed: bytes, kind: str, *, newest: int = 1, oldest: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what :func:`pack_arrays` returned, and check all of it, as :func:`load_arrays` does.

    Parameters
    ----------
    packed : bytes
        The arrays that are returned are views of it.
    kind : str
        What it must hold, by its header.
    newest, oldest : int, default=1
        The versions of the format that the caller can read.

    Raises
    ------
    FileError
        If it is cut short, damaged, of a newer format, or holds something else.
    """
    if len(packed) < _BEGIN:
        raise FileError(f"cannot read what was sent: it was cut short, at {len(packed)} bytes.")
    try:
        return _Reader(packed, kind).read(newest, oldest)
    except FileError as problem:
        raise FileError(f"cannot read what was sent: {problem}.") from None


def is_arrays_file(path: str | Path) -> bool:
    """Whether a file begins as those of :func:`save_arrays` do; it may still be damaged.

    Parameters
    ----------
    path : str or Path
        No file, too, is an answer: False.

    Examples
    --------
    >>> import tempfile
    >>> note = Path(tempfile.mkdtemp()) / "note.txt"
    >>> note.write_text("text,label")
    10
    >>> is_arrays_file(note)
    False
    """
    if not os.path.isfile(path):  # noqa: PTH113 - no name is too long for it, nor too odd
        return False
    with Path(path).open("rb") as file:
        begin = file.read(_BEGIN + 1)
    return (
        2 <= int.from_bytes(begin[:_BEGIN], "little") <= LONGEST_HEADER and begin[_BEGIN:] == b"{"
    )


def _mapped(path: str | Path) -> mmap.mmap:
    descriptor = os.open(path, _FLAGS)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise FileError("it is no file, but a folder or a device")
        if found.st_size < _BEGIN:
            raise FileError(f"it is not a tallytext file, or was cut short: {found.st_size} bytes")
        return _map_of(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def _map_of(descriptor: int, size: int) -> mmap.mmap:
    try:
        return mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
    except ValueError:
        raise FileError("it became shorter while it was read") from None


class _Reader:
    """Reads one file, from the first byte to the last."""

    def __init__(self, file: mmap.mmap | bytes, kind: str) -> None:
        self._file, self._kind = file, kind

    def read(self, newest: int, oldest: int) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        header = self._header()
        notes = _notes_of(header.pop("__metadata__", None))
        version = self._version(notes, newest, oldest)
        entries = entries_of(header)
        if version:
            _check_checksum(entries, notes)
        self._check_size(max((entry.end for entry in entries.values()), default=0))
        arrays = {name: self._array(name, entry) for name, entry in entries.items()}
        if not version:
            return arrays, {**notes, "format": 0}
        _check_checksums(arrays, parsed(notes["checksums"], "the list of its checksums"))
        return arrays, self._own_header(notes, version)

    def _header(self) -> dict[str, Any]:
        length = int.from_bytes(self._file[:_BEGIN], "little")
        if not 2 <= length <= LONGEST_HEADER or self._file[_BEGIN : _BEGIN + 1] not in (b"{", b""):
            raise FileError("it is not a tallytext file, but a file of another program")
        self._begin = _BEGIN + length
        self._check_at_least(self._begin)
        header = parsed(self._file[_BEGIN : self._begin], "its header")
        if not isinstance(header, dict):
            raise FileError("it is not a tallytext file: its header is no mapping")
        return header

    def _version(self, notes: dict[str, str], newest: int, oldest: int) -> int:
        kind, spelt = notes.get("kind"), notes.get("format", "0")
        if kind is None:
            raise FileError("it is not a tallytext file: it does not say what it is")
        if kind != self._kind:
            raise FileError(f"it holds {kind:.80}, not {self._kind}")
        if not (spelt.isascii() and spelt.isdigit() and len(spelt) < 10):
            raise FileError(f"it is damaged: {spelt!r:.40} is no version of a format")
        version = int(spelt)
        if version > newest:
            raise FileError(
                f"it was written by a newer tallytext (format {version}; this one reads up to "
                f"{newest}): upgrade"
            )
        if version < oldest:
            raise FileError(f"it is damaged: there are no {self._kind} files of format {version}")
        return version

    def _own_header(self, notes: dict[str, str], version: int) -> dict[str, Any]:
        header = parsed(notes["header"], "its header")
        if not isinstance(header, dict):
            raise FileError("it is damaged: its header is no mapping")
        if (header.get("kind"), header.get("format")) != (self._kind, version):
            raise FileError("it is damaged: it says in two ways what it is")
        return header

    def _check_at_least(self, size: int) -> None:
        if len(self._file) < size:
            raise FileError(
                f"it was cut short: it should have {size:,} bytes or more and has "
                f"{len(self._file):,}"
            )

    def _check_size(self, size: int) -> None:
        whole = self._begin + size
        if len(self._file) < whole:
            raise FileError(
                f"it was cut short: it should have {whole:,} bytes and has {len(self._file):,}"
            )
        if len(self._file) > whole:
            raise FileError(
                f"it is damaged: it should have {whole:,} bytes and has {len(self._file):,}"
            )

    def _array(self, name: str, entry: Entry) -> NDArray[Any]:
        if entry.begin == entry.end:
            return np.empty(entry.shape, entry.dtype)
        if (self._begin + entry.begin) % entry.dtype.itemsize:
            raise FileError(f"it is damaged: the array {name!r:.80} lies across words of memory")
        count = (entry.end - entry.begin) // entry.dtype.itemsize
        flat = np.frombuffer(self._file, entry.dtype, count, self._begin + entry.begin)
        if entry.code == "BOOL" and flat.view(np.uint8).max() > 1:
            raise FileError(f"it is damaged: the array {name!r:.80} is neither true nor false")
        return flat.reshape(entry.shape).astype(entry.dtype.newbyteorder("="), copy=False)


def _notes_of(found: Any) -> dict[str, str]:
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(note, str) for note in found.values()):
        raise FileError("it is damaged: its notes are no text")
    return found


def _check_checksum(entries: dict[str, Entry], notes: dict[str, str]) -> None:
    if not notes.keys() >= {"checksum", "checksums", "header"}:
        raise FileError("it is damaged: it lacks its checksums or its header")
    told = {name: (entry.code, entry.shape) for name, entry in entries.items()}
    others = {name: note for name, note in notes.items() if name != "checksum"}
    if header_checksum(told, others) != notes["checksum"]:
        raise FileError("it is damaged: the checksum of its header does not match")


def _check_checksums(arrays: dict[str, NDArray[Any]], checksums: Any) -> None:
    if not isinstance(checksums, dict) or checksums.keys() != arrays.keys():
        raise FileError("it is damaged: it lacks the checksum of an array")
    for name, array in arrays.items():
        if array_checksum(array) != checksums[name]:
            raise FileError(f"it is damaged: the checksum of {name!r:.80} does not match")


# ------------------------------------------------------------------------------------------------
# Files that appear whole or not at all.


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
    >>> from tallytext.io import load_arrays
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
    >>> from tallytext.io import unpack_arrays
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
