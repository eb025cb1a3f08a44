"""Figures: drawn with matplotlib, written as SVG and PNG, the same bytes for the same results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# To be told apart by those who do not see all colours, too (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000")
MARKERS = "osD^vPX*"


@dataclass(frozen=True)
class Figure:
    """A drawing with a name, which its files get, and a sentence on what it shows."""

    name: str
    about: str
    drawn: Any

    def write(self, folder: Path, kinds: Sequence[str] = ("svg", "png")) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with _style(self.name):
            for kind in kinds:
                nothing = {"svg": {"Date": None}, "png": {"Software": None}}[kind]
                self.drawn.savefig(folder / f"{self.name}.{kind}", dpi=110, metadata=nothing)


def panels(n: int, across: int = 3, width: float = 3.6, height: float = 2.9) -> tuple[Any, Any]:
    """Return a drawing with so many plots in it, and the list of these."""
    from matplotlib.figure import Figure as Drawn

    across = min(across, n)
    down = math.ceil(n / across)
    drawn = Drawn(figsize=(width * across, height * down + 0.5), layout="constrained")
    plots = drawn.subplots(down, across, squeeze=False).ravel()
    for unused in plots[n:]:
        unused.set_visible(False)
    return drawn, plots[:n]


def draw_lines(
    plot: Any,
    x: Sequence[float],
    lines: Mapping[str, Sequence[float | None]],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
) -> None:
    """Draw named lines over the same x; a value of None is a gap."""
    for at, (name, values) in enumerate(lines.items()):
        heights = [math.nan if value is None else value for value in values]
        look = {"color": COLOURS[at % len(COLOURS)], "marker": MARKERS[at % len(MARKERS)]}
        plot.plot(x, heights, lw=1.4, ms=3.5, label=name, **look)
    if log_x:
        plot.set_xscale("log")
    plot.set(title=title, xlabel=x_label, ylabel=y_label)
    plot.grid(alpha=0.25)


def legend_below(drawn: Any, plots: Sequence[Any], columns: int = 4) -> None:
    """Say once what lines are, below all plots."""
    found = [plot.get_legend_handles_labels() for plot in plots]
    lines = {title: line for each in found for line, title in zip(*each, strict=True)}
    where = {"loc": "outside lower center", "ncols": min(columns, len(lines)), "frameon": False}
    drawn.legend([*lines.values()], [*lines], **where)


def _style(salt: str) -> AbstractContextManager[Any]:
    import matplotlib as mpl

    return mpl.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none", "font.size": 9})
