"""Documents that are whole files, in folders or tar archives; the innermost folder is the label.

Archives are never extracted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tallytext.errors import FileError
from tallytext.io.batches import (
    MAX_ROW_BYTES,
    Columns,
    ReportRow,
    Row,
    UnreadableRow,
    short_repr,
    too_large,
)
from tallytext.io.sources import Source, open_source, wrap_os_errors
from tallytext.io.text_formats import describe_decode_error, wide_encoding

_TAR_BUFFER_BYTES = 1 << 18
_MAX_HEADER_BYTES = 1 << 20
_MAX_CORPUS_FILE_BYTES = 1 << 26
_TAR_BLOCK = 512
# Members that describe the next member: a long name or target, or extended (pax) attributes.
_TAR_HEADERS = (b"L", b"K", b"x", b"g", b"X")
_TAR_FILES = (b"0", b"\0", b"7")
# Links, devices, folders and pipes have no content, whatever size is stated.
_TAR_EMPTY = (b"1", b"2", b"3", b"4", b"5", b"6")


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


def file_row(
    name: str,
    content: bytes,
    columns: Columns,
    encoding: str,
    max_row: int = MAX_ROW_BYTES,
) -> Row:
    """Return a file as a row: its content is the text, its folder the label.

    Examples
    --------
    >>> file_row("mails/spam/1.txt", b"Cheap pills!", Columns("text", "label"), "utf-8")
    ('mails/spam/1.txt', 'Cheap pills!', 'spam', [])
    """
    if len(content) > max_row:
        raise UnreadableRow(too_large(max_row))
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
    max_row : int
        Largest size of a file in bytes.

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

    def __init__(self, path: Path, match: str | None, max_row: int = MAX_ROW_BYTES) -> None:
        self.n_bytes = 0
        self._path, self._match, self._max_row = path, match, max_row

    @property
    def size(self) -> int:
        """Total size of the files in bytes."""
        return sum(entry.stat().st_size for _, entry in self._files())

    def rows(self, columns: Columns, report: ReportRow, encoding: str) -> Iterator[Row]:
        """Yield one document per file, with its path below the folder."""
        for name, entry in self._files():
            try:
                row = file_row(name, self._content(entry), columns, encoding, self._max_row)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for name, entry in _walk_files(self._path):
            if is_selected(name, self._match):
                yield name, entry

    def _content(self, entry: os.DirEntry[str]) -> bytes:
        try:
            # The size is checked first, so that a huge file is never read into memory.
            size = entry.stat().st_size
            self.n_bytes += size
            if size > self._max_row:
                raise UnreadableRow(too_large(self._max_row))
            # One byte more shows that the file has grown since.
            with Path(entry.path).open("rb") as file:
                return file.read(self._max_row + 1)
        except OSError as problem:
            raise UnreadableRow(problem.strerror or str(problem)) from None


def _walk_files(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    # A stack, since folders may be nested more deeply than functions of Python.
    found = _list_folder(folder, "")
    while found:
        name, entry = found.pop()
        # A link to a parent folder would make the walk endless.
        if entry.is_dir(follow_symlinks=False):
            found += _list_folder(entry.path, f"{name}/")
        elif _is_file(entry):
            yield name, entry


def _list_folder(folder: str | Path, prefix: str) -> list[tuple[str, os.DirEntry[str]]]:
    """Return the entries of a folder that are not hidden, in the reverse order of names."""
    with os.scandir(folder) as entries:
        # The file system lists entries in any order, and results can depend on the order of
        # documents.
        listed = sorted(entries, key=lambda entry: entry.name, reverse=True)
    return [(prefix + entry.name, entry) for entry in listed if not entry.name.startswith(".")]


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # links that lead to each other
        return False


def tar_rows(
    stream: BinaryIO,
    columns: Columns,
    report: ReportRow,
    encoding: str,
    max_row: int,
    source: str,
    match: str | None,
) -> Iterator[Row]:
    """Yield one document for each regular file of an archive, with its name."""
    for name, content in _tar_files(stream, lambda name: is_selected(name, match), max_row, source):
        try:
            row = file_row(name, content, columns, encoding, max_row)
        except UnreadableRow as reason:
            report(name, str(reason))
        else:
            yield row


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
    source, limit = Source(path, "tar", "gz"), _MAX_CORPUS_FILE_BYTES
    with wrap_os_errors(source), open_source(source) as (stream, _):
        for name, content in _tar_files(stream, pattern.fullmatch, limit, str(source)):
            if len(content) > limit:
                raise FileError(f"cannot read {source}, {name}: {too_large(limit)}.")
            found = pattern.fullmatch(name)
            assert found is not None
            yield found, content


# tarfile of the standard library is not used here, because a small archive can make it fill the
# memory: with maps of sparse files, with attributes for all members, or with a chain of headers.


def _tar_files(
    stream: BinaryIO, is_wanted: Callable[[str], object], max_bytes: int, source: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of regular files, read forward only.

    Of a file that is larger than ``max_bytes``, one byte more than that is read.
    """
    try:
        for name, size in _tar_headers(stream):
            if name is None or not is_wanted(name):
                _skip_bytes(stream, size + -size % _TAR_BLOCK)
                continue
            n_read = min(size, max_bytes + 1)
            yield name, _read_bytes(stream, n_read)
            _skip_bytes(stream, size - n_read + -size % _TAR_BLOCK)
    except _DamagedArchiveError as problem:
        raise FileError(
            f"cannot read {source} as a tar archive: {problem}. Is it a complete archive?"
        ) from None
    # To its end, so that damage at the end of compressed data is found.
    while stream.read(_TAR_BUFFER_BYTES):
        pass


