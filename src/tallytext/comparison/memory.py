"""How much memory some work needs at its peak, where the system can tell."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path

from tallytext.memory import held_memory, peak_memory

_CLEAR = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"


class PeakMemory:
    """What this process holds at its peak, beyond what it held when asked to watch.

    Only Linux tells; elsewhere ``megabytes`` is None.

    Examples
    --------
    >>> peak = PeakMemory()
    >>> held = bytearray(b"x") * 300_000_000
    >>> peak.megabytes is None or peak.megabytes > 100
    True
    """

    def __init__(self) -> None:
        _give_back()
        try:
            _CLEAR.write_text(_FORGET_PEAK)
            self._before: int | None = held_memory()
        except OSError:
            self._before = None

    @property
    def megabytes(self) -> float | None:
        """By how much the peak is above what was held at first."""
        return None if self._before is None else (peak_memory() - self._before) / 2**20


def _give_back() -> None:
    """Give memory back that is not used, or the next one would use it and seem to need none."""
    gc.collect()
    if sys.platform == "linux":
        # Not all C libraries have it.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
