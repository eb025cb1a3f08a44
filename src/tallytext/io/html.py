"""Self-contained HTML pages of reports."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

_GENERATOR = '<meta name="generator" content="tallytext">'
_BEGIN = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_GENERATOR}'
# Characters that HTML and XML forbid, though texts may have them: control characters and
# surrogates, of which UTF-8 has no form either.
_CONTROLS = [*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)]
_FORBIDDEN_CHARACTERS = dict.fromkeys([*_CONTROLS, 0xFFFE, 0xFFFF], "\ufffd")
# A second line of defence behind escaping: a browser loads nothing, and runs only our script.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def replace_forbidden(markup: str) -> str:
    """Replace characters that HTML and SVG cannot hold by U+FFFD.

    Once for a whole page or drawing, because texts, labels and terms come from many places.
    """
    return markup.translate(_FORBIDDEN_CHARACTERS)


def html_page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return a complete HTML page, which loads nothing and runs no script but the one given.

    Parameters
    ----------
    title : str
        Plain text, which is escaped.
    body, style, script : str
        HTML, CSS and JavaScript.

    Examples
    --------
    >>> html_page("a < b", "<p>why</p>").splitlines()[-1]
    '<body><p>why</p></body></html>'
    """
    policy, code = _POLICY, ""
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy, code = f"{_POLICY}; script-src 'sha256-{digest}'", f"<script>{script}</script>"
    return replace_forbidden(
        f'{_BEGIN}<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{f'<style>{style}</style>' * bool(style)}</head>\n"
        f"<body>{body}{code}</body></html>\n"
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
