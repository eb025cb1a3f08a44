"""Where corpora are looked for, and kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER_VARIABLE = "TALLYTEXT_DATA"

_ORIGINALS = "originals"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder given; else that in ``$TALLYTEXT_DATA``; else the user's cache.

    Parameters
    ----------
    folder : str or path, optional
        The one to take whatever the rest.

    Examples
    --------
    >>> data_folder("corpora").name
    'corpora'
    """
    if folder:
        return Path(folder)
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else cache_folder()


def cache_folder() -> Path:
    """Return the user's folder for files that can be had again, as is usual on the system.

    Examples
    --------
    >>> cache_folder().name
    'tallytext'
    """
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        base = named if named.is_absolute() else home / ".cache"
    return base / "tallytext"


def found_in(folder: Path, name: str) -> Path | None:
    """Return a file of a folder, or of the folder ``originals`` in it; None if it is in neither.

    Parameters
    ----------
    folder : Path
    name : str
        Of the file.
    """
    places = (folder / name, folder / _ORIGINALS / name)
    return next((path for path in places if path.is_file()), None)
