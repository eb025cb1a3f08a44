"""Figure 3: classes in bins by the number of their training documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim import korean
from experiments.kim.grid import cell, oracle_cell
from experiments.kim.judging import Judged, size_bins
from experiments.kim.published import CHI, IG, PNB, PRR, REUTERS, STAR, UM, WEIGHTINGS
from experiments.kim.split import UNEVEN, reuters
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Figure 3: small classes and large ones"
ABOUT = """The paper groups classes into five bins by their number of training documents, without
giving the bounds, and shows the mean F1 of each bin. Here the bins of Reuters are the quintiles of
the class sizes. Korean classes are those of the uneven headlines, where size and class are
independent by design: each point is a mean over all seven classes, each with that many training
documents once. Standard errors are from resampling the test documents.

The largest fifth starts at 87 documents, where the paper speaks of classes with sufficiently many.
So F1 is given for other bounds, up to the ten largest classes, and the three claims on large
classes are tested with classes of 300 training documents or more. These bounds were added after the
claims had failed at quintiles, and 300 was chosen knowing F1 by bound. So it means little that the
claims hold there, and standard errors are given.

The last table selects as the paper did for PNB*: for each bin the weighting with the highest F1 on
the test documents."""
BOUNDS = (1, 10, 30, 100, 300, 1000)
SAMPLES, LARGE = 200, 300


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    honest = {row: cell(work, weighting) for row, weighting in WEIGHTINGS.items()}
    oracle = {row: oracle_cell(work, weighting) for row, weighting in WEIGHTINGS.items()}
    bins = size_bins(split.sizes)
    return {
        "bins": [_described(split.sizes[bins == each]) for each in np.unique(bins)],
        "reuters": _by_bin(honest, bins),
        "oracle": _by_bin(oracle, bins),
        "errors": _errors(split.test.truth, honest, bins),
        "bounds": _bounds(split.sizes),
        "by_bound": _by_bin(honest, _bound_bins(split.sizes)),
        "large": _large(split.test.truth, honest, split.sizes),
        "ten_largest": _ten_largest(honest, split.sizes),
        "as_published": Judged.of(split, _best_of_bins(honest, bins)).averages,
        "as_published_oracle": Judged.of(split, _best_of_bins(oracle, bins)).averages,
        "sizes": UNEVEN,
        "uneven": _by_size(work),
    }


def _described(sizes: Any) -> dict[str, int]:
    return {"from": int(sizes.min()), "to": int(sizes.max()), "classes": len(sizes)}


def _by_bin(found: dict[str, Judged], bins: Any) -> dict[str, list[float]]:
    return {
        row: [float(each.f1[bins == one].mean()) for one in np.unique(bins)]
        for row, each in found.items()
    }


def _bound_bins(sizes: Any) -> Any:
    return np.searchsorted(BOUNDS, sizes, side="right") - 1


def _bounds(sizes: Any) -> list[dict[str, int]]:
    bins = _bound_bins(sizes)
    return [_described(sizes[bins == one]) for one in np.unique(bins)]


def _large(truth: Any, found: dict[str, Judged], sizes: Any) -> dict[str, Any]:
    """Return the mean F1 of large classes, and the standard errors of what weights gain there."""
    is_large = sizes >= min(LARGE, sizes.max())
    return {
        "classes": int(is_large.sum()),
        "f1": {row: float(each.f1[is_large].mean()) for row, each in found.items()},
        "errors": {row: each[-1] for row, each in _errors(truth, found, is_large).items()},
    }


def _ten_largest(found: dict[str, Judged], sizes: Any) -> dict[str, float]:
    largest = np.argsort(-sizes, kind="stable")[:10]
    return {row: float(each.f1[largest].mean()) for row, each in found.items()}


def _errors(truth: Any, found: dict[str, Judged], bins: Any) -> dict[str, list[float]]:
    """Return the standard error of what each weighting gains over none, in each bin."""
    rng, n = np.random.default_rng(0), len(truth)
    draws = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(float)
    f1 = {row: _redrawn(truth, each.decided, draws) for row, each in found.items()}
    gains = {row: f1[row] - f1[PNB] for row in found if row != PNB}
    return {
        row: [float(each[:, bins == one].mean(axis=1).std()) for one in np.unique(bins)]
        for row, each in gains.items()
    }


def _redrawn(truth: Any, decided: Any, draws: Any) -> Any:
    """Return the F1 of each class for each draw of documents."""
    right, given = (truth & decided).astype(float), truth.astype(float) + decided
    return 2 * (draws @ right) / np.maximum(draws @ given, 1)


def _best_of_bins(found: dict[str, Judged], bins: Any) -> Any:
    """Return decisions with the weighting of each bin that is best on the test documents."""
    means, rows = _by_bin(found, bins), [*found]
    decided = np.zeros_like(found[rows[0]].decided)
    for at, one in enumerate(np.unique(bins)):
        best = rows[int(np.argmax([means[row][at] for row in rows]))]
        decided[:, bins == one] = found[best].decided[:, bins == one]
    return decided


def _by_size(work: Workplace) -> dict[str, list[float]]:
    splits, found = korean.splits(work, "uneven"), korean.rows_of(work, "uneven")
    orders = [np.argsort(split.sizes) for split in splits]
    return {
        row: np.mean([rows[row].f1[at] for rows, at in zip(found, orders, strict=True)], axis=0)
        for row in (UM, *WEIGHTINGS)
    }


def show(found: Record) -> Iterable[Shown]:
    heads = [f"{each['from']}–{each['to']}" for each in found.bins]
    drawn, plots = panels(3, 3)
    places = range(len(heads))
    for plot, title, lines in (
        (plots[0], "Reuters", found.reuters),
        (plots[1], "Reuters, oracle", found.oracle),
    ):
        draw_lines(plot, places, lines, title=title, x_label="training documents", y_label="F1")
        plot.set_xticks(places, heads)
    korean_lines = {row: values for row, values in found.uneven.items() if row != UM}
    named = {"title": "uneven headlines", "x_label": "training documents", "y_label": "F1"}
    draw_lines(plots[2], found.sizes, korean_lines, log_x=True, **named)
    legend_below(drawn, plots[:1])
    yield Figure("kim-figure3", "Mean F1 of classes by the number of training documents", drawn)
    rows = [(row, *values) for row, values in found.reuters.items()]
    rows += [(f"standard error of {row} less PNB", *each) for row, each in found.errors.items()]
    yield Table("Reuters: mean F1 by training documents", ("", *heads), rows)
    bounds = [f"{each['from']}–{each['to']} ({each['classes']})" for each in found.bounds]
    rows = [(row, *each, found.ten_largest[row]) for row, each in found.by_bound.items()]
    columns = ("", *bounds, "ten largest")
    yield Table("Reuters with other bounds (classes in brackets)", columns, rows)
    yield _largest(found)
    rows = [(row, *values) for row, values in found.uneven.items()]
    sizes = [f"{size:,}" for size in found.sizes]
    yield Table("Uneven headlines: mean F1 by training documents", ("", *sizes), rows)
    yield Table(
        "PNB* as published: the best weighting of each bin, by test labels",
        ("", "micro", "macro"),
        [
            ("published", *REUTERS[STAR]),
            ("thresholds of training documents", *found.as_published.values()),
            ("thresholds of the oracle", *found.as_published_oracle.values()),
        ],
        4,
    )
    yield _winners(found.reuters)


def _largest(found: Record) -> str:
    """Say how weightings stand in classes of more than 300 training documents."""
    large = found.large
    gains = ", ".join(
        f"{row} {large.f1[row] - large.f1[PNB]:+.3f} ± {large.errors[row]:.3f}"
        for row in (IG, CHI, PRR)
    )
    return (
        f"The {large.classes} classes with {LARGE} training documents or more: PNB "
        f"{large.f1[PNB]:.3f}; less that, with standard errors: {gains}."
    )


def _winners(bins: Record) -> str:
    n_bins = len(bins[PNB])
    best = [max(bins, key=lambda row, at=at: bins[row][at]) for at in range(n_bins)]
    won = [bins[row][at] for at, row in enumerate(best)]
    fixed = max(sum(values) for values in bins.values()) / n_bins
    return (
        f"The best weighting of each bin, small classes first: {', '.join(best)}. The mean over "
        f"bins is {sum(won) / n_bins:.3f} with these, and {fixed:.3f} with the best single one."
    )
