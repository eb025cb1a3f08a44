"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from uuid import uuid4

from tallytext.cli.interrupts import held_back
from tallytext.errors import FileError


def expect_new(path: Path) -> Path:
    """Refuse early a folder that has files, or that could not be made after all the work."""
    path = path.resolve()
    where = f"cannot write to {str(path)!r}"
    if path.exists() and not path.is_dir():
        raise FileError(f"{where}: it is a file. Give the name of a folder.")
    if path.is_dir() and any(path.iterdir()):
        raise FileError(f"{where}: there are files in it. Give a new folder, or an empty one.")
    if not path.parent.is_dir():
        raise FileError(f"{where}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"{where}: you may not write to the folder {str(path.parent)!r}.")
    return path


@contextmanager
def new_folder(path: Path, pattern: str) -> Iterator[Path]:
    """Yield a folder to write to; it takes the name ``path`` when all went well.

    Parameters
    ----------
    path : Path
    pattern : str
        What files are called that belong there. Others are removed: who was killed while writing
        leaves the beginning of a file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answers"
    >>> with new_folder(path, "part-*") as folder:
    ...     _ = (folder / "part-0").write_text("whole")
    ...     _ = (folder / ".part-1.tmp").write_text("wh")
    >>> [file.name for file in path.iterdir()]
    ['part-0']
    """
    temporary = path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")
    temporary.mkdir()
    try:
        yield temporary
        with held_back():
            _keep_only(pattern, temporary)
            if path.is_dir():
                path.rmdir()  # it is empty; what came into it meanwhile is not ours to lose
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _keep_only(pattern: str, folder: Path) -> None:
    for path in folder.iterdir():
        if not fnmatchcase(path.name, pattern):
            path.unlink(missing_ok=True)