def _tar_headers(stream: BinaryIO) -> Iterator[tuple[str | None, int]]:
    """Yield the name of each regular file and its size; the name of other members is None.

    The consumer reads the content of a member before it asks for the next one.
    """
    long_name: str | None = None
    long_size: int | None = None
    is_sparse, is_first = False, True
    # An archive ends with blocks of zeros, or just ends.
    while (block := stream.read(_TAR_BLOCK)) and any(block):
        _check_tar_header(block)
        is_first = False
        kind, size = block[156:157], _tar_number(block[124:136])
        if kind in _TAR_HEADERS:
            if size > _MAX_HEADER_BYTES:
                raise _DamagedArchiveError(f"a header of {size} bytes")
            content = _read_bytes(stream, size)
            _skip_bytes(stream, -size % _TAR_BLOCK)
            if kind == b"L":
                long_name = _tar_text(content)
            elif kind in b"xX":
                attributes = _pax_attributes(content)
                long_name = attributes.get("path", long_name)
                long_size = _decimal(attributes["size"]) if "size" in attributes else long_size
                is_sparse = is_sparse or any(key.startswith("GNU.sparse.") for key in attributes)
            continue
        name = _tar_name(block) if long_name is None else long_name
        size = size if long_size is None else long_size
        if kind == b"S":
            _skip_sparse_map(stream, block)
        # Removes "./", with which "tar -c ." begins all names, so that patterns match them. Some
        # archives mark a folder by a slash only; the map of a sparse file may give it any size.
        is_file = kind in _TAR_FILES and not name.endswith("/") and not is_sparse
        yield str(PurePosixPath(name)) if is_file else None, 0 if kind in _TAR_EMPTY else size
        long_name = long_size = None
        is_sparse = False
    if is_first and not block:
        raise _DamagedArchiveError("it is empty")


class _DamagedArchiveError(Exception):
    """The reason why an archive cannot be read further."""


def _check_tar_header(block: bytes) -> None:
    if len(block) < _TAR_BLOCK:
        raise _DamagedArchiveError("it ends in the middle of a header")
    others, stated = block[:148] + block[156:], _tar_number(block[148:156])
    total = sum(others) + 8 * ord(" ")
    # Some old programs added signed bytes.
    if stated != total and stated != total - 256 * sum(byte > 127 for byte in others):
        raise _DamagedArchiveError("bad checksum")


def _tar_number(field: bytes) -> int:
    """Return a number that is written in octal digits, or in bytes if it is large."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:])
    digits = field.partition(b"\0")[0].strip()
    if digits and not set(digits) <= set(b"01234567"):
        raise _DamagedArchiveError(f"a number is {digits!r}")
    return int(digits or b"0", 8)


def _decimal(digits: str) -> int:
    if not (digits.isascii() and digits.isdigit() and len(digits) < 30):
        raise _DamagedArchiveError(f"a size is {short_repr(digits)}")
    return int(digits)


def _tar_text(content: bytes) -> str:
    return content.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _tar_name(block: bytes) -> str:
    name = _tar_text(block[:100])
    prefix = _tar_text(block[345:500]) if block[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _pax_attributes(content: bytes) -> dict[str, str]:
    """Return the records of an extended header, each "length key=value" with a newline."""
    attributes, at = {}, 0
    while at < len(content) and content[at]:
        length, _, _ = content[at : at + 20].partition(b" ")
        end = at + _decimal(length.decode("latin-1"))
        key, sign, value = content[at + len(length) + 1 : end - 1].partition(b"=")
        if not sign or end > len(content):
            raise _DamagedArchiveError("a damaged attribute")
        attributes[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = end
    return attributes


def _skip_sparse_map(stream: BinaryIO, block: bytes) -> None:
    """Move behind the blocks that continue the map of a sparse file."""
    has_more = block[482]
    while has_more:
        has_more = _read_bytes(stream, _TAR_BLOCK)[504]


def _read_bytes(stream: BinaryIO, size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise _DamagedArchiveError("it ends in the middle of a file")
    return content


def _skip_bytes(stream: BinaryIO, size: int) -> None:
    while size:
        size -= len(_read_bytes(stream, min(size, _TAR_BUFFER_BYTES)))
