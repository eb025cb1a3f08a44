"""A document on the screen: the words that tell are marked, and what is long is cut around them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from tallytext.explanation.as_rich import visible
from tallytext.explanation.as_text import bar_shares
from tallytext.explanation.highlights import segments_of

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.explanation import Explanation

_LONGEST = 50_000  # characters that are shown at all
_FAINTEST = 0.2  # share of the strongest word below which a word is not marked


class Marks(Enum):
    """How words are marked: for the guess, and against it."""

    COLOURS = ("white on rgb(24,112,46)", "white on rgb(160,34,34)")
    FONTS = ("bold reverse", "underline")
    SIGNS = ("+", "-")

    @classmethod
    def of(cls, console: Console) -> Marks:
        """Return what a terminal, or a file, can show."""
        if not console.is_terminal or console.is_dumb_terminal:
            return cls.SIGNS
        return cls.FONTS if console.no_color or console.color_system is None else cls.COLOURS

    def marked(self, word: str, speaks_for: bool) -> Text:
        """Return a word with its mark."""
        mark = self.value[0 if speaks_for else 1]
        return Text(mark + word) if self is Marks.SIGNS else Text(word, style=mark)


class Stretch(NamedTuple):
    """Lines of a document that follow one another."""

    start: int
    end: int


def passage(text: str, explanation: Explanation | None, marks: Marks) -> Text:
    """Return a document with the words that tell marked, its control characters made visible."""
    shown = Text()
    segments = segments_of(text[:_LONGEST], explanation.contributions if explanation else ())
    shares = bar_shares([segment.value for segment in segments])
    for segment, share in zip(segments, shares, strict=True):
        words = visible(segment.text)
        tells = abs(share) >= _FAINTEST and segment.text.strip()
        shown.append_text(marks.marked(words, share > 0) if tells else Text(words))
    if len(text) > _LONGEST:
        shown.append(f"\n… {len(text) - _LONGEST:,} characters more", style="dim")
    return shown if text.strip() else Text("(this document is empty)", style="dim")


def weights_of(lines: Sequence[Text], marks: Marks) -> list[int]:
    """Return how many marked words each line has."""
    if marks is Marks.SIGNS:
        return [0] * len(lines)
    return [sum(span.style in marks.value for span in line.spans) for line in lines]


def excerpt(weights: Sequence[int], room: int) -> list[Stretch]:
    """Return which lines to show where there is room for some: the first, and those that tell most.

    Two stretches have a line between them that says what was left out.

    Examples
    --------
    >>> excerpt([0, 0, 0], 3)
    [Stretch(start=0, end=3)]
    >>> excerpt([0] * 50 + [3, 2] + [0] * 50, 7)
    [Stretch(start=0, end=2), Stretch(start=48, end=52)]
    >>> excerpt([1, 2, 3, 0, 0, 0, 0, 0, 1], 6)
    [Stretch(start=0, end=6)]
    """
    n = len(weights)
    first = max(1, room // 3)
    size = room - first - 1
    if n <= room or size < 1:
        return [Stretch(0, min(n, room))]
    sums = [sum(weights[at : at + size]) for at in range(n - size + 1)]
    best = max(range(first, n - size + 1), key=sums.__getitem__)
    if sum(weights[:first]) + sums[best] <= sum(weights[:room]) or best <= first:
        return [Stretch(0, room)]
    return [Stretch(0, first), Stretch(best, best + size)]
