"""What the header of a safetensors file says of the arrays behind it, trusting nothing."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tallytext.errors import FileError

LONGEST_HEADER = 2**25
"""Bytes of the longest header that is read. A value of JSON can take some twenty times its length
in memory, so there has to be a limit."""

_MOST_DIMENSIONS = 8
_TYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
_CODES = {dtype: code for code, dtype in _TYPES.items()}


@dataclass(frozen=True)
class Entry:
    """Where an array lies in a file, and what it is.

    Attributes
    ----------
    code : str
        The type, as safetensors spells it.
    shape : list of int
    begin, end : int
        Its bytes, counted from the end of the header.
    """

    code: str
    shape: list[int]
    begin: int
    end: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the array."""
        return _TYPES[self.code]


def code_of(dtype: np.dtype[Any]) -> str:
    """Return how safetensors spells a type.

    Examples
    --------
    >>> code_of(np.dtype("int64"))
    'I64'
    """
    if dtype not in _CODES:
        raise FileError(f"arrays of {dtype} cannot be kept in a file: only numbers can.")
    return _CODES[dtype]


def parsed(text: bytes | str, what: str) -> Any:
    """Return the value that JSON text spells, if each name is there once and each number finite."""
    try:
        return json.loads(
            text, object_pairs_hook=_each_once, parse_constant=_refuse, parse_float=_finite
        )
    except (ValueError, RecursionError):
        raise FileError(f"{what} is no JSON that tallytext could have written") from None


def entries_of(header: dict[str, Any]) -> dict[str, Entry]:
    """Return where the arrays lie: one behind the other, without a gap.

    Raises
    ------
    FileError
        If something is of the wrong type, or arrays overlap, or their sizes are not their own.
    """
    entries = {name: _entry(name, value) for name, value in header.items()}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise FileError(f"it is damaged: the array {name!r:.80} is not where it should be")
        at = entry.end
    return entries


def _entry(name: str, value: Any) -> Entry:
    wrong = FileError(f"it is damaged: its header does not describe the array {name!r:.80}")
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise wrong
    code, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not (isinstance(code, str) and code in _TYPES and _are_sizes(shape) and _are_sizes(offsets)):
        raise wrong
    size = _TYPES[code].itemsize
    # NumPy takes no shape whose sides multiply to more than it can count, not even an empty one.
    sides = math.prod(side for side in shape if side) * size
    if len(shape) > _MOST_DIMENSIONS or len(offsets) != 2 or sides >= 2**63:
        raise wrong
    begin, end = offsets
    if end - begin != math.prod(shape) * size or begin % size:
        raise wrong
    return Entry(code, shape, begin, end)


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(
        type(number) is int and 0 <= number < 2**63 for number in value
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _finite(spelt: str) -> float:
    number = float(spelt)
    if math.isinf(number):
        _refuse(spelt)
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
