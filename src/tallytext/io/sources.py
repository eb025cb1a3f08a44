"""Sources: what they are called, what format they are in, and the bytes they hold."""

from __future__ import annotations

import io
import lzma
import os
import re
import sys
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, Self

from tallytext.errors import FileError, did_you_mean
from tallytext.io.batches import Columns, Report, Row, UnreadableRow, remedy_of_format
from tallytext.io.formats import LARGEST_DOCUMENT, TOO_LARGE, undecodable

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


# ------------------------------------------------------------------------------------------------
# Documents that are whole files, in a folder or in an archive; the class is the folder.


def is_wanted(name: str, match: str | None) -> bool:
    """Whether a file is neither hidden nor left out by a pattern, in which * matches any text.

    Examples
    --------
    >>> is_wanted("spam/1.txt", "*.txt"), is_wanted("spam/.1.swp", None)
    (True, False)
    """
    hidden = any(part[0] == "." and part != ".." for part in PurePosixPath(name).parts)
    return not hidden and (match is None or fnmatchcase(name, match))


def file_row(name: str, content: bytes, columns: Columns, encoding: str) -> Row:
    """Return the document that a file is.

    Examples
    --------
    >>> file_row("mails/spam/1.txt", b"Cheap pills!", Columns("text", "label"), "utf-8")
    ('mails/spam/1.txt', 'Cheap pills!', 'spam', ())
    """
    if len(content) > LARGEST_DOCUMENT:
        raise UnreadableRow(TOO_LARGE)
    if columns.label is None:
        return name, _decoded(content, encoding), None, ()
    folder = PurePosixPath(name).parent.name
    if folder in ("", ".."):
        raise UnreadableRow("not in a folder, which would be its label")
    return name, _decoded(content, encoding), columns.label_in(folder), ()


def _decoded(content: bytes, encoding: str) -> str:
    """Decode as UTF-8, which is hardly ever so by chance, and else as what was asked for."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        raise UnreadableRow(undecodable(problem)) from None


# ------------------------------------------------------------------------------------------------
# Documents in folders of files, the name of a folder being the class of what is in it.


class Folder:
    """The files below a folder, sorted by name in every folder, and what was read of them.

    Hidden files and folders are passed over, and so is what is neither a file nor a folder; links
    to folders are not followed.

    Parameters
    ----------
    path : Path
        The folder.
    match : str or None
        A pattern for the path of a file below the folder.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "spam").mkdir()
    >>> (root / "spam" / "1.txt").write_text("Cheap pills!")
    12
    >>> list(Folder(root, "*.txt").rows(Columns("text", "label"), print, "utf-8"))
    [('spam/1.txt', 'Cheap pills!', 'spam', ())]
    """

    def __init__(self, path: Path, match: str | None) -> None:
        self.n_bytes = 0
        self._path = path
        self._match = match

    @property
    def size(self) -> int:
        """How many bytes the files have, all together."""
        return sum(entry.stat().st_size for _, entry in self._files())

    def rows(self, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
        """Yield one document a file, under its path below the folder."""
        for name, entry in self._files():
            try:
                row = file_row(name, self._content(entry), columns, encoding)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for name, entry in _below(self._path, ""):
            if is_wanted(name, self._match):
                yield name, entry

    def _content(self, entry: os.DirEntry[str]) -> bytes:
        try:
            size = entry.stat().st_size
            self.n_bytes += size
            if size > LARGEST_DOCUMENT:
                raise UnreadableRow(TOO_LARGE)
            return Path(entry.path).read_bytes()
        except OSError as problem:
            raise UnreadableRow(problem.strerror or str(problem)) from None


def _below(folder: str | Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file():
            yield prefix + entry.name, entry


# ------------------------------------------------------------------------------------------------
# Documents in tar archives, the folder of a member being its class; nothing is ever extracted.

_BUFFER_of_tar_archives = 1 << 18
_LONGEST_HEADER = 1 << 20
_HEADERS = {
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
}


def tar_rows(
    stream: BinaryIO,
    columns: Columns,
    report: Report,
    encoding: str,
    source: str,
    match: str | None,
) -> Iterator[Row]:
    """Yield one document for each regular file of an archive, under its name there."""
    with _tar_errors(source):
        for name, member, archive in _files(stream, match):
            try:
                row = file_row(name, _content(archive, member), columns, encoding)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row
    _read_on(stream)


def tar_files(path: Path, like: re.Pattern[str]) -> Iterator[tuple[re.Match[str], bytes]]:
    """Yield the regular files of a compressed archive whose whole name is like a pattern.

    Parameters
    ----------
    path : Path
        A tar archive that was compressed by gzip.
    like : re.Pattern
        Of the names that are wanted.

    Yields
    ------
    name : re.Match
        The name, taken apart.
    content : bytes
    """
    source = Source(path, "tar", "gz")
    with plain_errors(source), opened(source) as (stream, _):
        with _tar_errors(str(source)):
            for name, member, archive in _files(stream, None):
                if found := like.fullmatch(name):
                    yield found, _whole(archive, member, source)
        _read_on(stream)


@contextmanager
def _tar_errors(source: str) -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as problem:
        raise FileError(
            f"cannot read {source} as a tar archive: {problem}. Is it one, and a whole one?"
        ) from None


def _whole(archive: tarfile.TarFile, member: tarfile.TarInfo, source: Source) -> bytes:
    try:
        return _content(archive, member)
    except UnreadableRow as reason:
        raise FileError(f"cannot read {source}, {member.name}: {reason}.") from None


class _Header(tarfile.TarInfo):
    """A header that is right: the module takes a damaged one for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except (ValueError, LookupError, OverflowError) as problem:
            raise tarfile.ReadError(str(problem)) from None

    @classmethod
    def frombuf(cls, block: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            header = super().frombuf(block, encoding, errors)
        except tarfile.HeaderError as problem:
            is_end = not block.strip(b"\0")
            raise problem if is_end else tarfile.ReadError(str(problem)) from None
        # The module reads names and attributes into memory whatever their size.
        if header.type in _HEADERS and header.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {header.size} bytes")
        return header


class _Archive(tarfile.TarFile):
    """An archive that does not remember the members that were read."""

    members: list[tarfile.TarInfo]
    tarinfo = _Header

    def next(self) -> tarfile.TarInfo | None:
        member = super().next()
        self.members = []
        return member


def _files(
    stream: BinaryIO, match: str | None
) -> Iterator[tuple[str, tarfile.TarInfo, tarfile.TarFile]]:
    with _Archive.open(fileobj=stream, mode="r|") as archive:
        while (member := archive.next()) is not None:
            name = str(PurePosixPath(member.name))
            # A sparse file of a few bytes may have any size once it is read.
            if member.isreg() and not member.issparse() and is_wanted(name, match):
                yield name, member, archive


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.size > LARGEST_DOCUMENT:
        raise UnreadableRow(TOO_LARGE)
    file = archive.extractfile(member)
    return b"" if file is None else file.read()


def _read_on(stream: BinaryIO) -> None:
    """Read what follows the archive, so that damage to the end of compressed data is noticed."""
    while stream.read(_BUFFER_of_tar_archives):
        pass
