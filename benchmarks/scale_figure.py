"""What was predicted beside what was measured, as a figure."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

MARKS = "os^D"


def figure(points: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw pairs of predicted and measured values of several jobs, on logarithmic axes.

    Parameters
    ----------
    points : mapping of str to sequence of pair of float
        For each job, what was predicted and what was measured.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # The same bytes for the same values.
    with mpl.rc_context({"svg.hashsalt": "scale", "svg.fonttype": "none"}):
        drawn = Figure(figsize=(5.5, 4.5), layout="constrained")
        axes = drawn.subplots()
        for (name, pairs), mark in zip(points.items(), MARKS, strict=False):
            kept = [pair for pair in pairs if min(pair) > 0]
            axes.plot(*zip(*kept, strict=True), mark, label=name, fillstyle="none")
        _mark_equal(axes)
        axes.legend(frameon=False)
        file = io.StringIO()
        drawn.savefig(file, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _mark_equal(axes: Any) -> None:
    """Draw the line on which predictions are right."""
    axes.set(xscale="log", yscale="log", xlabel="predicted", ylabel="measured")
    low, high = min(axes.get_xlim()[0], axes.get_ylim()[0]), max(*axes.get_xlim(), *axes.get_ylim())
    axes.plot([low, high], [low, high], color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlim=(low, high), ylim=(low, high))
