"""Ways to choose b: what they chose, what it cost, and what would have been best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from experiments.reproduction.record import Record
from experiments.vilar.corpora import NAMES
from experiments.vilar.judging import means

BEST = "best"
Choice = dict[str, float]


def summed_up(
    runs: Sequence[Mapping[str, Any]], rules: Iterable[str], grid: Sequence[float]
) -> dict[str, Any]:
    """Return b and error of each rule, and of the best, as means over splits.

    A run has for each rule its ``b`` and ``error``, and ``errors`` of the grid.
    """
    chosen = {
        rule: {part: fmean(run[rule][part] for run in runs) for part in ("b", "error")}
        for rule in rules
        if rule != BEST
    }
    errors = means([run["errors"] for run in runs])
    return {"errors": errors, **chosen, BEST: best_of(grid, errors, chosen.values())}


def best_of(grid: Sequence[float], errors: Sequence[float], chosen: Iterable[Choice]) -> Choice:
    """Return the b with the least error, of a grid and of what rules chose.

    Examples
    --------
    >>> best_of((0.1, 0.4), (3.0, 2.0), [{"b": 0.3, "error": 1.5}])
    {'b': 0.3, 'error': 1.5}
    """
    tried = [{"b": b, "error": error} for b, error in zip(grid, errors, strict=True)]
    return min([*tried, *chosen], key=lambda each: each["error"])


def columns_and_rows(
    found: Record, rules: Mapping[str, str]
) -> tuple[list[str], list[list[float | str | None]]]:
    """Return a table's columns, b and error of each corpus, and its lines, one of each rule."""
    columns = [""]
    for title in NAMES.values():
        columns += [f"{title}: b", "error, %"]
    rows: list[list[float | str | None]] = []
    for rule, title in rules.items():
        pairs = [(found[name][rule].b, found[name][rule].error) for name in NAMES]
        rows.append([title, *(value for pair in pairs for value in pair)])
    return columns, rows
