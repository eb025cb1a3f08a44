"""Arrays to a file and back: whole or not at all, and never by running code from the file.

The format is safetensors: a JSON header, then the bytes of the arrays. The header's ``kind``
says what was saved, so that one sort of file is never taken for another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from tallytext.errors import FileError


def save_arrays(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, str]
) -> None:
    """Write arrays and a header to a file.

    The file appears whole or not at all: everything is written to a temporary file beside it,
    which then takes its name. Whatever goes wrong, a file that was there before stays as it was.

    Parameters
    ----------
    path : str or Path
        Where to. A file of that name is replaced.
    arrays : mapping of str to ndarray
        The arrays by name, of any numeric type and shape.
    header : mapping of str to str
        Notes to keep with them; ``"kind"`` says what the file holds.

    Raises
    ------
    OSError
        If the folder does not exist, cannot be written to, or is full.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_arrays(folder / "odd", {"numbers": np.array([1, 3, 5])}, {"kind": "example"})
    >>> arrays, header = load_arrays(folder / "odd", kind="example")
    >>> arrays["numbers"], header
    (array([1, 3, 5]), {'kind': 'example'})
    """
    path = Path(path)
    # The writer reads memory from start to end, whatever the strides say.
    dense = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    temporary = _temporary_beside(path)
    try:
        # The writer makes files that only their owner may read; this one is to be like any other.
        temporary.touch()
        mode = temporary.stat().st_mode
        save_file(dense, temporary, metadata=dict(header))
        temporary.chmod(mode)
        _flush(temporary)
        temporary.replace(path)
    except SafetensorError as problem:
        raise OSError(f"cannot write {str(path)!r}: {problem}") from None
    finally:
        temporary.unlink(missing_ok=True)
    _flush(path.parent)


def load_arrays(path: str | Path, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Read the arrays and the header of a file that :func:`save_arrays` wrote.

    Parameters
    ----------
    path : str or Path
        The file.
    kind : str
        What the file must hold, by its header.

    Returns
    -------
    arrays : dict of str to ndarray
        The arrays by name.
    header : dict of str to str
        The header, ``"kind"`` included.

    Raises
    ------
    FileError
        If the file is missing, cannot be read, is damaged, or holds something else.
    """
    try:
        return _read(str(path), kind)
    except FileNotFoundError:
        raise FileError(f"there is no file {str(path)!r}.") from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(f"cannot read {str(path)!r}: {reason}.") from None
    except SafetensorError as problem:
        raise FileError(
            f"cannot read {str(path)!r} as a {kind} file: {problem}. "
            "Is it a file of another program, or one that was cut short?"
        ) from None


def _read(path: str, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    with safe_open(path, framework="numpy") as file:
        header = dict(file.metadata() or {})
        found = header.get("kind", "something that does not say what it is")
        if found != kind:
            raise FileError(f"{path!r} holds {found}, not {kind}.")
        return {name: file.get_tensor(name) for name in file.keys()}, header  # noqa: SIM118


def _temporary_beside(path: Path) -> Path:
    # Cut short, so that a long name does not become one that is too long.
    return path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder, nor needs to
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
