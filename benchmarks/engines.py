"""A naive Bayes model of Parquet files: tallytext on two engines beside what these have."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engines_child import CONTESTANTS
from benchmarks.generated_files import Wanted, read_once, text_bytes
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock

BYTES = 1_000_000_000
ABOUT = """From [generated documents](scale.md#the-documents) in Parquet to a fitted naive Bayes
model, on the two cores of one machine, each program in a separate process, one after the
other. Not timed: starting the engine, its first job, and importing libraries. Only the operating
system caches; it has read the files before. All programs use the same words, in lower case.

- *Spark ML*: `Tokenizer`, `CountVectorizer`, `StringIndexer`, `NaiveBayes` in a `Pipeline`, with
  defaults: the vocabulary is the 2¹⁸ most frequent words. `local[2]`, 6 GB for the driver.
- *Dask, CountVectorizer*: scikit-learn's `CountVectorizer` finds the words of each partition. The
  workers get the union, count, and fit a `MultinomialNB` for each partition. These are added in
  pairs: exact, in two passes.
- *Dask, HashingVectorizer*: 2¹⁸ buckets, in one pass. It is the best case: words have no names.
- tallytext keeps all words, exactly.

Core seconds and memory are sums over all processes, the client or driver included; memory is that
of their peaks."""
COLUMNS = ("", "time", "MB of text/s", "times as long", "core seconds", "peak memory")
FIRST = "tallytext on Dask"
ROOT = Path(__file__).resolve().parents[1]


def measure(wanted: Wanted, clock: Clock) -> Iterator[Table]:
    with wanted.files() as files:
        read_once(files)
        text = sum(map(text_bytes, files))
        found = {}
        for name in _possible():
            clock.say(f"engines: {name}")
            found[name] = _run(name, files[0].parent)
    rows = [_row(name, each, found[FIRST], text) for name, each in found.items()]
    title = f"{text / 1e6:,.0f} MB of text, {wanted.n_bytes / 1e6:,.0f} MB of Parquet"
    yield Table(title, COLUMNS, rows)


def _possible() -> list[str]:
    """Return the contestants whose engine is here."""
    spark = importlib.util.find_spec("pyspark") and shutil.which("java")
    return [name for name in CONTESTANTS if spark or "Spark" not in name]


def _run(name: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.engines_child", name, str(folder.resolve())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _row(name: str, found: dict[str, float], first: dict[str, float], text: int) -> tuple[str, ...]:
    seconds = found["seconds"]
    return (
        name,
        duration(seconds),
        figure(text / 1e6 / seconds),
        figure(seconds / first["seconds"]),
        figure(found["worked"]),
        f"{found['memory'] / 2**30:.2f} GiB",
    )
