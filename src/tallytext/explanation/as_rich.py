"""An explanation for the terminal: the text with its words coloured, and a table with bars."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tallytext.explanation.as_text import Row, bar_shares, table_rows
from tallytext.explanation.contribution import Contribution, Part
from tallytext.explanation.highlights import Segment, segments_of

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

_FOR, _AGAINST = "46,160,67", "248,81,73"
# From dark to bright grounds, all of them readable under white letters.
_FOR_GROUNDS = ("rgb(16,48,24)", "rgb(20,80,36)", "rgb(24,112,46)", "rgb(26,127,55)")
_AGAINST_GROUNDS = ("rgb(60,20,20)", "rgb(100,26,26)", "rgb(150,32,32)", "rgb(190,36,36)")
_BAR_WIDTH = 16  # columns to each side
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
        shown += [Text(""), _coloured(text, contributions)]
    table = _table(table_rows(parts, top, rest))
    return Group(*shown, Text(""), table, *_unknown(rest))


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


def _coloured(text: str, contributions: Sequence[Contribution]) -> Text:
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


def _table(rows: Sequence[Row]) -> Table:
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
        table.add_row(name, row.count, f"{row.value:+.2f}", _bar(share))
    return table


def _bar(share: float) -> Text:
    """Return a bar to the right of the middle, or to the left of it."""
    from rich.text import Text

    length = round(abs(share) * _BAR_WIDTH)
    left, right = (length, 0) if share < 0 else (0, length)
    bar = Text(" " * (_BAR_WIDTH - left))
    bar.append("█" * left, style=f"rgb({_AGAINST})")
    bar.append("│", style="dim")
    return bar.append("█" * right, style=f"rgb({_FOR})")


def _unknown(rest: Sequence[Contribution]) -> list[Text]:
    from rich.text import Text

    terms = [visible(each.term, keep="") for each in rest if not each.known]
    if not terms:
        return []
    return [Text.assemble(("unknown: ", "dim"), (", ".join(terms), "dim underline"))]
