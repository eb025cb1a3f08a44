"""One load in a fresh process: prints time and memory after each tenth of it, as a JSON list.

Run by the benchmark of loads, as ``python -m benchmarks.load_child LOAD SIZE``. Time is CPU time
of all threads, and documents are made between the measured stretches.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from time import monotonic, process_time
from typing import Any

import numpy as np

from benchmarks.memory_child import resident
from tallytext import TextClassifier

WORDS = 50_000
CLASSES = 20
BATCH = 20_000
STEPS = 10


class Messages:
    """Short documents of ten words, two of which belong to their class."""

    def __init__(self, n_classes: int = CLASSES) -> None:
        self._random = np.random.default_rng(0)
        self._words = np.array([f"w{number:x}" for number in range(WORDS)])
        self._n_classes = n_classes
        self._first = 0

    def batch(self, size: int) -> tuple[list[str], list[str]]:
        """Return texts and labels; labels take turns, so that each class comes equally often."""
        labels = np.arange(self._first, self._first + size) % self._n_classes
        self._first += size
        ranks = (WORDS ** self._random.random((size, 10))).astype(np.int64) - 1
        ranks[:, :2] = (labels[:, None] * 7 + [100, 103]) % WORDS
        return [" ".join(row) for row in self._words[ranks]], [f"c{label}" for label in labels]


class Meter:
    """Time and memory of stretches of work."""

    def __init__(self) -> None:
        self.stretches: list[dict[str, float]] = []
        self._documents, self._seconds = 0, 0.0

    def __enter__(self) -> None:
        self._begin = process_time()

    def __exit__(self, *_: object) -> None:
        self._seconds += process_time() - self._begin

    def count(self, documents: int) -> None:
        self._documents += documents

    def end_stretch(self) -> None:
        """Note the time of each document since the last call, and the memory that is held."""
        microseconds = 1e6 * self._seconds / max(self._documents, 1)
        self.stretches.append({"microseconds": microseconds, "memory": resident()})
        self._documents, self._seconds = 0, 0.0


def started(
    model: str = "multinomial", n_classes: int = CLASSES
) -> tuple[TextClassifier, Messages]:
    """Return a classifier that knows all words and classes, and more of the same messages."""
    messages = Messages(n_classes)
    every = [" ".join(f"w{number:x}" for number in range(WORDS))]
    texts, labels = messages.batch(2 * n_classes)
    return TextClassifier(model).fit(texts + every, [*labels, labels[0]]), messages


def batches(meter: Meter, size: int) -> None:
    """Learn short documents in batches."""
    classifier, messages = started()
    for _ in range(STEPS):
        for begin in range(0, size // STEPS, BATCH):
            texts, labels = messages.batch(min(BATCH, size // STEPS - begin))
            with meter:
                classifier.learn(texts, labels)
            meter.count(len(texts))
        meter.end_stretch()


def classes(meter: Meter, size: int) -> None:
    """Learn two documents of each of very many classes, and classify a thousand."""
    classifier, messages = started(n_classes=2)
    messages = Messages(size)
    for _ in range(STEPS):
        texts, labels = messages.batch(2 * size // STEPS)
        with meter:
            classifier.learn(texts, labels)
        meter.count(len(texts))
        meter.end_stretch()
    texts, _ = messages.batch(1000)
    with meter:
        classifier.predict(texts)
    meter.count(len(texts))
    meter.end_stretch()


def one_by_one(meter: Meter, size: int, model: str = "multinomial") -> None:
    """Learn documents one by one."""
    classifier, messages = started(model)
    for _ in range(STEPS):
        for begin in range(0, size // STEPS, BATCH):
            texts, labels = messages.batch(min(BATCH, size // STEPS - begin))
            with meter:
                for text, label in zip(texts, labels, strict=True):
                    classifier.learn(text, label)
            meter.count(len(texts))
        meter.end_stretch()


def window(meter: Meter, seconds: int, model: str = "multinomial") -> None:
    """Learn a document and forget the oldest of 5,000, again and again."""
    classifier, messages = started(model)
    held: deque[tuple[str, str]] = deque(maxlen=5_000)
    held.extend(pairs(messages, 5_000))
    classifier.learn(*map(list, zip(*held, strict=True)))
    begin = monotonic()
    for step in range(1, STEPS + 1):
        while monotonic() - begin < seconds * step / STEPS:
            for text, label in pairs(messages, 500):
                with meter:
                    classifier.forget(*held[0])
                    classifier.learn(text, label)
                held.append((text, label))
                meter.count(1)
        meter.end_stretch()


def pairs(messages: Messages, size: int) -> Iterator[tuple[str, str]]:
    return zip(*messages.batch(size), strict=True)


def long_document(meter: Meter, megabytes: int) -> None:
    """Learn, classify and forget one document of so many megabytes."""
    classifier, messages = started()
    texts, _ = messages.batch(20_000)
    text = " ".join(texts)
    text = " ".join([text] * (1 + 1_000_000 * megabytes // len(text)))
    for work in (
        lambda: classifier.learn(text, "c1"),
        lambda: classifier.predict(text),
        lambda: classifier.forget(text, "c1"),
    ):
        with meter:
            work()
        meter.count(1)
        meter.end_stretch()


LOADS: dict[str, Any] = {
    "batches": batches,
    "classes": classes,
    "one-by-one": one_by_one,
    "one-by-one-refined": lambda meter, size: one_by_one(meter, size, "refined"),
    "window": window,
    "window-refined": lambda meter, seconds: window(meter, seconds, "refined"),
    "long": long_document,
}


if __name__ == "__main__":
    meter = Meter()
    LOADS[sys.argv[1]](meter, int(sys.argv[2]))
    print(json.dumps(meter.stretches))
