"""Sources of documents: the format and compression that a name implies, and opening the file."""

from __future__ import annotations

import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, BinaryIO, TextIO

from tallytext.errors import FileError, did_you_mean
from tallytext.io.batches import format_remedy, size_text
from tallytext.runtime import import_zstd

FORMATS = (
    *("csv", "tsv", "jsonl", "parquet", "xlsx", "sqlite", "duckdb"),
    *("folder", "tar", "txt", "fasttext"),
)
#: Formats of files that hold several tables.
TABLE_FORMATS = ("xlsx", "sqlite", "duckdb")

_OTHER_NAMES = {
    "ndjson": "jsonl",
    "json": "jsonl",
    "xlsm": "xlsx",
    "db": "sqlite",
    "sqlite3": "sqlite",
}
# Separates a file from the name of its table, as in data.db::mails.
_TABLE_SIGN = "::"
_COMPRESSIONS = ("gz", "bz2", "xz", "zst")
_SHORT_SUFFIXES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz"}
_BUFFER_BYTES = 1 << 18
# Files of a folder that a missing name is compared with.
_MOST_COMPARED = 1000

# Names of files that the process already has open, such as a pipe made by <(command) in a shell.
_OPEN_FILES = ("/dev/fd/", "/dev/stdin", "/proc/")

# Text is seldom packed to less than a fiftieth of its size.
_MOST_TIMES = 200
_ALWAYS_ALLOWED_BYTES = 1 << 28
# Memory for unpacking xz. "xz -9" needs a quarter of it, and a header can demand 4 GiB.
_MAX_UNPACKER_BYTES = 1 << 28


@dataclass(frozen=True)
class Source:
    """A file, a folder or standard input, and its format.

    Parameters
    ----------
    path : Path or None
        A file or folder; None for standard input.
    format : str or None
        One of ``FORMATS``; None for standard input that is to be recognised when it is read.
    compression : str or None
        "gz", "bz2", "xz" or "zst", from the name of the file.
    name : str or None
        Name in messages, by default the path.
    table : str or None
        The sheet of a workbook or the table of a database.
    max_unpacked : int or None
        Largest number of bytes that the source may unpack to; None for 256 MiB or 200 times its
        size, whichever is more.

    Examples
    --------
    >>> source = Source.from_name("mails.ndjson.gz")
    >>> source.format, source.compression
    ('jsonl', 'gz')
    >>> source = Source.from_name("mails.db::inbox")
    >>> str(source.path), source.format, source.table
    ('mails.db', 'sqlite', 'inbox')
    """

    path: Path | None
    format: str | None
    compression: str | None = None
    name: str | None = None
    table: str | None = None
    max_unpacked: int | None = None

    @classmethod
    def from_name(cls, source: str | os.PathLike[str], format: str | None = None) -> Source:
        """Return the source with a name; ``"-"`` is standard input."""
        known = None if format is None else _check_format(format)
        if source == "-":
            return cls(None, known)
        path, table = Path(source), None
        if path.is_dir() and known in (None, "folder"):
            return cls(path, "folder")
        if _TABLE_SIGN in path.name and not path.exists():
            # From the end of the text and not of the path: the name of a table may have a slash.
            before, _, table = os.fspath(source).partition(_TABLE_SIGN)
            path = Path(before)
        stem, compression = _without_compression(path.name.lower())
        format = known or _format_of(stem, path)
        if format == "sqlite" and _is_duckdb(path):
            format = "duckdb"  # the ending .db is used for both
        return cls(path, format, compression, table=table)

    def __str__(self) -> str:
        if self.path is None:
            return "standard input"
        table = "" if self.table is None else f"{_TABLE_SIGN}{self.table}"
        return repr(self.name or f"{self.path}{table}")

    def check(self) -> None:
        """Raise FileError if the source is missing, or is a file where a folder is expected."""
        if self.path is None:
            if self.format == "folder":
                raise FileError("standard input cannot be a folder.")
        elif not self.path.exists():
            raise FileError(f"there is no file {self}.{_similar_file(self.path)}")
        elif self.path.is_dir() != (self.format == "folder"):
            found = "a folder" if self.path.is_dir() else "a file"
            raise FileError(f"{self} is {found}, so it cannot be read as {self.format}.")
        elif not _can_be_opened(self.path):
            raise FileError(
                f"{self} is a pipe or a device, not a file. Read it as standard input: give - as "
                f"the input, and add < {self.path}."
            )
        if self.table is not None and self.format not in TABLE_FORMATS:
            raise FileError(
                f"{self} has no tables: {_TABLE_SIGN} and a name are for {', '.join(TABLE_FORMATS)}"
                f", but the file is {self.format}."
            )
        if self.format in TABLE_FORMATS and (self.path is None or self.compression):
            raise FileError(
                f"cannot read {self.format} from {self}: it must be a file, and not compressed."
            )

    @property
    def size(self) -> int | None:
        """Size of the file in bytes; None for standard input."""
        with wrap_os_errors(self):
            return None if self.path is None else self.path.stat().st_size

    def check_unpacked(self, n_unpacked: int, n_packed: int) -> None:
        """Raise FileError if so many bytes, unpacked from so many, are more than allowed.

        Parameters
        ----------
        n_unpacked, n_packed : int
            Numbers of bytes so far.
        """
        if self.max_unpacked is not None:
            if n_unpacked > self.max_unpacked:
                raise FileError(
                    f"{self} unpacks to more than {size_text(self.max_unpacked)}. "
                    f"{unpacked_remedy(2 * self.max_unpacked)}"
                )
        elif n_unpacked > max(_ALWAYS_ALLOWED_BYTES, _MOST_TIMES * n_packed):
            raise FileError(
                f"{self} unpacks to more than {_MOST_TIMES} times its size: "
                f"{size_text(n_unpacked)} from {size_text(n_packed)}. Such a file is seldom text, "
                f"and often an attack. {unpacked_remedy(16 * n_unpacked)}"
            )


