"""Section 3.4: that everything can be updated document by document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from experiments.kim.split import Side, Split, reuters
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB

HEADING = "Section 3.4: learning document by document"
ABOUT = """The paper says that all parameters can be computed incrementally. Here Reuters is learned
in ten batches and compared with learning it at once; then half of it is forgotten and compared with
a model that never learned it. This is exact if Θ = θ|V| is fixed beforehand, as in the library.

With θ fixed, as in the paper, it is not possible: a new word makes |V| larger, so the denominator
dl + θ|V| of eq. 7 changes for every document learned before, and sums over documents do not
determine by how much. The last row has the error of scores (the median of |error| / range of scores
of the class) if sums of the first half use the |V| of the first half, and only the second half uses
the |V| of both, for θ = 1 and α = 1."""
LOTS = 10


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    test, half = split.test.counts[:500], len(split.train.labels) // 2
    model = PoissonNB(weighting="chi", multi_label=True)
    at_once, lots = clone(model), clone(model)
    at_once.fit(split.train.counts, split.train.labels)
    for rows in np.array_split(np.arange(len(split.train.labels)), LOTS):
        lots.partial_fit(*_some(split.train, rows))
    first, second = np.split(np.arange(len(split.train.labels)), [half])
    lots_difference = _largest(at_once.z_star(test), lots.z_star(test))
    lots.forget(*_some(split.train, second))
    fewer = clone(model).fit(*_some(split.train, first))
    kept = np.isin(lots.classes_, fewer.classes_)
    return {
        "lots": lots_difference,
        "forgotten": _largest(lots.z_star(test)[:, kept], fewer.z_star(test)),
        "literal": _stale(split, half),
    }


def _some(side: Side, rows: Any) -> tuple[Any, list[Any]]:
    return side.counts[rows], [side.labels[row] for row in rows]


def _largest(a: Any, b: Any) -> float:
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a score is not finite, so that a difference of 0 would mean nothing")
    return float(np.abs(a - b).max())


def _stale(split: Split, half: int) -> float:
    """Return how wrong scores are if old documents keep an old |V| in their denominators."""
    counts, large = split.train.counts, np.flatnonzero(split.sizes >= 10)
    n_words = counts.shape[1]
    known = int((counts[:half].sum(axis=0) > 0).sum())
    now = np.full(counts.shape[0], float(n_words))
    then = np.where(np.arange(counts.shape[0]) < half, float(known), now)
    right, wrong = (_scores(split, large, mass) for mass in (now, then))
    return float(np.median(np.abs(right - wrong) / np.ptp(right, axis=0)))


def _scores(split: Split, classes: Any, mass: Any) -> Any:
    """Return log-ratios per word of test documents, by eqs. 7 and 8 with α = 1 and θ = 1."""
    counts, n_words = split.train.counts, split.train.counts.shape[1]
    lengths = np.asarray(counts.sum(axis=1)).ravel() + mass
    shares = counts.multiply(1 / lengths[:, None]).tocsr()
    found = []
    for each in classes:
        own = split.train.truth[:, each]
        rates = [_rate(shares, 1 / lengths, rows) for rows in (own, ~own)]
        found.append(split.test.counts @ np.log(rates[0] / rates[1]))
    long = np.asarray(split.test.counts.sum(axis=1)).ravel() + n_words
    return np.array(found).T / long[:, None]


def _rate(shares: Any, ones: Any, rows: Any) -> Any:
    return (np.asarray(shares[rows].sum(axis=0)).ravel() + ones[rows].sum()) / rows.sum()


def show(found: Record) -> Iterable[Shown]:
    rows = [
        (f"learned in {LOTS} lots, and at once: largest difference", f"{found.lots:g}"),
        ("half forgotten, and never learned: largest difference", f"{found.forgotten:g}"),
        ("θ = 1, new words came: median error of scores, share of range", f"{found.literal:.4f}"),
    ]
    yield Table("Differences between scores", ("", ""), rows)
