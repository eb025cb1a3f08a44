"""The command line on files that are larger than the memory it takes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.tables import Table, figure
from benchmarks.timing import Clock

ABOUT = """`tally train` and `tally predict` on generated documents of about a thousand bytes, in
eight classes, with a new word in every tenth document: 2 GB of text in one file, as
Parquet and as JSON lines. MB are those of the text. Peak memory of the process, including the
interpreter and its libraries. In a quick run, 20 MB."""

CLASSES = 8
CHUNK = 20_000  # documents


def measure(corpora: list[Any], clock: Clock) -> Iterator[Table]:
    # The corpora that others share are cut short in a quick run, and so is this one.
    megabytes = 2000 if corpora[0].megabytes > 20 else 20
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("parquet", "jsonl"):
            path = Path(folder) / f"generated.{suffix}"
            clock.say(f"streaming: writing {path.name}")
            written = write(path, megabytes)
            for command in ("train", "predict"):
                clock.say(f"streaming: tally {command} {path.name}")
                rows.append((f"tally {command}, {suffix}", *_run(command, path, written)))
            path.unlink()
    yield Table(f"{megabytes:,} MB", ("", "seconds", "MB/s", "most memory, MiB"), rows)


def write(path: Path, megabytes: int) -> float:
    """Write documents until their texts have so many megabytes; return how many they have."""
    random, total, first = np.random.default_rng(0), 0, 0
    sentences = _sentences(random)
    with _writer(path) as add:
        while total < megabytes * 1e6:
            labels = random.integers(0, CLASSES, CHUNK)
            texts = _texts(sentences, labels, random, first)
            add(texts, [f"class {label}" for label in labels])
            first += CHUNK
            total += sum(map(len, texts))
    return total / 1e6


def _sentences(random: np.random.Generator) -> list[list[str]]:
    """Return sentences for each class: half of their words are those of the class."""
    words = np.array([f"w{number:x}" for number in range(60_000)])
    popular = 1 / np.arange(1, len(words) + 1)
    made = []
    for _ in range(CLASSES):
        own = random.permutation(words)
        both = [
            random.choice(some, (2_000, 12), p=popular / popular.sum()) for some in (words, own)
        ]
        made.append([" ".join(sentence) for sentence in np.concatenate(both, axis=1)])
    return made


def _texts(
    sentences: list[list[str]], labels: np.ndarray, random: np.random.Generator, first: int
) -> list[str]:
    which = random.integers(0, 2_000, (len(labels), 8))
    texts = []
    for number, (label, some) in enumerate(zip(labels, which.tolist(), strict=True), first):
        text = ". ".join(sentences[label][each] for each in some)
        texts.append(f"{text} new{number}" if number % 10 == 0 else text)
    return texts


class _writer:
    """Adds documents to a file of either format."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Any:
        schema = pa.schema({"text": pa.string(), "label": pa.string()})
        if self._path.suffix == ".parquet":
            self._file: Any = pq.ParquetWriter(self._path, schema)
            return lambda texts, labels: self._file.write_table(
                pa.table({"text": texts, "label": labels}, schema)
            )
        self._file = self._path.open("w", encoding="utf-8")
        return lambda texts, labels: self._file.writelines(
            json.dumps({"text": text, "label": label}) + "\n"
            for text, label in zip(texts, labels, strict=True)
        )

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _run(command: str, path: Path, megabytes: float) -> tuple[str, str, str]:
    model, peak = path.with_name("generated.tally"), path.with_name("peak")
    arguments = {
        "train": ["train", path, "-o", model, "--quiet"],
        "predict": ["predict", model, path, "--quiet"],
    }[command]
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "benchmarks.streaming_child", peak, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    seconds = perf_counter() - start
    memory = int(peak.read_text()) / 2**20
    return figure(seconds), figure(megabytes / seconds), f"{memory:,.0f}"
