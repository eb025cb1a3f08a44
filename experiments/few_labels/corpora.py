"""Corpora with one label per document, in two halves; and one that is made up."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from benchmarks.corpora import Corpus, Documents

from tallytext.io import strip_post

MADE_UP = "made_up"
MOST_TRAIN, MOST_TEST = 20_000, 3_000
LEAST_OF_CLASS, LEAST_OF_HALF = 200, 60  # documents of a Debian section
LARGEST = 10  # topics of Reuters
TITLE_WORDS = 12  # of a Debian package that are kept of its description
MOST_CLASSES = 50  # of WordNet: the largest
KINDS = ("course", "faculty", "project", "student")  # of pages of WebKB
TAGS = re.compile(r"<[^>]*>")


class Kept(NamedTuple):
    """What is kept of a corpus: texts, and the label and the half of each."""

    texts: list[str]
    labels: list[str]
    halves: list[str]

    def where(self, keep: Sequence[bool]) -> Kept:
        return Kept(*([x for x, kept in zip(part, keep, strict=True) if kept] for part in self))


def read(name: str, folder: Path | None) -> Corpus:
    """Return a corpus of the folder; a random part of each half, always the same, if it is large.

    Raises
    ------
    SystemExit
        If it is not there.
    """
    if name == MADE_UP:
        return made_up()
    file = f"{FILES.get(name, name)}.parquet"
    path = None if folder is None else folder / file
    if path is None or not path.is_file():
        raise SystemExit(f"there is no {file}: say where it is with --data.")
    kept = READERS[name](pq.read_table(path).to_pydict())
    chance = np.random.default_rng(0)
    return Corpus(
        name, _half(kept, "train", MOST_TRAIN, chance), _half(kept, "test", MOST_TEST, chance)
    )


def _half(kept: Kept, half: str, most: int, chance: np.random.Generator) -> Documents:
    rows = [i for i, each in enumerate(kept.halves) if each == half]
    if len(rows) > most:
        rows = sorted(chance.choice(rows, most, replace=False))
    return Documents([kept.texts[i] for i in rows], [kept.labels[i] for i in rows])


def _first_labels(columns: dict[str, Any]) -> Kept:
    labels = [labels[0] if labels else "" for labels in columns["labels"]]
    return Kept(columns["text"], labels, columns["split"])


def _newsgroups(columns: dict[str, Any]) -> Kept:
    """Return mails without header, signature and quotes."""
    kept = _first_labels(columns)
    return kept._replace(texts=[strip_post(text) for text in kept.texts])


def _with_one_label(columns: dict[str, Any]) -> Kept:
    return _first_labels(columns).where([len(labels) == 1 for labels in columns["labels"]])


def _largest_topics(columns: dict[str, Any]) -> Kept:
    """Return documents whose only topic is one of the largest of the training half."""
    pairs = zip(columns["labels"], columns["split"], strict=True)
    sizes = Counter(label for labels, half in pairs if half == "train" for label in labels)
    largest = {label for label, _ in sizes.most_common(LARGEST)}
    only = [len(labels) == 1 and labels[0] in largest for labels in columns["labels"]]
    return _first_labels(columns).where(only)


def _sections(columns: dict[str, Any]) -> Kept:
    """Return packages of sections that are large enough, those of one source in one half."""
    kept = _first_labels(columns)._replace(halves=[_hashed(each) for each in columns["source"]])
    sizes = Counter(kept.labels)
    halves = Counter(zip(kept.labels, kept.halves, strict=True))
    large = {
        label
        for label, size in sizes.items()
        if size >= LEAST_OF_CLASS
        and min(halves[label, "train"], halves[label, "test"]) >= LEAST_OF_HALF
    }
    return kept.where([label in large for label in kept.labels])


def _titles(columns: dict[str, Any]) -> Kept:
    """Return the first words of the descriptions of packages."""
    kept = _sections(columns)
    return kept._replace(texts=[" ".join(text.split()[:TITLE_WORDS]) for text in kept.texts])


def _largest_hypernyms(columns: dict[str, Any]) -> Kept:
    """Return definitions with one hypernym, of the largest classes; a class is named by a word."""
    kept = _by_number(columns).where([len(labels) == 1 for labels in columns["labels"]])
    largest = {label for label, _ in Counter(kept.labels).most_common(MOST_CLASSES)}
    return kept.where([label in largest for label in kept.labels])


def _by_number(columns: dict[str, Any]) -> Kept:
    return _first_labels(columns)._replace(halves=[_hashed(str(each)) for each in columns["id"]])


def _pages(columns: dict[str, Any]) -> Kept:
    """Return the text of pages of four kinds, without HTTP header and tags."""
    kept = _by_number(columns)
    texts = [TAGS.sub(" ", text.partition("\n\n")[2]) for text in kept.texts]
    return kept._replace(texts=texts).where([label in KINDS for label in kept.labels])


def _hashed(source: str | None) -> str:
    """Return a half by chance, though the same on every machine."""
    number = int(hashlib.md5((source or "").encode(), usedforsecurity=False).hexdigest(), 16)
    return "test" if number % 2 else "train"


READERS: dict[str, Callable[[dict[str, Any]], Kept]] = {
    "20ng_bydate": _newsgroups,
    "ag_news_20k": _first_labels,
    "klue_ynat": _first_labels,
    "debian_sections": _sections,
    "reuters21578": _largest_topics,
    "ohsumed_first20000": _with_one_label,
    "debian_titles": _titles,
    "wordnet_50": _largest_hypernyms,
    "webkb": _pages,
    "korean_news8_1600": _by_number,
}

#: The file of a corpus, if it has another name.
FILES = {"debian_titles": "debian_sections", "wordnet_50": "wordnet_gloss_hypernym"}

WORDS = {
    "sea": "wave salt tide ship fish sail reef whale harbour anchor shell coast",
    "sky": "cloud star moon wing bird wind kite storm plane comet rain sun",
    "field": "wheat plough barn horse fence seed hay tractor cow meadow harvest clover",
}
_ALL = " ".join(WORDS.values()).split()


def made_up(n_train: int = 240, n_test: int = 60) -> Corpus:
    """Return documents of three topics, drawn word by word: most of their own, some of any."""
    chance = np.random.default_rng(0)
    labels = [[*WORDS][i % len(WORDS)] for i in range(n_train + n_test)]
    made = Documents([_document(label, chance) for label in labels], labels)
    return Corpus(MADE_UP, made.first(n_train), made.every(1, n_train))


def _document(label: str, chance: np.random.Generator) -> str:
    own, others = chance.choice(WORDS[label].split(), 6), chance.choice(_ALL, 4)
    return " ".join(["the", *own, "and", *others])
