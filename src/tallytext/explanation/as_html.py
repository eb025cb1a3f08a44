"""An explanation as a piece of HTML: the text with its words coloured, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tallytext.explanation.as_text import Row, bar_shares, table_rows
from tallytext.explanation.contribution import Contribution, Part
from tallytext.explanation.highlights import Segment, segments_of

# Colours that let the ground shine through are readable on a light one and on a dark one.
_FOR, _AGAINST = "46,160,67", "248,81,73"
_FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:14px;line-height:1.5"
_BOX = f"{_FONT};color:inherit;max-width:52em;margin:0.5em 0"
_TEXT = (
    "white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;margin:0.6em 0;"
    "padding:0.6em 0.9em;border:1px solid rgba(128,128,128,0.35);border-radius:6px"
)
_TABLE = "border-collapse:collapse;border:0;margin:0.6em 0;font-size:13px;color:inherit"
_CELL = "padding:1px 10px 1px 0;border:0;background:none;color:inherit"
_QUIET = "opacity:0.65"
_DIGITS = "text-align:right;font-variant-numeric:tabular-nums"
_WORD = "border-radius:3px;padding:1px 0"
_UNKNOWN = "text-decoration:underline dotted;text-underline-offset:3px;opacity:0.65"
_FAINTEST, _STRONGEST = 0.08, 0.62
_BAR_WIDTH = 110  # pixels to each side
_TERMS_OF_A_TITLE = 8
_NO_CHARACTERS = dict.fromkeys([0, *range(0xD800, 0xE000)], "\ufffd")


def html_of(
    headline: str,
    parts: Sequence[Part],
    contributions: Sequence[Contribution],
    top: Sequence[Contribution],
    rest: Sequence[Contribution],
    text: str | None,
) -> str:
    """Return the headline, the text if there is one, and the table."""
    shown = "" if text is None else _coloured(text, contributions)
    rows = table_rows(parts, top, rest)
    unknown = [each.term for each in rest if not each.known]
    return (
        f'<div class="tallytext-explanation" style="{_BOX}">'
        f'<div style="font-weight:600">{_safe(headline)}</div>'
        f"{shown}{_table(rows)}{_unknown(unknown)}</div>"
    )


def _safe(text: str) -> str:
    """Return text that cannot be taken for markup, nor break the file that it is written to."""
    return escape(text.translate(_NO_CHARACTERS))


def _coloured(text: str, contributions: Sequence[Contribution]) -> str:
    segments = segments_of(text, contributions)
    shares = bar_shares([segment.value for segment in segments])
    marked = "".join(map(_segment, segments, shares))
    return f'<div dir="auto" style="{_TEXT}">{marked}</div>'


def _segment(segment: Segment, share: float) -> str:
    text, title = _safe(segment.text), _safe(_title(segment))
    known = any(each.known for each in segment.terms)
    # What stands between the words of an unknown n-gram is no word.
    if not segment.terms or not (known or any(map(str.isalnum, segment.text))):
        return text
    if not known:
        return f'<span title="{title}" style="{_UNKNOWN}">{text}</span>'
    ground = _ground(share)
    return f'<span title="{title}" style="{_WORD}{ground}">{text}</span>'


def _ground(share: float) -> str:
    if not share:
        return ""
    depth = _FAINTEST + (_STRONGEST - _FAINTEST) * abs(share)
    return f";background-color:rgba({_FOR if share > 0 else _AGAINST},{depth:.2f})"


def _title(segment: Segment) -> str:
    """Return what a pointer shows: each term here, and what it adds."""
    by_size = sorted(segment.terms, key=lambda each: -abs(each.per_token))
    lines = [
        f"{each.term}: {each.per_token:+.3f}" if each.known else f"{each.term}: unknown"
        for each in by_size[:_TERMS_OF_A_TITLE]
    ]
    left = len(by_size) - _TERMS_OF_A_TITLE
    return "\n".join([*lines, f"and {left} more"] if left > 0 else lines)


def _table(rows: Sequence[Row]) -> str:
    shares = bar_shares([row.value for row in rows])
    lines = "".join(_row(row, share) for row, share in zip(rows, shares, strict=True))
    head = "".join(
        f'<th scope="col" style="{_CELL};{_QUIET};font-weight:normal;{align}">{name}</th>'
        for name, align in (
            ("term", "text-align:left"),
            ("count", _DIGITS),
            ("contribution", _DIGITS),
            ("", ""),
        )
    )
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _row(row: Row, share: float) -> str:
    quiet = "" if row.count else f";{_QUIET}"
    return (
        f'<tr style="background:none"><td style="{_CELL};text-align:left{quiet}">'
        f"<bdi>{_safe(row.name)}</bdi></td>"
        f'<td style="{_CELL};{_DIGITS}">{row.count}</td>'
        f'<td style="{_CELL};{_DIGITS}">{row.value:+.2f}</td>'
        f'<td style="{_CELL}">{_bar(share)}</td></tr>'
    )


def _bar(share: float) -> str:
    """Return a bar to the right of the middle, or to the left of it."""
    width = abs(share) * _BAR_WIDTH
    left = _BAR_WIDTH - width if share < 0 else _BAR_WIDTH
    colour = _AGAINST if share < 0 else _FOR
    middle = (
        f"linear-gradient(rgba(128,128,128,0.5),rgba(128,128,128,0.5)) {_BAR_WIDTH}px/1px no-repeat"
    )
    return (
        f'<div style="width:{2 * _BAR_WIDTH}px;height:12px;background:{middle}">'
        f'<div style="width:{width:.1f}px;height:12px;margin-left:{left:.1f}px;border-radius:2px;'
        f'background-color:rgba({colour},0.75)"></div></div>'
    )


def _unknown(terms: Sequence[str]) -> str:
    if not terms:
        return ""
    listed = ", ".join(f'<span style="{_UNKNOWN}">{_safe(term)}</span>' for term in terms)
    return f'<div style="font-size:13px"><span style="{_QUIET}">unknown:</span> {listed}</div>'
