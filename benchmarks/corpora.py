"""The texts to measure on: newsgroups and Korean headlines, or the docstrings of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tallytext.io import load_docstrings

NAMES = ("20ng_bydate", "klue_ynat")


class Documents(NamedTuple):
    """Texts and the label of each."""

    texts: list[str]
    labels: list[str]

    def every(self, step: int, start: int = 0) -> Documents:
        """Return every so many documents, so that a part has all classes of the whole."""
        return Documents(self.texts[start::step], self.labels[start::step])

    def first(self, n: int | None) -> Documents:
        return Documents(self.texts[:n], self.labels[:n])


@dataclass(frozen=True)
class Corpus:
    """Documents to count, and others that were held out."""

    name: str
    train: Documents
    held_out: Documents

    @property
    def texts(self) -> list[str]:
        return self.train.texts

    @cached_property
    def megabytes(self) -> float:
        return sum(len(text.encode(errors="surrogatepass")) for text in self.texts) / 1e6

    def column(self) -> pa.ChunkedArray:
        return pa.chunked_array([pa.array(self.texts)])

    def every(self, step: int) -> Corpus:
        return replace(self, train=self.train.every(step))

    def first(self, n: int | None) -> Corpus:
        return replace(self, train=self.train.first(n))

    def __str__(self) -> str:
        return f"{self.name}: {len(self.texts):,} documents, {self.megabytes:.1f} MB"


class FolderAndPeers(NamedTuple):
    """A folder of corpora, a file with figures of peers, and the number of documents to read."""

    folder: Path
    peers: Path | None = None
    documents: int | None = None


def default_folder() -> Path | None:
    """Return where the corpora are by convention, or None when that folder is not there."""
    named = os.environ.get("TALLYTEXT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if named or folder.is_dir() else None


def load(folder: Path | None) -> list[Corpus]:
    """Read the corpora that a folder holds; without any, the docstrings."""
    stored = list(_stored(folder)) if folder else []
    return stored or [_docstrings()]


def _stored(folder: Path) -> Iterator[Corpus]:
    for name in NAMES:
        path = folder / f"{name}.parquet"
        if path.is_file():
            table = pq.read_table(path, columns=["text", "labels", "split"])
            yield Corpus(name, _split(table, "train"), _split(table, "test"))


def _split(table: pa.Table, split: str) -> Documents:
    part = table.filter(pc.equal(table["split"], split))
    labels = pc.list_element(part["labels"], 0)
    return Documents(part["text"].to_pylist(), labels.to_pylist())


def _docstrings() -> Corpus:
    """Return the demo's corpus; every tenth docstring is held out."""
    documents = Documents(*load_docstrings())
    kept = [i for i in range(len(documents.texts)) if i % 10]
    train = Documents(*([part[i] for i in kept] for part in documents))
    return Corpus("docstrings", train, documents.every(10))
