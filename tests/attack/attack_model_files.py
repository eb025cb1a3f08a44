"""Damaged and hostile files through everything that reads them: ``make attack``.

Each round bends a saved file: bytes, lengths, numbers of the header, values and order of arrays,
what is inside packed ones. Most get their checksums computed anew, so that what lies behind has to
stand on its own. A file must be refused with an error of tallytext, or be read as something that
works, with no more memory than ten times its size and 64 MiB; a crash is caught by the sanitizers.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bending import bent_file
from classifier_subjects import classifier_subjects
from subjects import Subject, expect, model_subjects, other_subjects
from translation_subjects import translation_subjects
from trial import Trial

from tallytext.errors import TallytextError

MOST_MEMORY = 64 * 2**20  # and ten times the file
READ = "read"


def all_subjects(path: Path) -> list[Subject]:
    """Return a file of each kind; the path is one to write to."""
    makers = (other_subjects, model_subjects, classifier_subjects, translation_subjects)
    return [subject for make in makers for subject in make(path)]


def fuzz(files: int, seed: int, found: Callable[[str], None]) -> Counter[str]:
    """Try so many files; return how many of them could be read, and what others were refused by."""
    with tempfile.TemporaryDirectory() as folder:
        path, counts = Path(folder) / "bent", Counter[str]()
        subjects = all_subjects(path)
        whole = [use_whole(subject, path) for subject in subjects]
        for round in range(files):
            at = round % len(subjects)
            content, resealed = bent_file(random.Random(f"{seed}/{round}"), subjects[at].content)
            path.write_bytes(content)
            try:
                counts[try_file(subjects[at], path, whole[at], resealed, round)] += 1
            except Exception as problem:
                found(f"file {round} of seed {seed}: {problem!r}")
    return counts


def try_file(subject: Subject, path: Path, whole: Any, resealed: bool, round: int) -> str:
    """Read a file; return whether it was taken for one, or the name of the error."""
    memory = PeakMemory()
    try:
        loaded = subject.load(path)
    except TallytextError as refusal:
        check_memory(memory, path)
        return type(refusal).__name__
    check_memory(memory, path)
    if resealed and subject.glance and round % 5:
        subject.glance(loaded)  # most are only looked at, which is many times as fast
    else:
        used = subject.use(loaded)
        expect(resealed or used == whole, "damage was not found")
    return READ


def use_whole(subject: Subject, path: Path) -> Any:
    path.write_bytes(subject.content)
    return subject.use(subject.load(path))


def check_memory(memory: PeakMemory, path: Path) -> None:
    used, asked, most = memory.used(), memory.asked(), MOST_MEMORY + 10 * path.stat().st_size
    expect(used <= most, f"loading used {used:,} bytes of memory")
    expect(asked <= 16 * most, f"loading asked for {asked:,} bytes of memory")


class PeakMemory:
    """The most memory that this process uses from now on; zero where Linux does not report it."""

    def __init__(self) -> None:
        self._known = sys.platform == "linux"
        if self._known:
            # Forgets the peak of the memory in use, and not that of the addresses.
            Path("/proc/self/clear_refs").write_text("5")
            self._before = self._read("VmRSS"), self._read("VmPeak")

    def used(self) -> int:
        """Return by how much the memory in use has grown in between, in bytes."""
        return self._read("VmHWM") - self._before[0] if self._known else 0

    def asked(self) -> int:
        """Return by how much the largest space of addresses has grown, in bytes."""
        return self._read("VmPeak") - self._before[1] if self._known else 0

    @staticmethod
    def _read(name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def attack(trial: Trial) -> None:
    """Try mutations of every kind of file."""
    files = trial.some(quick=2_000, full=100_000)
    with trial.case("model files"):
        counts = fuzz(files, trial.seed, trial.findings.append)
        trial.notes.update(counts)
        trial.cases += files - 1
