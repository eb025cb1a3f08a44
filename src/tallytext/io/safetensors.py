"""Container of model files: a JSON header and arrays in the safetensors format.

Every number in a file is checked before it is used, and loading runs no code. Checksums are CRC-32:
they are as fast as memory and detect every flipped byte. They do not protect against somebody who
recomputes them after a change; that is why the content is checked as well.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.io.atomic import save_blocks

MAX_HEADER_BYTES = 2**25
"""Length of the longest header that is read. A JSON value can take about twenty times its length in
memory, so there must be a limit."""

# Bytes that Python needs at most for what one of these characters begins or ends, and the memory
# that a header may need: ten times its length and 64 MiB. Labels and settings need less.
_JSON_BYTES = {"[": 64, "{": 72, ",": 36, '"': 28, ":": 110}
_FREE_JSON_BYTES = 2**26
_MAX_JSON_RATIO = 10

_MAX_DIMENSIONS = 8
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
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
_CODES = {dtype: code for code, dtype in _TYPES.items()}
_LENGTH_BYTES = 8  # a file begins with the length of its header
# Opening a named pipe must not wait for a writer.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def save_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> None:
    """Write arrays and a header to a file atomically.

    The content is written to a temporary file beside it, which is renamed once it is on disk. If
    anything fails, an existing file stays unchanged.

    Parameters
    ----------
    path : str or Path
        The file. An existing file is replaced.
    arrays : mapping of str to ndarray
        The arrays by name, of any numeric type and shape.
    header : mapping of str to plain values
        JSON values. ``"kind"`` names the type of the stored object, ``"format"`` the version of
        its format, by default 1.

    Raises
    ------
    OSError
        If the folder does not exist or is not writable, or the disk is full.
    FileError
        If the header cannot be written as JSON, or is too long to be read again.

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
    save_blocks(path, _file_blocks(arrays, header))


def load_arrays(
    path: str | Path, kind: str, *, newest: int = 1, oldest: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read the arrays and the header of a file written by :func:`save_arrays`.

    The file is memory-mapped, and the arrays are read-only views of it. All checksums are compared.
    Memory is allocated only for the header, whose length is limited.

    If the file is replaced, as :func:`save_arrays` does, the views keep the old content. If another
    program writes to it in place, the views change, and if it shortens the file, reading them ends
    the process. So copy the needed arrays at once, and check the copies.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : str
        Expected kind in the header.
    newest, oldest : int, default=1
        The range of format versions that the caller can read. Files of format 0 have no header
        except their kind, and no checksums.

    Returns
    -------
    arrays : dict of str to ndarray
        The arrays by name.
    header : dict
        The header, with ``"kind"`` and ``"format"``.

    Raises
    ------
    FileError
        If the file is missing, unreadable, cut short, damaged, of a newer format, or of another
        kind.
    """
    with _named_errors(path):
        return _Reader(_map_file(path), kind).read(newest, oldest)


def load_header(path: str | Path, kind: str, *, newest: int = 1, oldest: int = 1) -> dict[str, Any]:
    """Read the header of a file written by :func:`save_arrays`, and none of its arrays.

    The checksum of the header is compared; those of the arrays are not.

    Parameters
    ----------
    path, kind, newest, oldest
        As for :func:`load_arrays`.

    Raises
    ------
    FileError
        As for :func:`load_arrays`, but a damaged array is not noticed.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "odd"
    >>> save_arrays(path, {"numbers": np.array([1, 3, 5])}, {"kind": "example"})
    >>> load_header(path, kind="example")
    {'kind': 'example', 'format': 1}
    """
    with _named_errors(path):
        return _Reader(_map_file(path), kind).read_header(newest, oldest)


@contextmanager
def _named_errors(path: str | Path) -> Iterator[None]:
    """Raise a FileError that names the file for each error of reading it."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"there is no file {str(path)!r}.") from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(f"cannot read {str(path)!r}: {reason}.") from None
    except FileError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem}.") from None


