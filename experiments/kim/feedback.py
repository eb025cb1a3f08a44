"""Open: relevance feedback, round by round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from experiments.kim.published import CHI, PNB
from experiments.kim.split import Split, reuters
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB

HEADING = "Open: relevance feedback"
IS_OPEN = True
ABOUT = """The paper names relevance feedback as a task for its model. Here, on Reuters: a user
searches for the documents of one class and has three. The model learns these as relevant and all
other training documents as background, without their labels. In each round the user labels the ten
documents that the model ranks highest and that are not labelled yet. A relevant one is forgotten as
background and learned as relevant; this is exact, so no round counts anything again. After each
round the test documents are ranked by z*, and the average precision is measured. It is compared
with ten random documents in each round, and with the model that has the labels of all training
documents. Classes with at least 30 training documents and 10 test documents, α = .8."""
N_START, PER_ROUND, ROUNDS = 3, 10, 10
WAYS = ("highest", "random")
MODELS = {PNB: None, CHI: "chi"}


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    tests = split.test.truth.sum(axis=0)
    few = (5, 2) if work.quick else (30, 10)
    wanted = np.flatnonzero((split.sizes >= few[0]) & (tests >= few[1]))
    wanted = wanted[:3] if work.quick else wanted
    rounds = 2 if work.quick else ROUNDS
    curves: dict[str, dict[str, Any]] = {}
    for name, weighting in MODELS.items():
        model = PoissonNB(weighting=weighting, multi_label=True)
        searches = [
            [Search(model, split, at, way).run(rounds) for way in WAYS]
            for at in work.track(wanted.tolist(), name)
        ]
        means = np.mean(searches, axis=0)
        everything = np.mean([_with_all_labels(model, split, at) for at in wanted])
        curves[name] = {way: means[i] for i, way in enumerate(WAYS)} | {"all": float(everything)}
    return {
        "n_classes": len(wanted),
        "judged": [PER_ROUND * i for i in range(rounds + 1)],
        "curves": curves,
    }


class Search:
    """A search for the documents of one class, with somebody who looks at what is found."""

    def __init__(self, model: PoissonNB, split: Split, at: int, way: str) -> None:
        self.split, self.at, self.way = split, at, way
        self.rng = np.random.default_rng(at)
        self.relevant = split.train.truth[:, at]
        self.seen = np.zeros(len(self.relevant), dtype=bool)
        start = self.rng.choice(np.flatnonzero(self.relevant), N_START, replace=False)
        self.seen[start] = True
        labels = [["yes"] if each else [] for each in self.seen]
        self.model = PoissonNB(**model.get_params()).fit(split.train.counts, labels)

    def run(self, rounds: int) -> list[float]:
        """Return the average precision on test documents before all rounds and after each."""
        found = [precision(self.model, self.split, self.at)]
        for _ in range(rounds):
            self.look(self.next())
            found.append(precision(self.model, self.split, self.at))
        return found

    def next(self) -> NDArray[np.intp]:
        """Return the documents to look at."""
        if self.way == "random":
            return self.rng.choice(np.flatnonzero(~self.seen), PER_ROUND, replace=False)
        ranks = self.model.z_star(self.split.train.counts)[:, 0]
        ranks[self.seen] = -np.inf
        return np.argsort(-ranks, kind="stable")[:PER_ROUND]

    def look(self, rows: NDArray[np.intp]) -> None:
        """Learn as relevant what is, and was taken for background."""
        self.seen[rows] = True
        rows = rows[self.relevant[rows]]
        if len(rows):
            self.model.forget(self.split.train.counts[rows], [[] for _ in rows])
            self.model.partial_fit(self.split.train.counts[rows], [["yes"] for _ in rows])


def precision(model: PoissonNB, split: Split, at: int) -> float:
    """Return the average precision of the ranks of test documents."""
    ranks = model.z_star(split.test.counts)[:, 0]
    return float(average_precision_score(split.test.truth[:, at], ranks))


def _with_all_labels(model: PoissonNB, split: Split, at: int) -> float:
    labels = [["yes"] if each else [] for each in split.train.truth[:, at]]
    fitted = PoissonNB(**model.get_params()).fit(split.train.counts, labels)
    return precision(fitted, split, at)


def show(found: Record) -> Iterable[Shown]:
    drawn, plots = panels(len(found.curves), 2)
    for plot, (name, each) in zip(plots, found.curves.items(), strict=True):
        lines = {
            "ten highest": each.highest,
            "ten at random": each.random,
            "all labels known": [each["all"]] * len(found.judged),
        }
        named = {"title": name, "x_label": "documents looked at", "y_label": "average precision"}
        draw_lines(plot, found.judged, lines, **named)
    ends = [plot.get_ylim() for plot in plots]
    for plot in plots:
        plot.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    legend_below(drawn, plots[:1])
    about = f"Average precision on test documents, mean over {found.n_classes} classes of Reuters"
    yield Figure("kim-feedback", about, drawn)
    columns = ("", "three examples", *(f"{n} looked at" for n in found.judged[1:]), "all labels")
    rows = [
        (f"{name}, {way}", *each[way], each["all"])
        for name, each in found.curves.items()
        for way in WAYS
    ]
    yield Table(about, columns, rows)
