"""Atomic writes: a file appears complete or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

_DEVICE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


def save_text(path: str | Path, text: str) -> None:
    """Write a text to a file atomically, in UTF-8 and with the same bytes on every system.

    Parameters
    ----------
    path : str or Path
        The file. An existing file is replaced.
    text : str
        The content.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> save_text(path, "naïve")
    >>> path.read_text(encoding="utf-8")
    'naïve'
    """
    with replace_atomically(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def save_blocks(path: str | Path, blocks: Iterable[Any]) -> None:
    """Write blocks of bytes to a file atomically, as the iterable yields them.

    Parameters
    ----------
    path : str or Path
        The file. An existing file is replaced.
    blocks : iterable of bytes
        The content. If the iterable raises, no file is written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> save_blocks(path, (b"%d" % number for number in (1, 2, 3)))
    >>> path.read_bytes()
    b'123'
    """
    with replace_atomically(Path(path)) as temporary, temporary.open("wb") as file:
        for block in blocks:
            file.write(block)


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, and rename it to ``path`` if the block succeeds."""
    # A rename would fail only after the whole content was written.
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    # The name is cut to 40 characters, because file systems limit the length of names.
    temporary = path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")
    try:
        yield temporary
        # Before the rename: after a crash, the new name must not lead to a file without content.
        _flush(temporary)
        temporary.replace(path)
    except OSError as problem:
        # Writing to an open file gives errors without a name, such as that of a full disk.
        if problem.filename is None and problem.errno not in _DEVICE_ERRORS:
            raise
        # Report the file to be written, or the missing folder, not the temporary file.
        about = path.parent if isinstance(problem, FileNotFoundError) else path
        raise OSError(problem.errno, problem.strerror, os.fspath(about)) from problem
    finally:
        temporary.unlink(missing_ok=True)
    # The rename itself is an entry of the folder.
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on disk."""
    if path.is_dir() and os.name == "nt":  # Windows can neither open a folder nor needs to
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
