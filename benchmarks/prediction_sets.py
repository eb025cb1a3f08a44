"""How often the right label is in a prediction set, and how large these are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.tables import Table
from benchmarks.timing import Clock
from tallytext import TextClassifier

FILE = "20ng_bydate.parquet"
ABOUT = """All documents of 20ng_bydate, split at random ten times, 60 % for training. The share of
held-out documents whose label is in the set returned by
`TextClassifier().predict_set(texts, coverage)`, and the mean number of labels in a set."""

SPLITS = 10
COVERAGES = (0.8, 0.9, 0.95)


def measure(path: Path, clock: Clock) -> Iterator[Table]:
    table = pq.read_table(path, columns=["text", "labels"])
    texts = np.array(table["text"].to_pylist(), dtype=object)
    labels = np.array(pc.list_element(table["labels"], 0).to_pylist(), dtype=object)
    found: dict[float, list[tuple[float, float]]] = {coverage: [] for coverage in COVERAGES}
    for seed in range(SPLITS):
        clock.say(f"prediction sets: split {seed + 1} of {SPLITS}")
        order = np.random.default_rng(seed).permutation(len(texts))
        new, known = np.split(order, [2 * len(order) // 5])
        classifier = TextClassifier().fit(texts[known].tolist(), labels[known].tolist())
        for coverage, each in found.items():
            sets = classifier.predict_set(texts[new].tolist(), coverage)
            each.append(_covered(sets, labels[new]))
    yield Table(
        "20ng_bydate", ("asked for", "covered", "least", "most", "labels in a set"), _rows(found)
    )


def _covered(sets: list[list[str]], truth: np.ndarray) -> tuple[float, float]:
    hits = [label in some for some, label in zip(sets, truth, strict=True)]
    return fmean(hits), fmean(map(len, sets))


def _rows(found: dict[float, list[tuple[float, float]]]) -> list[tuple[str, ...]]:
    rows = []
    for coverage, pairs in found.items():
        covered, sizes = zip(*pairs, strict=True)
        shares = [f"{share:.4f}" for share in (fmean(covered), min(covered), max(covered))]
        rows.append((f"{coverage}", *shares, f"{fmean(sizes):.2f}"))
    return rows
