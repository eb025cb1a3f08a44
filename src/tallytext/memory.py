"""How much memory this process takes, and how much it took at most."""

from __future__ import annotations

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def held_memory() -> int:
    """Return the memory that this process holds now, in bytes; 0 where the system does not tell.

    Examples
    --------
    >>> held_memory() >= 0
    True
    """
    return _field("VmRSS") if _STATUS.exists() else 0


def peak_memory() -> int:
    """Return the most memory that this process has had so far, in bytes; 0 where nobody knows.

    Examples
    --------
    >>> peak_memory() >= 0
    True
    """
    if _STATUS.exists():  # where rusage would tell the peak of the process that began this one
        return _field("VmHWM")
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def _field(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
