"""What runs found, as a page with a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.intervals import mean_and_error
from experiments.labelling.results import Results
from experiments.labelling.simulation import LOOP, ORDERS, RANDOM, Run
from experiments.reproduction.figures import COLOURS, Figure, panels
from tallytext.storage import save_text

NAME = "labelling-results.md"
LEVEL = 0.85
TITLES = {LOOP: "asked for by the loop", RANDOM: "in random order"}
MARKS = (10, 20, 30, 40, 60, 80)
HEAD = """# Labelling: results

<!-- Generated: do not edit. -->

`python -m experiments.labelling --write` wrote this page. Labelling of `ag_news_20k` is played: the
training half is the documents without labels, and the data set answers each question of a
`Session`. After each answer the model of the session is judged on the test half. Once the session
asks as [`tally label`](labelling.md) does: for documents that would teach most, and every fifth at
random. Once all documents come in random order. The model is the same in both, and learns from all
documents without labels. Each seed draws its documents anew.
"""
ABOUT = "Accuracy on the test half after each answer: mean of the seeds, and each of them"


def text(results: Results) -> str:
    """Return the page."""
    return "\n".join(
        [
            HEAD,
            f"## Labels to reach {LEVEL:.2f}\n",
            _needed(results),
            f"## Accuracy\n\n![{ABOUT}](labelling-results.svg)\n",
            _accuracies(results),
        ]
    )


def write(results: Results, folder: Path) -> None:
    """Write page and figure into a folder."""
    figure(results).write(folder, ("svg",))
    save_text(folder / NAME, text(results))


def figure(results: Results) -> Figure:
    """Return the drawing: a curve for each run, and their means."""
    drawn, (plot,) = panels(1, width=7.2, height=4.0)
    for order, colour in zip(ORDERS, COLOURS, strict=False):
        runs = _runs(results, order)
        answers = np.arange(1, len(runs[0].accuracies) + 1)
        for run in runs:
            plot.plot(answers, run.accuracies, color=colour, lw=0.6, alpha=0.45)
        means = np.mean([run.accuracies for run in runs], axis=0)
        plot.plot(answers, means, color=colour, lw=2.4, label=TITLES[order])
    plot.axhline(LEVEL, color="#666666", lw=0.8, ls="--")
    plot.set(xlabel="answers", ylabel="accuracy", ylim=(0.25, 0.92))
    plot.grid(alpha=0.25)
    plot.legend(loc="lower right", frameon=False)
    return Figure("labelling-results", ABOUT, drawn)


def _needed(results: Results) -> str:
    seeds = [run.seed for run in _runs(results, LOOP)]
    head = f"| | {' | '.join(f'seed {seed}' for seed in seeds)} | median |"
    rows = [head, "|---|" + "---:|" * (len(seeds) + 1)]
    for order in ORDERS:
        rows.append(_counts(f"{TITLES[order]}, first", results, order, Run.first))
        rows.append(_counts(f"{TITLES[order]}, for good", results, order, Run.lasting))
    n = len(_runs(results, LOOP)[0].accuracies)
    note = (
        f"\nThe number of answers after which accuracy is {LEVEL:.2f} for the first time, and "
        f"after which it does not fall below again within {n} answers; – where that is never.\n"
    )
    return "\n".join([*rows, note])


def _counts(
    title: str, results: Results, order: str, needed: Callable[[Run, float], int | None]
) -> str:
    found = [needed(run, LEVEL) for run in _runs(results, order)]
    middle = float(np.median([np.inf if n is None else n for n in found]))
    cells = [*(_shown(n) for n in found), _shown(int(middle) if np.isfinite(middle) else None)]
    return f"| {title} | {' | '.join(cells)} |"


def _accuracies(results: Results) -> str:
    most = min(len(run.accuracies) for order in ORDERS for run in _runs(results, order))
    marks = [n for n in MARKS if n <= most]
    head = f"| answers | {' | '.join(map(str, marks))} |"
    rows = [head, "|---|" + "---:|" * len(marks)]
    for order in ORDERS:
        cells = [_interval([run.accuracies[n - 1] for run in _runs(results, order)]) for n in marks]
        rows.append(f"| {TITLES[order]} | {' | '.join(cells)} |")
    return "\n".join([*rows, "\nMeans over the seeds, ± a 95 % interval by Student's t.\n"])


def _interval(values: Sequence[float]) -> str:
    mean, error = mean_and_error(values)
    return f"{mean:.3f}" + ("" if error is None else f" ± {error:.3f}")


def _runs(results: Results, order: str) -> list[Run]:
    return sorted(results.of(order), key=lambda run: run.seed)


def _shown(n: Any) -> str:
    return "–" if n is None else str(n)
