"""Corpora whose documents have one label each, with the usual split or one by source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import md5
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.corpora import Corpus, Documents
from tallytext.io import html_text, strip_headers

NAMES = (
    "20ng_bydate",
    "ag_news_20k",
    "reuters21578",
    "ohsumed_first20000",
    "klue_ynat",
    "debian_sections",
)
#: Corpora without a split of their own: half of the documents, by their ids, is held out.
HALVED = ("20ng_orig19997", "webkb", "korean_news8_1600")
_PAGES = ("course", "faculty", "project", "student")


def load(folder: Path, names: Iterable[str] = NAMES) -> Iterator[Corpus]:
    """Read those of the corpora that a folder holds."""
    for name in names:
        path = folder / f"{name}.parquet"
        if path.is_file():
            yield _read(name, path)


def _read(name: str, path: Path) -> Corpus:
    table = pq.read_table(path)
    rows = zip(
        table["text"].to_pylist(),
        table["labels"].to_pylist(),
        _splits(name, table),
        strict=True,
    )
    parts: dict[str, tuple[list[str], list[str]]] = {"train": ([], []), "test": ([], [])}
    clean = _CLEAN.get(name, str)
    for text, labels, split in rows:
        if split in parts and len(labels) == 1 and (name != "webkb" or labels[0] in _PAGES):
            parts[split][0].append(clean(text))
            parts[split][1].append(labels[0])
    return Corpus(name, Documents(*parts["train"]), Documents(*parts["test"]))


def _from_and_subject(post: str) -> str:
    """Return a post without the fields of its header that reveal its group."""
    return strip_headers(post, keep=("From", "Subject"))


_CLEAN: dict[str, Callable[[str], str]] = {"20ng_orig19997": _from_and_subject, "webkb": html_text}


def _splits(name: str, table: pa.Table) -> list[str]:
    if name == "debian_sections":
        # A fifth of the sources, since siblings are near duplicates.
        return hashed_splits(table["source"].to_pylist(), 5)
    if name in HALVED:
        return hashed_splits(table["id"].to_pylist(), 2)
    splits: list[str] = table["split"].to_pylist()
    return splits


def hashed_splits(names: list[str], one_in: int) -> list[str]:
    """Hold out one in so many names, the same on every machine."""
    held_out = {
        name for name in set(names) if int(md5(name.encode()).hexdigest(), 16) % one_in == 0
    }
    return ["test" if name in held_out else "train" for name in names]
