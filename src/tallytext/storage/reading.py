"""Files read by map, with every number of them checked before it is used."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.storage.checksums import array_checksum, header_checksum
from tallytext.storage.layout import LONGEST_HEADER, Entry, entries_of, parsed

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
            _expect_checksum(entries, notes)
        self._expect_size(max((entry.end for entry in entries.values()), default=0))
        arrays = {name: self._array(name, entry) for name, entry in entries.items()}
        if not version:
            return arrays, {**notes, "format": 0}
        _expect_checksums(arrays, parsed(notes["checksums"], "the list of its checksums"))
        return arrays, self._own_header(notes, version)

    def _header(self) -> dict[str, Any]:
        length = int.from_bytes(self._file[:_BEGIN], "little")
        if not 2 <= length <= LONGEST_HEADER or self._file[_BEGIN : _BEGIN + 1] not in (b"{", b""):
            raise FileError("it is not a tallytext file, but a file of another program")
        self._begin = _BEGIN + length
        self._expect_at_least(self._begin)
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

    def _expect_at_least(self, size: int) -> None:
        if len(self._file) < size:
            raise FileError(
                f"it was cut short: it should have {size:,} bytes or more and has "
                f"{len(self._file):,}"
            )

    def _expect_size(self, size: int) -> None:
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


def _expect_checksum(entries: dict[str, Entry], notes: dict[str, str]) -> None:
    if not notes.keys() >= {"checksum", "checksums", "header"}:
        raise FileError("it is damaged: it lacks its checksums or its header")
    told = {name: (entry.code, entry.shape) for name, entry in entries.items()}
    others = {name: note for name, note in notes.items() if name != "checksum"}
    if header_checksum(told, others) != notes["checksum"]:
        raise FileError("it is damaged: the checksum of its header does not match")


def _expect_checksums(arrays: dict[str, NDArray[Any]], checksums: Any) -> None:
    if not isinstance(checksums, dict) or checksums.keys() != arrays.keys():
        raise FileError("it is damaged: it lacks the checksum of an array")
    for name, array in arrays.items():
        if array_checksum(array) != checksums[name]:
            raise FileError(f"it is damaged: the checksum of {name!r:.80} does not match")
