"""What a piece of work takes: seconds of one core, and memory beyond what was taken before."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from time import process_time
from typing import Self

import pyarrow as pa

_PROCESS = Path("/proc/self")
_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None


class Stage:
    """Measures what is done within it.

    Attributes
    ----------
    seconds : float
        Of the processor, so that others who use the machine do not count.
    peak : int
        Bytes beyond those at the beginning; 0 where nobody knows.
    """

    def __enter__(self) -> Self:
        _forget_peak()
        self.seconds, self.peak = -process_time(), -_told("VmRSS")
        return self

    def __exit__(self, *problem: object) -> None:
        self.seconds += process_time()
        self.peak = max(0, self.peak + _told("VmHWM"))


def _forget_peak() -> None:
    """Give back what is not used, and let the peak of this process begin anew."""
    pa.default_memory_pool().release_unused()
    if trim := getattr(_LIBRARY, "malloc_trim", None):
        trim(0)
    if (file := _PROCESS / "clear_refs").exists():
        file.write_text("5")


def _told(name: str) -> int:
    if not (file := _PROCESS / "status").exists():
        return 0
    lines = file.read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)
