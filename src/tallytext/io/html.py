"""Self-contained HTML pages of reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_GENERATOR = '<meta name="generator" content="tallytext">'
_BEGIN = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_GENERATOR}'


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a complete HTML page.

    Parameters
    ----------
    title : str
        Plain text, which is escaped.
    body, style : str
        HTML and CSS.

    Examples
    --------
    >>> html_page("a < b", "<p>why</p>").splitlines()[-1]
    '<body><p>why</p></body></html>'
    """
    return (
        f'{_BEGIN}<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{f'<style>{style}</style>' * bool(style)}</head>\n"
        f"<body>{body}</body></html>\n"
    )


def notebook_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table for a notebook; the cells are plain text, which is escaped.

    Parameters
    ----------
    heads : sequence of str
        Names of the columns; empty for a table without a head.
    rows : iterable of sequences
        The cells. The first column is aligned to the left, the others to the right if there is a
        head.

    Examples
    --------
    >>> notebook_table([], [["a < b", 1]])
    '<table><tbody><tr><th style="text-align:left">a &lt; b</th><td style="text-align:left">1</td></tr></tbody></table>'
    """  # noqa: E501
    side = "right" if heads else "left"
    ends = ["left"] + [side] * max((len(heads) or 2) - 1, 1)

    def cells(tag: str, values: Sequence[object]) -> str:
        return "".join(
            f'<{tag if at else "th"} style="text-align:{end}">{escape(str(value))}'
            f"</{tag if at else 'th'}>"
            for at, (value, end) in enumerate(zip(values, ends, strict=False))
        )

    head = f"<thead><tr>{cells('th', heads)}</tr></thead>" if heads else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def is_report_page(path: str | Path) -> bool:
    """Return True if :func:`html_page` wrote the file, by its first bytes."""
    begin = _BEGIN.encode()
    with Path(path).open("rb") as file:
        return file.read(len(begin)) == begin
