"""What Tables 2 and 3 have in common: trials with 5 % of labels on four corpora."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from experiments.reproduction.record import Record
from experiments.reproduction.workplace import Workplace
from experiments.zhou import published
from experiments.zhou.corpora import JUDGED, TITLES, documents
from experiments.zhou.learned import learned
from experiments.zhou.trials import SHARE, Trial, listed, percent, samples, spread

KINDS = ("micro", "macro")


@lru_cache(maxsize=1)
def measured(work: Workplace) -> dict[str, Any]:
    """Return micro- and macro-F1 by corpus, method and sample."""
    return {name: _judged(work, name) for name in JUDGED}


def _judged(work: Workplace, name: str) -> dict[str, Any]:
    known, labels = learned(work, name), documents(work, name).labels
    drawn = [*samples(labels, SHARE, 2 if work.quick else 10)]
    return listed(Trial(known, labels, each).all() for each in work.track(drawn, name))


def rows(found: Record, methods: Sequence[str], best: str) -> list[tuple[str, ...]]:
    """Return rows of a table: each method, and what the best one gains over others."""
    made = [
        (f"**{TITLES[name]}**", *_cells(result, methods, best)) for name, result in found.items()
    ]
    theirs = [
        (f"{TITLES.get(name, name)}, published", *_printed(name, methods, best))
        for name in published.F1
    ]
    return [*made, *theirs]


def _printed(name: str, methods: Sequence[str], best: str) -> list[str]:
    """Return the cells of a published row; gains are the printed ones, not computed."""
    f1, gains = published.F1[name], published.GAINS[name]
    cells = []
    for at in range(len(KINDS)):
        cells += [f"{f1[method][at]:.3f}" for method in methods]
        cells += [f"{gains[method][at]:+.1f} %" for method in methods if method != best]
    return cells


def columns(titles: Sequence[str], gains: Sequence[str]) -> list[str]:
    """Return the columns of such rows."""
    return [f"{kind} {title}" for kind in KINDS for title in (*titles, *gains)]


def _cells(result: Any, methods: Sequence[str], best: str) -> list[str]:
    cells = []
    for kind in KINDS:
        cells += [spread(result[method][kind]) for method in methods]
        others = [method for method in methods if method != best]
        cells += [percent(result[best][kind], result[other][kind]) for other in others]
    return cells
