"""Commands killed at any moment: each file is the old one or the new one, and work goes on.

Forked commands are killed at random moments, and before and within each change of a file. Labelling
is also killed at a terminal, with an answer under way, and training on Dask and Spark with all of
its processes running.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import killing_label
from faults import Commands, Fault, can_fault, commands
from jobs import JOBS, Bench, notes, workspace, write
from trial import Trial

#: Moments of each of these commands, in full mode; others are killed at their writes only.
RANDOM_KILLS = 200
COMMANDS = ("train", "learn", "forget", "merge", "recalibrate", "label", "filter", "compare")
ENGINES = {"dask": ("dask", 8), "spark": ("pyspark", 3)}


def attack(trial: Trial) -> None:
    if can_fault():
        with commands(trial.folder) as tally:
            attack_forked(trial, tally)
    else:
        trial.notes["forked commands need Linux and a C compiler"] += 1
    attack_terminal(trial)
    if not trial.quick:
        for engine, (package, kills) in ENGINES.items():
            attack_engine(trial, engine, package, kills)


def attack_forked(trial: Trial, tally: Commands) -> None:
    before = workspace(trial.folder / "before", tally)
    words = Counter(job.arguments[0] for job in JOBS)
    for job in JOBS:
        bench, rng = Bench(job, before, trial.folder, tally), trial.rng(job.line)
        places = [
            (fault, at)
            for fault in (Fault.KILL, Fault.KILL_HALFWAY)
            for at in range(bench.undisturbed.changes)
        ]
        chosen = rng.sample(places, min(len(places), trial.some(2, 10**6)))
        for number, (fault, at) in enumerate(chosen):
            with trial.case(f"{job.line}, killed at change {at} ({fault.name})"):
                bench.restore()
                tally.run(job.arguments, bench.folder, stdin=job.stdin, fault=fault, at=at)
                check(trial, bench, repeats=number % 4 == 0)
        word = job.arguments[0]
        n_random = RANDOM_KILLS // words[word] * (word in COMMANDS)
        for moment in range(trial.some(min(n_random, 1), n_random)):
            seconds = rng.uniform(0.0, 1.1 * bench.undisturbed.seconds)
            with trial.case(f"{job.line}, killed after {seconds:.4f} s"):
                bench.restore()
                tally.run(job.arguments, bench.folder, stdin=job.stdin, kill_after=seconds)
                check(trial, bench, repeats=moment % 5 == 0)


def check(trial: Trial, bench: Bench, repeats: bool) -> None:
    """Raise AssertionError unless the files are old or new, and the command can be repeated."""
    found = bench.found()
    trial.notes[f"{found} content"] += 1
    allowed = ["old", "new"] + ["between"] * bench.job.steps
    assert found in allowed, f"found {found}"
    assert not bench.strangers(), f"left {bench.strangers()}"
    if repeats:
        wrong = bench.repeat()
        assert not wrong, wrong


def attack_terminal(trial: Trial) -> None:
    """Kill ``tally label`` at a terminal, and compare with a session that nobody disturbed."""
    with trial.case("label at a terminal"):
        (trial.folder / "terminal").mkdir()
        typed = killing_label.Notes(trial.folder / "terminal", n_documents=trial.some(60, 400))
        witness = killing_label.killed(typed, trial.some(2, 30), trial.seed)
        killing_label.finished(typed, witness)
        trial.cases += witness.counts["kills"]
        trial.notes.update({f"label: {name}": n for name, n in witness.counts.items()})
        trial.notes["label: answers in the end"] += len(witness.kept)
        for wrong in ("answers lost", "answers made up"):
            trial.expect(not witness.counts[wrong], f"label: {wrong}: {witness.counts[wrong]}")


def attack_engine(trial: Trial, engine: str, package: str, kills: int) -> None:
    """Kill training on workers; the model is the old one, and no process stays."""
    if importlib.util.find_spec(package) is None or (
        engine == "spark" and not shutil.which("java")
    ):
        trial.notes[f"no {engine}"] += 1
        return
    folder = trial.folder / engine
    folder.mkdir()
    write(folder / "docs.csv", notes(200, 4))
    line = f"train docs.csv --model multinomial -o m.tally --force -q --engine {engine}"
    arguments = [
        *line.split(),
        *(["--workers", "1"] if engine == "dask" else ["--master", "local[1]"]),
    ]
    begin = time.monotonic()
    code = end(start(arguments, folder), None)
    seconds = time.monotonic() - begin
    model = folder / "m.tally"
    trial.expect(code == 0, f"{line} failed with {code}")
    new = model.read_bytes()
    for at in range(kills):
        with trial.case(f"{line}, kill {at}"):
            model.write_bytes(b"")
            end(start(arguments, folder), trial.rng(engine, at).uniform(0.2, 1.0) * seconds)
            trial.notes[f"{engine}: {'new' if model.read_bytes() else 'old'} content"] += 1
            assert model.read_bytes() in (b"", new), "neither the old nor the new model"
            others = {path.name for path in folder.iterdir()} - {"docs.csv", "m.tally"}
            wrong = [name for name in others if not name.endswith((".part", ".lock"))]
            assert not wrong, f"left {wrong}"
    with trial.case(f"{line}, at last"):
        assert end(start(arguments, folder), None) == 0, "the command fails when it is repeated"
        assert model.read_bytes() == new, "the command, repeated, gives another model"


def start(arguments: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, in which its workers are, too."""
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "tallytext", *arguments],
        cwd=folder,
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes], kill_after: float | None) -> int:
    """Wait for a command, or kill it and wait until its workers have ended by themselves."""
    try:
        return process.wait(kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
    code = process.wait()
    deadline = time.monotonic() + 120
    while is_session(process.pid):
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError("workers go on after their command was killed")
        time.sleep(0.1)
    return code


def is_session(group: int) -> bool:
    """Return True if a process of this group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
