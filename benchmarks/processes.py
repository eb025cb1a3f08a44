"""Memory and time of a process and of those that it started."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")


def peaks(process: int) -> dict[int, int]:
    """Return the most memory that a process and each living descendant has had, in bytes."""
    told = _family(process)
    return {
        number: int(each["VmHWM"].split()[0]) * 1024
        for number, each in told.items()
        if "VmHWM" in each
    }


def processor_seconds(process: int) -> float:
    """Return how long processors have worked for a process and its living descendants."""
    ticks = 0
    for number in _family(process):
        with suppress(OSError):
            # The name, in parentheses, may have blanks in it.
            fields = (_PROCESSES / str(number) / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _family(process: int) -> dict[int, dict[str, str]]:
    """Return what the system says of a process and its living descendants."""
    told = [each for path in _PROCESSES.glob("[0-9]*") if (each := _status(path))]
    family = {process}
    while more := {int(each["Pid"]) for each in told if int(each["PPid"]) in family} - family:
        family |= more
    return {int(each["Pid"]): each for each in told if int(each["Pid"]) in family}


def _status(path: Path) -> dict[str, str]:
    """Return what the system says of a process; nothing of one that is gone."""
    try:
        lines = (path / "status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
