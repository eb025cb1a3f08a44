"""An explanation as a table of characters, with bars to both sides of a line."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tallytext.explanation.contribution import Contribution, Part

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