class CountingStream(io.RawIOBase):
    """A stream that counts the bytes read from it."""

    def __init__(self, file: Any) -> None:
        self.n_bytes = 0
        # A pipe may hold less than the buffer: readinto1 returns those bytes without waiting.
        self._readinto = getattr(file, "readinto1", file.readinto)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the bytes that are available."""
        n = self._readinto(buffer) or 0
        self.n_bytes += n
        return n


class _UnpackedStream(CountingStream):
    """The bytes that a source unpacks to, no more than it is allowed."""

    def __init__(self, file: Any, packed: CountingStream, source: Source) -> None:
        super().__init__(file)
        self._packed, self._source = packed, source

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the bytes that are available."""
        n = super().readinto(buffer)
        self._source.check_unpacked(self.n_bytes, self._packed.n_bytes)
        return n


class _XzStream(io.RawIOBase):
    """The content of an .xz file; unlike lzma.LZMAFile, its memory is limited."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._packed = file, b""
        self._decoder = lzma.LZMADecompressor(memlimit=_MAX_UNPACKER_BYTES)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the bytes that are available."""
        some = b""
        while not some and (not self._decoder.eof or self._next_stream()):
            packed, self._packed = self._packed, b""
            if not packed and self._decoder.needs_input and not (packed := self._read()):
                raise EOFError
            some = self._decoder.decompress(packed, len(buffer))
        buffer[: len(some)] = some
        return len(some)

    def _read(self) -> bytes:
        return self._file.read1(_BUFFER_BYTES)  # type: ignore[attr-defined]

    def _next_stream(self) -> bool:
        """Start with the next of several streams, between which there may be zeros."""
        self._packed = self._decoder.unused_data.lstrip(b"\0")
        while not self._packed and (more := self._read()):
            self._packed = more.lstrip(b"\0")
        if self._packed:
            self._decoder = lzma.LZMADecompressor(memlimit=_MAX_UNPACKER_BYTES)
        return bool(self._packed)


def standard_input() -> TextIO:
    """Return standard input; raise FileError if it is closed."""
    # Python sets it to None if the descriptor was closed before it started.
    if sys.stdin is None:
        raise FileError(
            "standard input is closed, so nothing can be read from it. Give a file, or redirect "
            "one: < new.csv."
        )
    return sys.stdin


