"""Run ``tally`` with faults: a change of a file that fails, or ends the process.

One process preloads ``faults.c``, imports all that commands need, and forks for each command. So a
command takes hundredths of a second, and is killed while it works and not while it is loaded.
``python tests/attack/faults.py SERVE`` is that process.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO, Any

TESTS = Path(__file__).resolve().parent.parent
#: A command that takes longer hangs.
PATIENCE = 120.0


class Fault(IntEnum):
    """What happens at a change of a file, as ``faults.c`` numbers it."""

    COUNT = 0
    FAIL_ONCE = 1
    #: All that needs space fails from then on; removing works.
    FAIL_GROWTH = 2
    #: Every change fails from then on.
    FAIL_ALL = 3
    KILL = 4
    #: Half of what was to be written is written before.
    KILL_HALFWAY = 5
    #: A write takes only half of the bytes, as it may at any time.
    CUT_SHORT = 6


@dataclass(frozen=True)
class Outcome:
    """How a command ended: exit code (negative: a signal), output, changes of files, seconds."""

    code: int
    out: str
    err: str
    changes: int
    seconds: float


def can_fault() -> bool:
    """Return True if this system can preload the library, and build it."""
    return sys.platform == "linux" and shutil.which(os.environ.get("CC", "cc")) is not None


class Commands:
    """``tally``, run by a process that has imported everything."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self,
        arguments: Sequence[str | Path],
        folder: Path,
        *,
        stdin: str = "",
        fault: Fault = Fault.COUNT,
        at: int = 0,
        error: int = errno.ENOSPC,
        kill_after: float | None = None,
        clock: float | None = None,
    ) -> Outcome:
        """Run a command in a folder, where it meets a fault.

        Parameters
        ----------
        arguments : sequence of str or Path
            The arguments of ``tally``.
        folder : Path
            Changes of files below it are counted from 0, and may fail.
        stdin : str
            The standard input.
        fault : Fault
            What happens.
        at : int
            At this change.
        error : int
            The number of the error.
        kill_after : float or None
            Kill the command after so many seconds.
        clock : float or None
            The time of day at its start, in seconds since 1970. It goes back at each look.
        """
        wanted = {
            "arguments": list(map(str, arguments)),
            "folder": str(folder),
            "stdin": stdin,
            "fault": [int(fault), at, error],
            "kill_after": kill_after,
            "clock": clock,
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))


@contextlib.contextmanager
def commands(folder: Path) -> Iterator[Commands]:
    """Build the library in a folder, and yield what runs commands with it."""
    library = folder / "faults.so"
    source = Path(__file__).with_suffix(".c")
    compiler = os.environ.get("CC", "cc")
    build = [compiler, "-O1", "-shared", "-fPIC", "-U_FORTIFY_SOURCE", source, "-o", library]
    subprocess.run([*build, "-ldl"], check=True)
    environment = os.environ | {
        "LD_PRELOAD": f"{library} {os.environ.get('LD_PRELOAD', '')}".strip(),
        # One thread of linear algebra: a process that has more of them must not fork.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, __file__, "SERVE"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        yield Commands(process)
        process.stdin.close()


def serve() -> None:
    """Import what commands need, and run one for each line of standard input."""
    sys.path.insert(0, str(TESTS))
    import warm_tally

    warm_tally._import_all()
    library = ctypes.CDLL(None)
    library.faults_seen.restype = ctypes.c_long
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line), library)), flush=True)


def _run(wanted: dict[str, Any], library: ctypes.CDLL) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        stdin, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        stdin.write(wanted["stdin"].encode())
        stdin.seek(0)
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(wanted, library, stdin, out, err)
        code = _end_of(child, wanted["kill_after"])
        seconds = time.monotonic() - begin
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    changes = library.faults_seen()
    return {
        **{"code": code, "out": texts[0], "err": texts[1]},
        **{"changes": changes, "seconds": seconds},
    }


def _end_of(child: int, kill_after: float | None) -> int:
    """Wait for a child, kill it if it is time to, and return its exit code."""
    begin, killed = time.monotonic(), False
    limit = PATIENCE if kill_after is None else kill_after
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if not killed and time.monotonic() - begin >= limit:
            os.kill(child, signal.SIGKILL)
            killed = True
        time.sleep(0.0005)


def _become(
    wanted: dict[str, Any],
    library: ctypes.CDLL,
    stdin: IO[bytes],
    out: IO[bytes],
    err: IO[bytes],
) -> None:
    """Be the command: this process ends here, whatever happens."""
    import warm_tally

    code = 1
    try:
        for number, file in enumerate((stdin, out, err)):
            os.dup2(file.fileno(), number)
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
        os.chdir(wanted["folder"])
        sys.argv = ["tally", *wanted["arguments"]]
        mode, at, error = wanted["fault"]
        library.faults_arm(wanted["folder"].encode(), mode, ctypes.c_long(at), error)
        if wanted["clock"] is not None:
            library.faults_set_clock(ctypes.c_long(int(wanted["clock"])))
        code = warm_tally._run()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
