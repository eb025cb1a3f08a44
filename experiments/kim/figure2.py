"""Figure 2: classes of Reuters over α, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.grid import alphas, cell, oracle_cell
from experiments.kim.published import CORN_ALPHA
from experiments.kim.split import reuters
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Figure 2: each class has an α of its own"
ABOUT = """The paper shows F1 over α for four classes of Reuters. The text names only *corn*;
*wheat*, *ship* and *money-fx* are our choice, made before anything was measured. Below the figure
are all classes with at least ten test documents. With thresholds fitted to training documents, F1
of a class depends on its threshold as well as on α; so curves are also drawn with the thresholds of
the oracle, which show the effect of α alone. The random variation is estimated by 200 bootstrap
samples of the test documents: next to the range over α, the table has the standard error of the
difference between the best and the worst α of a class, and the best α of *corn* is found again in
each sample (both added after a first run; no verdict depends on them). A class can have several
equally good α, so adjacent α are also considered in pairs: the share of classes that have one of
the two among their best."""
CLASSES = ("corn", "wheat", "ship", "money-fx")
ENOUGH, SAMPLES = 10, 200


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    honest = np.array([cell(work, None, alpha).f1 for alpha in alphas(work)])
    oracle = np.array([oracle_cell(work, None, alpha).f1 for alpha in alphas(work)])
    tests = split.test.truth.sum(axis=0)
    large = np.flatnonzero(tests >= (2 if work.quick else ENOUGH))
    redrawn = _redrawn(split.test.truth, [cell(work, None, each).decided for each in alphas(work)])
    shown = [split.classes.index(name) for name in CLASSES if name in split.classes]
    return {
        "alphas": alphas(work),
        "curves": {split.classes[at]: honest[:, at].tolist() for at in shown},
        "oracle_curves": {split.classes[at]: oracle[:, at].tolist() for at in shown},
        "classes": [split.classes[at] for at in large],
        "ranges": np.ptp(honest[:, large], axis=0),
        "oracle_ranges": np.ptp(oracle[:, large], axis=0),
        "noise": _paired_errors(honest, redrawn)[large],
        "best_redrawn": {
            split.classes[at]: _shares(redrawn[:, :, at], alphas(work)) for at in shown
        },
        "best": _best(honest[:, large], alphas(work)),
        "oracle_best": _best(oracle[:, large], alphas(work)),
        "neighbours": neighbours(_best(honest[:, large], alphas(work)), alphas(work)),
    }


def _best(f1: Any, values: tuple[float, ...]) -> list[list[float]]:
    """Return all best α of each class."""
    return [
        [alpha for alpha, one in zip(values, own, strict=True) if one >= own.max() - 1e-9]
        for own in f1.T
    ]


def neighbours(
    best: list[list[float]], values: tuple[float, ...]
) -> list[tuple[float, float, float]]:
    """Return two neighbouring α and the share of classes for which one of them is best.

    Examples
    --------
    >>> neighbours([[0.1, 0.2], [0.3]], (0.1, 0.2, 0.3))
    [(0.1, 0.2, 0.5), (0.2, 0.3, 1.0)]
    """
    return [
        (low, high, sum(low in each or high in each for each in best) / len(best))
        for low, high in itertools.pairwise(values)
    ]


def _redrawn(truth: Any, decided: list[Any]) -> Any:
    """Return F1 for each α, sample of test documents and class."""
    rng, n = np.random.default_rng(0), len(truth)
    draws = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(float)
    return np.array(
        [
            2 * (draws @ (truth & each)) / np.maximum(draws @ (truth.astype(float) + each), 1)
            for each in decided
        ]
    )


def _paired_errors(f1: Any, redrawn: Any) -> Any:
    """Return the standard error of the best less the worst α, for each class."""
    every = np.arange(f1.shape[1])
    best, worst = f1.argmax(axis=0), f1.argmin(axis=0)
    return (redrawn[best, :, every] - redrawn[worst, :, every]).std(axis=1)


def _shares(redrawn: Any, values: tuple[float, ...]) -> dict[str, float]:
    """Return in which share of the samples each α is the best, of equal ones the lowest."""
    best = redrawn.argmax(axis=0)
    return {f"{alpha:g}": float(np.mean(best == at)) for at, alpha in enumerate(values)}


def show(found: Record) -> Iterable[Shown]:
    drawn, plots = panels(2, 2, height=3.0)
    titles = ("thresholds of training documents", "thresholds of the oracle")
    for plot, title, curves in zip(plots, titles, (found.curves, found.oracle_curves), strict=True):
        draw_lines(plot, found.alphas, curves, title=title, x_label="α", y_label="F1")
    legend_below(drawn, plots[:1])
    yield Figure("kim-figure2", "F1 of four classes of Reuters over α", drawn)
    yield Table(
        f"{len(found.classes)} classes with {ENOUGH} test documents or more",
        ("", "range of F1 over α, median", "largest", "standard error of the range, median"),
        [
            ("thresholds of training documents", *_spread(found.ranges), _median(found.noise)),
            ("thresholds of the oracle", *_spread(found.oracle_ranges), None),
        ],
    )
    yield from _corn(found)
    rows = [
        (f"{alpha:g}", *(_share(best, alpha) for best in _bests(found))) for alpha in found.alphas
    ]
    columns = ("α", "share of classes for which it is best", "by oracle")
    yield Table("The best α (of equal ones, all)", columns, rows, 2)
    yield _pairs(found)


def _pairs(found: Record) -> str:
    """Say how many classes have their best α in each pair of neighbours."""
    equal = sum(map(len, found.best)) / len(found.best)
    said = ", ".join(
        f"{low:g} or {high:g} {100 * share:.0f} %" for low, high, share in found.neighbours
    )
    return (
        f"A class has {equal:.2f} best α on average. The share of classes for which one of two "
        f"adjacent α is best: {said}."
    )


def _corn(found: Record) -> Iterable[str]:
    """Say what can be said of the best α of the class that the paper names."""
    if "corn" in found.curves:
        curve, shares = found.curves["corn"], found.best_redrawn["corn"]
        often = sorted(shares, key=lambda alpha: -shares[alpha])[:4]
        said = ", ".join(f"{alpha} in {100 * shares[alpha]:.0f} %" for alpha in often)
        yield (
            f"*corn* moves from {min(curve):.3f} to {max(curve):.3f} over α. Its best α in "
            f"samples of the test documents: {said}; {CORN_ALPHA:g}, the published one, in "
            f"{100 * shares.get(f'{CORN_ALPHA:g}', 0.0):.0f} %."
        )


def _bests(found: Record) -> tuple[Any, Any]:
    return found.best, found.oracle_best


def _spread(values: list[float]) -> tuple[float, float]:
    return _median(values), max(values)


def _median(values: list[float]) -> float:
    return float(np.median(values))


def _share(best: list[list[float]], alpha: float) -> float:
    return sum(alpha in each for each in best) / len(best)
