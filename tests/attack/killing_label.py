"""``tally label`` killed at any moment: every answer that was followed by a question is on disk.

The child runs in a terminal of its own (a pty). Keys are pressed as by a person who waits for each
question; at random moments, most of them right after a key, the child is killed. Then the file of
answers is read, and labelling goes on with the next child.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from pathlib import Path

from tallytext import TextClassifier
from tallytext.labelling import Annotation, Journal, Session

CLASSES = {"sea": "wave salt tide ship fish", "sky": "cloud star moon wing bird"}
#: What ends every page; nothing else shows it.
ASKED = re.compile(rb"\[q\]\S* quit")
ABOUT = re.compile(rb"row (\d+)")
PATIENCE = 60.0


class Notes:
    """Documents, and where their answers and their model go."""

    def __init__(self, folder: Path, n_documents: int = 400) -> None:
        chance = random.Random(0)
        self.labels = [chance.choice([*CLASSES]) for _ in range(n_documents)]
        self.texts = [
            f"{' '.join(chance.choices(CLASSES[label].split(), k=6))} note{at}"
            for at, label in enumerate(self.labels)
        ]
        self.source, self.model = folder / "notes.txt", folder / "notes.tally"
        self.source.write_text("\n".join(self.texts) + "\n")
        self.answers = self.model.with_suffix(".labels.jsonl")

    def start(self) -> Child:
        named = [word for label in CLASSES for word in ("--class", label)]
        return Child(["label", str(self.source), "-o", str(self.model), *named])

    def is_cut_short(self) -> bool:
        return self.answers.exists() and self.answers.read_bytes()[-1:] not in (b"", b"\n")

    def found(self) -> list[Annotation]:
        """Return the answers on disk, which must be readable line by line but for a last one."""
        content = self.answers.read_bytes() if self.answers.exists() else b""
        for line in content.splitlines()[: content.count(b"\n")]:
            json.loads(line)
        with Journal(self.answers) as journal:
            return list(journal.annotations)


class Child:
    """``tally label`` at a terminal, and somebody who reads and presses keys."""

    def __init__(self, arguments: list[str]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        command = [sys.executable, "-m", "tallytext", *arguments]
        environment = os.environ | {"TERM": "xterm", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        self._terminal = ours
        self._seen = b""

    def question(self) -> int | None:
        """Wait for the next page; return the document that it asks for, None if there is none."""
        end = time.monotonic() + PATIENCE
        while not (asked := ASKED.search(self._seen)):
            if time.monotonic() > end:
                raise self._failed("question")
            if not self._read():
                return None
        page, self._seen = self._seen[: asked.end()], self._seen[asked.end() :]
        return int(ABOUT.findall(page)[-1]) - 1  # rows are counted from 1

    def press(self, key: str) -> None:
        os.write(self._terminal, key.encode())

    def modes(self) -> int:
        """Return whether the terminal waits for whole lines and shows what is typed."""
        return termios.tcgetattr(self._terminal)[3] & (termios.ICANON | termios.ECHO)

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        """Wait for the end, and return its code."""
        end = time.monotonic() + PATIENCE
        while self._read() and time.monotonic() < end:
            pass
        os.close(self._terminal)
        try:
            return self._process.wait(max(end - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            raise self._failed("end") from None

    def _failed(self, wanted: str) -> AssertionError:
        """Kill what hangs, and return what to say of it."""
        self._process.kill()
        self._process.wait()
        return AssertionError(f"no {wanted} within {PATIENCE} s, but {self._seen!r}")

    def _read(self) -> bool:
        if not select.select([self._terminal], [], [], 1.0)[0]:
            return self._process.poll() is None
        try:
            self._seen += (more := os.read(self._terminal, 1 << 16))
        except OSError:  # the other end is gone
            return False
        return bool(more)


class Witness:
    """Who remembers what was answered, and what was seen to be kept."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, str]] = []
        self.pending: tuple[int, str] | None = None
        self.undoing = False
        self.counts: Counter[str] = Counter()

    def sees_a_question(self) -> None:
        """What was pressed before is done: the next question is there."""
        if self.pending is not None:
            self.kept.append(self.pending)
            self.counts["answers acknowledged"] += 1
        if self.undoing:
            self.kept.pop()
            self.counts["undone"] += 1
        self.pending, self.undoing = None, False

    def judges(self, found: list[Annotation]) -> None:
        """Compare with what is on disk: what was kept, and perhaps what the last key did."""
        rows = [(answer.row, answer.label) for answer in found]
        sure = self.kept[:-1] if self.undoing else self.kept
        maybe = [self.pending] if self.pending is not None else self.kept[len(sure) :]
        self.counts["answers lost"] += sum(
            rows[at : at + 1] != [each] for at, each in enumerate(sure)
        )
        self.counts["answers made up"] += rows[len(sure) :] not in ([], maybe)
        if self.pending is not None or self.undoing:
            self.counts["kills with a key under way"] += 1
            self.counts["of these, done all the same"] += rows != self.kept
        self.kept, self.pending, self.undoing = rows, None, False


def killed(notes: Notes, kills: int, seed: int) -> Witness:
    """Answer and kill; return who saw it all."""
    chance, witness = random.Random(seed), Witness()
    while witness.counts["kills"] < kills:
        child = notes.start()
        if witness.counts["kills"] % 10 == 9:  # also while the program is being loaded
            time.sleep(chance.uniform(0.0, 3.0))
        else:
            answer_some(notes, child, witness, chance)
            # From within the write to long after the next question.
            time.sleep(chance.choice([0.0, 1e-4, 1e-3, 1e-2, 0.1]) * chance.random())
        child.kill()
        witness.counts["kills"] += 1
        witness.counts["lines cut short"] += notes.is_cut_short()
        witness.judges(notes.found())
    return witness


def answer_some(notes: Notes, child: Child, witness: Witness, chance: random.Random) -> None:
    """Answer a few questions, and press the last key without waiting for what comes of it."""
    for _ in range(chance.randint(1, 6)):
        row = child.question()
        assert row is not None, "the command ended by itself"
        witness.sees_a_question()
        if witness.kept and chance.random() < 0.1:
            witness.undoing = True
            child.press("u")
        else:
            label = notes.labels[row]
            witness.pending = row, label
            child.press(str([*CLASSES].index(label) + 1))


def finished(notes: Notes, witness: Witness) -> None:
    """End the last session; the model must be what one session of the same answers gives."""
    child = notes.start()
    assert child.question() is not None
    child.press("q")
    assert child.wait() == 0, "the command failed"
    witness.judges(notes.found())
    wanted = notes.model.with_name("at-once.tally")
    with Journal(notes.model.with_name("at-once.jsonl")) as journal:
        for row, label in witness.kept:
            journal.add(Annotation(row, notes.texts[row], label))
        Session(notes.texts, journal).classifier().save(wanted)
    same = notes.model.read_bytes() == wanted.read_bytes()
    assert same, "the model is another than that of one session"
    assert set(TextClassifier.load(notes.model).classes_) <= {*CLASSES}
