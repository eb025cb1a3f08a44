"""Making a tally from texts, and learning one more document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.corpora import Corpus, Documents
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, Contestant, on
from tallytext import Tally

ABOUT = """`Tally.from_texts` of all documents, on all cores; and `learn` of one document of 150
words, given as terms and counts, amortised over 2,000 of them, into a tally of the whole corpus and
into one of every tenth document. "Known" documents are in both tallies; "new" ones were held out,
so some of their terms are added."""
WORDS, LEARNED = 150, 2000
LEARNING = ("one document of 150 words", "into all", "into a tenth", "all / tenth")

Lesson = tuple[Counter[str], str]


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    yield _from_texts(corpora, clock)
    yield _learning(corpora[0], clock)


def _from_texts(corpora: Sequence[Corpus], clock: Clock) -> Table:
    rows = []
    for corpus in corpora:
        runs = {"from_texts": lambda documents: Tally.from_texts(*documents)}
        seconds = clock.best(f"tally, {corpus.name}", on(corpus.train, runs))["from_texts"]
        rows.append((str(corpus), duration(seconds), f"{corpus.megabytes / seconds:.1f}"))
    return Table("Tally.from_texts", ("", "time", "MB/s"), rows)


def _learning(corpus: Corpus, clock: Clock) -> Table:
    tenth = corpus.train.every(10)
    makers = {
        "into all": partial(Tally.from_texts, *corpus.train),
        "into a tenth": partial(Tally.from_texts, *tenth),
    }
    rows = []
    for kind, documents in (("known", tenth), ("new", corpus.held_out)):
        run = partial(_learn, _lessons(documents))
        learners = {name: Contestant(run, prepare=maker) for name, maker in makers.items()}
        seconds = clock.best(f"tally, learning {kind} documents", learners)
        all_, part = (time / LEARNED for time in seconds.values())
        rows.append((kind, duration(all_), duration(part), figure(all_ / part)))
    return Table(f"Tally.learn, {corpus.name}", LEARNING, rows)


def _learn(lessons: list[Lesson], tally: Any) -> None:
    for counts, label in lessons:
        tally.learn(counts, label)


def _lessons(documents: Documents) -> list[Lesson]:
    """Cut the text of each class into pieces of so many words; choose from all classes alike."""
    words_of = defaultdict(list)
    for text, label in zip(*documents, strict=True):
        words_of[label] += re.findall(r"\w\w+", text.lower())
    pieces = [
        (Counter(words[at : at + WORDS]), label)
        for label, words in words_of.items()
        for at in range(0, max(1, len(words) - WORDS + 1), WORDS)
    ]
    return [pieces[i * len(pieces) // LEARNED] for i in range(LEARNED)]
