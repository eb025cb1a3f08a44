"""Novelty: texts of classes that were left out of training, told from other texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.corpora import Corpus, Documents
from benchmarks.single_label import load
from benchmarks.tables import Table
from benchmarks.timing import Clock
from tallytext import TextClassifier
from tallytext.classifier.novelty import (
    COEFFICIENTS,
    KnownShares,
    expected_unknown_share,
    novelty_signals,
)

FOLDER = True
ABOUT = """Some classes are left out of training: the model is trained on all training documents of
the others, and all test documents are scored. AUROC of `novelty`, of 1 − the largest probability p,
and of the share of unknown words: the probability that a document of a left-out class gets a higher
score than one of a known class (.5 for random scores). Means over disjoint sets of left-out
classes, and the lowest value of `novelty`. The coefficients of `novelty` come from a logistic
regression on other corpora, which is repeated here: each corpus and model has the same weight, and
so have left-out and known classes. Its form, two signals of about twenty that were tried, was
chosen using the figures of 20ng_bydate and klue_ynat."""

N_LEFT_OUT = {"20ng_bydate": 5, "klue_ynat": 2}
N_LEFT_OUT_OF_OTHERS = {
    "ag_news_20k": 1,
    "reuters21578": 12,
    "ohsumed_first20000": 5,
    "debian_sections": 14,
}
N_DRAWS = 4
MODELS = ("best", "chi-contrast")


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    rows = []
    for corpus in load(folder, N_LEFT_OUT):
        draws = list(_draws(corpus, N_LEFT_OUT[corpus.name]))
        for model in MODELS:
            clock.say(f"{corpus.name}: novelty, {model}")
            found = [_aurocs(Trial.run(corpus, model, left_out)) for left_out in draws]
            figures = [f"{mean:.3f}" for mean in np.mean(found, axis=0)]
            lowest = f"{min(each[0] for each in found):.3f}"
            rows.append((corpus.name, model, str(len(draws)), *figures, lowest))
    if rows:
        columns = ("", "model", "draws", "novelty", "1 − p", "unknown", "lowest")
        yield Table("AUROC of classes left out", columns, rows)
    trials = []
    for corpus in load(folder, N_LEFT_OUT_OF_OTHERS):
        for model in MODELS:
            clock.say(f"{corpus.name}: coefficients of novelty, {model}")
            draws = list(_draws(corpus, N_LEFT_OUT_OF_OTHERS[corpus.name]))
            trials += [(Trial.run(corpus, model, each), 1 / len(draws)) for each in draws]
    if trials:
        fitted = [f"{value:.2f}" for value in _coefficients(trials)]
        columns = ("", "constant", "logit p", "unknown terms")
        used = [f"{value:.2f}" for value in COEFFICIENTS]
        rows = [("fitted here", *fitted), ("in use", *used)]
        yield Table("Coefficients, by other corpora", columns, rows)


class Trial(NamedTuple):
    """A classifier without some classes, test documents, and True for those of these classes."""

    classifier: TextClassifier
    texts: list[str]
    is_new: NDArray[np.bool_]

    @classmethod
    def run(cls, corpus: Corpus, model: str, left_out: set[str]) -> Self:
        pairs = zip(*corpus.train, strict=True)
        known = [(text, label) for text, label in pairs if label not in left_out]
        train = Documents(*map(list, zip(*known, strict=True)))
        texts, labels = corpus.held_out
        is_new = np.array([label in left_out for label in labels])
        return cls(TextClassifier(model).fit(*train), texts, is_new)


def _draws(corpus: Corpus, size: int) -> Iterator[set[str]]:
    """Yield disjoint sets of classes to leave out."""
    held_out = set(corpus.held_out.labels)
    classes = sorted(held_out.intersection(corpus.train.labels))
    shuffled = np.random.default_rng(1).permutation(classes).tolist()
    for at in range(min(N_DRAWS, len(classes) // size)):
        yield set(shuffled[at * size : (at + 1) * size])


def _aurocs(trial: Trial) -> list[float]:
    classifier, texts, is_new = trial
    scores = (
        classifier.novelty(texts),
        1 - classifier.predict_proba(texts).max(axis=1),
        1 - classifier.known_share(texts),
    )
    return [float(roc_auc_score(is_new, each)) for each in scores]


def _coefficients(trials: list[tuple[Trial, float]]) -> list[float]:
    """Fit the coefficients of novelty: the constant, and those of its two signals."""
    signals, truths, weights = [], [], []
    for (classifier, texts, is_new), weight in trials:
        tally, vectorizer = classifier.tally_, classifier.vectorizer_
        learned = tally.term_documents > 0
        analyzer = vectorizer.build_analyzer()
        known = KnownShares.from_texts(texts, analyzer, vectorizer.vocabulary_, learned).terms
        proba, expected = classifier.predict_proba(texts), expected_unknown_share(tally)
        signals.append(np.column_stack(novelty_signals(proba, known, expected)))
        truths.append(is_new)
        weights.append(weight * np.where(is_new, 1 / is_new.sum(), 1 / (~is_new).sum()))
    # Nearly without a regulariser.
    regression = LogisticRegression(C=1e6, max_iter=1000)
    regression.fit(np.vstack(signals), np.concatenate(truths), np.concatenate(weights))
    return [float(regression.intercept_[0]), *regression.coef_[0].tolist()]
