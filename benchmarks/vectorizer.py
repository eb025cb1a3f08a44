"""From a list of str to a matrix of counts and the names of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, speeds
from benchmarks.timing import Clock, on
from tallytext import TextVectorizer

ABOUT = """From a list of str to CSR counts and names: `fit_transform` and `get_feature_names_out`.
A hashing vectorizer has no names. Speedups are relative to CountVectorizer."""


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        seconds = clock.best(f"list to counts, {corpus.name}", on(corpus.texts, CONTESTANTS))
        yield speeds(str(corpus), corpus.megabytes, seconds, peer="CountVectorizer")


def with_names(vectorizer: Any, texts: Any) -> tuple[Any, Any]:
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def hashed(texts: list[str]) -> Any:
    return HashingVectorizer(alternate_sign=False, norm=None).fit_transform(texts)


CONTESTANTS = {
    "CountVectorizer": lambda texts: with_names(CountVectorizer(), texts),
    "HashingVectorizer": hashed,
    "TextVectorizer, 1 thread": lambda texts: with_names(TextVectorizer(n_jobs=1), texts),
    "TextVectorizer, 2 threads": lambda texts: with_names(TextVectorizer(n_jobs=2), texts),
    '… with tokens="sklearn"': lambda texts: with_names(
        TextVectorizer(tokens="sklearn", n_jobs=2), texts
    ),
}
