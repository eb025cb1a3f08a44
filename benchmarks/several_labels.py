"""Decisions about documents with several labels: in steps, as expected, and with few terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from benchmarks.tables import Table
from benchmarks.timing import Clock
from tallytext import TextClassifier
from tallytext.classifier.labels import count_matches

FOLDER = True
ABOUT = """Micro-averaged F1 of `TextClassifier.predict` with its default thresholds. First,
ModApte's split of Reuters-21578: training on 1,000 documents and learning the others in five
steps, compared with training on all at once. Second, random splits, 70 % for training: the F1 that
the report expects, and the F1 on the held-out documents. The tags of
debian_sections are those of 8,000 packages. Third, ModApte again, with the best 2 % of the terms
by each score: F1, and the label with the most predictions per document that has it; labels without
test documents are left out."""

FILES = {
    "reuters21578": "reuters21578.parquet",
    "ohsumed": "ohsumed_first20000.parquet",
    "debian tags": "debian_sections.parquet",
}
FIRST, N_STEPS = 1000, 5
IN_STEPS = ("multinomial", "chi-contrast", "poisson", "poisson(weighting=chi)")
EXPECTED = ("multinomial", "poisson", "chi-contrast", "contrast", "refined", "neighbours", "llsf")
TERMS = (None, "ig:0.02", "chi:0.02")
SCORES = (None, "df", "ig", "mi", "chi", "chi(average=max)", "ts")


class Corpus(NamedTuple):
    texts: list[str]
    labels: list[list[str]]


class Outcome(NamedTuple):
    f1: float
    precision: float
    recall: float
    excess: float


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    train, test = _modapte(folder)
    clock.say("several labels: in steps")
    yield Table(
        "reuters21578, in five steps",
        ("", "at once", "after 1,000", "after the last", "precision", "recall"),
        [_in_steps(model, train, test) for model in IN_STEPS],
    )
    rows = []
    for name, corpus in load(folder):
        for model in EXPECTED:
            clock.say(f"several labels: {name}, {model}")
            rows += [_expected(name, model, terms, corpus) for terms in TERMS]
    yield Table(
        "Expected and found", ("", "model", "terms", "expected", "found", "difference"), rows
    )
    rows = []
    for model in ("neighbours", "llsf"):
        for score in SCORES:
            clock.say(f"several labels: {model}, {score}")
            classifier = TextClassifier(model, select=_two_percent(score), multi_label=True)
            found = _outcome(classifier.fit(*train), test)
            figures = (f"{found.f1:.3f}", f"{found.precision:.3f}", f"{found.recall:.3f}")
            rows.append((model, score or "all terms", *figures, f"{found.excess:.1f}"))
    yield Table(
        "reuters21578, the best 2 % of the terms",
        ("", "score", "micro-F1", "precision", "recall", "given / have"),
        rows,
    )


def _modapte(folder: Path) -> tuple[Corpus, Corpus]:
    table = pq.read_table(folder / FILES["reuters21578"], columns=["text", "labels", "split"])
    split = np.array(table["split"].to_pylist())
    texts, labels = table["text"].to_pylist(), table["labels"].to_pylist()
    return tuple(  # type: ignore[return-value]
        Corpus([texts[row] for row in rows], [labels[row] for row in rows])
        for rows in (np.flatnonzero(split == part) for part in ("train", "test"))
    )


def load(folder: Path) -> Iterator[tuple[str, Corpus]]:
    """Yield the names and all documents of three corpora."""
    train, test = _modapte(folder)
    yield "reuters21578", Corpus(train.texts + test.texts, train.labels + test.labels)
    table = pq.read_table(folder / FILES["ohsumed"], columns=["text", "labels"])
    yield "ohsumed", Corpus(table["text"].to_pylist(), table["labels"].to_pylist())
    table = pq.read_table(folder / FILES["debian tags"], columns=["text", "tags"])
    tags = table["tags"].to_pylist()
    rows = [row for row, own in enumerate(tags) if own]
    rows = np.random.default_rng(0).permutation(rows)[:8000].tolist()
    texts = table["text"].to_pylist()
    yield "debian tags", Corpus([texts[row] for row in rows], [tags[row] for row in rows])


def _in_steps(model: str, train: Corpus, test: Corpus) -> tuple[str, ...]:
    once = _outcome(TextClassifier(model, multi_label=True).fit(*train), test)
    classifier = TextClassifier(model, multi_label=True)
    classifier.fit(train.texts[:FIRST], train.labels[:FIRST])
    first = _outcome(classifier, test)
    for rows in np.array_split(np.arange(FIRST, len(train.texts)), N_STEPS):
        part = slice(rows[0], rows[-1] + 1)
        classifier.learn(train.texts[part], train.labels[part])
    last = _outcome(classifier, test)
    figures = (once.f1, first.f1, last.f1, last.precision, last.recall)
    return model, *(f"{figure:.3f}" for figure in figures)


def _expected(name: str, model: str, terms: str | None, corpus: Corpus) -> tuple[str, ...]:
    order = np.random.default_rng(0).permutation(len(corpus.texts)).tolist()
    n = len(order) * 7 // 10
    train, test = (
        Corpus([corpus.texts[row] for row in rows], [corpus.labels[row] for row in rows])
        for rows in (order[:n], order[n:])
    )
    classifier = TextClassifier(model, select=terms, multi_label=True).fit(*train)
    expected, found = classifier.report().score or 0.0, _outcome(classifier, test).f1
    difference = f"{100 * (expected - found):+.1f}"
    return name, model, terms or "all", f"{expected:.3f}", f"{found:.3f}", difference


def _two_percent(score: str | None) -> str | None:
    if score is None:
        return None
    name, _, more = score.partition("(")
    return f"{name}(keep=0.02, {more}" if more else f"{name}(keep=0.02)"


def _outcome(classifier: TextClassifier, test: Corpus) -> Outcome:
    given = classifier.predict(test.texts).tolist()
    n_right, n_given, n_true = count_matches(given, test.labels)
    n_with = Counter(label for labels in test.labels for label in labels)
    n_given_to = Counter(label for labels in given for label in labels)
    excess = max(n_given_to[label] / n for label, n in n_with.items())
    return Outcome(2 * n_right / (n_given + n_true), n_right / n_given, n_right / n_true, excess)
