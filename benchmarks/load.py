"""Long and large loads: is time per document flat, and memory bounded?"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, figure
from benchmarks.timing import Clock

ABOUT = """Generated messages of ten words from a vocabulary of 50,000, in 20 classes unless stated.
Each load runs in a fresh process and is measured in ten stretches: CPU time of all threads per
document, and the memory that the process holds after a stretch, with interpreter and libraries. The
first stretch is left out of the times, since it includes what happens once. A quick run is a
hundredth of each load."""
ROOT = Path(__file__).resolve().parents[1]
LOADS = [
    ("5 million documents, in batches of 20,000", "batches", 5_000_000),
    ("1 million documents, learned one by one", "one-by-one", 1_000_000),
    ("100,000 documents one by one, refined", "one-by-one-refined", 100_000),
    ("5 minutes of learning one, forgetting one", "window", 300),
    ("5 minutes of the same, refined", "window-refined", 300),
]


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    # The corpora that others share are cut short in a quick run, and so are these loads.
    part = 1 if corpora[0].megabytes > 20 else 100
    rows = []
    for name, load, size in LOADS:
        clock.say(f"load: {name}")
        stretches = stretches_of(load, size // part)[1:]
        times = [each["microseconds"] for each in stretches if each["microseconds"]]
        memory = [each["memory"] / 2**20 for each in stretches]
        early, late = median(times[: len(times) // 2]), median(times[len(times) // 2 :])
        rows.append((name, figure(early), figure(late), f"{memory[0]:,.0f}", f"{memory[-1]:,.0f}"))
    head = ("", "µs per document, first half", "second half", "MiB after a fifth", "MiB at the end")
    yield Table("Many documents", head, rows)

    clock.say("load: 100,000 classes")
    *learned, predicted = stretches_of("classes", 100_000 // part)
    clock.say("load: one document of 500 MB")
    long = stretches_of("long", 500 // part)
    names = ("learn", "classify", "forget")
    rows = [
        (f"{100_000 // part:,} classes of two documents: learn one, µs", *figures(learned[-1])),
        ("classify one, µs", *figures(predicted)),
    ]
    for name, each in zip(names, long, strict=True):
        seconds, memory_held = figure(each["microseconds"] / 1e6), f"{each['memory'] / 2**20:,.0f}"
        rows.append((f"one document of {500 // part} MB: {name}, s", seconds, memory_held))
    yield Table("Many classes, long documents", ("", "CPU time", "memory, MiB"), rows)


def figures(stretch: dict[str, float]) -> tuple[str, str]:
    return figure(stretch["microseconds"]), f"{stretch['memory'] / 2**20:,.0f}"


def stretches_of(load: str, size: int) -> list[dict[str, float]]:
    """Run one load in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.load_child", load, str(size)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    stretches: list[dict[str, float]] = json.loads(done.stdout)
    return stretches
