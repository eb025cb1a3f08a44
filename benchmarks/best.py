"""``TextClassifier("best")`` beside tf-idf and a linear support vector machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import Corpus
from benchmarks.single_label import load
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock, on
from tallytext import TextClassifier

FOLDER = True
ABOUT = """Documents with one label; debian_sections is split by source. Accuracy on the held-out
documents in percent, of `TfidfVectorizer(sublinear_tf=True)` with `LinearSVC()` and of
`TextClassifier("best")`, which selects a learner and its terms on training documents only. Time
is that of training from a list of str, including selection and calibration, in up to two rounds."""


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    rows = [_row(corpus, clock) for corpus in load(folder)]
    if not rows:
        return
    columns = ("", "LinearSVC", "best", "more", "chosen", "LinearSVC", "best", "times as fast")
    means = np.mean([numbers for numbers, _ in rows], axis=0)
    mean = ("mean", *_points(*means), "", "", "", "")
    yield Table("Accuracy, and training from text", columns, [row for _, row in rows] + [mean])


def _row(corpus: Corpus, clock: Clock) -> tuple[tuple[float, float], tuple[str, ...]]:
    (texts, labels), (new, truth) = corpus.train, corpus.held_out
    clock.say(f"{corpus.name}: accuracy")
    machine = _machine().fit(texts, labels).score(new, truth)
    classifier = TextClassifier("best").fit(texts, labels)
    ours = classifier.score(new, truth)
    theirs, best = clock.best(corpus.name, _contestants(corpus), at_most=2).values()
    chosen = _chosen(classifier)
    times = duration(theirs), duration(best), f"{theirs / best:.2f}"
    return (machine, ours), (corpus.name, *_points(machine, ours), chosen, *times)


def _contestants(corpus: Corpus) -> Any:
    return on(
        corpus.train,
        {
            "LinearSVC": lambda d: _machine().fit(d.texts, d.labels),
            "best": lambda d: TextClassifier("best").fit(d.texts, d.labels),
        },
    )


def _machine() -> Pipeline:
    return make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC())


def _chosen(classifier: TextClassifier) -> str:
    report = classifier.report()
    terms = report.setting.partition(" on ")[2]
    return f"{report.learner}, {terms}" if terms else report.learner


def _points(machine: float, ours: float) -> tuple[str, str, str]:
    return f"{machine:.2%}", f"{ours:.2%}", f"{100 * (ours - machine):+.2f}"
