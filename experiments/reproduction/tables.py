"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows under a title; the first column names the row, the others are figures.

    Numbers that are no strings are written with so many decimals, if they are fractions, and
    with commas if they are whole; None is an empty cell.

    Examples
    --------
    >>> print(Table("Errors", ("", "ours"), [("Laplace", 15.25), ("words", 93508)], 1).markdown())
    **Errors**
    <BLANKLINE>
    |  | ours |
    | --- | ---: |
    | Laplace | 15.2 |
    | words | 93,508 |
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    decimals: int = 3

    def markdown(self) -> str:
        ruler = ["---", *["---:"] * (len(self.columns) - 1)]
        written = [[written_as(cell, self.decimals) for cell in row] for row in self.rows]
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, ruler, *written)]
        return "\n".join([f"**{self.title}**", "", *lines] if self.title else lines)


def written_as(cell: Any, decimals: int) -> str:
    """Write one cell."""
    if cell is None:
        return ""
    if isinstance(cell, bool | str):
        return str(cell).replace("|", "\\|")
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.{decimals}f}"
