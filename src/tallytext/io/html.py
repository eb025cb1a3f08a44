"""Pages of HTML that need nothing else, and how to know them again."""

from __future__ import annotations

from html import escape
from pathlib import Path

_MARK = '<meta name="generator" content="tallytext">'
_BEGIN = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_MARK}'


def whole_page(title: str, body: str, style: str = "") -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        As text.
    body, style : str
        As HTML and CSS.

    Examples
    --------
    >>> whole_page("a < b", "<p>why</p>").splitlines()[-1]
    '<body><p>why</p></body></html>'
    """
    return (
        f'{_BEGIN}<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{f'<style>{style}</style>' * bool(style)}</head>\n"
        f"<body>{body}</body></html>\n"
    )


def is_page_file(path: str | Path) -> bool:
    """Whether a file begins as those of :func:`whole_page` do."""
    begin = _BEGIN.encode()
    with Path(path).open("rb") as file:
        return file.read(len(begin)) == begin
