"""Time against the size of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from benchmarks.vectorizer import CONTESTANTS

ABOUT = """The same work on samples of the corpus, from every eighth document to all, on one
thread, in up to three rounds. If MB/s stay the same, time is linear in the size of the text."""
RIVALS = ("CountVectorizer", "TextVectorizer, 1 thread")
COLUMNS = ("part", "MB", "CountVectorizer", "MB/s", "TextVectorizer", "MB/s", "times")


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    corpus = corpora[0]
    yield Table(corpus.name, COLUMNS, [_row(corpus, step, clock) for step in (8, 4, 2, 1)])


def _row(corpus: Corpus, step: int, clock: Clock) -> tuple[str, ...]:
    part = corpus.every(step)
    name = f"1/{step}" if step > 1 else "all"
    runs = {rival: CONTESTANTS[rival] for rival in RIVALS}
    seconds = clock.best(f"growth, {name} of {corpus.name}", on(part.texts, runs), at_most=3)
    theirs, ours = seconds.values()
    figures = [(duration(time), f"{part.megabytes / time:.1f}") for time in (theirs, ours)]
    return name, f"{part.megabytes:.1f}", *figures[0], *figures[1], figure(theirs / ours)
