"""4 Universities: what makes its curve irregular."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import (
    SEED,
    UNIVERSITIES,
    Rows,
    random_groups,
    split,
    universities,
    words,
)
from experiments.vilar.figure1 import SIZES, SMOOTHINGS, TITLES, curves
from tallytext import MultinomialNB

HEADING = "Why figures differ: 4 Universities"
ABOUT = """The paper calls the behaviour of this corpus anomalous: best with 100 words, irregular,
hardly a difference between smoothings. It does not say what it does with the 3,158 of its 4,199
pages that come from elsewhere ("misc"). Three settings: these pages among those learned from
(Figure 1), these pages left out, and a fifth of all pages judged, drawn at random (five seeds).
And the first with full HTML in the place of its text."""

SETTINGS = {
    "with_misc": "misc learned from",
    "without_misc": "misc left out",
    "random": "a fifth at random",
    "html": "misc learned from, HTML",
}


def measure(work: Workplace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in work.track(SETTINGS, "universities:"):
        found[name] = _curves(name, work)
    return found


def _curves(setting: str, work: Workplace) -> dict[str, Any]:
    corpus = universities(work, str) if setting == "html" else universities(work)
    counts = work.counts(corpus.texts, words())
    where = np.asarray(corpus.columns["university"])
    parts = [split(counts, corpus.labels, *sides) for sides in _sides(setting, where, work.quick)]
    models = {name: MultinomialNB(smoothing) for name, smoothing in SMOOTHINGS.items()}
    sizes = SIZES[1::4] if work.quick else SIZES
    judged = sum(part.test.shape[0] for part in parts)
    return {**curves(parts, models, sizes), "judged": judged}


def _sides(setting: str, where: Any, quick: bool) -> list[tuple[Rows, Rows]]:
    if setting == "random":
        drawn = [random_groups(range(len(where)), 0.2, SEED + i) for i in range(1 if quick else 5)]
        return [(np.flatnonzero(~judged), np.flatnonzero(judged)) for judged in drawn]
    learned = where != "misc" if setting == "without_misc" else where != ""
    return [
        (np.flatnonzero(learned & (where != university)), np.flatnonzero(where == university))
        for university in UNIVERSITIES[: 2 if quick else None]
    ]


def show(found: Record) -> Iterator[str | Table | Figure]:
    yield _figure(found)
    columns = ("", "smoothing", "best, %", "with words", "all words, %")
    rows: list[tuple[Any, ...]] = [
        ("published", TITLES[name], error, size, None)
        for name, error, size in (("none", 12.1, None), ("laplace", 12.0, None))
    ]
    rows.append(("published", TITLES["discount"], 11.9, 100, None))
    for setting, title in SETTINGS.items():
        for name in SMOOTHINGS:
            errors = found[setting][name]
            best = int(np.argmin(errors))
            size = found[setting].sizes[best]
            rows.append((title, TITLES[name], errors[best], size, errors[-1]))
    yield Table("4 Universities in four settings", columns, rows, 1)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(SETTINGS), across=4, width=2.9)
    for plot, (setting, title) in zip(plots, SETTINGS.items(), strict=True):
        lines = {TITLES[name]: found[setting][name] for name in SMOOTHINGS}
        labels = {"title": title, "x_label": "words", "y_label": "error, %"}
        draw_lines(plot, found[setting].sizes, lines, **labels, log_x=True)
        plot.set_ylim(0, 40)
    legend_below(drawn, plots)
    return Figure("vilar-universities", "4 Universities in four settings", drawn)
