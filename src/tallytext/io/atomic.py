"""Atomic writes: a file appears complete or not at all.

Until then the content is in a temporary file ``.NAME.RANDOM.part`` in the same folder. Its writer
holds a lock on it, so that the next save can tell the files of killed writers, which it removes,
from those of live ones.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# File systems limit the length of names; this many characters of a name are in a temporary one.
_MAX_STEM = 40
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
    """Yield the path of a temporary file, and rename it to ``path`` if the block succeeds.

    The file has the permissions of the one that it replaces, or those of the umask. A symbolic link
    stays: the file that it leads to is replaced.
    """
    final = _follow_links(path)
    try:
        with _temporary(final) as temporary:
            yield temporary
            _copy_permissions(final, temporary)
            # Before the rename: after a crash, the name must not lead to a file without content.
            _flush(temporary)
            temporary.replace(final)
    except OSError as problem:
        # Writing to an open file gives errors without a name, such as that of a full disk.
        if problem.errno is None:
            raise
        if problem.filename is None and problem.errno not in _DEVICE_ERRORS:
            raise
        # Report the file to be written, or the missing folder, not the temporary file.
        about = path.parent if isinstance(problem, FileNotFoundError) else path
        # Not problem.strerror, in which pyarrow names the temporary file.
        raise OSError(problem.errno, os.strerror(problem.errno), os.fspath(about)) from problem
    # The rename itself is an entry of the folder.
    _flush(final.parent)


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside ``path``. It is removed at the end, unless it was renamed."""
    with _temporary(path, is_folder=True) as temporary:
        yield temporary


def _follow_links(path: Path) -> Path:
    """Return the file that a path leads to; raise OSError if a file cannot replace it."""
    final = Path(os.path.realpath(path))
    try:
        mode = final.lstat().st_mode
    except FileNotFoundError:
        return final
    # A rename would fail after the whole content was written, or replace a device like /dev/null.
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if stat.S_ISLNK(mode):  # links that lead to each other
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "This is a device or a pipe, not a file", os.fspath(path))
    return final


@contextmanager
def _temporary(path: Path, is_folder: bool = False) -> Iterator[Path]:
    """Yield a new file or folder beside a path; it is locked, and removed at the end."""
    _remove_abandoned(path)
    temporary, lock = _create(path, is_folder)
    try:
        yield temporary
    finally:
        # After a rename there is nothing of this name. On a file system that became read-only this
        # fails, too, which is not the error to report.
        with suppress(OSError):
            _remove(temporary)
        if lock is not None:
            os.close(lock)


def _create(path: Path, is_folder: bool) -> tuple[Path, int | None]:
    """Return a new file or folder beside a path and, if there are locks, what holds its lock."""
    while True:
        # Beside it, because a rename is atomic only within one file system. The random part keeps
        # others from guessing the name; if they did, O_EXCL and mkdir would not follow their link.
        temporary = path.with_name(f".{path.name[:_MAX_STEM]}.{uuid4().hex}.part")
        if is_folder:
            temporary.mkdir()
        else:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            os.close(os.open(temporary, flags, _temporary_mode(path)))
        if fcntl is None:
            return temporary, None
        # Until it is locked, another writer may take it for abandoned, and remove it.
        with suppress(FileNotFoundError):
            descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW)
            with suppress(OSError):  # file systems without locks, on which nothing is cleaned up
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if temporary.exists():
                return temporary, descriptor
            os.close(descriptor)


def _temporary_mode(path: Path) -> int:
    """Return permissions that give nobody more than those of the file that will be replaced."""
    try:
        return 0o600 | (path.stat().st_mode & 0o066)
    except FileNotFoundError:
        return 0o666


def _copy_permissions(path: Path, temporary: Path) -> None:
    with suppress(OSError):  # there is no such file, or its file system has no permissions
        temporary.chmod(path.stat().st_mode & 0o777)


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files and folders that killed writers of a path have left behind."""
    if fcntl is None:
        return
    ours = re.compile(rf"\.{re.escape(path.name[:_MAX_STEM])}\.[0-9a-f]{{32}}\.part")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with suppress(OSError):  # it is locked by a live writer, or not ours to remove
                    _remove_unless_locked(Path(entry.path))


def _remove_unless_locked(path: Path) -> None:
    assert fcntl is not None
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(path)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on disk."""
    if path.is_dir() and os.name == "nt":  # Windows can neither open a folder nor needs to
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
