"""Somebody who labels, played by a data set that knows the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from tallytext.labelling import Journal, Session

LOOP, RANDOM = "loop", "random"
# Of how many questions one is drawn at random: as tally label has it, and all.
ORDERS = {LOOP: 5, RANDOM: 1}


class Half(NamedTuple):
    """Documents and their labels."""

    texts: Sequence[str]
    labels: Sequence[str]


class Game(NamedTuple):
    """What is played: documents to be labelled, others to judge by, and how many answers."""

    corpus: str
    train: Half
    test: Half
    n_answers: int


@dataclass(frozen=True)
class Run:
    """Accuracy on other documents after each answer; 0 before two classes are known."""

    corpus: str
    order: str
    seed: int
    accuracies: list[float]

    def first(self, level: float) -> int | None:
        """Return after how many answers a level was reached."""
        return next((n for n, found in enumerate(self.accuracies, 1) if found >= level), None)

    def lasting(self, level: float) -> int | None:
        """Return after how many answers a level was reached and not lost again."""
        below = [n for n, found in enumerate(self.accuracies, 1) if found < level]
        last = max(below, default=0)
        return last + 1 if last < len(self.accuracies) else None


def simulate(game: Game, order: str, seed: int, step: Callable[[], None]) -> Run:
    """Answer questions from the data set, and judge the model after each."""
    corpus, train, test, n = game
    truth, accuracies = np.asarray(test.labels), list[float]()
    with TemporaryDirectory() as folder, Journal(Path(folder) / "answers.jsonl") as journal:
        session = Session(train.texts, journal, random_every=ORDERS[order], seed=seed)
        for _ in range(n):
            session.annotate(train.labels[session.query().row])
            known = len(session.classes) > 1
            right = session.predict(test.texts) == truth if known else np.zeros(1)
            accuracies.append(float(right.mean()))
            step()
    return Run(corpus, order, seed, accuracies)
