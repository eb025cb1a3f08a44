"""Tables of a page: a head, rows whose first cell names them, and cells that are safe already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str) -> str:
    """Return a table in HTML that scrolls by itself where it is too wide.

    Examples
    --------
    >>> table("Classes", ["class", "documents"], [["sea", "3"]], "plain").count("<th ")
    3
    """
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(_row(row) for row in rows)
    return scrolled(
        name,
        f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
    )


def scrolled(name: str, inside: str) -> str:
    """Return something in a frame of its own, which keys can scroll, too."""
    return f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{inside}</div>'


def _row(cells: Sequence[str]) -> str:
    rest = "".join(f"<td>{cell}</td>" for cell in cells[1:])
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'
