"""What runs found, as a page with a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.intervals import interval
from experiments.labelling.results import Results
from experiments.labelling.simulation import LOOP, ORDERS, RANDOM, Run
from experiments.reproduction.figures import COLOURS, Figure, legend_below, panels
from tallytext.io import save_text

NAME = "labelling-results.md"
FIGURE = "labelling-results"
# The accuracy to be reached on each corpus.
LEVELS = {"ag-news-20k": 0.85, "klue-ynat": 0.7}
TITLES = {LOOP: "active learning", RANDOM: "random order"}
MARKS = (10, 20, 30, 40, 60, 80)
HEAD = """# Labelling: results

<!-- Generated: do not edit. -->

How many labels does [`tally label`](labelling.md) need, compared with labelling documents in random
order? On `ag-news-20k`, it needs 16 labels for a lasting accuracy of 0.85 (median), and random
order needs 44.

`python -m experiments.labelling --write` wrote this page. It simulates a labelling session: the
unlabelled documents are the training half of a corpus, at most 20,000, and the data set answers
each question of a `Session`. After each answer the model of the session is evaluated on the test
half. There are two orders: the one of `tally label` (active learning, with every fifth document at
random), and a random order. The model is the same in both, and learns from all unlabelled
documents. Each seed samples other documents.

The selection strategy was developed on 6,000 documents of `ag-news-20k` with other seeds, using its
test half, so its figures may be optimistic there. `klue-ynat`, headlines in Korean, was not used;
0.70 is about the accuracy of [ten labels per class](few-labels-results.md) there.
"""
ABOUT = "Accuracy on the test half after each answer: mean of the seeds, and each seed"


def text(results: Results) -> str:
    """Return the page."""
    parts = [f"{HEAD}\n![{ABOUT}]({FIGURE}.svg)\n"]
    for corpus in results.corpora:
        parts += [f"## {corpus}\n", _needed(results, corpus), _accuracies(results, corpus)]
    return "\n".join(parts)


def write(results: Results, folder: Path) -> None:
    """Write page and figure into a folder."""
    figure(results).write(folder, ("svg",))
    save_text(folder / NAME, text(results))


def figure(results: Results) -> Figure:
    """Return the drawing: a curve for each run, and their means."""
    corpora = results.corpora
    drawn, plots = panels(len(corpora), across=2, width=5.0, height=3.6)
    for plot, corpus in zip(plots, corpora, strict=True):
        for order, colour in zip(ORDERS, COLOURS, strict=False):
            _draw(plot, results.of(corpus, order), TITLES[order], colour)
        plot.axhline(LEVELS[corpus], color="#666666", lw=0.8, ls="--")
        plot.set(title=corpus, xlabel="answers", ylabel="accuracy", ylim=(0.25, 0.92))
        plot.grid(alpha=0.25)
    legend_below(drawn, plots)
    return Figure(FIGURE, ABOUT, drawn)


def _draw(plot: Any, runs: Sequence[Run], title: str, colour: str) -> None:
    answers = np.arange(1, len(runs[0].accuracies) + 1)
    for run in runs:
        plot.plot(answers, run.accuracies, color=colour, lw=0.6, alpha=0.45)
    means = np.mean([run.accuracies for run in runs], axis=0)
    plot.plot(answers, means, color=colour, lw=2.4, label=title)


def _needed(results: Results, corpus: str) -> str:
    """Return after how many answers the level was reached, in each run."""
    runs, level = results.of(corpus, LOOP), LEVELS[corpus]
    head = f"| answers to reach {level:.2f} | {' | '.join(f'seed {run.seed}' for run in runs)} |"
    rows = [f"{head} median |", "|---|" + "---:|" * (len(runs) + 1)]
    for order in ORDERS:
        found = results.of(corpus, order)
        rows += [
            _counts(f"{TITLES[order]}, first", [run.first(level) for run in found]),
            _counts(f"{TITLES[order]}, lasting", [run.lasting(level) for run in found]),
        ]
    note = (
        "\nFirst: the first time that it was reached. Lasting: from then on accuracy was never "
        f"lower, within {len(runs[0].accuracies)} answers. –: not reached.\n"
    )
    return "\n".join([*rows, note])


def _counts(title: str, found: Sequence[int | None]) -> str:
    middle = float(np.median([np.inf if n is None else n for n in found]))
    cells = [*found, int(middle) if np.isfinite(middle) else None]
    return f"| {title} | {' | '.join('–' if n is None else str(n) for n in cells)} |"


def _accuracies(results: Results, corpus: str) -> str:
    most = min(len(run.accuracies) for order in ORDERS for run in results.of(corpus, order))
    marks = [n for n in MARKS if n <= most]
    rows = [f"| accuracy after | {' | '.join(map(str, marks))} |", "|---|" + "---:|" * len(marks)]
    for order in ORDERS:
        runs = results.of(corpus, order)
        cells = [interval([run.accuracies[n - 1] for run in runs], 3) for n in marks]
        rows.append(f"| {TITLES[order]} | {' | '.join(cells)} |")
    return "\n".join([*rows, "\nMeans over the seeds, ± a 95 % interval by Student's t.\n"])
