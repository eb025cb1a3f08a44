"""Checksums, by which damage is told from what was written.

They are CRC-32: as fast as memory, and every flipped byte is found. They are no defence against
someone who computes them anew; that is what checking all that is read is for.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def array_checksum(array: NDArray[Any]) -> str:
    """Return the checksum of the bytes of an array, from the first to the last.

    Examples
    --------
    >>> array_checksum(np.frombuffer(b"123456789", dtype=np.uint8))
    'cbf43926'
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    return _spelt(zlib.crc32(flat.view(np.uint8).data))


def header_checksum(arrays: Mapping[str, tuple[str, list[int]]], notes: Mapping[str, str]) -> str:
    """Return the checksum of what a file says of its arrays, and of its notes.

    Parameters
    ----------
    arrays : mapping of str to (str, list of int)
        The type and the shape of each array.
    notes : mapping of str to str
        Everything else that the header says, but for this checksum.
    """
    spelt = json.dumps(
        [{name: list(entry) for name, entry in arrays.items()}, dict(notes)], sort_keys=True
    )
    return _spelt(zlib.crc32(spelt.encode("ascii")))


def _spelt(checksum: int) -> str:
    return f"{checksum:08x}"
