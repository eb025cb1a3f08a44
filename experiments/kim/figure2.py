"""Figure 2: classes of Reuters over α, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.grid import alphas, cell, oracle_cell
from experiments.kim.split import reuters
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Figure 2: each class has an α of its own"
ABOUT = """The paper shows F1 over α for four classes of Reuters. The text names *corn* only;
*wheat*, *ship* and *money-fx* are our choice, made before anything was measured. Below the figure:
all classes with ten test documents or more. With thresholds of training documents, F1 of a class
moves with its threshold as well as with α; so curves are also drawn with the thresholds of the
oracle, which leave α alone. How much of the movement is chance is told by documents drawn anew:
the last two columns of the table compare the range over α with the standard error of the F1 of a
class (200 samples of the test documents with replacement)."""
CLASSES = ("corn", "wheat", "ship", "money-fx")
ENOUGH, SAMPLES = 10, 200


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    honest = np.array([cell(work, None, alpha).f1 for alpha in alphas(work)])
    oracle = np.array([oracle_cell(work, None, alpha).f1 for alpha in alphas(work)])
    tests = split.test.truth.sum(axis=0)
    large = np.flatnonzero(tests >= (2 if work.quick else ENOUGH))
    noise = _noise(split.test.truth, cell(work, None, alphas(work)[-1]).decided)
    shown = [split.classes.index(name) for name in CLASSES if name in split.classes]
    return {
        "alphas": alphas(work),
        "curves": {split.classes[at]: honest[:, at].tolist() for at in shown},
        "oracle_curves": {split.classes[at]: oracle[:, at].tolist() for at in shown},
        "classes": [split.classes[at] for at in large],
        "ranges": np.ptp(honest[:, large], axis=0),
        "oracle_ranges": np.ptp(oracle[:, large], axis=0),
        "noise": noise[large],
        "best": _best(honest[:, large], alphas(work)),
        "oracle_best": _best(oracle[:, large], alphas(work)),
    }


def _best(f1: Any, values: tuple[float, ...]) -> list[list[float]]:
    """Return all best α of each class."""
    return [
        [alpha for alpha, one in zip(values, own, strict=True) if one >= own.max() - 1e-9]
        for own in f1.T
    ]


def _noise(truth: Any, decided: Any) -> Any:
    """Return the standard error of the F1 of each class under other test documents."""
    rng, n = np.random.default_rng(0), len(truth)
    right, given = (truth & decided).astype(float), truth.astype(float) + decided
    draws = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(float)
    return (2 * (draws @ right) / np.maximum(draws @ given, 1)).std(axis=0)


def show(found: Record) -> Iterable[Shown]:
    drawn, plots = panels(2, 2, height=3.0)
    titles = ("thresholds of training documents", "thresholds of the oracle")
    for plot, title, curves in zip(plots, titles, (found.curves, found.oracle_curves), strict=True):
        draw_lines(plot, found.alphas, curves, title=title, x_label="α", y_label="F1")
    legend_below(drawn, plots[:1])
    yield Figure("kim-figure2", "F1 of four classes of Reuters over α", drawn)
    yield Table(
        f"{len(found.classes)} classes with {ENOUGH} test documents or more",
        ("", "range of F1 over α, median", "largest", "standard error of F1, median"),
        [
            ("thresholds of training documents", *_spread(found.ranges), _median(found.noise)),
            ("thresholds of the oracle", *_spread(found.oracle_ranges), _median(found.noise)),
        ],
    )
    yield from _one_class(found, "corn")
    rows = [
        (f"{alpha:g}", *(_share(best, alpha) for best in _bests(found))) for alpha in found.alphas
    ]
    columns = ("α", "share of classes for which it is best", "by oracle")
    yield Table("The best α (of equal ones, all)", columns, rows, 2)


def _one_class(found: Record, name: str) -> Iterable[str]:
    """Say what can be said of the best α of one class."""
    if name in found.classes:
        curve, at = found.curves[name], found.classes.index(name)
        yield (
            f"*{name}* moves from {min(curve):.3f} to {max(curve):.3f} over α, and has a standard "
            f"error of {found.noise[at]:.3f}: its best α depends on which documents are judged."
        )


def _bests(found: Record) -> tuple[Any, Any]:
    return found.best, found.oracle_best


def _spread(values: list[float]) -> tuple[float, float]:
    return _median(values), max(values)


def _median(values: list[float]) -> float:
    return float(np.median(values))


def _share(best: list[list[float]], alpha: float) -> float:
    return sum(alpha in each for each in best) / len(best)
