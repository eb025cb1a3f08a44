"""Start-up: seconds from the shell to the answer about one short text."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock
from tallytext import TextClassifier

ABOUT = """Seconds of each command for one short text, from the shell: Python starts, imports the
command, loads a model of 400 documents, and answers; `learn` also writes the model. In between,
`python -c "import sklearn"` runs as a measure of the machine. Each is a process of its own, with
compiled bytecode from a run before. The best wall time and the best CPU time (user and system) of
all rounds. A *refined* model is retrained and calibrated when `learn` writes it."""

TEXTS = {
    "spam": ("win money now", "free prize inside", "cheap pills online", "claim your prize"),
    "ham": ("lunch at noon", "the report is late", "meeting moved to noon", "see the report"),
}
LEARNERS = ("refined", "multinomial")
PEER = 'python -c "import sklearn"'


class Cost(NamedTuple):
    """Seconds of one process."""

    wall: float
    cpu: float


def measure(corpora: list[Corpus], clock: Clock) -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "one.jsonl"
        text.write_text(json.dumps({"text": "win a free lunch", "label": "spam"}) + "\n")
        for learner in LEARNERS:
            best = _best(_commands(folder, text, learner), clock)
            peer = best[PEER]
            rows = [
                (what, duration(cost.wall), duration(cost.cpu), f"{cost.cpu / peer.cpu:.2f}")
                for what, cost in best.items()
            ]
            yield Table(
                f"One text, a model of {learner}", ("", "time", "CPU", "CPU of the import"), rows
            )


def _commands(folder: Path, text: Path, learner: str) -> dict[str, list[str]]:
    """Train a model, and return the command lines by name."""
    model = folder / f"{learner}.tally"
    labels = [label for label, texts in TEXTS.items() for _ in texts] * 50
    texts = [f"{each} {n % 7}" for n in range(50) for some in TEXTS.values() for each in some]
    TextClassifier(model=learner).fit(texts, labels).save(model)
    tally = [sys.executable, "-m", "tallytext"]
    return {
        PEER: [sys.executable, "-c", "import sklearn"],
        "tally predict": [*tally, "predict", str(model), str(text)],
        "tally explain": [*tally, "explain", str(model), "win a free lunch"],
        "tally info": [*tally, "info", str(model)],
        "tally learn": [*tally, "learn", str(model), str(text)],
    }


def _best(commands: dict[str, list[str]], clock: Clock) -> dict[str, Cost]:
    """Run all commands in turn, once more than there are rounds: the first compiles bytecode."""
    best = dict.fromkeys(commands, Cost(math.inf, math.inf))
    for turn in range(clock.rounds + 1):
        for what, command in commands.items():
            clock.say(f"{what}, round {turn} of {clock.rounds}")
            cost = _run(command)
            if turn:
                best[what] = Cost(*map(min, best[what], cost))
    return best


def _run(command: list[str]) -> Cost:
    """Run a command; the model file stays as it was."""
    model = next((Path(part) for part in command if part.endswith(".tally")), None)
    copy = None if model is None else shutil.copy(model, f"{model}.copy")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {process.returncode}")
    if model is not None and copy is not None:
        Path(copy).replace(model)
    return Cost(wall, usage.ru_utime + usage.ru_stime)
