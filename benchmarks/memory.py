"""Peak memory, each contestant in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import Corpus
from benchmarks.memory_child import JOBS
from benchmarks.tables import Table
from benchmarks.timing import Clock

ABOUT = """Peak memory of a fresh process that counts a list of str, minus its memory after loading
the texts. It includes the matrix and the names."""
COLUMNS = ("", "peak extra memory", "of CountVectorizer's")
ROOT = Path(__file__).resolve().parents[1]


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        with TemporaryDirectory() as folder:
            path = _write(corpus.texts, Path(folder) / "texts.jsonl")
            peaks = {}
            for name in JOBS:
                clock.say(f"memory, {corpus.name}: {name}")
                peaks[name] = _peak(path, name)
        yield Table(str(corpus), COLUMNS, _rows(peaks))


def _rows(peaks: dict[str, int]) -> list[tuple[str, ...]]:
    # Never 0: a corpus of a few documents may need no memory that the process has not got.
    most = max(1, peaks["CountVectorizer"])
    return [(name, f"{peak / 1e6:.1f} MB", f"{peak / most:.2f}") for name, peak in peaks.items()]


def _write(texts: list[str], path: Path) -> Path:
    with path.open("w") as lines:
        lines.writelines(json.dumps(text) + "\n" for text in texts)
    return path


def _peak(path: Path, job: str) -> int:
    command = [sys.executable, "-m", "benchmarks.memory_child", str(path), job]
    return int(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
