"""scikit-learn's vectorizers and those of tallytext.sklearn that take their place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sklearn.feature_extraction import text as original

import tallytext.sklearn as drop_in
from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on

ABOUT = """`fit_transform` of scikit-learn's classes and of those in `tallytext.sklearn`, with the
same parameters; threads by `OMP_NUM_THREADS`. Speedups over scikit-learn on one thread and on two.
Up to three rounds; n-grams, which are slow in scikit-learn, on every fourth document, up to two."""
COLUMNS = ("", "scikit-learn", "1 thread", "2 threads", "times, 1", "times, 2")


class Setting(NamedTuple):
    """A class with its parameters, and how much of the corpus to measure it on."""

    name: str
    cls: str
    parameters: dict[str, Any]
    step: int = 1
    at_most: int = 3

    def run(self, module: Any) -> Callable[[list[str]], Any]:
        return lambda texts: getattr(module, self.cls)(**self.parameters).fit_transform(texts)


WORD_PAIRS = {"ngram_range": (1, 2)}
CHARACTERS = {"analyzer": "char_wb", "ngram_range": (2, 4)}
SETTINGS = (
    Setting("words", "CountVectorizer", {}),
    Setting("words (1, 2)", "CountVectorizer", WORD_PAIRS, step=4, at_most=2),
    Setting("char_wb (2, 4)", "CountVectorizer", CHARACTERS, step=4, at_most=2),
    Setting("words, tf-idf", "TfidfVectorizer", {}),
)


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        yield Table(str(corpus), COLUMNS, [_row(corpus, setting, clock) for setting in SETTINGS])


def _row(corpus: Corpus, setting: Setting, clock: Clock) -> tuple[str, ...]:
    runs = {
        "scikit-learn": setting.run(original),
        "1 thread": _on_threads(1, setting.run(drop_in)),
        "2 threads": _on_threads(2, setting.run(drop_in)),
    }
    what = f"drop-ins, {corpus.name}, {setting.name}"
    contestants = on(corpus.every(setting.step).texts, runs)
    theirs, one, two = clock.best(what, contestants, at_most=setting.at_most).values()
    times = figure(theirs / one), figure(theirs / two)
    return setting.name, *map(duration, (theirs, one, two)), *times


def _on_threads(threads: int, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def limited(texts: Any) -> Any:
        with _thread_limit(threads):
            return run(texts)

    return limited


@contextmanager
def _thread_limit(threads: int) -> Iterator[None]:
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = str(threads)
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before
