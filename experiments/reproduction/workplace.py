"""What a part works with: corpora, counts, and somebody to tell how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from experiments.reproduction.counts import Counts, counted
from tallytext import TextVectorizer
from tallytext.errors import FileError
from tallytext.io import Corpus, load_corpus

T = TypeVar("T")


class NotHere(Exception):
    """A corpus that a part needs is not on this machine."""


def _silent(line: str) -> None:
    pass


@dataclass(frozen=True)
class Workplace:
    """Given to each part.

    Parameters
    ----------
    data : Path or None
        The folder of the corpora; None: where ``tallytext.io.load_corpus`` looks by itself.
    quick : bool
        Whether a small sample has to do, in seconds.
    cache : Path or None
        Where counts are kept; None keeps none.
    download : bool
        Whether corpora that are missing are downloaded where that can be done.
    say : callable
        Takes a line on what is being done.
    """

    data: Path | None = None
    quick: bool = False
    cache: Path | None = None
    download: bool = False
    say: Callable[[str], None] = field(default=_silent, compare=False)

    def load(self, name: str) -> Corpus:
        """Return a corpus; a part that asks for one that is not here is left out."""
        return _loaded(name, self.data, self.download)

    def counts(self, texts: Sequence[str], vectorizer: TextVectorizer | None = None) -> Counts:
        """Return the counts of texts, from the cache if they are there."""
        return counted(texts, vectorizer or TextVectorizer(), self.cache)

    def track(self, items: Iterable[T], what: str = "") -> Iterator[T]:
        """Tell which of some items is being worked on."""
        listed: list[Any] = [*items]
        for at, item in enumerate(listed):
            self.say(f"{what} {item if isinstance(item, str) else ''} {at + 1}/{len(listed)}")
            yield item


@lru_cache(maxsize=3)
def _loaded(name: str, folder: Path | None, download: bool) -> Corpus:
    try:
        return load_corpus(name, folder=folder, download=download)
    except FileError as problem:
        raise NotHere(str(problem)) from problem
