"""The documents: how texts become counts, and how they are dealt out for training and test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.reproduction.workplace import Workplace
from tallytext import Plane, Tally, TextVectorizer
from tallytext.io import Corpus

TRAINING = 9610 / (9610 + 3662)
"""The share of the documents that the paper trained with."""

N_DEALS = 3
QUICK_DOCUMENTS = 500
HELD_OUT = 0.2

Labels = list[list[str]]
Rows = NDArray[np.intp]


def prepared(**changes: Any) -> TextVectorizer:
    """Return what makes counts of texts as in the paper, but for some changes."""
    return TextVectorizer(**({"stop_words": "english", "language": "english"} | changes))


@dataclass(frozen=True)
class Documents:
    """Counts of words, and the labels of each document."""

    counts: Any
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Rows) -> Documents:
        return Documents(self.counts[rows], [self.labels[row] for row in rows.tolist()])


@dataclass(frozen=True)
class Deal:
    """Documents to learn from, and documents to judge by."""

    train: Documents
    test: Documents

    @cached_property
    def tally(self) -> Tally:
        """The counts of the training documents."""
        planes = [Plane("binary", shared=True)]
        return Tally.from_counts(self.train.counts, self.train.labels, planes=planes)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """The number of training documents with each term."""
        return np.bincount(self.train.counts.indices, minlength=self.train.counts.shape[1])

    @cached_property
    def classes(self) -> list[str]:
        return sorted({label for given in self.train.labels for label in given})

    @cached_property
    def learned(self) -> sparse.csr_array:
        """Training documents by classes: which has which."""
        return sparse.csr_array(_indicator(self.train.labels, self.classes)[:, :-1].astype(float))

    @cached_property
    def wanted(self) -> NDArray[np.bool_]:
        """Test documents by classes; the last column: classes that nobody could learn."""
        return _indicator(self.test.labels, self.classes)

    def held_out(self) -> Deal:
        """Part the training documents: to choose settings without a look at the test."""
        n = round((1 - HELD_OUT) * len(self.train))
        return parted(self.train, np.arange(len(self.train)), n)

    def with_counts(self, train: Any, test: Any) -> Deal:
        """Return the same documents, counted otherwise."""
        return Deal(replace(self.train, counts=train), replace(self.test, counts=test))


def _indicator(labels: Labels, classes: Sequence[str]) -> NDArray[np.bool_]:
    places = {label: at for at, label in enumerate(classes)}
    found = np.zeros((len(labels), len(classes) + 1), dtype=bool)
    for row, given in enumerate(labels):
        found[row, [places.get(label, len(classes)) for label in given]] = True
    return found


def parted(documents: Documents, order: Rows, n_train: int) -> Deal:
    return Deal(documents.take(order[:n_train]), documents.take(order[n_train:]))


def corpus_of(work: Workplace, name: str, n_quick: int = QUICK_DOCUMENTS) -> Corpus:
    """Return the documents of a corpus that have a label; a sample of them in a quick run."""
    corpus = work.load(name)
    labelled = np.flatnonzero([len(given) > 0 for given in corpus.labels])
    if work.quick:
        drawn = np.random.default_rng(0).choice(labelled, n_quick, replace=False)
        labelled = np.sort(drawn)
    return corpus.take(labelled.tolist())


def documents_of(work: Workplace, corpus: Corpus, **changes: Any) -> Documents:
    """Count the words of a corpus."""
    counts = work.counts(corpus.texts, prepared(**changes)).matrix
    labels = [[given] if isinstance(given, str) else given for given in corpus.labels]
    return Documents(counts, labels)


def dealt(documents: Documents, seed: int) -> Deal:
    """Deal documents out at random, in the proportion of the paper."""
    order = np.random.default_rng(seed).permutation(len(documents))
    return parted(documents, order, round(TRAINING * len(documents)))


def deals_of(work: Workplace, documents: Documents, n: int = N_DEALS) -> Iterator[Deal]:
    """Yield random splits; one in a quick run."""
    for seed in range(1 if work.quick else n):
        work.say(f"split {seed + 1}")
        yield dealt(documents, seed)


def given_split(documents: Documents, sides: Sequence[str]) -> Deal:
    """Part documents by what a column says of each: train, test, or anything else."""
    lower = np.array([side.lower() for side in sides])
    train, test = np.flatnonzero(lower == "train"), np.flatnonzero(lower == "test")
    return Deal(documents.take(train), documents.take(test))


def sides_by_group(groups: list[str]) -> list[str]:
    """Return a side for each document; documents of one group are on the same side."""
    names = sorted(set(groups))
    drawn = np.random.default_rng(0).random(len(names)) < 0.7
    side = {name: "train" if first else "test" for name, first in zip(names, drawn, strict=True)}
    return [side[group] for group in groups]
