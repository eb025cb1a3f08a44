"""Lines of an open file, on disk when they are written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_BEGINNING = b'{"row": '


def content_of(file: int) -> bytes:
    """Return all that is in an open file."""
    with os.fdopen(os.dup(file), "rb") as reader:
        return reader.read()


def lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lines, and where each begins.

    Examples
    --------
    >>> list(lines(b"one\\ntwo"))
    [(0, b'one\\n'), (4, b'two')]
    """
    start = 0
    for line in content.splitlines(keepends=True):
        yield start, line
        start += len(line)


def is_cut_short(rest: bytes) -> bool:
    """Tell whether a last line, not ended, is what is left of an answer that nobody was told of.

    Anything else was not written here, and is not ours to cut. A machine that lost its power may
    leave zeros.

    Examples
    --------
    >>> is_cut_short(b'{"row": 7, "te'), is_cut_short(b'{"ro'), is_cut_short(b"\\0" * 9)
    (True, True, True)
    >>> is_cut_short(b"Dear diary,"), is_cut_short(b'{"row": 7, "text": "a", "label": "b"}')
    (False, False)
    """
    if not rest.strip(b"\0"):
        return True
    if not (rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)):
        return False
    try:
        json.loads(rest)
    except ValueError:
        return True
    return False


def write_line(file: int, line: bytes) -> None:
    """Write all of a line at the end, and see it on disk."""
    os.lseek(file, 0, os.SEEK_END)
    while line:
        line = line[os.write(file, line) :]
    os.fsync(file)


def is_locked(file: int) -> bool:
    """Keep other sessions out for as long as the file is open, where the system can."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def sync_folder(folder: Path) -> None:
    """See to it that the name of a new file is on disk, too, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
