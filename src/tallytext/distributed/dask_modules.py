"""Dask, imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tallytext.errors import EngineError


def dask_module(name: str) -> Any:
    """Return a module of Dask.

    Raises
    ------
    EngineError
        If it is not installed, with the name of the extra.
    """
    try:
        return import_module(name)
    except ImportError as missing:
        raise EngineError(
            f"this needs Dask, and there is a package missing ({missing}): install it with "
            "pip install 'tallytext[dask]' (in a clone of the sources, '.[dask]')."
        ) from None
