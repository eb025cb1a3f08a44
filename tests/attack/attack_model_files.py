"""Damaged and hostile files through everything that reads them: ``make attack``.

Each round bends a saved file: bytes, lengths, numbers of the header, values of arrays. Half of them
get their checksums computed anew, so that what lies behind has to stand on its own. A file must be
refused with an error of tallytext, or be read as something that works; a crash is caught by the
sanitizers, and memory by what the process has used in the end.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bending import bent_file
from classifier_subjects import classifier_subjects
from subjects import MismatchError, Subject, expect, model_subjects
from translation_subjects import translation_subjects
from trial import Trial

from tallytext.errors import TallytextError

MOST_MEMORY = 512 * 2**20  # the sanitizers keep what was freed for a while
READ = "read"


def fuzz(files: int, seed: int, report: Callable[[str], None] = print) -> Counter[str]:
    """Try so many files; return how many of them could be read, and what others were refused by."""
    with tempfile.TemporaryDirectory() as folder:
        path, counts = Path(folder) / "bent", Counter[str]()
        makers = (model_subjects, classifier_subjects, translation_subjects)
        subjects = [subject for make in makers for subject in make(path)]
        whole = [use_whole(subject, path) for subject in subjects]
        before = memory()
        for round in range(files):
            at = round % len(subjects)
            content, resealed = bent_file(random.Random(f"{seed}/{round}"), subjects[at].content)
            path.write_bytes(content)
            try:
                counts[try_file(subjects[at], path, whole[at], resealed)] += 1
            except Exception as problem:
                raise MismatchError(f"file {round} of seed {seed}: {problem!r}") from problem
            if round % 1000 == 999:
                report(f"{round + 1:,} files, {counts[READ]:,} of them read")
        expect(memory() - before < MOST_MEMORY, f"{memory() - before:,} bytes were used")
    return counts


def try_file(subject: Subject, path: Path, whole: Any, resealed: bool) -> str:
    """Read a file; return whether it was taken for one, or the name of the error."""
    try:
        loaded = subject.load(path)
    except TallytextError as refusal:
        return type(refusal).__name__
    found = subject.use(loaded)
    expect(resealed or found == whole, "damage was not found")
    return READ


def use_whole(subject: Subject, path: Path) -> Any:
    path.write_bytes(subject.content)
    return subject.use(subject.load(path))


def memory() -> int:
    """Return the most memory that this process has ever used."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def attack(trial: Trial) -> None:
    """Try mutations of every kind of file."""
    files = trial.some(quick=2_000, full=100_000)
    with trial.case("model files"):
        counts = fuzz(files, trial.seed, report=lambda _: None)
        trial.notes.update(counts)
        trial.cases += files - 1
