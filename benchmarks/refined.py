"""RefinedNB beside LinearSVC on the same words: accuracy, and time from text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import Corpus, Documents
from benchmarks.single_label import load
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, Contestant, on
from tallytext import RefinedNB, TextVectorizer

FOLDER = True
ABOUT = """Documents with one label; debian_sections is split by source.
`TfidfVectorizer(sublinear_tf=True)` and `LinearSVC()` compared with `RefinedNB()` on
`TextVectorizer(tokens="sklearn")`, which finds the same words, with one thread per core. Accuracy
on the held-out documents in percent. Times are from a list of str: training on all training
documents, and predicting all held-out ones. Going on: after training on 90 % of the training
documents, the others are learned (`learn`, `refit`), or two passes are made over all documents;
accuracy on the held-out documents."""


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    accuracies, times, more = [], [], []
    for corpus in load(folder):
        clock.say(f"{corpus.name}: accuracy")
        peer, ours = _peer(corpus.train), _ours(corpus.train)
        scores = [model.score(*corpus.held_out) for model in (peer, ours)]
        accuracies.append((corpus.name, *scores))
        times.append(
            (corpus.name, *_training(corpus, clock), *_predicting(corpus, clock, peer, ours))
        )
        more.append((corpus.name, *_going_on(corpus)))
    if not accuracies:
        return
    means = np.mean([scores for _, *scores in accuracies], axis=0)
    rows = [_row(name, *scores) for name, *scores in [*accuracies, ("mean", *means)]]
    yield Table("Accuracy", ("", "LinearSVC", "RefinedNB", "difference"), rows)
    ratio = "times as fast"
    columns = ("", "LinearSVC: fit", "RefinedNB: fit", ratio)
    yield Table("From text", (*columns, "LinearSVC: predict", "RefinedNB: predict", ratio), times)
    yield Table("Going on", ("", "anew, 2 passes", "going on, 2 passes", "anew, 8 passes"), more)


def _row(name: str, peer: float, ours: float) -> tuple[str, ...]:
    return name, f"{peer:.2%}", f"{ours:.2%}", f"{100 * (ours - peer):+.2f}"


def _peer(documents: Documents) -> Pipeline:
    return make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC()).fit(*documents)


def _ours(documents: Documents) -> Pipeline:
    return make_pipeline(TextVectorizer(tokens="sklearn"), RefinedNB()).fit(*documents)


def _training(corpus: Corpus, clock: Clock) -> tuple[str, ...]:
    contestants = on(corpus.train, {"LinearSVC": _peer, "RefinedNB": _ours})
    return _compared(clock, f"{corpus.name}: training", contestants)


def _predicting(corpus: Corpus, clock: Clock, peer: Any, ours: Any) -> tuple[str, ...]:
    texts = corpus.held_out.texts
    contestants = on(texts, {"LinearSVC": peer.predict, "RefinedNB": ours.predict})
    return _compared(clock, f"{corpus.name}: predicting", contestants)


def _compared(clock: Clock, what: str, contestants: dict[str, Contestant]) -> tuple[str, ...]:
    theirs, ours = clock.best(what, contestants).values()
    return duration(theirs), duration(ours), figure(theirs / ours)


def _going_on(corpus: Corpus) -> tuple[str, ...]:
    (texts, labels), (new, truth) = corpus.train, corpus.held_out
    order = np.random.default_rng(0).permutation(len(texts))
    vectorizer = TextVectorizer(tokens="sklearn")
    X, Z = vectorizer.fit_transform([texts[i] for i in order]), vectorizer.transform(new)
    y, before = [labels[i] for i in order], len(order) * 9 // 10
    warm = RefinedNB().fit(X[:before], y[:before]).learn(X[before:], y[before:]).refit()
    models = RefinedNB(passes=2).fit(X, y), warm, RefinedNB().fit(X, y)
    return tuple(f"{model.score(Z, truth):.2%}" for model in models)
