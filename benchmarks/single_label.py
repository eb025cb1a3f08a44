"""Corpora whose documents have one label each, with the usual split or one by source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import md5
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.corpora import Corpus, Documents

NAMES = (
    "20ng_bydate",
    "ag_news_20k",
    "reuters21578",
    "ohsumed_first20000",
    "klue_ynat",
    "debian_sections",
)


def load(folder: Path, names: Iterable[str] = NAMES) -> Iterator[Corpus]:
    """Read those of the corpora that a folder holds."""
    for name in names:
        path = folder / f"{name}.parquet"
        if path.is_file():
            yield _read(name, path)


def _read(name: str, path: Path) -> Corpus:
    table = pq.read_table(path)
    splits = _by_source(table["source"].to_pylist()) if name == "debian_sections" else None
    rows = zip(
        table["text"].to_pylist(),
        table["labels"].to_pylist(),
        splits or table["split"].to_pylist(),
        strict=True,
    )
    parts: dict[str, tuple[list[str], list[str]]] = {"train": ([], []), "test": ([], [])}
    for text, labels, split in rows:
        if split in parts and len(labels) == 1:
            parts[split][0].append(text)
            parts[split][1].append(labels[0])
    return Corpus(name, Documents(*parts["train"]), Documents(*parts["test"]))


def _by_source(sources: list[str]) -> list[str]:
    """Put a fifth of the sources aside, since siblings are near duplicates."""
    held_out = {
        source for source in set(sources) if int(md5(source.encode()).hexdigest(), 16) % 5 == 0
    }
    return ["test" if source in held_out else "train" for source in sources]
