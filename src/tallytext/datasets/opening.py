"""Sources: what they are called, what format they are in, and the bytes they hold."""

from __future__ import annotations

import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from tallytext.datasets.remedies import remedy_of_format
from tallytext.errors import FileError, did_you_mean

FORMATS = ("csv", "tsv", "jsonl", "parquet", "folder", "tar", "txt", "fasttext")

_OTHER_NAMES = {"ndjson": "jsonl", "json": "jsonl"}
_COMPRESSIONS = ("gz", "bz2", "xz", "zst")
_SHORT_SUFFIXES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz"}
_BUFFER = 1 << 18


@dataclass(frozen=True)
class Source:
    """Where documents are read from.

    Parameters
    ----------
    path : Path or None
        A file or folder; None for standard input.
    format : str
        One of ``FORMATS``.
    compression : str or None
        Which the name of the file tells: "gz", "bz2", "xz" or "zst".
    name : str or None
        What it is called in messages, if not by its path.

    Examples
    --------
    >>> source = Source.of("mails.ndjson.gz")
    >>> source.format, source.compression
    ('jsonl', 'gz')
    """

    path: Path | None
    format: str
    compression: str | None = None
    name: str | None = None

    @classmethod
    def of(cls, source: str | os.PathLike[str], format: str | None = None) -> Source:
        """Find out what a name stands for; ``"-"`` is standard input."""
        known = None if format is None else _known(format)
        if source == "-":
            return cls(None, known or "jsonl")
        path = Path(source)
        if path.is_dir() and known in (None, "folder"):
            return cls(path, "folder")
        stem, compression = _without_compression(path.name.lower())
        return cls(path, known or _format_of(stem, path), compression)

    def __str__(self) -> str:
        return "standard input" if self.path is None else repr(self.name or str(self.path))

    def check(self) -> None:
        """Refuse what is not there, a folder in place of a file, and a file in place of one."""
        if self.path is None:
            if self.format == "folder":
                raise FileError("standard input cannot be a folder.")
        elif not self.path.exists():
            raise FileError(f"there is no file {self}.")
        elif self.path.is_dir() != (self.format == "folder"):
            found = "a folder" if self.path.is_dir() else "a file"
            raise FileError(f"{self} is {found}, but was to be read as {self.format}.")

    @property
    def size(self) -> int | None:
        """How many bytes a file has; None for standard input."""
        with plain_errors(self):
            return None if self.path is None else self.path.stat().st_size


class Counted(io.RawIOBase):
    """A stream that knows how many bytes were taken from it."""

    def __init__(self, file: Any) -> None:
        self.n_bytes = 0
        # A pipe may hold less than the buffer: what is there is to be read at once.
        self._readinto = getattr(file, "readinto1", file.readinto)

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the file allows at once."""
        n = self._readinto(buffer) or 0
        self.n_bytes += n
        return n


@contextmanager
def opened(source: Source) -> Iterator[tuple[BinaryIO, Counted]]:
    """Open a file, or standard input, as a stream of decompressed bytes, and count the others."""
    with ExitStack() as stack:
        if source.path is None:
            file: Any = sys.stdin.buffer
        else:
            file = stack.enter_context(source.path.open("rb", buffering=0))
        counted = stack.enter_context(Counted(file))
        plain = io.BufferedReader(counted, _BUFFER)
        if source.compression is None:
            yield plain, counted
        else:
            raw = stack.enter_context(_decompressed(plain, source.compression))
            yield io.BufferedReader(raw, _BUFFER), counted


@contextmanager
def plain_errors(source: Source) -> Iterator[None]:
    """Turn what the system and the decompressors raise into sentences about the source."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"there is no file {source}.") from None
    except EOFError:
        raise FileError(
            f"{source} ends in the middle of its compressed data. Was it copied as a whole?"
        ) from None
    except (OSError, zlib.error, lzma.LZMAError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise FileError(f"cannot read {source}: {reason}.") from None


def _known(format: str) -> str:
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
        raise FileError(f"there is no file {str(path)!r}.")
    if helps := remedy_of_format(suffix):
        raise FileError(f"cannot read documents from {str(path)!r}. {helps}")
    raise FileError(
        f"the name of {str(path)!r} does not tell its format. "
        f"Give one as format (--format): {', '.join(FORMATS)}."
    )


def _decompressed(file: BinaryIO, compression: str) -> Any:
    if compression == "gz":
        import gzip

        return gzip.GzipFile(fileobj=file, mode="rb")
    if compression == "bz2":
        import bz2

        return bz2.BZ2File(file)
    if compression == "xz":
        return lzma.LZMAFile(file)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
