"""Tables of a page: a head, rows whose first cell names them, and cells that are safe already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", kind: str = "plain"
) -> str:
    """Return a table in HTML that scrolls by itself where it is too wide.

    Examples
    --------
    >>> table(["class", "documents"], [["sea", "3"]]).count("<th ")
    3
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(_row(row) for row in rows)
    said = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<div class="wide" tabindex="0"><table class="{kind}">{said}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str]) -> str:
    rest = "".join(f"<td>{cell}</td>" for cell in cells[1:])
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'