@contextmanager
def open_source(source: Source) -> Iterator[tuple[io.BufferedReader[Any], CountingStream]]:
    """Open a source as a stream of decompressed bytes; also yield the counter of raw bytes."""
    with ExitStack() as stack:
        if source.path is None:
            # Not entered into the stack, because standard input belongs to the process.
            file: Any = standard_input().buffer
        else:
            # Unbuffered, because the reader around the counter has a buffer of its own.
            file = stack.enter_context(source.path.open("rb", buffering=0))
        counter = stack.enter_context(CountingStream(file))
        plain = io.BufferedReader(counter, _BUFFER_BYTES)
        if source.compression is None:
            yield plain, counter
        else:
            raw = stack.enter_context(_decompress(plain, source.compression))
            unpacked = stack.enter_context(_UnpackedStream(raw, counter, source))
            yield io.BufferedReader(unpacked, _BUFFER_BYTES), counter


@contextmanager
def wrap_os_errors(source: Source) -> Iterator[None]:
    """Raise errors of the system and of decompression as FileError with the source."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"there is no file {source}.") from None
    # All but xz raise EOFError, which is not an OSError, for truncated data.
    except EOFError:
        raise FileError(
            f"{source} ends in the middle of its compressed data. Was it copied completely?"
        ) from None
    except (OSError, zlib.error, lzma.LZMAError, *_zstd_errors()) as problem:  # type: ignore[misc]
        reason = getattr(problem, "strerror", None) or str(problem)
        # The messages of lzma and zstd.
        needs_memory = "Memory usage limit" in reason or "too much memory" in reason
        remedy = " Unpack it, and pack it again with a usual level." * needs_memory
        raise FileError(f"cannot read {source}: {reason}.{remedy}") from None


def _can_be_opened(path: Path) -> bool:
    """Return False for pipes, which may wait for a writer for ever, and for devices."""
    mode = path.stat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or os.fspath(path).startswith(_OPEN_FILES)


def unpacked_remedy(limit: int) -> str:
    """Return a sentence with the option that allows a source to unpack to so many bytes."""
    gigabytes = -(-limit >> 30)
    return (
        f"If it is what you expect, allow more with max_unpacked={gigabytes << 30} "
        f"(--max-unpacked {gigabytes}G)."
    )


def _is_duckdb(path: Path) -> bool:
    """Return True if a file begins as those of DuckDB do."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False  # reported when it is read


def _similar_file(path: Path) -> str:
    """Return a question about a file of the same folder with a similar name, or ''."""
    try:
        beside = [each.name for each in islice(path.parent.iterdir(), _MOST_COMPARED)]
    except OSError:
        return ""
    return did_you_mean(path.name, beside)


def _check_format(format: str) -> str:
    name = _OTHER_NAMES.get(format, format)
    if name not in FORMATS:
        raise FileError(
            f"there is no format {format!r}. Known: {', '.join(FORMATS)}."
            f"{did_you_mean(format, FORMATS)}"
        )
    return name


def _without_compression(name: str) -> tuple[str, str | None]:
    suffix = PurePath(name).suffix
    name = name.removesuffix(suffix) + _SHORT_SUFFIXES.get(suffix, suffix)
    stem, _, last = name.rpartition(".")
    return (stem, last) if last in _COMPRESSIONS else (name, None)


def _format_of(name: str, path: Path) -> str:
    suffix = PurePath(name).suffix[1:]
    format = _OTHER_NAMES.get(suffix, suffix)
    if format in FORMATS and format != "folder":
        return format
    if not path.exists():
        raise FileError(f"there is no file {str(path)!r}.{_similar_file(path)}")
    if helps := format_remedy(suffix):
        raise FileError(f"cannot read documents from {str(path)!r}. {helps}")
    raise FileError(
        f"the name {str(path)!r} does not show the format of the file. "
        f"Give it as format (--format): {', '.join(FORMATS)}."
    )


def _decompress(file: BinaryIO, compression: str) -> Any:
    if compression == "gz":
        import gzip

        return gzip.GzipFile(fileobj=file, mode="rb")
    if compression == "bz2":
        import bz2

        return bz2.BZ2File(file)
    if compression == "xz":
        return _XzStream(file)
    return import_zstd().ZstdFile(file)


def _zstd_errors() -> tuple[type[BaseException], ...]:
    # Such an error can only have been raised if the module is there.
    modules = (sys.modules.get(name) for name in ("compression.zstd", "backports.zstd"))
    return tuple(module.ZstdError for module in modules if module is not None)
