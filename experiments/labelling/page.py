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
TITLES = {LOOP: "asked for by the loop", RANDOM: "in random order"}
MARKS = (10, 20, 30, 40, 60, 80)
HEAD = """# Labelling: results

<!-- Generated: do not edit. -->

`python -m experiments.labelling --write` wrote this page. Labelling is played: the training half of
a corpus is the documents without labels, at most 20,000, and the data set answers each question of
a `Session`. After each answer the model of the session is judged on the test half. Once the session
asks as [`tally label`](labelling.md) does: for documents that would teach most, and every fifth at
random. Once all documents come in random order. The model is the same in both, and learns from all
documents without labels. Each seed draws its documents anew.

How documents are asked for was settled on 6,000 documents of `ag-news-20k` with other seeds and
with an eye on its test half, so that the figures may flatter the loop there. `klue-ynat`, headlines
in Korean, had no part in it; 0.70 is about what [ten labels per class](few-labels-results.md) come
to there.
"""
ABOUT = "Accuracy on the test half after each answer: mean of the seeds, and each of them"


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
            _counts(f"{TITLES[order]}, for good", [run.lasting(level) for run in found]),
        ]
    note = (
        "\nFirst: when it was reached. For good: from when on accuracy was never lower, within "
        f"{len(runs[0].accuracies)} answers; – where that did not happen.\n"
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
