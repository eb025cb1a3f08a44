"""``tally learn`` killed at any moment: the file must be one of the models that were saved.

The child learns documents one by one and saves after each. It is killed while it does so, or
between the writing of the temporary file and the moment at which that takes its name.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tallytext import TextClassifier

PLACES = ["sea", "sky", "land", "moon"]
# What a program does at this moment is not ours to know, so it is stopped from the outside.
PAUSE = """
import pathlib, runpy, sys, time
replace = pathlib.Path.replace
def pause(self, target):
    if {after}:
        replace(self, target)
    print("ready", flush=True)
    time.sleep(3600)
pathlib.Path.replace = pause
sys.argv[0] = "tally"
runpy.run_module("tallytext", run_name="__main__")
"""


class Experiment:
    """A model, documents to learn, and all models that there can be on the way."""

    def __init__(self, folder: Path, n_words: int = 5_000, n_documents: int = 20) -> None:
        rng = random.Random(0)
        words = [f"word{number}" for number in range(n_words)]
        self.documents = [
            (
                " ".join(rng.choices([*words, f"new{at}"], k=50)),
                rng.choice([*PLACES, f"place {at}"]),
            )
            for at in range(n_documents)
        ]
        self.model, self.source = folder / "model.tally", folder / "more.csv"
        texts = [" ".join(words[at::40]) for at in range(40)]
        classifier = TextClassifier("chi-contrast").fit(texts, PLACES * 10)
        self.states = [self._saved(classifier)]
        self.first = self.model.read_bytes()
        for text, label in self.documents:
            self.states.append(self._saved(classifier.learn(text, label)))
        with self.source.open("w", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *self.documents])

    def _saved(self, classifier: TextClassifier) -> str:
        classifier.save(self.model)
        return hashlib.sha256(self.model.read_bytes()).hexdigest()

    def start(self, *python: str) -> subprocess.Popen[bytes]:
        """Put the first model in its place, and start to learn the others."""
        for left in self.left_over():
            left.unlink()
        self.model.write_bytes(self.first)
        self.inode = self.model.stat().st_ino
        options = ["learn", str(self.model), str(self.source), "--save-every", "1", "--quiet"]
        return subprocess.Popen([sys.executable, *python, *options], stdout=subprocess.PIPE)

    def left_over(self) -> list[Path]:
        return list(self.model.parent.glob("*.part"))

    def duration(self) -> float:
        """Return the seconds from the first save to the last; all models must be reached."""
        child = self.start("-m", "tallytext")
        self.wait_for_a_save(child)
        begin = time.monotonic()
        child.communicate()
        if child.returncode:
            raise AssertionError(f"the command failed with {child.returncode}")
        assert self.found() == "new", "the command saved another model than the classifier"
        return time.monotonic() - begin

    def wait_for_a_save(self, child: subprocess.Popen[Any]) -> None:
        while child.poll() is None and self.model.stat().st_ino == self.inode:
            time.sleep(0.001)

    def wait_for_a_temporary_file(self, child: subprocess.Popen[Any]) -> None:
        while child.poll() is None and not self.left_over():
            pass

    def found(self) -> str:
        """Return which model the file holds, which must be exactly one of those that there are."""
        state = self.states.index(hashlib.sha256(self.model.read_bytes()).hexdigest())
        counted = int(TextClassifier.load(self.model).tally_.n_documents)
        assert counted == 40 + state, f"{counted} documents are no {40 + state}"
        return "old" if not state else "new" if state == len(self.documents) else "between"


def killed(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill a command at random moments; return how often which model was found."""
    experiment, rng, counts = Experiment(folder), random.Random(seed), Counter[str]()
    seconds = experiment.duration()
    for round in range(kills):
        child = experiment.start("-m", "tallytext")
        if round % 5:  # else at any moment from the start, which is the loading of libraries
            experiment.wait_for_a_save(child)
        time.sleep(rng.uniform(0, seconds))
        if round % 2:  # else wherever it may be
            experiment.wait_for_a_temporary_file(child)
        end(child)
        counts[experiment.found()] += 1
        counts["inside a write"] += len(experiment.left_over())
    return counts


def paused(folder: Path, kills: int) -> Counter[str]:
    """Kill a command right before a file takes its name, so often, and once right after."""
    experiment, counts = Experiment(folder, n_documents=1), Counter[str]()
    for after in [False] * kills + [True]:
        child = experiment.start("-c", PAUSE.format(after=after))
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n", "the command did not get that far"
        left = experiment.left_over()
        end(child)
        counts[experiment.found()] += 1
        assert (experiment.found(), len(left)) == (("new", 0) if after else ("old", 1))
        check_no_harm(experiment, left)
    return counts


def check_no_harm(experiment: Experiment, left: list[Path]) -> None:
    """The temporary file of one who was killed is whole, and in nobody's way."""
    for path in left:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == experiment.states[1]
    TextClassifier.load(experiment.model).save(experiment.model)
    experiment.found()


def end(child: subprocess.Popen[Any]) -> None:
    child.send_signal(signal.SIGKILL)
    child.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--paused", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("killed at random:", dict(killed(Path(folder), arguments.kills, arguments.seed)))
        print("killed at the rename:", dict(paused(Path(folder), arguments.paused)))


if __name__ == "__main__":
    main()
