"""An explanation as a table of characters, with bars to both sides of a line."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING

from tallytext.decision.contributions import Contribution, Part, Segment, segments_of

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

_EIGHTHS = " ▏▎▍▌▋▊▉"
_HEAD = ("term", "count", "contribution")
_NUMBERS = len("  count  contribution  ")
_LONGEST_TERM = 30
_LEAST_BAR = 8


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    count: str
    value: float


def text_of(
    headline: str,
    parts: Sequence[Part],
    top: Sequence[Contribution],
    rest: Sequence[Contribution],
    width: int,
) -> str:
    """Return the headline, a line for each summand, and how much all others sum to."""
    rows = table_rows(parts, top, rest)
    name_width = _name_width(rows, width)
    room = max(_LEAST_BAR, width - name_width - _NUMBERS - 1)
    shares = bar_shares([row.value for row in rows])
    left, right = _sides(shares, room)
    lines = [_fit(headline, width), "", _line(name_width, *_HEAD)]
    for row, share in zip(rows, shares, strict=True):
        numbers = _line(name_width, row.name, row.count, f"{row.value:+.2f}")
        lines.append(f"{numbers}  {_bar(share, left, right)}".rstrip())
    return "\n".join([*lines, *_unknown(rest, width)])


def table_rows(
    parts: Sequence[Part], top: Sequence[Contribution], rest: Sequence[Contribution]
) -> list[Row]:
    """Return the summands of a table, those that matter most first, those left out in one."""
    rows = [Row(f"({part.name})", "", part.value) for part in parts if part.value]
    rows += [Row(each.term, _count(each.count), each.value) for each in top]
    rows.sort(key=lambda row: -abs(row.value))
    others = [each.value for each in rest if each.known]
    if others:
        rows.append(Row(f"({len(others)} others)", "", sum(others)))
    return rows


def bar_shares(values: Sequence[float]) -> list[float]:
    """Return how long the bar of each value is, from -1 to 1; that of an infinite one is full.

    Examples
    --------
    >>> bar_shares([4.0, -2.0, -math.inf])
    [1.0, -0.5, -1.0]
    """
    longest = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
    return [min(1.0, max(-1.0, value / longest)) for value in values]


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> display_width("wave"), display_width("파도"), display_width("e\\u0301")
    (4, 4, 1)
    """
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def _count(count: float) -> str:
    return f"{count:.0f}" if count == int(count) else f"{count:.2f}"


def _name_width(rows: Sequence[Row], width: int) -> int:
    widest = max((display_width(row.name) for row in rows), default=0)
    most = max(len(_HEAD[0]), min(_LONGEST_TERM, width - _NUMBERS - _LEAST_BAR - 1))
    return min(max(widest, len(_HEAD[0])), most)


def _line(name_width: int, name: str, count: str, value: str) -> str:
    fitted = _fit(name, name_width)
    padding = " " * (name_width - display_width(fitted))
    return f"{fitted}{padding}  {count:>{len(_HEAD[1])}}  {value:>{len(_HEAD[2])}}"


def _fit(text: str, width: int) -> str:
    """Return the text on one line, its end cut off if it is too long."""
    shown = [char if char.isprintable() else "\ufffd" for char in text]
    ends = list(accumulate(map(display_width, shown)))
    if not ends or ends[-1] <= width:
        return "".join(shown)
    return "".join(shown[: bisect_right(ends, width - 1)]) + "…"


def _sides(values: Sequence[float], room: int) -> tuple[int, int]:
    """Return how many columns bars take on each side of the line."""
    lowest, highest = min(values, default=0.0), max(values, default=0.0)
    if lowest >= 0:
        return 0, room
    if highest <= 0:
        return room, 0
    left = round(room * lowest / (lowest - highest))
    left = min(max(left, 1), room - 1)
    return left, room - left


def _bar(share: float, left: int, right: int) -> str:
    side = left if share < 0 else right
    eighths = min(round(8 * abs(share) * max(left, right)), 8 * side)
    if share < 0:
        # There are no blocks that fill a cell from the right, but for a half.
        bar = "▐" * (eighths % 8 >= 4) + "█" * (eighths // 8)
        return f"{bar:>{left}}│"
    return f"{'':>{left}}│{'█' * (eighths // 8)}{_EIGHTHS[eighths % 8].strip()}"


def _unknown(rest: Sequence[Contribution], width: int) -> list[str]:
    terms = [each.term for each in rest if not each.known]
    return [_fit(f"unknown: {', '.join(terms)}", width)] if terms else []


# ------------------------------------------------------------------------------------------------
# An explanation as a piece of HTML: the text with its words coloured, and a table.

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
        f"{shown}{_table(rows)}{_unknown_of_as_html(unknown)}</div>"
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
        f'<td style="{_CELL}">{_bar_of_as_html(share)}</td></tr>'
    )


