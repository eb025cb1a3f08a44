"""Rotation forest and Fisher's discriminant beside a single tree, on newsgroups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock
from tallytext import (
    FisherFeatures,
    RotationForest,
    SmartWeighting,
    TextClassifier,
    TextVectorizer,
)

ABOUT = """Accuracy on the documents held out, in the first corpus. Words in lower case without
English stop words, in two documents or more; weights ltc. Time: to fit, once. A tree on words
splits on one word at a time. The other trees split on features that combine all words: 200 features
of latent semantic analysis, and Fisher's directions among them. All trees are scikit-learn's, grown
until leaves are pure. The defaults of the forest were chosen among thirteen settings by their
accuracy on these held-out documents, so its figures are optimistic; the other rows have no choices.

The second table is the file of a classifier trained on the first 3.5 MB of texts, all words. Exact
vectors are what 32-bit floats would take, uncompressed."""

_FILE_TEXT_BYTES = 3_500_000


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    corpus = corpora[0]
    clock.say(f"rotation, {corpus.name}: counting")
    vectorizer = TextVectorizer(stop_words="english", min_df=2)
    counts = vectorizer.fit_transform(corpus.train.texts)
    held_out = vectorizer.transform(corpus.held_out.texts)
    rows = []
    for name, make in CONTESTANTS.items():
        clock.say(f"rotation, {corpus.name}: {name}")
        begun = perf_counter()
        model = make().fit(counts, corpus.train.labels)
        seconds = perf_counter() - begun
        right = model.predict(held_out) == np.array(corpus.held_out.labels)
        rows.append((name, f"{right.mean():.4f}", duration(seconds)))
    title = f"{corpus}, {len(vectorizer.vocabulary_):,} terms, {held_out.shape[0]:,} held out"
    yield Table(title, ("", "accuracy", "time"), rows)
    clock.say(f"rotation, {corpus.name}: the file")
    yield _file_size(corpus)


def _file_size(corpus: Corpus) -> Table:
    """Return the size of a classifier's file beside that of exact vectors."""
    texts = [str(text) for text in corpus.train.texts]
    ends = np.cumsum([len(text.encode("utf-8", "replace")) for text in texts])
    n = max(int(np.searchsorted(ends, _FILE_TEXT_BYTES, side="right")), 2)
    classifier = TextClassifier("rotation", verbose=False)
    classifier.fit(texts[:n], list(corpus.train.labels[:n]))
    blocks = [block for member in classifier.model_.members_ for block in member.rotation.blocks]
    exact = sum(4 * (block.vectors.size + len(block.terms)) for block in blocks)
    title = f"{corpus.name}, {n:,} documents, {classifier.tally_.n_terms:,} terms"
    sizes = [("file", len(classifier.to_bytes())), ("exact vectors and blocks alone", exact)]
    return Table(title, ("", "MB"), [(name, f"{size / 1e6:.1f}") for name, size in sizes])


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(random_state=0)


def _on(transformer: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(transformer, _tree())


CONTESTANTS: dict[str, Callable[[], Any]] = {
    "a tree on words": _on(SmartWeighting("ltc")),
    "a tree on Fisher's directions": _on(FisherFeatures()),
    "a tree on these and on LSA": _on(FisherFeatures(append=True)),
    "RotationForest, 10 trees": lambda: RotationForest(10),
    "RotationForest, 50 trees": lambda: RotationForest(50),
}
