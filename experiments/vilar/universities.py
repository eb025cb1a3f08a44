"""4 Universities: what makes its curve irregular."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure
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
from experiments.vilar.published import published
from experiments.vilar.settings import figure_of, table_of
from experiments.vilar.wording import where
from tallytext import MultinomialNB

HEADING = "Why figures differ: 4 Universities"
ABOUT = """The paper calls the behaviour of this corpus anomalous: best with 100 words, irregular,
hardly a difference between smoothings. It does not describe its use of the 3,158 of its 4,199 pages
that come from elsewhere ("misc"). Three settings are compared: these pages in the training set
(Figure 1), these pages left out, and a random fifth of all pages as test set (five seeds). The last
setting is the first with full HTML instead of its text."""

SETTINGS = {
    "with_misc": "misc learned from",
    "without_misc": "misc left out",
    "random": "a fifth at random",
    "html": "misc learned from, HTML",
}
_BEST_SIZES = {"discount": 100}  # as section 5 of the paper says


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
    yield figure_of(found, SETTINGS, "vilar-universities", "4 Universities in four settings")
    theirs = [
        ("published", title, published("4 Universities", title), _BEST_SIZES.get(name), None, None)
        for name, title in TITLES.items()
    ]
    yield table_of(found, SETTINGS, "4 Universities in four settings", theirs)
    yield _on_numbers(found)


def _on_numbers(found: Record) -> str:
    all_best = {
        title: found[name].discount[-1] == min(found[name].discount)
        for name, title in SETTINGS.items()
    }
    here, drawn = found.with_misc, found.random
    error = min(here.discount)
    best = drawn.sizes[drawn.discount.index(min(drawn.discount))]
    return (
        f"Only {here.judged:,} pages are evaluated when universities are left out: the standard "
        f"error of an error of {error:.0f} % is about "
        f"{_standard_error(error, here.judged):.1f} points, "
        "and twice that for one university of four. With pages at random, "
        f"{drawn.judged:,} of them in all draws, discounting is best with {best:,} words; whether "
        "their number or their origin changes the curve is not known. "
        f"Settings in which discounting is best with all words: {where(all_best)}."
    )


def _standard_error(error: float, n: int) -> float:
    return float(np.sqrt(error * (100 - error) / n))
