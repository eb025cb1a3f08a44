"""How often naive Bayes is right, with settings chosen without a test label, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import MultinomialNB as TheirNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock
from tallytext import Calibrated, MultinomialNB, TextVectorizer, tune
from tallytext.evaluation import brier_score, calibration_error, top_label
from tallytext.models import AbsoluteDiscount, Background, Laplace

ABOUT = """Accuracy on the held-out documents; no model saw a held-out label. "Chosen by tune"
is the setting of `tune`'s own grid with the best leave-one-out accuracy on the training documents.
Fit and predict start from counts. Calibration: expected calibration error of the best label in 15
bins of equal width, and Brier score, of raw posteriors and after `Calibrated`. Its parameters come
from training documents only; but its form was chosen after the errors of several forms on the
held-out documents were known, so these two figures may be optimistic."""


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    corpus = corpora[0]
    vectorizer = TextVectorizer()
    counts = vectorizer.fit_transform(corpus.train.texts), np.array(corpus.train.labels)
    held_out = vectorizer.transform(corpus.held_out.texts), np.array(corpus.held_out.labels)
    yield _accuracies(corpus.name, counts, held_out, clock)
    yield _calibration(corpus.name, counts, held_out, clock)


def _accuracies(name: str, counts: Any, held_out: Any, clock: Clock) -> Table:
    clock.say("accuracy: tuning")
    start = perf_counter()
    tuned = tune(*counts)
    chosen = ", ".join(f"{key}={value!r}" for key, value in tuned.best.items())
    models = {
        "scikit-learn MultinomialNB": TheirNB(),
        "scikit-learn LinearSVC on tf-idf": make_pipeline(
            TfidfTransformer(sublinear_tf=True), LinearSVC()
        ),
        "Laplace(1)": MultinomialNB(Laplace(1.0)),
        "Background(0.5), the default": MultinomialNB(Background(0.5)),
        "AbsoluteDiscount, closed form": MultinomialNB(AbsoluteDiscount()),
        "AbsoluteDiscount, leave-one-out, log tf, l1": MultinomialNB(
            AbsoluteDiscount("leave-one-out"), tf="log", normalize="l1"
        ),
        "chi-weighted contrast": MultinomialNB.chi_contrast(),
    }
    rows = [(label, *_fit_and_judge(model, counts, held_out)) for label, model in models.items()]
    accuracy = f"{tuned.model.score(*held_out):.4f}"
    took = duration(perf_counter() - start)
    rows.append((f"chosen by tune ({len(tuned.trials)} settings): {chosen}", accuracy, took))
    return Table(f"Accuracy, {name}", ("", "accuracy", "fit and predict"), rows)


def _fit_and_judge(model: Any, counts: Any, held_out: Any) -> tuple[str, str]:
    start = perf_counter()
    accuracy = model.fit(*counts).score(*held_out)
    return f"{accuracy:.4f}", duration(perf_counter() - start)


def _calibration(name: str, counts: Any, held_out: Any, clock: Clock) -> Table:
    X, labels = held_out
    rows = []
    models = {"default": MultinomialNB(), "chi-weighted contrast": MultinomialNB.chi_contrast()}
    for kind, model in models.items():
        clock.say(f"accuracy: calibrating {kind}")
        before = model.fit(*counts).predict_proba(X)
        calibrated = Calibrated(model).fit(*counts)
        after = calibrated.predict_proba(X)
        truth = labels[:, None] == calibrated.classes_
        rows.append((kind, *_reliability(before, truth), *_reliability(after, truth)))
    columns = ("", "raw: error", "Brier", "calibrated: error", "Brier")
    return Table(f"Calibration, {name}", columns, rows)


def _reliability(probabilities: Any, truth: Any) -> tuple[str, str]:
    confidence, correct = top_label(probabilities, truth)
    error = calibration_error(confidence, correct)
    return f"{error:.4f}", f"{brier_score(probabilities, truth):.4f}"
