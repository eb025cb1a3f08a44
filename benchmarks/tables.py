"""Tables that go to the terminal and into a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import rich.table
from rich import box


@dataclass(frozen=True)
class Drawing:
    """A figure that is a file beside the page."""

    file: str
    about: str
    svg: str


@dataclass(frozen=True)
class Table:
    """Rows of text under a title; the first column names the row, the others are figures."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    drawing: Drawing | None = None

    def terminal(self) -> rich.table.Table:
        table = rich.table.Table(title=self.title, title_justify="left", box=box.SIMPLE_HEAD)
        for i, column in enumerate(self.columns):
            table.add_column(column, justify="right" if i else "left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        return f"**{self.title}**\n\n{self.rows_markdown()}"

    def rows_markdown(self) -> str:
        """Write the table without its title, and the drawing below it."""
        ruler = ["---"] + ["---:"] * (len(self.columns) - 1)
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, ruler, *self.rows)]
        drawing = self.drawing
        shown = ["", f"![{drawing.about}]({drawing.file})"] if drawing else []
        return "\n".join([*lines, *shown])


def speeds(title: str, megabytes: float, seconds: Mapping[str, float], peer: str) -> Table:
    """Tabulate times, throughput, and how many times as fast as a peer each is."""
    rows = [
        (name, duration(time), figure(megabytes / time), figure(seconds[peer] / time))
        for name, time in seconds.items()
    ]
    return Table(title, ("", "time", "MB/s", "times as fast"), rows)


def duration(seconds: float) -> str:
    """Write a time in a unit that suits it."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{figure(seconds / size)} {unit}"
    return f"{figure(seconds / 1e-6)} µs"


def figure(number: float) -> str:
    """Write a number with three digits, or more if it is large."""
    decimals = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:.{decimals}f}"
