"""Thousands of classes: every hypernym of WordNet's glosses, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.corpora import Corpus, default_folder
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock

ABOUT = """Training on all glosses of WordNet with their hypernyms as classes, then predicting 2,000
of these glosses, evenly spaced: a test of size and speed, not of accuracy. In a fresh process; the
peak memory includes the interpreter and the texts."""
FILE = "wordnet_gloss_hypernym.parquet"
ROOT = Path(__file__).resolve().parents[1]


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    folder = default_folder()
    if folder is None or not (folder / FILE).is_file():
        return
    clock.say("many classes: training and predicting")
    command = [sys.executable, "-m", "benchmarks.many_classes_child", str(folder / FILE)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    found = json.loads(done.stdout)
    rows = [
        ("classes", f"{found['classes']:,}"),
        ("training documents", f"{found['documents']:,}"),
        ("train, from text", duration(found["train"])),
        ("predict, from text", duration(found["predict"])),
        ("predicted documents per second", figure(found["predicted"] / found["predict"])),
        ("a right class is first, of those learned", f"{found['first']:.3f}"),
        ("… is among the first ten", f"{found['ten']:.3f}"),
        ("peak memory", f"{found['peak'] / 2**30:.2f} GiB"),
    ]
    yield Table(f"{FILE.removesuffix('.parquet')}", ("", "figure"), rows)
