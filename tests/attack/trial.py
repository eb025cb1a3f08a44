"""A trial: random numbers and a folder for one section of the attack, and its findings."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

#: No answer within this time is a finding: the slowest command takes a tenth of it.
PATIENCE = 120.0


@dataclass
class Trial:
    """Count the cases of one section, and collect its findings.

    Parameters
    ----------
    folder : Path
        An empty folder for files.
    seed : int
        The same seed gives the same cases.
    quick : bool
        Try a sample that takes seconds.
    """

    folder: Path
    seed: int = 0
    quick: bool = False
    cases: int = 0
    findings: list[str] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def rng(self, *name: object) -> random.Random:
        """Return random numbers that depend on the seed and a name, not on what ran before."""
        return random.Random("/".join(map(str, (self.seed, *name))))

    def some(self, quick: int, full: int) -> int:
        """Return how many cases to try."""
        return quick if self.quick else full

    @contextlib.contextmanager
    def case(self, name: str, *refusals: type[BaseException]) -> Iterator[None]:
        """Count a case. An exception is a finding, unless it is one of `refusals`."""
        self.cases += 1
        try:
            yield
        except refusals as refusal:
            self.notes[type(refusal).__name__] += 1
        except Exception as problem:
            place = traceback.extract_tb(problem.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            self.findings.append(f"{name}: {type(problem).__name__}: {problem} ({where})")

    def expect(self, condition: bool, finding: str) -> None:
        """Record a finding unless the condition holds."""
        if not condition:
            self.findings.append(finding)


@dataclass(frozen=True)
class Run:
    """How a command ended: exit code (negative: killed by a signal), output, seconds, memory."""

    code: int
    out: str
    err: str
    seconds: float
    memory: int


def run(
    arguments: Sequence[str | Path],
    *,
    program: Sequence[str] = ("-m", "tallytext"),
    stdin: bytes = b"",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    patience: float = PATIENCE,
) -> Run:
    """Run ``tally`` (or another Python program) to its end; return what it did and used.

    A command that does not end within `patience` seconds is killed, and its code is -9.
    """
    command = [sys.executable, *program, *map(str, arguments)]
    variables = {**os.environ, "NO_COLOR": "1", **(environment or {})}
    begin = time.monotonic()
    with contextlib.ExitStack() as files:
        out, err = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        given = files.enter_context(tempfile.TemporaryFile())
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(
            command, stdin=given, stdout=out, stderr=err, cwd=folder, env=variables
        )
        memory = 0
        while child.returncode is None:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                # On Linux, it includes what this process used when it started the child.
                memory = memory or usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            elif time.monotonic() - begin > patience:
                child.kill()
                patience = float("inf")
            else:
                memory = max(memory, memory_of(child.pid))
                time.sleep(0.005)
        printed, errors = whole_text(out), whole_text(err)
    return Run(child.returncode, printed, errors, time.monotonic() - begin, memory)


def memory_of(pid: int) -> int:
    """Return the peak memory of a running process in bytes; 0 if the system does not tell."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0


def whole_text(file: IO[bytes]) -> str:
    """Return all that was written into a file."""
    file.seek(0)
    return file.read().decode(errors="replace")
