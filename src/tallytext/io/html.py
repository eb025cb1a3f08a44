"""Self-contained HTML pages of reports."""

from __future__ import annotations

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


def is_report_page(path: str | Path) -> bool:
    """Return True if :func:`html_page` wrote the file, by its first bytes."""
    begin = _BEGIN.encode()
    with Path(path).open("rb") as file:
        return file.read(len(begin)) == begin
