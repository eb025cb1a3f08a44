"""Curves of one corpus in several settings, as a figure and a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.vilar.figure1 import SMOOTHINGS, TITLES, near_best


def figure_of(found: Record, settings: Mapping[str, str], name: str, about: str) -> Figure:
    """Draw error against the number of words, a plot for each setting."""
    drawn, plots = panels(len(settings), across=4, width=2.9)
    for plot, (setting, title) in zip(plots, settings.items(), strict=True):
        lines = {TITLES[each]: found[setting][each] for each in SMOOTHINGS}
        labels = {"title": title, "x_label": "words", "y_label": "error, %"}
        draw_lines(plot, found[setting].sizes, lines, **labels, log_x=True)
        plot.minorticks_off()
        plot.set_ylim(*near_best(found[setting]))
    legend_below(drawn, plots)
    return Figure(name, about, drawn)


def table_of(
    found: Record, settings: Mapping[str, str], title: str, published: list[tuple[Any, ...]]
) -> Table:
    """Return the best error and that with all words, for each setting and smoothing."""
    columns = ("", "smoothing", "best, %", "with words", "all words, %", "of them")
    rows: list[tuple[Any, ...]] = [*published]
    for setting, called in settings.items():
        sizes = found[setting].sizes
        for name in SMOOTHINGS:
            errors = found[setting][name]
            best = int(np.argmin(errors))
            figures = errors[best], sizes[best], errors[-1], sizes[-1]
            rows.append((called, TITLES[name], *figures))
    return Table(title, columns, rows, 1)
