"""Documents that are whole files, in folders or tar archives; the innermost folder is the label.

Archives are never extracted.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self

from tallytext.errors import FileError
from tallytext.io.batches import Columns, ReportRow, Row, UnreadableRow
from tallytext.io.sources import Source, open_source, wrap_os_errors
from tallytext.io.text_formats import (
    MAX_DOCUMENT_BYTES,
    TOO_LARGE,
    describe_decode_error,
    wide_encoding,
)

_TAR_BUFFER_BYTES = 1 << 18
_MAX_HEADER_BYTES = 1 << 20
# Members that describe the next member: a long name, or extended (pax) attributes.
_HEADERS = {
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
}


def is_selected(name: str, match: str | None) -> bool:
    """Return True if a file is not hidden and matches a pattern, in which * is any text.

    Examples
    --------
    >>> is_selected("spam/1.txt", "*.txt"), is_selected("spam/.1.swp", None)
    (True, False)
    """
    # Archives made on a Mac hold a hidden "._name" with metadata beside each file.
    hidden = any(part[0] == "." and part != ".." for part in PurePosixPath(name).parts)
    return not hidden and (match is None or fnmatchcase(name, match))


def file_row(name: str, content: bytes, columns: Columns, encoding: str) -> Row:
    """Return a file as a row: its content is the text, its folder the label.

    Examples
    --------
    >>> file_row("mails/spam/1.txt", b"Cheap pills!", Columns("text", "label"), "utf-8")
    ('mails/spam/1.txt', 'Cheap pills!', 'spam', [])
    """
    if len(content) > MAX_DOCUMENT_BYTES:
        raise UnreadableRow(TOO_LARGE)
    text = _decode_file(content, encoding)
    further = columns.further({columns.text: text})
    if columns.label is None:
        return name, text, None, further
    folder = PurePosixPath(name).parent.name
    if folder in ("", ".."):
        raise UnreadableRow("not in a folder, which would be its label")
    return name, text, columns.parse_label(folder), further


def _decode_file(content: bytes, encoding: str) -> str:
    """Decode as UTF-8 if possible, because other text is hardly ever valid UTF-8 by chance."""
    if wide := wide_encoding(content[:4]):
        try:
            return content.decode(wide).removeprefix("\ufeff")
        except UnicodeDecodeError as problem:
            raise UnreadableRow(describe_decode_error(problem)) from None
    try:
        # utf-8-sig drops the byte order mark with which Windows editors begin a file.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        raise UnreadableRow(describe_decode_error(problem)) from None


class Folder:
    """The files below a folder, sorted by name within each folder.

    Hidden files and folders are ignored, and so are pipes and devices; links to folders are not
    followed. ``n_bytes`` is the number of bytes read so far.

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
    [('spam/1.txt', 'Cheap pills!', 'spam', [])]
    """

    def __init__(self, path: Path, match: str | None) -> None:
        self.n_bytes = 0
        self._path = path
        self._match = match

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        return sum(entry.stat().st_size for _, entry in self._files())

    def rows(self, columns: Columns, report: ReportRow, encoding: str) -> Iterator[Row]:
        """Yield one document per file, with its path below the folder."""
        for name, entry in self._files():
            try:
                row = file_row(name, self._content(entry), columns, encoding)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for name, entry in _walk_files(self._path, ""):
            if is_selected(name, self._match):
                yield name, entry

    def _content(self, entry: os.DirEntry[str]) -> bytes:
        try:
            # The size is checked first, so that a huge file is never read into memory.
            size = entry.stat().st_size
            self.n_bytes += size
            if size > MAX_DOCUMENT_BYTES:
                raise UnreadableRow(TOO_LARGE)
            return Path(entry.path).read_bytes()
        except OSError as problem:
            raise UnreadableRow(problem.strerror or str(problem)) from None


def _walk_files(folder: str | Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        # The file system lists entries in any order, and results can depend on the order of
        # documents.
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        # A link to a parent folder would make the walk endless.
        if entry.is_dir(follow_symlinks=False):
            yield from _walk_files(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file():
            yield prefix + entry.name, entry


def tar_rows(
    stream: BinaryIO,
    columns: Columns,
    report: ReportRow,
    encoding: str,
    source: str,
    match: str | None,
) -> Iterator[Row]:
    """Yield one document for each regular file of an archive, with its name."""
    with _wrap_tar_errors(source):
        for name, member, archive in _tar_members(stream, match):
            try:
                row = file_row(name, _read_member(archive, member), columns, encoding)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row
    _read_to_end(stream)


def read_tar_files(path: Path, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], bytes]]:
    """Yield the regular files of a compressed archive whose whole name matches a pattern.

    Parameters
    ----------
    path : Path
        A tar archive compressed with gzip.
    pattern : re.Pattern
        Pattern of the names.

    Yields
    ------
    name : re.Match
        The match of the name.
    content : bytes
    """
    source = Source(path, "tar", "gz")
    with wrap_os_errors(source), open_source(source) as (stream, _):
        with _wrap_tar_errors(str(source)):
            for name, member, archive in _tar_members(stream, None):
                if found := pattern.fullmatch(name):
                    yield found, _read_member_or_fail(archive, member, source)
        _read_to_end(stream)


@contextmanager
def _wrap_tar_errors(source: str) -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as problem:
        raise FileError(
            f"cannot read {source} as a tar archive: {problem}. Is it a complete archive?"
        ) from None


def _read_member_or_fail(
    archive: tarfile.TarFile, member: tarfile.TarInfo, source: Source
) -> bytes:
    try:
        return _read_member(archive, member)
    except UnreadableRow as reason:
        raise FileError(f"cannot read {source}, {member.name}: {reason}.") from None


class _Header(tarfile.TarInfo):
    """A header that raises ReadError if damaged; tarfile would end the archive silently."""

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
            # An archive ends with blocks of zeros, which tarfile also reports as a header error.
            is_end = not block.strip(b"\0")
            raise problem if is_end else tarfile.ReadError(str(problem)) from None
        # tarfile reads long names and attributes into memory, whatever their size.
        if header.type in _HEADERS and header.size > _MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {header.size} bytes")
        return header


class _Archive(tarfile.TarFile):
    """An archive that forgets the members already read, so that memory stays bounded."""

    members: list[tarfile.TarInfo]
    tarinfo = _Header

    def next(self) -> tarfile.TarInfo | None:
        member = super().next()
        # tarfile appends every member to this list.
        self.members = []
        return member


def _tar_members(
    stream: BinaryIO, match: str | None
) -> Iterator[tuple[str, tarfile.TarInfo, tarfile.TarFile]]:
    # "r|" reads forward only: pipes and compressed streams cannot seek.
    with _Archive.open(fileobj=stream, mode="r|") as archive:
        # next() and not iteration, which looks members up in the list that is emptied above.
        while (member := archive.next()) is not None:
            # Removes "./", with which "tar -c ." begins all names, so that patterns match them.
            name = str(PurePosixPath(member.name))
            # A sparse file of a few bytes may have any size when it is read.
            if member.isreg() and not member.issparse() and is_selected(name, match):
                yield name, member, archive


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.size > MAX_DOCUMENT_BYTES:
        raise UnreadableRow(TOO_LARGE)
    file = archive.extractfile(member)
    return b"" if file is None else file.read()


def _read_to_end(stream: BinaryIO) -> None:
    """Read the stream to its end, so that damage at the end of compressed data is found."""
    while stream.read(_TAR_BUFFER_BYTES):
        pass
