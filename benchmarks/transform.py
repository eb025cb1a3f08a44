"""Counting with a vocabulary that was learned before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, speeds
from benchmarks.timing import Clock, on
from tallytext import TextVectorizer

ABOUT = """`transform` of the same texts, with the vocabulary that `fit` learned from them.
Speedups are relative to CountVectorizer."""


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        clock.say(f"transform, {corpus.name}: learning the vocabulary")
        fitted = {
            "CountVectorizer": CountVectorizer().fit(corpus.texts),
            "TextVectorizer, 1 thread": TextVectorizer(n_jobs=1).fit(corpus.texts),
            "TextVectorizer, 2 threads": TextVectorizer(n_jobs=2).fit(corpus.texts),
        }
        runs = {name: vectorizer.transform for name, vectorizer in fitted.items()}
        seconds = clock.best(f"transform, {corpus.name}", on(corpus.texts, runs))
        yield speeds(str(corpus), corpus.megabytes, seconds, peer="CountVectorizer")
