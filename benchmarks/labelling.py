"""``tally label``: how long somebody waits, for the first question and between two of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.corpora import Corpus
from benchmarks.single_label import load
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock
from tallytext.labelling import Journal, Session

FOLDER = True
NAMES = ("ag_news_20k",)
ANSWERS, UNDONE = 60, 5
ABOUT = f"""All training documents of a corpus, and {ANSWERS} true answers. *First question*: from
the command `tally label` to its first page; of this, *libraries* is what `import
tallytext.labelling` takes in a process of its own, and *ready* what a session takes to know its
documents. *Next question*: from an answer to what the next page shows, the median and the longest.
*Undo* takes an answer back, {UNDONE} times over. *Model*: what is written in the end. The best of
the rounds."""


def measure(folder: Path, clock: Clock, n_answers: int = ANSWERS) -> Iterator[Table]:
    corpora = list(load(folder, NAMES))
    columns = [_times(corpus, clock, n_answers) for corpus in corpora]
    names = [corpus.name for corpus in corpora]
    if not columns:
        return
    rows = [(what, *(duration(column[what]) for column in columns)) for what in columns[0]]
    yield Table("Waiting while documents are labelled", ("", *names), rows)


def _times(corpus: Corpus, clock: Clock, n_answers: int) -> dict[str, float]:
    best: dict[str, float] = {}
    for turn in range(clock.rounds):
        clock.say(f"labelling, {corpus.name}, round {turn + 1} of {clock.rounds}")
        with tempfile.TemporaryDirectory() as place:
            found = _started(corpus, Path(place)) | _labelled(corpus, Path(place), n_answers)
        best = {what: min(time, best.get(what, time)) for what, time in found.items()}
    return best


def _started(corpus: Corpus, place: Path) -> dict[str, float]:
    source = place / "texts.txt"
    lines = (" ".join(text.split()) or "-" for text in corpus.train.texts)
    source.write_text("\n".join(lines), encoding="utf-8")
    command = ["-m", "tallytext", "label", str(source), "-o", str(place / "texts.tally")]
    return {
        "first question": _seconds_until(b"[q] quit", command),
        "libraries": _seconds_until(b"there", ["-c", "import tallytext.labelling; print('there')"]),
    }


def _seconds_until(wanted: bytes, arguments: list[str]) -> float:
    """Return how long a process takes to say something; then it is ended."""
    start = perf_counter()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-u", *arguments], **pipes) as child:
        seen = b""
        while wanted not in seen and (more := os.read(child.stdout.fileno(), 1 << 16)):
            seen += more
        seconds = perf_counter() - start
        child.kill()
    return seconds


def _labelled(corpus: Corpus, place: Path, n_answers: int) -> dict[str, float]:
    texts, labels = corpus.train.texts, corpus.train.labels
    with Journal(place / "answers.jsonl") as journal:
        start = perf_counter()
        session = Session(texts, journal)
        session.query()
        ready = perf_counter() - start
        waits = [_answered(session, labels[session.query().row]) for _ in range(n_answers)]
        undone = [_taken_back(session) for _ in range(UNDONE)]
        start = perf_counter()
        session.classifier()
        return {
            "ready": ready,
            "next question, up to 20 answers": median(waits[:20]),
            "next question, the last 20": median(waits[-20:]),
            "next question, the longest": max(waits),
            "undo, median": median(undone),
            "undo, the longest": max(undone),
            "model": perf_counter() - start,
        }


def _taken_back(session: Session) -> float:
    """Return how long it took to take an answer back, and to show its document again."""
    start = perf_counter()
    session.undo()
    session.explain()
    return perf_counter() - start


def _answered(session: Session, label: str) -> float:
    """Return how long the next question and its reasons took."""
    start = perf_counter()
    session.annotate(label)
    session.explain()
    return perf_counter() - start
