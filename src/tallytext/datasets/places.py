"""Where corpora are looked for, and kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tallytext.errors import FileError

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
    named = folder or os.environ.get(FOLDER_VARIABLE)
    # A shell has made a folder of "~" already; a file of settings has not.
    return Path(named).expanduser() if named else cache_folder()


def cache_folder() -> Path:
    """Return the user's folder for files that can be had again, as is usual on the system.

    Examples
    --------
    >>> cache_folder().name
    'tallytext'
    """
    if sys.platform == "win32":
        named, usual = os.environ.get("LOCALAPPDATA", ""), Path("AppData", "Local")
    elif sys.platform == "darwin":
        named, usual = "", Path("Library", "Caches")
    else:
        named, usual = os.environ.get("XDG_CACHE_HOME", ""), Path(".cache")
    base = Path(named) if Path(named).is_absolute() else _home() / usual
    return base / "tallytext"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileError(
            f"this user has no folder of their own: set {FOLDER_VARIABLE} to one for corpora."
        ) from None


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