def pack_arrays(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> bytes:
    """Return the bytes that :func:`save_arrays` would write.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays by name.
    header : mapping of str to plain values
        JSON values.

    Examples
    --------
    >>> from tallytext.io import unpack_arrays
    >>> packed = pack_arrays({"numbers": np.array([1, 3, 5])}, {"kind": "example"})
    >>> unpack_arrays(packed, kind="example")[0]
    {'numbers': array([1, 3, 5])}
    """
    return b"".join(_file_blocks(arrays, header))


def unpack_arrays(
    packed: bytes, kind: str, *, newest: int = 1, oldest: int = 1
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read the bytes of :func:`pack_arrays`, with the checks of :func:`load_arrays`.

    Parameters
    ----------
    packed : bytes
        The returned arrays are views of it.
    kind : str
        Expected kind in the header.
    newest, oldest : int, default=1
        The range of format versions that the caller can read.

    Raises
    ------
    FileError
        If the bytes are cut short, damaged, of a newer format, or of another kind.
    """
    if len(packed) < _LENGTH_BYTES:
        raise FileError(
            f"cannot read the packed arrays: they were cut short, at {len(packed)} bytes."
        )
    try:
        return _Reader(packed, kind).read(newest, oldest)
    except FileError as problem:
        raise FileError(f"cannot read the packed arrays: {problem}.") from None


def is_array_file(path: str | Path) -> bool:
    """Return True if a file begins like those of :func:`save_arrays`; it may still be damaged.

    Parameters
    ----------
    path : str or Path
        The result is False if there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> note = Path(tempfile.mkdtemp()) / "note.txt"
    >>> note.write_text("text,label")
    10
    >>> is_array_file(note)
    False
    """
    if not os.path.isfile(path):  # noqa: PTH113 - no name is too long for it, nor too odd
        return False
    with Path(path).open("rb") as file:
        begin = file.read(_LENGTH_BYTES + 1)
    return (
        2 <= int.from_bytes(begin[:_LENGTH_BYTES], "little") <= MAX_HEADER_BYTES
        and begin[_LENGTH_BYTES:] == b"{"
    )


def _map_file(path: str | Path) -> mmap.mmap:
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise FileError("it is not a file, but a folder or a device")
        if found.st_size < _LENGTH_BYTES:
            raise FileError(f"it is not a tallytext file, or was cut short: {found.st_size} bytes")
        return _map_descriptor(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def _map_descriptor(descriptor: int, size: int) -> mmap.mmap:
    try:
        return mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
    except ValueError:
        raise FileError("it became shorter while it was read") from None


class _Reader:
    """Parse and check the bytes of one file."""

    def __init__(self, file: mmap.mmap | bytes, kind: str) -> None:
        self._file, self._kind = file, kind

    def read(self, newest: int, oldest: int) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        entries, notes, version = self._entries(newest, oldest)
        arrays = {name: self._array(name, entry) for name, entry in entries.items()}
        if not version:
            return arrays, {**notes, "format": 0}
        _check_array_checksums(arrays, parse_json(notes["checksums"], "the list of its checksums"))
        return arrays, self._object_header(notes, version)

    def read_header(self, newest: int, oldest: int) -> dict[str, Any]:
        _, notes, version = self._entries(newest, oldest)
        return self._object_header(notes, version) if version else {**notes, "format": 0}

    def _entries(
        self, newest: int, oldest: int
    ) -> tuple[dict[str, ArrayEntry], dict[str, str], int]:
        """Return the entries of the arrays, the metadata, and the version of the format."""
        header = self._header()
        notes = _check_metadata(header.pop("__metadata__", None))
        version = self._version(notes, newest, oldest)
        entries = parse_entries(header)
        # Files of format 0 have no checksums.
        if version:
            _check_header_checksum(entries, notes)
        self._check_size(max((entry.end for entry in entries.values()), default=0))
        return entries, notes, version

    def _header(self) -> dict[str, Any]:
        length = int.from_bytes(self._file[:_LENGTH_BYTES], "little")
        if not 2 <= length <= MAX_HEADER_BYTES or self._file[
            _LENGTH_BYTES : _LENGTH_BYTES + 1
        ] not in (b"{", b""):
            raise FileError("it is not a tallytext file, but a file of another program")
        self._begin = _LENGTH_BYTES + length
        self._check_at_least(self._begin)
        header = _parse_header(self._file[_LENGTH_BYTES : self._begin])
        if not isinstance(header, dict):
            raise FileError("it is not a tallytext file: its header is not an object")
        return header

    def _version(self, notes: dict[str, str], newest: int, oldest: int) -> int:
        kind, spelt = notes.get("kind"), notes.get("format", "0")
        if kind is None:
            raise FileError("it is not a tallytext file: its header has no kind")
        if kind != self._kind:
            raise FileError(f"it holds {kind:.80}, not {self._kind}")
        if not (spelt.isascii() and spelt.isdigit() and len(spelt) < 10):
            raise FileError(f"it is damaged: {spelt!r:.40} is not a format version")
        version = int(spelt)
        if version > newest:
            raise FileError(
                f"it was written by a newer tallytext (format {version}; this one reads up to "
                f"{newest}): upgrade"
            )
        if version < oldest:
            raise FileError(f"it is damaged: there are no {self._kind} files of format {version}")
        return version

    def _object_header(self, notes: dict[str, str], version: int) -> dict[str, Any]:
        header = _parse_header(notes["header"].encode("utf-8", "surrogatepass"))
        if not isinstance(header, dict):
            raise FileError("it is damaged: its header is not an object")
        if (header.get("kind"), header.get("format")) != (self._kind, version):
            raise FileError("it is damaged: kind and format differ between header and metadata")
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

    def _array(self, name: str, entry: ArrayEntry) -> NDArray[Any]:
        if entry.begin == entry.end:
            return np.empty(entry.shape, entry.dtype)
        if (self._begin + entry.begin) % entry.dtype.itemsize:
            raise FileError(f"it is damaged: the array {name!r:.80} is not aligned")
        count = (entry.end - entry.begin) // entry.dtype.itemsize
        flat = np.frombuffer(self._file, entry.dtype, count, self._begin + entry.begin)
        # NumPy relies on bools being 0 or 1, and gives inconsistent results for other bytes.
        if entry.code == "BOOL" and flat.view(np.uint8).max() > 1:
            raise FileError(
                f"it is damaged: the array {name!r:.80} has values other than true and false"
            )
        return flat.reshape(entry.shape).astype(entry.dtype.newbyteorder("="), copy=False)


def _check_metadata(found: Any) -> dict[str, str]:
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(note, str) for note in found.values()):
        raise FileError("it is damaged: its metadata are not strings")
    return found


def _check_header_checksum(entries: dict[str, ArrayEntry], notes: dict[str, str]) -> None:
    if not notes.keys() >= {"checksum", "checksums", "header"}:
        raise FileError("it is damaged: it lacks its checksums or its header")
    described = {name: (entry.code, entry.shape) for name, entry in entries.items()}
    others = {name: note for name, note in notes.items() if name != "checksum"}
    if header_checksum(described, others) != notes["checksum"]:
        raise FileError("it is damaged: the checksum of its header does not match")


def _check_array_checksums(arrays: dict[str, NDArray[Any]], checksums: Any) -> None:
    if not isinstance(checksums, dict) or checksums.keys() != arrays.keys():
        raise FileError("it is damaged: it lacks the checksum of an array")
    for name, array in arrays.items():
        if array_checksum(array) != checksums[name]:
            raise FileError(f"it is damaged: the checksum of {name!r:.80} does not match")


@dataclass(frozen=True)
class ArrayEntry:
    """Type, shape and position of an array in a file.

    Attributes
    ----------
    code : str
        The type code of safetensors.
    shape : list of int
    begin, end : int
        Offsets of its bytes from the end of the header.
    """

    code: str
    shape: list[int]
    begin: int
    end: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the array."""
        return _TYPES[self.code]


def parse_entries(header: dict[str, Any]) -> dict[str, ArrayEntry]:
    """Return the entries of the header by name, if the arrays are contiguous.

    Raises
    ------
    FileError
        If a value has the wrong type, arrays overlap or leave gaps, or a size is wrong.
    """
    entries = {name: _entry(name, value) for name, value in header.items()}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        # Neither gaps, which could hide data, nor overlaps, which could alias arrays.
        if entry.begin != at:
            raise FileError(f"it is damaged: the array {name!r:.80} is not where it should be")
        at = entry.end
    return entries


def _entry(name: str, value: Any) -> ArrayEntry:
    wrong = FileError(f"it is damaged: its header does not describe the array {name!r:.80}")
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise wrong
    code, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not (isinstance(code, str) and code in _TYPES and _are_sizes(shape) and _are_sizes(offsets)):
        raise wrong
    size = _TYPES[code].itemsize
    # NumPy rejects shapes whose non-zero sides multiply to 2**63 or more, even of empty arrays.
    sides = math.prod(side for side in shape if side) * size
    if len(shape) > _MAX_DIMENSIONS or len(offsets) != 2 or sides >= 2**63:
        raise wrong
    begin, end = offsets
    if end - begin != math.prod(shape) * size or begin % size:
        raise wrong
    return ArrayEntry(code, shape, begin, end)


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(number) is int and 0 <= number < 2**63 for number in value
    )


def _parse_header(text: bytes) -> Any:
    """Parse the JSON of a header, unless its values would need too much memory."""
    needed = sum(size * text.count(sign.encode()) for sign, size in _JSON_BYTES.items())
    if needed > _FREE_JSON_BYTES + _MAX_JSON_RATIO * len(text):
        raise FileError("it is damaged: its header has more values than tallytext writes")
    return parse_json(text, "its header")


def parse_json(text: bytes | str, name: str) -> Any:
    """Parse JSON text; duplicate keys and numbers that are not finite are errors."""
    try:
        return json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse, parse_float=_finite_float
        )
    except (ValueError, RecursionError):
        raise FileError(f"{name} is not JSON that tallytext could have written") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _finite_float(spelt: str) -> float:
    number = float(spelt)
    # "1e999" is valid JSON, and becomes infinity.
    if math.isinf(number):
        _refuse(spelt)
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _file_blocks(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> list[Any]:
    """Return the blocks of a file: the header with its length, and the bytes of each array."""
    # Sorted by item size, so that each array is aligned, and then by name, so that equal content
    # gives equal files.
    names = sorted(arrays, key=lambda name: (-np.asarray(arrays[name]).itemsize, name))
    dense = {name: _little_endian(np.asarray(arrays[name], order="C")) for name in names}
    spelt = _encode_header(dense, {**header, "format": header.get("format", 1)})
    blocks = [array.reshape(-1).view(np.uint8).data for array in dense.values()]
    return [len(spelt).to_bytes(8, "little") + spelt, *blocks]


def _encode_header(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> bytes:
    entries = {name: (dtype_code(array.dtype), list(array.shape)) for name, array in arrays.items()}
    notes = _encode_metadata(arrays, header)
    described: dict[str, Any] = {
        "__metadata__": notes | {"checksum": header_checksum(entries, notes)}
    }
    begin = 0
    for name, (code, shape) in entries.items():
        end = begin + arrays[name].nbytes
        described[name] = {"dtype": code, "shape": shape, "data_offsets": [begin, end]}
        begin = end
    spelt = json.dumps(described).encode("ascii")
    # JSON ignores blanks at the end, and the arrays begin at a multiple of 8 bytes.
    return spelt + b" " * (-len(spelt) % 8)


def _encode_metadata(
    arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> dict[str, str]:
    try:
        spelt = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise FileError(f"this header cannot be stored in a file: {problem}.") from None
    # Half of the limit: the text is a JSON string in another JSON object, which escapes its quotes.
    if len(spelt) > MAX_HEADER_BYTES // 2:
        raise FileError(f"a header of {len(spelt):,} bytes is too long to be stored in a file.")
    checksums = {name: array_checksum(array) for name, array in arrays.items()}
    # The metadata of safetensors may hold strings only.
    kind = {"kind": header["kind"]} if isinstance(header.get("kind"), str) else {}
    return {
        **kind,
        "format": str(header["format"]),
        "header": spelt,
        "checksums": json.dumps(checksums),
    }


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def dtype_code(dtype: np.dtype[Any]) -> str:
    """Return the type code of safetensors.

    Examples
    --------
    >>> dtype_code(np.dtype("int64"))
    'I64'
    """
    if dtype not in _CODES:
        raise FileError(f"arrays of {dtype} cannot be stored in a file: only numbers can.")
    return _CODES[dtype]


def array_checksum(array: NDArray[Any]) -> str:
    """Return the checksum of the bytes of an array.

    Examples
    --------
    >>> array_checksum(np.frombuffer(b"123456789", dtype=np.uint8))
    'cbf43926'
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    return _hex(zlib.crc32(flat.view(np.uint8).data))


def header_checksum(arrays: Mapping[str, tuple[str, list[int]]], notes: Mapping[str, str]) -> str:
    """Return the checksum of the header: types and shapes of the arrays, and metadata.

    Parameters
    ----------
    arrays : mapping of str to (str, list of int)
        The type and the shape of each array.
    notes : mapping of str to str
        The metadata of the header, without this checksum.
    """
    spelt = json.dumps(
        [{name: list(entry) for name, entry in arrays.items()}, dict(notes)], sort_keys=True
    )
    return _hex(zlib.crc32(spelt.encode("ascii")))


def _hex(checksum: int) -> str:
    return f"{checksum:08x}"
