"""Locks on files that one process at a time may change, across processes and machines."""

from __future__ import annotations

import errno
import os
import platform
import stat
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from tallytext.errors import FileError, FileInUseError

_PAUSE = 0.05
_MAX_NAME = 100
# Lock files that are gone when they are locked, before this process pauses.
_MAX_REMOVED = 100
# Errors of systems and file systems without locks, such as some network and FUSE mounts.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
# Windows locks bytes against reading, so a byte is locked that no such file has; its function
# counts bytes in 32 bits.
_FAR_BEHIND = (1 << 31) - 16


@contextmanager
def lock_file(path: str | Path, wait: float = 10.0) -> Iterator[None]:
    """Let one process at a time change a file: the others wait.

    Load, change and save a model inside the block, so that no change is lost if several processes
    do so. Reading needs no lock: saving replaces a file in one step. The commands of ``tally`` that
    change a model hold the same lock; ``save`` alone does not. A file that does not exist yet can
    be locked, too. Do not lock a file again inside the block, which would wait for itself.

    While the block runs, there is a file ``.NAME.lock`` beside the file. The system releases the
    lock when a process ends, even if it is killed; the lock file that this leaves is reused, and
    removed after the next change.

    Parameters
    ----------
    path : str or Path
        The file to change.
    wait : float, default=10.0
        Seconds to wait for another process; 0 to try once.

    Raises
    ------
    FileInUseError
        If another process, or another thread, holds the lock for longer.
    OSError
        If the folder does not exist or cannot be written to.

    Warns
    -----
    UserWarning
        If the file system has no locks.

    Examples
    --------
    >>> import tempfile
    >>> from tallytext import TextClassifier
    >>> path = Path(tempfile.mkdtemp()) / "mails.tally"
    >>> TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"]).save(path)
    >>> with lock_file(path):
    ...     TextClassifier.load(path).learn("see you at noon", "ham").save(path)
    """
    path = Path(path)
    file = _acquire(path, wait)
    try:
        yield
    finally:
        _release(lock_path(path), file)


def lock_path(path: str | Path) -> Path:
    """Return the path of the lock file of a file.

    Examples
    --------
    >>> lock_path("models/mails.tally").name
    '.mails.tally.lock'
    """
    # Saving writes through symbolic links, so that several names of a file have one lock.
    path = Path(os.path.realpath(path))
    name = path.name
    if len(os.fsencode(name)) > _MAX_NAME:  # file systems limit the length of names
        name = f"{name[: _MAX_NAME // 8]}.{sha256(os.fsencode(name)).hexdigest()[:16]}"
    return path.with_name(f".{name}.lock")


def try_lock(file: int) -> bool:
    """Lock an open file until it is closed; return False if it is locked already.

    Raises
    ------
    OSError
        If the system or the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _FAR_BEHIND, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the latter on Windows
        return False
    return True


def in_use(path: Path, holder: str) -> FileInUseError:
    """Return the error for a file that is locked."""
    problem = f"{str(path)!r} is in use by {holder}. Try again when that has ended."
    return FileInUseError(problem, holder)


def _acquire(path: Path, wait: float) -> int:
    """Return the lock file of a path, open and locked."""
    lock, deadline, n_removed = lock_path(path), time.monotonic() + wait, 0
    while True:
        file, is_held = _open_lock(lock, path), False
        try:
            is_free = _try_lock_or_warn(file, path)
            # Its last holder may have removed it, and another process made a new one.
            if is_free and _is_in_place(lock, file):
                is_held = _write_holder(file)
                if is_held:
                    return file
                # A killed process of another user left it, and the number of that one in it.
                lock.unlink()
            holder = _read_holder(file)
        finally:  # after KeyboardInterrupt, too: an open descriptor would keep the lock
            if not is_held:
                os.close(file)
        if is_free and n_removed < _MAX_REMOVED:
            n_removed += 1
            continue
        if time.monotonic() >= deadline:
            raise in_use(path, holder)
        time.sleep(min(_PAUSE, max(deadline - time.monotonic(), 0.0)))


def _release(lock: Path, file: int) -> None:
    """Unlock and remove a lock file, unless somebody has removed it before."""
    is_in_place = _is_in_place(lock, file)
    if sys.platform == "win32":  # an open file cannot be removed, and one that another opened
        os.close(file)
    if is_in_place:
        with suppress(OSError):
            lock.unlink()
    if sys.platform != "win32":
        os.close(file)


def _open_lock(lock: Path, path: Path) -> int:
    """Open a lock file, and create it if there is none."""
    # Links are not followed, because the number of the process is written into the file.
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        try:
            file = os.open(lock, flags | os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            if not os.path.lexists(lock):
                raise
            # Another user created it; reading is enough to lock it.
            file = os.open(lock, flags | os.O_RDONLY)
    except OSError as problem:
        if os.path.lexists(lock):
            raise
        # Report the file to be changed, or the missing folder, not the lock file.
        about = path.parent if isinstance(problem, FileNotFoundError) else path
        raise OSError(problem.errno, problem.strerror, os.fspath(about)) from problem
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileError(f"{str(lock)!r} is not a regular file, and no lock. Remove it.")
    return file


def _try_lock_or_warn(file: int, path: Path) -> bool:
    try:
        return try_lock(file)
    except OSError as problem:
        if problem.errno not in _NO_LOCKS:
            raise OSError(problem.errno, problem.strerror, os.fspath(path)) from problem
    warnings.warn(
        f"the file system of {str(path)!r} has no locks: if another process "
        "changes this file at the same time, one of the changes is lost.",
        stacklevel=2,
    )
    return True


def _is_in_place(lock: Path, file: int) -> bool:
    """Return True if the path still leads to the open file."""
    try:
        return os.path.samestat(lock.lstat(), os.fstat(file))
    except OSError:
        return False


def _write_holder(file: int) -> bool:
    """Write the number of this process; return False if the file is open for reading only."""
    holder = f"{os.getpid()} {platform.node()}\n".encode()
    try:
        os.write(file, holder)
        os.ftruncate(file, len(holder))
    except OSError as problem:  # a full disk: the number is only for messages
        return problem.errno != errno.EBADF
    return True


def _read_holder(file: int) -> str:
    """Return the process that holds a lock, for a message."""
    try:
        os.lseek(file, 0, os.SEEK_SET)
        number, _, host = os.read(file, 1000).decode(errors="replace").strip().partition(" ")
    except OSError:
        return "another process"
    if not number.isdecimal():  # its holder has not written it yet
        return "another process"
    return f"process {number}" + f" on {host}" * (host != platform.node())
