"""Disks that fail at each change of a file, and wrong clocks, for each command that writes."""

from __future__ import annotations

import errno
import os

from faults import Commands, Fault, Outcome, can_fault, commands
from jobs import JOBS, Bench, workspace
from trial import Trial

#: What happens, at which error; a cut is none.
FAULTS = [
    ("full from then on", Fault.FAIL_GROWTH, errno.ENOSPC),
    ("over quota from then on", Fault.FAIL_GROWTH, errno.EDQUOT),
    ("read-only from then on", Fault.FAIL_ALL, errno.EROFS),
    ("an error of the device, once", Fault.FAIL_ONCE, errno.EIO),
    ("a write cut short", Fault.CUT_SHORT, 0),
]
#: Seconds from 1970 of times in the past and in the future, if a clock was wrong.
CLOCKS = {"1970": 1e6, "2200": 7.3e9}


def attack(trial: Trial) -> None:
    if not can_fault():
        trial.notes["needs Linux and a C compiler"] += 1
        return
    with commands(trial.folder) as tally:
        before = workspace(trial.folder / "before", tally)
        for job in JOBS:
            bench = Bench(job, before, trial.folder, tally)
            places = [(*fault, at) for fault in FAULTS for at in range(bench.undisturbed.changes)]
            chosen = trial.rng(job.line).sample(places, min(len(places), trial.some(4, 10**6)))
            for number, (name, fault, error, at) in enumerate(chosen):
                with trial.case(f"{job.line}, change {at}: {name}"):
                    bench.restore()
                    outcome = tally.run(
                        job.arguments,
                        bench.folder,
                        stdin=job.stdin,
                        fault=fault,
                        at=at,
                        error=error,
                    )
                    check(bench, outcome, fault, error)
                    wrong = "" if number % 4 else bench.repeat()
                    assert not wrong, f"{wrong} after {outcome.err.strip()[-400:]!r}"
            for name, seconds in CLOCKS.items():
                with trial.case(f"{job.line}, with files of {name}"):
                    check_clock(bench, tally, files=seconds)
                with trial.case(f"{job.line}, with a clock that goes back from {name}"):
                    check_clock(bench, tally, clock=seconds)


def check(bench: Bench, outcome: Outcome, fault: Fault, error: int) -> None:
    """Raise AssertionError if files or messages are not as they should be."""
    found, told = bench.found(), f"(exit code {outcome.code}, {outcome.err.strip()[-400:]!r})"
    allowed = ["old", "new"] + ["between"] * bench.job.steps
    assert found in allowed, f"found {found} {told}"
    assert outcome.code or found == "new", f"success, but found {found} {told}"
    assert fault is not Fault.CUT_SHORT or outcome.code == 0, f"failed {told}"
    assert outcome.code in (0, 1), f"ended badly {told}"
    assert "Traceback" not in outcome.err and "Exception ignored" not in outcome.err, told
    if outcome.code:
        assert os.strerror(error) in outcome.err, f"the message does not say why {told}"
        assert ".part" not in outcome.err, f"the message names a temporary file {told}"
    assert not bench.strangers(), f"left {bench.strangers()} {told}"
    if fault in (Fault.FAIL_GROWTH, Fault.CUT_SHORT):
        assert not bench.left_behind(), f"left {bench.left_behind()} {told}"


def check_clock(
    bench: Bench, tally: Commands, files: float | None = None, clock: float | None = None
) -> None:
    """Raise AssertionError if the times of files or a wrong clock change what a command does."""
    bench.restore()
    for path in bench.folder.iterdir() if files is not None else ():
        os.utime(path, (files, files))
    outcome = tally.run(bench.job.arguments, bench.folder, stdin=bench.job.stdin, clock=clock)
    assert outcome.code == 0, outcome.err[-400:]
    assert bench.found() == "new", f"found {bench.found()}"
