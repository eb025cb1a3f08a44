"""A comparison as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.contender import Contender


def table_of(comparison: Comparison) -> Table:
    """Return learners, the best first, with scores, intervals, times and memory."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("learner", no_wrap=True)
    for name in (comparison.measure, "95% interval", "macro-F1", "learn", "answer", "memory"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for at, contender in enumerate(comparison.contenders):
        cells = _cells(contender, len(comparison.splits))
        table.add_row(*map(Text, cells), style="bold" if at == 0 else "")
    return table


def _cells(contender: Contender, n_folds: int) -> list[str]:
    report, interval = contender.report, contender.interval
    if report is None or interval is None:
        return [contender.name, "", "", "", "", "", "", contender.failure]
    judged = "" if contender.n_folds == n_folds else f"{contender.n_folds} of {n_folds} folds"
    return [
        contender.name,
        f"{contender.score:.4f}",
        f"{interval[0]:.3f}–{interval[1]:.3f}",
        f"{report.macro_f1:.4f}",
        seconds(contender.fit_seconds),
        seconds(contender.predict_seconds),
        megabytes(contender.megabytes),
        judged,
    ]


def seconds(value: float) -> str:
    """Write a time.

    Examples
    --------
    >>> seconds(0.0314), seconds(12.34)
    ('0.03 s', '12.3 s')
    """
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def megabytes(value: float | None) -> str:
    """Write an amount of memory, if it is known."""
    return "" if value is None else f"{value:,.0f} MB"