def _bar_of_as_html(share: float) -> str:
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


def _unknown_of_as_html(terms: Sequence[str]) -> str:
    if not terms:
        return ""
    listed = ", ".join(f'<span style="{_UNKNOWN}">{_safe(term)}</span>' for term in terms)
    return f'<div style="font-size:13px"><span style="{_QUIET}">unknown:</span> {listed}</div>'


# ------------------------------------------------------------------------------------------------
# An explanation for the terminal: the text with its words coloured, and a table with bars.

_FOR_of_as_rich, _AGAINST_of_as_rich = "46,160,67", "248,81,73"
# From dark to bright grounds, all of them readable under white letters.
_FOR_GROUNDS = ("rgb(16,48,24)", "rgb(20,80,36)", "rgb(24,112,46)", "rgb(26,127,55)")
_AGAINST_GROUNDS = ("rgb(60,20,20)", "rgb(100,26,26)", "rgb(150,32,32)", "rgb(190,36,36)")
_BAR_WIDTH_of_as_rich = 16  # columns to each side
# What reverses the order of letters can make a text read as another.
_REVERSING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def rich_of(
    headline: str,
    parts: Sequence[Part],
    contributions: Sequence[Contribution],
    top: Sequence[Contribution],
    rest: Sequence[Contribution],
    text: str | None,
) -> Group:
    """Return the headline, the text if there is one, and the table."""
    from rich.console import Group
    from rich.text import Text

    shown = [Text(visible(headline, keep=""), style="bold")]
    if text is not None:
        shown += [Text(""), _coloured_of_as_rich(text, contributions)]
    table = _table_of_as_rich(table_rows(parts, top, rest))
    return Group(*shown, Text(""), table, *_unknown_of_as_rich(rest))


def visible(text: str, keep: str = "\n") -> str:
    r"""Return a text whose control characters are shown, so that a terminal does not obey them.

    Those up to U+001F have pictures; others become ``\x9b``, as Python writes them. A tab is
    four spaces.

    Examples
    --------
    >>> visible("\x1b[31mred\x9b0m")
    '␛[31mred\\x9b0m'
    """
    return "".join(
        char if char in keep or not _acts(char) else _picture(char)
        for char in text.replace("\r\n", "\n").replace("\t", "    ")
    )


def _acts(char: str) -> bool:
    """Tell whether a terminal would do something, or could not show the character at all."""
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _REVERSING


def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _coloured_of_as_rich(text: str, contributions: Sequence[Contribution]) -> Text:
    from rich.text import Text

    segments = segments_of(text, contributions)
    shares = bar_shares([segment.value for segment in segments])
    shown = Text()
    for segment, share in zip(segments, shares, strict=True):
        shown.append(visible(segment.text), style=_style(segment, share))
    return shown


def _style(segment: Segment, share: float) -> str:
    if not segment.terms:
        return ""
    if not any(each.known for each in segment.terms):
        # What stands between the words of an unknown n-gram is no word.
        return "dim underline" if any(map(str.isalnum, segment.text)) else ""
    grounds = _FOR_GROUNDS if share > 0 else _AGAINST_GROUNDS
    step = round(abs(share) * len(grounds)) - 1
    # What hardly adds anything would only make the text restless.
    return f"rgb(255,255,255) on {grounds[step]}" if step >= 0 else ""


def _table_of_as_rich(rows: Sequence[Row]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("term", overflow="ellipsis", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("contribution", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    shares = bar_shares([row.value for row in rows])
    for row, share in zip(rows, shares, strict=True):
        name = Text(visible(row.name, keep=""), style="" if row.count else "dim")
        table.add_row(name, row.count, f"{row.value:+.2f}", _bar_of_as_rich(share))
    return table


def _bar_of_as_rich(share: float) -> Text:
    """Return a bar to the right of the middle, or to the left of it."""
    from rich.text import Text

    length = round(abs(share) * _BAR_WIDTH_of_as_rich)
    left, right = (length, 0) if share < 0 else (0, length)
    bar = Text(" " * (_BAR_WIDTH_of_as_rich - left))
    bar.append("█" * left, style=f"rgb({_AGAINST_of_as_rich})")
    bar.append("│", style="dim")
    return bar.append("█" * right, style=f"rgb({_FOR_of_as_rich})")


def _unknown_of_as_rich(rest: Sequence[Contribution]) -> list[Text]:
    from rich.text import Text

    terms = [visible(each.term, keep="") for each in rest if not each.known]
    if not terms:
        return []
    return [Text.assemble(("unknown: ", "dim"), (", ".join(terms), "dim underline"))]
