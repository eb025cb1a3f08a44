"""Phrases and concepts of a translation model in its file, and what had asked for them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.semantic.concepts import Concepts
from tallytext.semantic.phrases import Phrases
from tallytext.semantic.signatures import Finder, Several
from tallytext.storage.layout import LONGEST_HEADER, parsed

_KINDS: dict[str, Any] = {"Phrases": Phrases, "Concepts": Concepts}


def finders_to_bytes(finder: Finder | None) -> NDArray[np.uint8]:
    """Return what finds phrases and concepts as JSON, in an array: headers have a limit.

    Raises
    ------
    FileError
        If a finder is neither of phrases nor of concepts, or has too many of them.
    """
    parts = finder.parts if isinstance(finder, Several) else [] if finder is None else [finder]
    spelt = json.dumps([_to_values(part) for part in parts], allow_nan=False).encode("ascii")
    if len(spelt) > LONGEST_HEADER:
        raise FileError(f"phrases of {len(spelt):,} bytes are too many to be kept in a file.")
    return np.frombuffer(spelt, dtype=np.uint8)


def finders_from_bytes(stored: NDArray[Any]) -> list[Any]:
    """Return the finders of what :func:`finders_to_bytes` returned.

    Raises
    ------
    FileError
        If it returned nothing of the kind.
    """
    if stored.dtype != np.uint8 or stored.ndim != 1 or stored.size > LONGEST_HEADER:
        raise FileError("its phrases are no text, or too many")
    found = parsed(stored.tobytes(), "the list of its phrases")
    if not isinstance(found, list):
        raise FileError("its phrases are no list")
    return [_KINDS[each["kind"]].from_values(each["values"]) for each in found]


def _to_values(finder: Any) -> dict[str, Any]:
    kind = type(finder).__name__
    if type(finder) is not _KINDS.get(kind):
        raise FileError(f"{finder!r:.80} cannot be kept in a file: Phrases and Concepts can.")
    return {"kind": kind, "values": finder.to_values()}


def spelt_signatures(signatures: Any) -> Any:
    """Return what was asked for, with a number for each finder that was given.

    Examples
    --------
    >>> spelt_signatures(["words", "phrases", Concepts({"bus": "vehicle"})])
    ['words', 'phrases', 1]
    """
    if isinstance(signatures, str):
        return signatures
    several = isinstance(signatures, list | tuple)
    parts, n_finders = [], 0
    for part in signatures if several else [signatures]:
        parts.append(part if isinstance(part, str) else n_finders)
        n_finders += not (isinstance(part, str) and part == "words")
    return parts if several else parts[0]


def signatures_from(stored: Any, finders: list[Any]) -> Any:
    """Return what was asked for, of what :func:`spelt_signatures` returned."""
    if isinstance(stored, list):
        return [_signature(part, finders) for part in stored]
    return _signature(stored, finders)


def _signature(stored: Any, finders: list[Any]) -> Any:
    if isinstance(stored, str) and set(stored.split("+")) <= {"words", "phrases"}:
        return stored
    if type(stored) is not int or stored < 0 or (finders and stored >= len(finders)):
        raise FileError(f"signatures cannot be {stored!r:.40}")
    return finders[stored] if finders else "phrases"  # a model of counts has no finders
