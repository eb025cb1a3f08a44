"""Finding phrases in newsgroups, beside counting all pairs of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.tables import Table, figure, speeds
from benchmarks.timing import Clock, on
from tallytext.semantic import Phrases

FILE = "20ng_orig19997.parquet"
METHODS = ("npmi", "likelihood", "gensim", "xtract")
PEER = "CountVectorizer, pairs"
BEST = 10
ABOUT = f"""Phrases of two to four words in the original newsgroups, headers
included, on two threads, from a list of str, including the detection of function words. Speedups
are relative to scikit-learn's `CountVectorizer(ngram_range=(2, 2))`, which counts all pairs of
words without scoring them. Found: the number of phrases, and the mean number of occurrences and of
distinct phrases per document. The best {BEST} have the highest scores, ties in alphabetical
order."""


def measure(path: Path, clock: Clock) -> Iterator[Table]:
    texts = pq.read_table(path, columns=["text"])["text"].to_pylist()
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    title = f"{path.stem}: {len(texts):,} documents, {megabytes:.1f} MB"
    yield speeds(title, megabytes, clock.best("phrases", on(texts, _runs(texts)), 3), PEER)
    clock.say("phrases: counting what was found")
    models = {method: Phrases(method).fit(texts) for method in METHODS}
    columns = ("", "phrases", "in a document", "different ones")
    yield Table("Found", columns, [_found(models[method], texts) for method in METHODS])
    yield Table(f"The best {BEST}", ("", *METHODS), list(_best(list(models.values()))))


def _runs(texts: Sequence[str]) -> dict[str, Callable[[Sequence[str]], object]]:
    fitted = Phrases(n_jobs=2).fit(texts)
    peer = {PEER: CountVectorizer(ngram_range=(2, 2)).fit_transform}
    return (
        peer
        | {f"fit, {m}": Phrases(m, n_jobs=2).fit for m in METHODS}
        | {"transform, npmi": fitted.transform}
    )


def _found(model: Phrases, texts: Sequence[str]) -> tuple[str, ...]:
    X = model.transform(texts)
    return (
        model.method,
        f"{len(model.phrases_):,}",
        figure(X.sum() / len(texts)),
        figure(X.nnz / len(texts)),
    )


def _best(models: Sequence[Phrases]) -> Iterator[tuple[str, ...]]:
    names = [list(model.phrases_)[:BEST] for model in models]
    for i in range(max(map(len, names))):
        yield (str(i + 1), *(column[i] if i < len(column) else "" for column in names))
