"""Documents in tar archives, the folder of a member being its class; nothing is ever extracted."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import Columns, Report, UnreadableRow
from tallytext.datasets.opening import Source, opened, plain_errors
from tallytext.datasets.text_lines import LARGEST_DOCUMENT, TOO_LARGE
from tallytext.datasets.whole_files import file_row, is_wanted
from tallytext.errors import FileError

_BUFFER = 1 << 18
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
    while stream.read(_BUFFER):
        pass
