"""``TextClassifier`` beside fastText's supervised mode; skipped where that is not installed."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import fasttext
import numpy as np

from benchmarks.corpora import Corpus, Documents
from benchmarks.single_label import load
from benchmarks.tables import Table, duration
from benchmarks.timing import Clock
from tallytext import TextClassifier
from tallytext.evaluation import calibration_error, top_label

FOLDER = True
ABOUT = """Accuracy on the held-out documents, seconds to train from text and to predict them, the
megabytes of the model file, and the expected calibration error of the likeliest label in 15 bins.
fastText is given lower-cased text with words and punctuation apart, as its tutorial advises, on all
cores, in a process of its own, from a shuffled file that is written outside the time: it takes
lines in their order, and learns little from sorted ones. "More" is `lr=0.5, epoch=25,
wordNgrams=2`. With several threads its results differ a little from run to run. Neither side was
tuned on a test document."""

CORPORA = ("20ng_bydate", "ag_news_20k")
SETTINGS: dict[str, dict[str, Any]] = {
    "fastText, defaults": {},
    "fastText, more": {"lr": 0.5, "epoch": 25, "wordNgrams": 2},
}
COLUMNS = ("", "accuracy", "error", "training", "prediction", "MB")
Costs = tuple[float, float, float]
_TOKENS = re.compile(r"\w+|[^\w\s]")
# It begins with whatever memory others have left, which is "NaN" more often where much has run.
_FRESH = get_context("spawn")


class Judged(NamedTuple):
    """What a contestant came to."""

    accuracy: float
    error: float
    training: float
    prediction: float
    megabytes: float

    def cells(self) -> tuple[str, ...]:
        times = duration(self.training), duration(self.prediction)
        return f"{self.accuracy:.2%}", f"{self.error:.3f}", *times, f"{self.megabytes:.1f}"


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    for corpus in load(folder, CORPORA):
        rows = []
        for name, setting in SETTINGS.items():
            clock.say(f"{corpus.name}: {name}")
            rows.append((name, *_cells(corpus, setting)))
        for model in ("additive", "auto"):
            clock.say(f"{corpus.name}: {model}")
            rows.append((f'tallytext, "{model}"', *_ours(corpus, model).cells()))
        yield Table(str(corpus), COLUMNS, rows)


def _cells(corpus: Corpus, setting: dict[str, Any]) -> tuple[str, ...]:
    try:
        return _theirs(corpus, setting).cells()
    except RuntimeError as problem:  # now and then it meets "NaN", and gives up
        return str(problem), "", "", "", ""


def _theirs(corpus: Corpus, setting: dict[str, Any]) -> Judged:
    lines, truth = [_spelt(text) for text in corpus.held_out.texts], corpus.held_out.labels
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1, _FRESH) as process:
        train = Path(folder, "train.txt")
        _write(train, corpus.train)
        found, costs = process.submit(_trained_and_asked, train, lines, setting).result()
    # Probabilities are rounded up now and then.
    sure = [min(1.0, probability) for probability, _ in found]
    right = [label == f"__label__{true}" for (_, label), true in zip(found, truth, strict=True)]
    return _judged(sure, right, costs)


def _trained_and_asked(
    train: Path, lines: list[str], setting: dict[str, Any]
) -> tuple[list[tuple[float, str]], Costs]:
    """Return the likeliest label of each line with its probability, and what it took."""
    start = perf_counter()
    model = fasttext.train_supervised(str(train), thread=os.cpu_count() or 1, verbose=0, **setting)
    trained = perf_counter()
    found = [model.f.predict(line + "\n", 1, 0.0, "strict")[0] for line in lines]
    ended = perf_counter()
    file = train.with_name("model.bin")
    model.save_model(str(file))
    return found, (trained - start, ended - trained, file.stat().st_size / 1e6)


def _ours(corpus: Corpus, model: str) -> Judged:
    start = perf_counter()
    classifier = TextClassifier(model, verbose=False).fit(*corpus.train)
    trained = perf_counter()
    proba = classifier.predict_proba(corpus.held_out.texts)
    ended = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.tally")
        classifier.save(file)
        size = file.stat().st_size / 1e6
    truth = np.array(corpus.held_out.labels)[:, None] == classifier.classes_
    sure, right = top_label(proba, truth)
    return _judged(sure, right, (trained - start, ended - trained, size))


def _judged(sure: Any, right: Any, costs: Costs) -> Judged:
    error = calibration_error(sure, right)
    return Judged(sum(right) / len(right), error, *costs)


def _write(path: Path, documents: Documents) -> None:
    lines = [f"__label__{label} {_spelt(text)}\n" for text, label in zip(*documents, strict=True)]
    random.Random(0).shuffle(lines)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _spelt(text: str) -> str:
    return " ".join(_TOKENS.findall(text.lower()))
