"""Splits into training and test documents that papers refer to by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TypeAlias

from tallytext.datasets.corpus import Corpus
from tallytext.errors import FileError

#: Gives a corpus other sides.
Split: TypeAlias = Callable[[Corpus], Corpus]

_LEWIS = {"TRAIN": "train", "TEST": "test"}
_HAYES = {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}


def lewis_side(lewissplit: str, topics: str, wanted: Collection[str]) -> str:
    """Return the side of an article of Reuters-21578 whose attribute TOPICS is one of some.

    Examples
    --------
    >>> lewis_side("TRAIN", "YES", {"YES"}), lewis_side("TRAIN", "NO", {"YES"})
    ('train', '')
    """
    return _LEWIS.get(lewissplit, "") if topics in wanted else ""


def mod_apte(corpus: Corpus) -> Corpus:
    """9,603 and 3,299 articles whose topics an indexer thought about; 8,676 are not used."""
    return _by_lewis(corpus, {"YES"})


def mod_lewis(corpus: Corpus) -> Corpus:
    """13,625 and 6,188 articles, those without topics included; 1,765 are not used."""
    return _by_lewis(corpus, {"YES", "NO"})


def mod_hayes(corpus: Corpus) -> Corpus:
    """20,856 articles to train on, and the 722 that the first published system was tested on."""
    return replace(corpus, splits=[_HAYES.get(side, "") for side in _column(corpus, "cgisplit")])


def mod_apte_90(corpus: Corpus) -> Corpus:
    """The 90 topics with articles on both sides of ModApte: 7,770 and 3,019 have one of them.

    No other topic is left among the labels.
    """
    split = mod_apte(corpus)
    kept = set(split.train.classes) & set(split.test.classes)
    labels = [[label for label in given if label in kept] for given in split.labels]
    sides = [side if given else "" for side, given in zip(split.splits, labels, strict=True)]
    return replace(split, labels=labels, splits=sides)


def held_out(column: str, value: str) -> Split:
    """Return the split that tests on the documents with a value in a column."""

    def split(corpus: Corpus) -> Corpus:
        values = _column(corpus, column)
        return replace(corpus, splits=["test" if each == value else "train" for each in values])

    return split


def _by_lewis(corpus: Corpus, topics: Collection[str]) -> Corpus:
    sides = _column(corpus, "lewissplit")
    given = _column(corpus, "topics_attr")
    pairs = zip(sides, given, strict=True)
    return replace(corpus, splits=[lewis_side(side, each, topics) for side, each in pairs])


def _column(corpus: Corpus, name: str) -> Iterable[str]:
    if name not in corpus.columns:
        raise FileError(
            f"the table of {corpus.name!r} has no column {name!r}, which the split is made by."
        )
    return corpus.columns[name]
