"""Accuracy against labels per class, a small plot for each corpus."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from experiments.few_labels import published
from experiments.few_labels.methods import METHODS
from experiments.few_labels.results import Result, Results
from experiments.few_labels.tables import by_seed
from experiments.intervals import mean_and_error

NAME = "few-labels"
ABOUT = "Accuracy against labels per class, with 95 % intervals, for each corpus"
# Safe for the colour-blind (Okabe and Ito); what is compared with is grey or thin.
COLOURS = {
    "laplace": "#999999",
    "background": "#56b4e9",
    "discount": "#009e73",
    "semantic": "#e69f00",
    "semantic_em": "#cc79a7",
    "recipe": "#d55e00",
    "nameless": "#f0a070",
    "lr": "#0072b2",
}
DASHES = (":", "--")  # of published figures
_ACROSS = 3


def draw(results: Results, folder: Path) -> None:
    """Write the figure as SVG and as PNG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    corpora = results.corpora()
    across = min(_ACROSS, len(corpora))
    down = math.ceil(len(corpora) / across)
    # The same results give the same file.
    with mpl.rc_context({"svg.hashsalt": NAME, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(3.4 * across, 2.7 * down + 0.8), layout="constrained")
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for plot, corpus in zip(axes, corpora, strict=False):
            _plot(plot, results, corpus)
        for empty in axes[len(corpora) :]:
            empty.set_visible(False)
        _legend(figure, axes, columns=(2, 3, 5)[across - 1])
        figure.savefig(folder / f"{NAME}.svg", metadata={"Date": None})
        figure.savefig(folder / f"{NAME}.png", dpi=130, metadata={"Software": None})


def _plot(plot: Any, results: Results, corpus: str) -> None:
    k_values = set[int]()
    for method in METHODS:
        found = {k: draws for k, draws in results.of(corpus, method).items() if k}
        k_values |= {*found}
        if found:
            _line(plot, method, found)
    for each, dashes in zip(published.ALL, DASHES, strict=True):
        figures = {k: each.at(corpus, k) for k in sorted(k_values)}
        known = {k: figure for k, figure in figures.items() if figure is not None}
        if known:
            plot.plot([*known], [*known.values()], dashes, color="black", lw=1, label=each.title)
    _frame(plot, corpus, sorted(k_values))


def _frame(plot: Any, corpus: str, k_values: list[int]) -> None:
    plot.set_title(corpus)
    plot.set_xscale("log")
    plot.set_xticks(k_values, [str(k) for k in k_values])
    plot.minorticks_off()
    plot.set_xlabel("labels per class")
    plot.set_ylabel("accuracy, %")
    bottom, top = plot.get_ylim()
    plot.set_ylim(max(bottom, 0.0), min(top, 102.0))
    plot.grid(alpha=0.25)


def _line(plot: Any, method: str, found: dict[int, dict[int, Result]]) -> None:
    intervals = [mean_and_error([*by_seed(draws).values()]) for draws in found.values()]
    means, errors = [each[0] for each in intervals], [each[1] or 0.0 for each in intervals]
    aside = 1.025 ** ([*METHODS].index(method) - len(METHODS) // 2)  # so that intervals do not meet
    wide = method == "recipe"
    plot.errorbar(
        [k * aside for k in found],
        means,
        yerr=errors,
        label=METHODS[method].title,
        color=COLOURS[method],
        lw=2.2 if wide else 1.1,
        elinewidth=0.8,
        capsize=2,
        marker="o" if wide else None,
        ms=4,
        zorder=3 if wide else 2,
    )


def _legend(figure: Any, axes: Any, columns: int) -> None:
    """Say once what lines are, below all plots: methods first."""
    found = [plot.get_legend_handles_labels() for plot in axes]
    lines = {title: line for each in found for line, title in zip(*each, strict=True)}
    order = [*(each.title for each in METHODS.values()), *(each.title for each in published.ALL)]
    titles = [title for title in order if title in lines]
    shown = [lines[title] for title in titles]
    figure.legend(shown, titles, loc="outside lower center", ncols=columns, frameon=False)
