"""Accuracies as tables: methods by labels per class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np
from benchmarks.tables import Table, duration

from experiments.few_labels import published
from experiments.few_labels.methods import METHODS, RECIPE
from experiments.few_labels.results import Result, Results
from experiments.intervals import interval

BASELINE = "lr"
GUARD_CORPUS, GUARD_K = "20ng_bydate", 10


def accuracies(results: Results, corpus: str) -> Table:
    """Tabulate the mean accuracy of each method at each k, with intervals, and over all k."""
    by_method = {method: _with_labels(results.of(corpus, method)) for method in METHODS}
    k_values = sorted({k for found in by_method.values() for k in found})
    rows = [
        [METHODS[method].title, *_cells(found, k_values)]
        for method, found in by_method.items()
        if found
    ]
    rows += _published(corpus, k_values)
    return Table(corpus, ["accuracy, %", *(f"k = {k}" for k in k_values), "mean over k"], rows)


def _with_labels(found: dict[int, dict[int, Result]]) -> dict[int, dict[int, Result]]:
    return {k: draws for k, draws in found.items() if k}


def names_alone(results: Results) -> Table:
    """Tabulate the accuracy without any label, by the names of the classes."""
    rows = []
    for corpus in results.corpora():
        draws = results.of(corpus, RECIPE).get(0, {})
        for result in draws.values():
            known = result.notes["learner"]
            rows.append([corpus, f"{100 * result.accuracy:.1f}" if known else "names say nothing"])
    return Table("Names of the classes alone", ["corpus", "accuracy, %"], rows)


def _cells(found: dict[int, dict[int, Result]], k_values: Sequence[int]) -> Iterator[str]:
    for k in k_values:
        yield interval([*by_seed(found[k]).values()], 1) if k in found else ""
    yield interval(means_over_k(found, k_values), 1)


def by_seed(found: dict[int, Result]) -> dict[int, float]:
    """Return accuracies in per cent."""
    return {seed: 100 * result.accuracy for seed, result in found.items()}


def means_over_k(found: dict[int, dict[int, Result]], k_values: Sequence[int]) -> list[float]:
    """Return the mean of each seed that has all k."""
    if not all(k in found for k in k_values):
        return []
    whole = set.intersection(*({*found[k]} for k in k_values))
    return [
        float(np.mean([100 * found[k][seed].accuracy for k in k_values])) for seed in sorted(whole)
    ]


def _published(corpus: str, k_values: Sequence[int]) -> Iterator[list[str]]:
    for each in published.ALL:
        if corpus in each.figures:
            values = [each.at(corpus, k) for k in k_values]
            mean = f"{each.mean(corpus):.1f}" if tuple(k_values) == published.K else ""
            yield [each.title, *("" if v is None else f"{v:.1f}" for v in values), mean]


def guards(results: Results) -> Table:
    """Tabulate how often the recipe fell back on what it knows from labels alone."""
    columns = ["corpus", "k", "draws", "trust > 0", "mean trust", "not translated", "another model"]
    rows = []
    for corpus in results.corpora():
        for k, found in _with_labels(results.of(corpus, RECIPE)).items():
            rows.append([corpus, str(k), str(len(found)), *_guarded([*found.values()])])
    return Table("How often guards of the recipe fired", columns, rows)


def _guarded(found: Sequence[Result]) -> Iterator[str]:
    notes = [result.notes for result in found]
    trust = [note["trust"] for note in notes if "trust" in note]
    yield _share([value > 0 for value in trust])
    yield f"{np.mean(trust):.2f}" if trust else ""
    yield _share([not note["translated"] for note in notes if "translated" in note])
    yield _share(["trust" not in note for note in notes])


def _share(held: Sequence[bool]) -> str:
    return f"{np.mean(held):.0%}" if held else ""


def fallback_share(
    results: Results, corpus: str = GUARD_CORPUS, most: int = GUARD_K
) -> float | None:
    """Return the share of draws at small k where the recipe trusted its anchor, or gave way."""
    fired = [
        result.notes.get("trust", 1.0) > 0
        for k, found in results.of(corpus, RECIPE).items()
        for result in found.values()
        if 0 < k <= most
    ]
    return float(np.mean(fired)) if fired else None


def fit_times(results: Results) -> Table:
    """Tabulate how long the recipe took to fit: the median over draws of all k, and the longest."""
    rows = []
    for corpus in results.corpora():
        found = results.of(corpus, RECIPE).values()
        seconds = [result.seconds for draws in found for result in draws.values()]
        if seconds:
            rows.append([corpus, duration(median(seconds)), duration(max(seconds))])
    return Table("Fit time of the recipe", ["corpus", "median", "longest"], rows)
