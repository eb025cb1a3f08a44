"""Rendering of explanations as plain text, as HTML and for a terminal (rich)."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from html import escape
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tallytext.io.html import html_page, replace_forbidden
from tallytext.terminal import escape_controls

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType
    from rich.table import Table
    from rich.text import Text

    from tallytext.decision.explanation import Contribution, Explanation

_HEADER = ("term", "count", "contribution")
# Red, green, blue; positive and negative contributions have the same hues in HTML and terminal.
_POSITIVE_RGB, _NEGATIVE_RGB = "46,160,67", "248,81,73"


@dataclass(frozen=True)
class TableRow:
    """A row of the table of contributions."""

    name: str
    count: str
    value: float


def table_rows(explanation: Explanation, k: int) -> list[TableRow]:
    """Return the parts and the k most important terms, largest first, and the sum of the others."""
    top = explanation.top(k)
    rows = [TableRow(f"({part.name})", "", part.value) for part in explanation.parts if part.value]
    rows += [TableRow(each.term, _format_count(each.count), each.value) for each in top]
    rows.sort(key=lambda row: -abs(row.value))
    # By identity, since two terms may have equal values.
    shown = {id(each) for each in top}
    others = [e.value for e in explanation.contributions if e.known and id(e) not in shown]
    if others:
        name = "(1 other)" if len(others) == 1 else f"({len(others):,} others)"
        rows.append(TableRow(name, "", sum(others)))
    return rows


def _format_count(count: float) -> str:
    return f"{count:.0f}" if count == int(count) else f"{count:.2f}"


def format_value(value: float) -> str:
    """Return a contribution with its sign, if it has one after rounding.

    Examples
    --------
    >>> format_value(1.25), format_value(-0.004)
    ('+1.25', '0.00')
    """
    shown = f"{value:+.2f}"
    return "0.00" if shown in ("-0.00", "+0.00") else shown


def bar_shares(values: Sequence[float]) -> list[float]:
    """Scale values to bar lengths from -1 to 1; infinite values get full bars.

    Examples
    --------
    >>> bar_shares([4.0, -2.0, -math.inf])
    [1.0, -0.5, -1.0]
    """
    # Infinite values are left out, or all other bars would have length 0.
    longest = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
    return [min(1.0, max(-1.0, value / longest)) for value in values]


@dataclass(frozen=True)
class Segment:
    """A segment of a text and the terms that cover it.

    Attributes
    ----------
    text : str
    terms : tuple of Contribution
    """

    text: str
    terms: tuple[Contribution, ...]

    @property
    def value(self) -> float:
        """Sum of the contributions of one occurrence of each term."""
        return sum(each.per_token for each in self.terms)

    @property
    def has_known_term(self) -> bool:
        """True if the model knows one of the terms."""
        return any(each.known for each in self.terms)

    @property
    def is_unknown_word(self) -> bool:
        """True if the segment is part of unknown terms only, and not just a gap between words."""
        return bool(self.terms) and not self.has_known_term and any(map(str.isalnum, self.text))


def split_segments(text: str, contributions: Sequence[Contribution]) -> list[Segment]:
    """Split a text at every start and end of a term.

    Examples
    --------
    >>> from tallytext.decision import Contribution
    >>> wave = Contribution("wave", 1, 1.5, spans=((4, 8),))
    >>> [segment.text for segment in split_segments("One wave!", [wave])]
    ['One ', 'wave', '!']
    """
    begins: dict[int, list[Contribution]] = {}
    ends: dict[int, list[Contribution]] = {}
    for each in contributions:
        for start, end in each.spans:
            begins.setdefault(start, []).append(each)
            ends.setdefault(end, []).append(each)
    cuts = sorted({0, len(text), *begins, *ends})
    open_: list[Contribution] = []
    segments = []
    for start, end in pairwise(cuts):
        for each in ends.get(start, ()):
            open_.remove(each)
        open_ += begins.get(start, ())
        # Distinct by identity: hashing a contribution reads all its spans, and a term of a long
        # document has many.
        distinct = {id(each): each for each in open_}
        segments.append(Segment(text[start:end], tuple(distinct.values())))
    return segments


def truncate_explanation(explanation: Explanation, length: int) -> Explanation:
    """Return an explanation of the first characters of its text.

    Examples
    --------
    >>> from tallytext.decision import Contribution, Explanation
    >>> wave = Contribution("wave", 2, 1.0, spans=((0, 4), (9, 13)))
    >>> explanation = Explanation("a", "b", 1, 0, 1, 0, (wave,), text="wave and wave")
    >>> short = truncate_explanation(explanation, 7)
    >>> short.text, short.contributions[0].spans
    ('wave an…', ((0, 4),))
    """
    contributions = tuple(
        replace(each, spans=tuple(span for span in each.spans if span[1] <= length))
        for each in explanation.contributions
    )
    text = f"{(explanation.text or '')[:length]}…"
    return replace(explanation, contributions=contributions, text=text)


# Plain text

_EIGHTHS = " ▏▎▍▌▋▊▉"
_NUMBER_COLUMNS = len("  count  contribution  ")
_MAX_TERM_WIDTH = 30
_MIN_BAR_WIDTH = 8


def render_text(explanation: Explanation, k: int, width: int) -> str:
    """Return a headline, a table of k terms with bars, and the unknown terms as plain text."""
    rows = table_rows(explanation, k)
    name_width = _name_width(rows, width)
    room = max(_MIN_BAR_WIDTH, width - name_width - _NUMBER_COLUMNS - 1)
    shares = bar_shares([row.value for row in rows])
    left, right = _bar_columns(shares, room)
    lines = [_truncate(explanation.headline, width), "", _text_row(name_width, *_HEADER)]
    for row, share in zip(rows, shares, strict=True):
        numbers = _text_row(name_width, row.name, row.count, format_value(row.value))
        lines.append(f"{numbers}  {_text_bar(share, left, right)}".rstrip())
    unknown = ", ".join(each.term for each in explanation.unknown_terms)
    if explanation.unknown_terms:
        lines.append(_truncate(f"unknown: {unknown}", width))
    return "\n".join(lines)


def display_width(text: str) -> int:
    """Return the number of terminal columns of a text.

    Examples
    --------
    >>> display_width("wave"), display_width("파도"), display_width("e\\u0301")
    (4, 4, 1)
    """
    # Chinese, Japanese and Korean characters take two columns, combining ones none.
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def _name_width(rows: Sequence[TableRow], width: int) -> int:
    widest = max((display_width(row.name) for row in rows), default=0)
    room = min(_MAX_TERM_WIDTH, width - _NUMBER_COLUMNS - _MIN_BAR_WIDTH - 1)
    return min(max(widest, len(_HEADER[0])), max(len(_HEADER[0]), room))


def _text_row(name_width: int, name: str, count: str, value: str) -> str:
    name = _truncate(name, name_width)
    padding = " " * (name_width - display_width(name))
    return f"{name}{padding}  {count:>{len(_HEADER[1])}}  {value:>{len(_HEADER[2])}}"


def _truncate(text: str, width: int) -> str:
    """Return the text on one line, with an ellipsis if it is longer than ``width`` columns."""
    shown = [char if char.isprintable() else "\ufffd" for char in text]
    ends = list(accumulate(map(display_width, shown)))
    if not ends or ends[-1] <= width:
        return "".join(shown)
    return "".join(shown[: bisect_right(ends, width - 1)]) + "…"


def _bar_columns(shares: Sequence[float], room: int) -> tuple[int, int]:
    """Return the number of columns for bars on the left and on the right of the line."""
    lowest, highest = min(shares, default=0.0), max(shares, default=0.0)
    if lowest >= 0:
        return 0, room
    if highest <= 0:
        return room, 0
    left = round(room * lowest / (lowest - highest))
    # Each side keeps a column, so that its sign can be seen.
    left = min(max(left, 1), room - 1)
    return left, room - left


def _text_bar(share: float, left: int, right: int) -> str:
    side = left if share < 0 else right
    eighths = min(round(8 * abs(share) * max(left, right)), 8 * side)
    if share < 0:
        # Unicode has eighth blocks that fill a cell from the left; from the right only a half.
        bar = "▐" * (eighths % 8 >= 4) + "█" * (eighths // 8)
        return f"{bar:>{left}}│"
    return f"{'':>{left}}│{'█' * (eighths // 8)}{_EIGHTHS[eighths % 8].strip()}"


# HTML. Styles are inline, because notebooks and mail drop style sheets.

_FONT = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:14px;line-height:1.5"
_BOX = f"{_FONT};color:inherit;max-width:52em;margin:0.5em 0"
_TEXT = (
    "white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;margin:0.6em 0;"
    "padding:0.6em 0.9em;border:1px solid rgba(128,128,128,0.35);border-radius:6px"
)
_TABLE = "border-collapse:collapse;border:0;margin:0.6em 0;font-size:13px;color:inherit"
_CELL = "padding:1px 10px 1px 0;border:0;background:none;color:inherit"
_FADED = "opacity:0.65"
_DIGITS = "text-align:right;font-variant-numeric:tabular-nums"
_WORD = "border-radius:3px;padding:1px 0"
_UNKNOWN = "text-decoration:underline dotted;text-underline-offset:3px;opacity:0.65"
# Translucent colours are readable on light and on dark backgrounds.
_MIN_OPACITY, _MAX_OPACITY = 0.08, 0.62
_HTML_BAR_PIXELS = 110  # to each side
_MAX_TOOLTIP_TERMS = 8
_PAGE_STYLE = (
    ":root{color-scheme:light dark}body{margin:1.5em auto;max-width:54em;padding:0 1em}"
    "b{unicode-bidi:isolate}"
)


def render_html(explanation: Explanation, k: int) -> str:
    """Return a headline, the coloured text if there is one, and a table of k terms as HTML."""
    text = "" if explanation.text is None else _html_text(explanation)
    return (
        f'<div class="tallytext-explanation" style="{_BOX}">'
        f'<div style="font-weight:600">{_escape_html(explanation.headline)}</div>'
        f"{text}{_html_table(table_rows(explanation, k))}{_html_unknown(explanation)}</div>"
    )


def render_page(explanation: Explanation, k: int, likeliest: str, about: Mapping[str, str]) -> str:
    """Return a complete page: the answer, the explanation, what its colours mean, and its origin.

    Parameters
    ----------
    explanation : Explanation
    k : int
        Number of terms in the table.
    likeliest : str
        The most probable labels with their probabilities, in words.
    about : mapping of str to str
        The origin of the explanation, such as the model and the date.
    """
    title = f"Why {explanation.label}?"
    origin = " · ".join(f"{name}: {value}" for name, value in about.items())
    body = (
        f'<div style="{_BOX}"><h1 style="font-size:1.5em;margin:0.4em 0">{_escape_html(title)}</h1>'
        f"<p>{_escape_html(likeliest)}</p></div>{render_html(explanation, k)}"
        f'<div style="{_BOX};font-size:13px"><p>{_html_legend(explanation)}</p>'
        f'<p style="{_FADED}">{_escape_html(origin)}</p></div>'
    )
    return html_page(title, body, _PAGE_STYLE)


def _html_legend(explanation: Explanation) -> str:
    label = _escape_html(str(explanation.label))
    against = explanation.against
    other = "all other labels together" if against is None else _escape_html(str(against))
    unknown = f'<span style="{_UNKNOWN}">Dotted</span> words occur in no training document. '
    # The element bdi isolates a label; the style of the page does the same for bold ones.
    return (
        f"Compared are <b>{label}</b> and <b>{other}</b>. "
        f'<span style="{_WORD}{_html_background(0.6)}">Green</span> words are evidence for '
        f'<bdi>{label}</bdi>, <span style="{_WORD}{_html_background(-0.6)}">red</span> words '
        "against it; the stronger "
        f"the colour, the more. {unknown * bool(explanation.unknown_terms)}"
        "The contributions add up to the number at the top: above 0, the first is more probable. "
        "They are differences of scores before calibration, so only their sizes relative to each "
        "other matter. (prior) is the share of the label among the training documents."
    )


def _escape_html(text: str) -> str:
    """Escape markup, and replace characters that HTML or UTF-8 cannot hold."""
    return escape(replace_forbidden(text))


def _html_text(explanation: Explanation) -> str:
    segments = split_segments(explanation.text or "", explanation.contributions)
    shares = bar_shares([segment.value for segment in segments])
    spans = "".join(map(_html_segment, segments, shares))
    return f'<div dir="auto" style="{_TEXT}">{spans}</div>'


def _html_segment(segment: Segment, share: float) -> str:
    text, title = _escape_html(segment.text), _escape_html(_tooltip(segment))
    if segment.has_known_term:
        return f'<span title="{title}" style="{_WORD}{_html_background(share)}">{text}</span>'
    if segment.is_unknown_word:
        return f'<span title="{title}" style="{_UNKNOWN}">{text}</span>'
    return text


def _html_background(share: float) -> str:
    if not share:
        return ""
    opacity = _MIN_OPACITY + (_MAX_OPACITY - _MIN_OPACITY) * abs(share)
    return f";background-color:rgba({_POSITIVE_RGB if share > 0 else _NEGATIVE_RGB},{opacity:.2f})"


def _tooltip(segment: Segment) -> str:
    """Return the terms of a segment with their contributions, largest first."""
    by_size = sorted(segment.terms, key=lambda each: -abs(each.per_token))
    lines = [
        f"{each.term}: {each.per_token:+.3f}" if each.known else f"{each.term}: unknown"
        for each in by_size[:_MAX_TOOLTIP_TERMS]
    ]
    n_more = len(by_size) - _MAX_TOOLTIP_TERMS
    return "\n".join([*lines, f"and {n_more} more"] if n_more > 0 else lines)


def _html_table(rows: Sequence[TableRow]) -> str:
    shares = bar_shares([row.value for row in rows])
    body = "".join(_html_row(row, share) for row, share in zip(rows, shares, strict=True))
    alignments = ("text-align:left", _DIGITS, _DIGITS, "")
    head = "".join(
        f'<th scope="col" style="{_CELL};{_FADED};font-weight:normal;{align}">{name}</th>'
        for name, align in zip((*_HEADER, ""), alignments, strict=True)
    )
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _html_row(row: TableRow, share: float) -> str:
    faded = "" if row.count else f";{_FADED}"
    return (
        f'<tr style="background:none"><td style="{_CELL};text-align:left{faded}">'
        f"<bdi>{_escape_html(row.name)}</bdi></td>"
        f'<td style="{_CELL};{_DIGITS}">{row.count}</td>'
        f'<td style="{_CELL};{_DIGITS}">{format_value(row.value)}</td>'
        f'<td style="{_CELL}">{_html_bar(share)}</td></tr>'
    )


def _html_bar(share: float) -> str:
    """Return a bar to the right of the middle line, or to the left if negative."""
    width = abs(share) * _HTML_BAR_PIXELS
    left = _HTML_BAR_PIXELS - width if share < 0 else _HTML_BAR_PIXELS
    colour = _NEGATIVE_RGB if share < 0 else _POSITIVE_RGB
    grey = "rgba(128,128,128,0.5)"
    middle = f"linear-gradient({grey},{grey}) {_HTML_BAR_PIXELS}px/1px no-repeat"
    return (
        f'<div style="width:{2 * _HTML_BAR_PIXELS}px;height:12px;background:{middle}">'
        f'<div style="width:{width:.1f}px;height:12px;margin-left:{left:.1f}px;border-radius:2px;'
        f'background-color:rgba({colour},0.75)"></div></div>'
    )


def _html_unknown(explanation: Explanation) -> str:
    if not explanation.unknown_terms:
        return ""
    terms = ", ".join(
        f'<span style="{_UNKNOWN}">{_escape_html(each.term)}</span>'
        for each in explanation.unknown_terms
    )
    return f'<div style="font-size:13px"><span style="{_FADED}">unknown:</span> {terms}</div>'


# Terminal. rich is imported where it is used: it takes longer to import than all of this package.

# From dark to bright, all of them readable behind white letters.
_POSITIVE_BACKGROUNDS = ("rgb(16,48,24)", "rgb(20,80,36)", "rgb(24,112,46)", "rgb(26,127,55)")
_NEGATIVE_BACKGROUNDS = ("rgb(60,20,20)", "rgb(100,26,26)", "rgb(150,32,32)", "rgb(190,36,36)")
# Dark colours of the lists above all become black on a terminal of 16 colours. From weak to strong.
_POSITIVE_OF_SIXTEEN, _NEGATIVE_OF_SIXTEEN = ("green", "black on green"), ("red", "white on red")
_RICH_BAR_COLUMNS = 16  # to each side


class Colours(StrEnum):
    """Colours that a terminal or a file can show."""

    MANY = "many"
    SIXTEEN = "sixteen"
    NONE = "none"

    @classmethod
    def for_console(cls, console: Console) -> Colours:
        """Return the colours of a console; none for a file, TERM=dumb or NO_COLOR."""
        system = console.color_system
        if system is None or console.no_color or console.is_dumb_terminal:
            return cls.NONE
        return cls.MANY if system in ("truecolor", "256") else cls.SIXTEEN


def render_rich(explanation: Explanation, k: int) -> ConsoleRenderable:
    """Return a headline, the coloured text if there is one, and a table of k terms for rich.

    Without colours, words for the label are marked by ``+`` and words against it by ``-``.
    """
    return _RichExplanation(explanation, k)


@dataclass(frozen=True)
class _RichExplanation:
    """An explanation that is rendered in the colours of the console."""

    explanation: Explanation
    k: int

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        explanation, colours = self.explanation, Colours.for_console(console)
        yield Text(escape_controls(explanation.headline, keep=""), style="bold")
        if explanation.text is not None:
            yield Text("")
            yield _rich_text(explanation, colours)
        yield Text("")
        yield _rich_table(table_rows(explanation, self.k), colours)
        if unknown := [escape_controls(each.term, keep="") for each in explanation.unknown_terms]:
            yield Text.assemble(("unknown: ", "dim"), (", ".join(unknown), "dim underline"))


def _rich_text(explanation: Explanation, colours: Colours) -> Text:
    from rich.text import Text

    segments = split_segments(explanation.text or "", explanation.contributions)
    shares = bar_shares([segment.value for segment in segments])
    shown = Text()
    for segment, share in zip(segments, shares, strict=True):
        sign = _sign(segment, share) if colours is Colours.NONE else ""
        shown.append(sign + escape_controls(segment.text), style=_style(segment, share, colours))
    return shown


def _step(share: float) -> int:
    """Return the step of a share, from 0; -1 for a word that adds next to nothing."""
    # These stay uncoloured, or the text would be hard to read.
    return round(abs(share) * len(_POSITIVE_BACKGROUNDS)) - 1


def _sign(segment: Segment, share: float) -> str:
    if not segment.has_known_term or _step(share) < 0:
        return ""
    return "+" if share > 0 else "-"


def _style(segment: Segment, share: float, colours: Colours) -> str:
    if not segment.has_known_term:
        return "dim underline" if segment.is_unknown_word else ""
    step = _step(share)
    if step < 0 or colours is Colours.NONE:
        return ""
    if colours is Colours.SIXTEEN:
        styles = _POSITIVE_OF_SIXTEEN if share > 0 else _NEGATIVE_OF_SIXTEEN
        return styles[step * len(styles) // len(_POSITIVE_BACKGROUNDS)]
    backgrounds = _POSITIVE_BACKGROUNDS if share > 0 else _NEGATIVE_BACKGROUNDS
    return f"rgb(255,255,255) on {backgrounds[step]}"


def _rich_table(rows: Sequence[TableRow], colours: Colours) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(_HEADER[0], overflow="ellipsis", no_wrap=True)
    table.add_column(_HEADER[1], justify="right", no_wrap=True)
    table.add_column(_HEADER[2], justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    shares = bar_shares([row.value for row in rows])
    for row, share in zip(rows, shares, strict=True):
        name = Text(escape_controls(row.name, keep=""), style="" if row.count else "dim")
        table.add_row(name, row.count, format_value(row.value), _rich_bar(share, colours))
    return table


def _rich_bar(share: float, colours: Colours) -> Text:
    """Return a bar to the right of the middle line, or to the left if negative."""
    from rich.text import Text

    length = round(abs(share) * _RICH_BAR_COLUMNS)
    left, right = (length, 0) if share < 0 else (0, length)
    bar = Text(" " * (_RICH_BAR_COLUMNS - left))
    names = ("red", "green")
    against, for_ = (
        names if colours is Colours.SIXTEEN else (f"rgb({_NEGATIVE_RGB})", f"rgb({_POSITIVE_RGB})")
    )
    bar.append("█" * left, style=against)
    bar.append("│", style="dim")
    return bar.append("█" * right, style=for_)
