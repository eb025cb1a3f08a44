"""Words of one character, pairs of words, and character n-grams besides them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from tallytext import TextVectorizer

ABOUT = """`fit_transform` to the same counts: `TextVectorizer` with `tokens="sklearn"` and
`min_length=1`, and `CountVectorizer` with a pattern that keeps words of one character; for
characters in addition to words, a `FeatureUnion` of two of them. Up to three rounds. Characters,
which are slow in scikit-learn, on corpora of less than 10 MB."""
COLUMNS = ("", "columns", "scikit-learn", "1 thread", "2 threads", "times, 1", "times, 2")
SMALL = 10  # megabytes
WORDS: dict[str, Any] = {"words": {}, "words (1, 2)": {"ngram_range": (1, 2)}}
MIXED: dict[str, Any] = {"… and characters (2, 4)": {"ngram_range": (1, 2), "chars": (2, 4)}}


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        features = WORDS | (MIXED if corpus.megabytes < SMALL else {})
        rows = [_row(corpus, name, kept, clock) for name, kept in features.items()]
        yield Table(str(corpus), COLUMNS, rows)


def _row(corpus: Corpus, name: str, features: dict[str, Any], clock: Clock) -> tuple[str, ...]:
    runs = {
        "scikit-learn": lambda texts: _theirs(**features).fit_transform(texts),
        "1 thread": _on_threads(1, features),
        "2 threads": _on_threads(2, features),
    }
    what = f"character n-grams, {corpus.name}, {name}"
    theirs, one, two = clock.best(what, on(corpus.texts, runs), at_most=3).values()
    columns = _ours(2, features).fit(corpus.texts).vocabulary_
    times = figure(theirs / one), figure(theirs / two)
    return name, f"{len(columns):,}", *map(duration, (theirs, one, two)), *times


def _ours(threads: int, features: dict[str, Any]) -> TextVectorizer:
    return TextVectorizer(tokens="sklearn", min_length=1, n_jobs=threads, **features)


def _on_threads(threads: int, features: dict[str, Any]) -> Callable[[list[str]], Any]:
    return lambda texts: _ours(threads, features).fit_transform(texts)


def _theirs(ngram_range: tuple[int, int] = (1, 1), chars: tuple[int, int] | None = None) -> Any:
    words = CountVectorizer(token_pattern=r"(?u)\b\w+\b", ngram_range=ngram_range)
    if chars is None:
        return words
    characters = CountVectorizer(analyzer="char_wb", ngram_range=chars)
    return FeatureUnion([("words", words), ("characters", characters)])
