"""Training documents and test documents, as counts of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.workplace import Workplace
from tallytext import TextVectorizer
from tallytext.io import Corpus

# As benchmarked before: chosen by cross-validation on training documents of Reuters.
ENGLISH = (("min_df", 2), ("stop_words", "english"))
# Words of Korean carry particles; pairs of syllables stand in for the morphemes of the paper.
KOREAN = (("hangul", "words+bigrams"), ("min_df", 2))
KOREAN_WORDS = (("min_df", 2),)

Words = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Side:
    """Documents of one side: counts, labels, and which document has which class."""

    counts: Any
    labels: list[Any]
    truth: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Split:
    """Both sides, and the classes in the order of columns."""

    train: Side
    test: Side
    classes: list[str]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Training documents of each class."""
        return np.asarray(self.train.truth.sum(axis=0))


def split_of(work: Workplace, train: Corpus, test: Corpus, words: Words) -> Split:
    """Count both sides over the words of the first; labels that only one side has are dropped."""
    classes = sorted({*train.classes} & {*test.classes})
    counted = work.counts(train.texts, TextVectorizer(**dict(words)))
    known = TextVectorizer(**(dict(words) | {"min_df": 1, "vocabulary": counted.words}))
    sides = (train, counted.matrix), (test, work.counts(test.texts, known).matrix)
    return Split(*(_side(corpus, counts, classes) for corpus, counts in sides), classes)


def _side(corpus: Corpus, counts: Any, classes: list[str]) -> Side:
    place = {label: at for at, label in enumerate(classes)}
    truth = np.zeros((len(corpus), len(classes)), dtype=bool)
    labels: list[Any] = []
    for row, given in enumerate(corpus.labels):
        kept = [label for label in _each(given) if label in place]
        truth[row, [place[label] for label in kept]] = True
        labels.append(given if isinstance(given, str) else kept)
    return Side(counts, labels, truth)


def _each(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given


def reuters(work: Workplace, words: Words = ENGLISH) -> Split:
    """Return the ModApte split."""
    # Calls with and without a default are different ones to a cache.
    return _reuters(work, words)


@lru_cache(maxsize=8)
def _reuters(work: Workplace, words: Words) -> Split:
    return split_of(work, *reuters_texts(work), words)


def reuters_texts(work: Workplace) -> tuple[Corpus, Corpus]:
    """Return both sides of the ModApte split as texts."""
    return _sides(work, "reuters21578", 24)


@lru_cache(maxsize=2)
def headlines(work: Workplace, words: Words = KOREAN) -> Split:
    """Return the headlines of klue-ynat as they are split."""
    return split_of(work, *_sides(work, "klue-ynat", 50), words)


def _sides(work: Workplace, name: str, step: int) -> tuple[Corpus, Corpus]:
    """Return both sides of a corpus; every so many documents of each for a quick run."""
    corpus = work.load(name)
    sides = corpus.train, corpus.test
    if not work.quick:
        return sides
    train, test = (side.take(range(0, len(side), step)) for side in sides)
    return train, test


@lru_cache(maxsize=8)
def articles(work: Workplace, seed: int, words: Words = KOREAN) -> Split:
    """Return two thirds and one third of each class of korean-news."""
    corpus = work.load("korean-news")
    order = np.random.default_rng(seed).permutation(len(corpus))
    if work.quick:
        order = order[:300]
    learned = np.zeros(len(corpus), dtype=bool)
    for label in corpus.classes:
        rows = [row for row in order if corpus.labels[row] == label]
        learned[rows[: 2 * len(rows) // 3]] = True
    sides = ([row for row in order if learned[row] == side] for side in (True, False))
    return split_of(work, *map(corpus.take, sides), words)


# Training documents of the classes of a rotation; for five of them, two are judged.
UNEVEN = (20, 50, 100, 200, 500, 1000, 2000)


@lru_cache(maxsize=7)
def uneven_headlines(work: Workplace, rotation: int) -> Split:
    """Return headlines whose classes are of very different sizes.

    Over seven rotations each class has each size once. A class has the same share of the documents
    to be judged as of those to learn from.
    """
    corpus, rng = work.load("klue-ynat"), np.random.default_rng(rotation)
    train, test = ([], [])
    for at, label in enumerate(corpus.classes):
        size = UNEVEN[(at + rotation) % len(UNEVEN)] // (10 if work.quick else 1)
        for rows, side, n in ((train, "train", size), (test, "test", 2 * size // 5)):
            own = [
                row
                for row, (given, where) in enumerate(zip(corpus.labels, corpus.splits, strict=True))
                if (given, where) == (label, side)
            ]
            rows += rng.choice(own, max(n, 1), replace=False).tolist()
    return split_of(work, corpus.take(train), corpus.take(test), KOREAN)
