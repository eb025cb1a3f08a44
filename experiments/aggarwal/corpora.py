"""Four corpora as counts of words: training documents, and test documents by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.reproduction.texts import single_labels, subject_and_body
from experiments.reproduction.workplace import Workplace
from tallytext import TextVectorizer
from tallytext.io import Corpus

NAMES = {
    "newsgroups": "20newsgroups-bydate",
    "ag_news": "ag-news-20k",
    "ohsumed": "ohsumed",
    "ynat": "klue-ynat",
}
TITLES = {
    "newsgroups": "20 Newsgroups",
    "ag_news": "AG News",
    "ohsumed": "OHSUMED",
    "ynat": "YNAT",
}
SEED = 5
# So many documents at most are learned, and judged, in quick runs.
_QUICK = 400, 300


class Side(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: NDArray[Any]


class Split(NamedTuple):
    """Texts to learn from, and texts to judge by."""

    train: Side
    test: Side


class Documents(NamedTuple):
    """Counts of words: of training documents and of test documents by."""

    X: sparse.csr_array
    y: NDArray[Any]
    Z: sparse.csr_array
    z: NDArray[Any]

    def terms(self, columns: NDArray[Any]) -> Documents:
        """Return the same documents with some terms alone."""
        return self._replace(X=self.X[:, columns], Z=self.Z[:, columns])

    def learned(self, rows: NDArray[Any]) -> Documents:
        """Return some training documents, with the terms that these have."""
        X = self.X[rows]
        there = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        return self._replace(X=X, y=self.y[rows]).terms(there)

    def accuracy(self, model: Any) -> float:
        """Train a model, and return how many of the others it gets right."""
        return right(model.fit(self.X, self.y).predict(self.Z), self.z)


def right(predicted: Any, truth: Any) -> float:
    """Return the share that is right, with as many digits as mean something."""
    return round(float(np.mean(np.asarray(predicted) == np.asarray(truth))), 5)


def names(work: Workplace) -> list[str]:
    """Return the corpora to take; the two that are read in no time, if it has to be quick."""
    return ["ag_news", "ohsumed"] if work.quick else [*NAMES]


def split_of(
    work: Workplace, name: str, n_train: int | None = None, n_test: int | None = None
) -> Split:
    """Return a corpus by its usual split, or so many documents of each side, drawn once."""
    corpus = single_labels(work.load(NAMES[name]))
    limits = _QUICK if work.quick else (n_train, n_test)
    sides = [
        _drawn(side, limit) for side, limit in zip((corpus.train, corpus.test), limits, strict=True)
    ]
    keep = subject_and_body if name == "newsgroups" else str
    return Split(*(Side([*map(keep, side.texts)], np.array(side.labels)) for side in sides))


def documents_of(
    work: Workplace, split: Split, vectorizer: TextVectorizer | None = None, min_df: int = 1
) -> Documents:
    """Count words; only those that so many training documents have are terms."""
    texts = [*split.train.texts, *split.test.texts]
    counts = work.counts(texts, vectorizer).matrix
    X, Z = counts[: len(split.train.texts)], counts[len(split.train.texts) :]
    df = np.bincount(X.indices, minlength=X.shape[1])
    whole = Documents(X, split.train.labels, Z, split.test.labels)
    return whole.terms(np.flatnonzero(df >= min_df))


def for_trees(work: Workplace) -> Iterator[tuple[str, Documents]]:
    """Yield corpora that trees can be grown on in time: 2,000 documents on each side."""
    for name in work.track(["ag_news"] if work.quick else ["newsgroups", "ag_news"]):
        split = split_of(work, name, 2000, 2000)
        yield name, documents_of(work, split, TextVectorizer(stop_words="english"), min_df=2)


def cut(split: Split, n: int | None) -> Split:
    """Return documents that end after so many words; None leaves them whole."""
    if n is None:
        return split
    return cut_each(split, lambda size: np.full(size, n))


def cut_each(split: Split, draw: Callable[[int], NDArray[np.integer]]) -> Split:
    """Return documents that end after a number of words of their own, as many as are drawn."""
    return Split(
        *(
            side._replace(texts=[*map(_start, side.texts, draw(len(side.texts)).tolist())])
            for side in split
        )
    )


def at_least(split: Split, n: int) -> Split:
    """Return the documents that have so many words or more."""
    sides = []
    for side in split:
        kept = [row for row, text in enumerate(side.texts) if len(text.split(None, n)) >= n]
        sides.append(Side([side.texts[row] for row in kept], side.labels[kept]))
    return Split(*sides)


def _start(text: str, n: int) -> str:
    return " ".join(text.split(None, n)[:n])


def _drawn(corpus: Corpus, n: int | None) -> Corpus:
    if n is None or n >= len(corpus):
        return corpus
    rows = np.random.default_rng(SEED).choice(len(corpus), n, replace=False)
    return corpus.take(np.sort(rows).tolist())
