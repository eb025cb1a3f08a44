"""PooledNB: what its stages cost, and what each of its parts is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.corpora import Corpus, Documents
from benchmarks.single_label import load
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock, on
from tallytext import PooledNB, TextVectorizer
from tallytext.io import strip_post
from tallytext.models import (
    Anchor,
    AnchoredEM,
    ClassWords,
    DocumentPool,
    Topicality,
    Trust,
    document_weights,
    posterior_regression,
)
from tallytext.models.pool import leading_directions
from tallytext.runtime import one_blas_thread, thread_count

FOLDER = True
NAMES = ("ag_news_20k", "20ng_bydate")
LABELS = (2, 10, 50)
DRAWS = 3
ABOUT = """All training documents are counted (`TextVectorizer(min_df=2)`), k of each class keep
their labels, and `PooledNB` learns from all of them, with one thread per core. Posts
of 20ng_bydate are without headers, signatures and quotes. Times: the total from a list of str, with
k = 10, compared with `TfidfVectorizer(sublinear_tf=True)` on all documents and
`LogisticRegression(C=10)` on those with labels; then each stage; the first three are needed once
for a pool. Accuracy: on the held-out documents in percent, the mean of three samples of labels (or
one per round, if there are fewer rounds), complete and with one part left out at a time. The
constants were chosen on these corpora."""

#: What is left out, and the parameters that leave it out.
PARTS: dict[str, dict[str, Any]] = {
    "PooledNB()": {},
    "without topicality": {"topicality": 0},
    "without translation": {"translation": False},
    "translation, unasked": {"translation": True},
    "without places in EM": {"concentration": 0},
    "one latent dimension": {"n_components": 1},
    "without annealing": {"annealing": 1},
    "one round": {"rounds": 1},
    "trust=0": {"trust": 0},
    "trust=1": {"trust": 1},
}
ALONE = "without the pool"
PEER = "tf-idf and logistic regression"


@dataclass(frozen=True)
class Counted:
    """A corpus as matrices of counts."""

    name: str
    train: Any
    labels: np.ndarray
    held_out: Any
    truth: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        vectorizer = TextVectorizer(min_df=2)
        train = sparse.csr_array(vectorizer.fit_transform(corpus.train.texts))
        held_out = sparse.csr_array(vectorizer.transform(corpus.held_out.texts))
        labels = np.array(corpus.train.labels), np.array(corpus.held_out.labels)
        return cls(corpus.name, train, labels[0], held_out, labels[1])

    def draw(self, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return which documents have labels, k of each class, and which have not."""
        random = np.random.default_rng([seed, 17])
        words = np.diff(self.train.indptr)
        chosen = [
            random.permutation(np.flatnonzero((self.labels == label) & (words >= 3)))[:k]
            for label in np.unique(self.labels)
        ]
        labelled = np.concatenate(chosen)
        return labelled, np.setdiff1d(np.arange(len(self.labels)), labelled)


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    corpora = [_without_headers(corpus) for corpus in load(folder, NAMES)]
    counted = [Counted.of(corpus) for corpus in corpora]
    if not corpora:
        return
    pairs = list(zip(corpora, counted, strict=True))
    yield Table(
        "From text, k = 10", ("", PEER, "PooledNB"), [_whole(*pair, clock) for pair in pairs]
    )
    stages = [_stages(each, clock) for each in counted]
    rows = [(name, *(duration(times[name]) for times in stages)) for name in stages[0]]
    yield Table("Stages, k = 10", ("", *(each.name for each in counted)), rows)
    for each in counted:
        yield _accuracies(each, clock)


def _without_headers(corpus: Corpus) -> Corpus:
    if not corpus.name.startswith("20ng"):
        return corpus
    parts = [
        Documents([strip_post(text) for text in part.texts], part.labels)
        for part in (corpus.train, corpus.held_out)
    ]
    return replace(corpus, train=parts[0], held_out=parts[1])


# ------------------------------------------------------------------------- times


def _whole(corpus: Corpus, counted: Counted, clock: Clock) -> tuple[str, ...]:
    labelled, others = counted.draw(10, 0)
    labels = counted.labels[labelled]

    def peer(texts: list[str]) -> Any:
        X = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)
        return LogisticRegression(C=10).fit(X[labelled], labels)

    def ours(texts: list[str]) -> Any:
        X = TextVectorizer(min_df=2).fit_transform(texts)
        return PooledNB().fit(X[labelled], labels, X[others])

    contestants = on(corpus.texts, {PEER: peer, "PooledNB": ours})
    times = clock.best(f"pooled, {corpus.name}", contestants)
    return corpus.name, *(duration(time) for time in times.values())


def _stages(counted: Counted, clock: Clock) -> dict[str, float]:
    """Return the time of each stage, given what those before it found."""
    threads, defaults = thread_count(), PooledNB()
    labelled, others = counted.draw(10, 0)
    X = sparse.vstack([counted.train[labelled], counted.train[others]], format="csr")
    classes, numbers = np.unique(counted.labels[labelled], return_inverse=True)
    rows, truth = np.arange(len(labelled)), np.eye(len(classes))[numbers]
    pool = DocumentPool.from_counts(
        X, Topicality(), defaults.n_components, 2, defaults.beta, threads
    )
    words = ClassWords.from_labels(pool, rows, truth, True)
    held = Anchor.from_labels(pool, rows, truth, defaults.cost, None).log_probabilities(pool)
    posteriors = AnchoredEM().run(pool, rows, truth, words, held).posteriors
    stages: dict[str, Callable[[Any], Any]] = {
        "topicality": lambda _: Topicality().weights(X, threads),
        "latent space": lambda _: leading_directions(pool.units, defaults.n_components),
        "translation": lambda _: replace(pool).translation,  # a copy has not translated yet
        "trust": lambda _: Trust.from_held_out(pool, rows, truth),
        "anchor": lambda _: Anchor.from_labels(pool, rows, truth, defaults.cost, None),
        "EM": lambda _: AnchoredEM().run(pool, rows, truth, words, held),
        "regression": lambda _: posterior_regression(
            pool, posteriors, document_weights(pool, rows), defaults.penalty
        ),
    }
    with one_blas_thread():  # as PooledNB has it
        return clock.best(f"pooled, stages of {counted.name}", on(None, stages))


# ------------------------------------------------------------------------- accuracy


def _accuracies(counted: Counted, clock: Clock) -> Table:
    found: dict[str, list[str]] = {name: [] for name in (PEER, ALONE, *PARTS)}
    for k in LABELS:
        draws = [counted.draw(k, seed) for seed in range(min(DRAWS, clock.rounds))]
        for name, cells in found.items():
            clock.say(f"pooled, {counted.name}, k = {k}: {name}")
            scores = [_score(name, counted, *draw) for draw in draws]
            cells.append(f"{100 * np.mean(scores):.1f}")
    columns = ("", *(f"k = {k}" for k in LABELS))
    return Table(
        f"Accuracy, {counted.name}", columns, [(name, *row) for name, row in found.items()]
    )


def _score(name: str, counted: Counted, labelled: np.ndarray, others: np.ndarray) -> float:
    X, y = counted.train[labelled], counted.labels[labelled]
    if name == PEER:
        weights = TfidfTransformer(sublinear_tf=True).fit(counted.train)
        model = LogisticRegression(C=10).fit(weights.transform(X), y)
        return model.score(weights.transform(counted.held_out), counted.truth)
    if name == ALONE:
        return PooledNB().fit(X, y).score(counted.held_out, counted.truth)
    model = PooledNB(**PARTS[name]).fit(X, y, counted.train[others])
    return model.score(counted.held_out, counted.truth)
