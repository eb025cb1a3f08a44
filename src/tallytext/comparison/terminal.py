"""A comparison as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison
    from tallytext.comparison.contender import Contender

CHANCE = "≈ may be chance: not told apart from the best, document by document"


def table_of(comparison: Comparison) -> Table:
    """Return learners, the best first, with scores, intervals, times and memory."""
    table = Table(box=None, pad_edge=False, header_style="dim", caption_justify="left")
    table.add_column("learner", no_wrap=True)
    measure = comparison.measure
    for name in (measure, "95% interval", "to best", "macro-F1", "learn", "answer", "MB"):
        table.add_column(name, justify="right", no_wrap=True)
    for at, contender in enumerate(comparison.contenders):
        table.add_row(*map(Text, _cells(contender)), style="bold" if at == 0 else "")
    if remarks := _remarks(comparison):
        table.caption = Text("\n".join(remarks))
    return table


def _remarks(comparison: Comparison) -> list[str]:
    n_folds, contenders = len(comparison.splits), comparison.contenders
    chance = [CHANCE] if any(each.as_good for each in contenders[1:]) else []
    return chance + [
        f"{each.name}: {said}" for each in contenders if (said := each.remark(n_folds))
    ]


def _cells(contender: Contender) -> list[str]:
    report, interval = contender.report, contender.interval
    if report is None or interval is None:
        return [contender.name, *[""] * 7]
    return [
        contender.name,
        f"{contender.score:.4f}",
        f"{interval[0]:.3f}–{interval[1]:.3f}",
        to_best(contender),
        f"{report.macro_f1:.4f}",
        seconds(contender.fit_seconds),
        seconds(contender.predict_seconds),
        "" if contender.megabytes is None else f"{contender.megabytes:,.0f}",
    ]


def to_best(contender: Contender) -> str:
    """Write the difference from the best, with a mark if it may be chance.

    Examples
    --------
    >>> from tallytext.comparison import Contender, Difference
    >>> to_best(Contender("a", "", None, difference=Difference(-0.0123, (-0.03, 0.01), 9)))
    '≈ -0.012'
    """
    found = contender.difference
    if found is None or found.interval == (0.0, 0.0):
        return ""
    return f"{'≈ ' * found.may_be_chance}{found.value:+.3f}"


def seconds(value: float) -> str:
    """Write a time.

    Examples
    --------
    >>> seconds(0.0314), seconds(12.34), seconds(0.0004), seconds(123.4)
    ('0.03 s', '12.3 s', '0.4 ms', '123 s')
    """
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f} s"


def megabytes(value: float | None) -> str:
    """Write an amount of memory, if it is known."""
    return "" if value is None else f"{value:,.0f} MB"
