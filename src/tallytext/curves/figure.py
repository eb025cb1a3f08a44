"""A vocabulary curve as a drawing: one SVG file that needs nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from tallytext.curves.curve import CurveLine, VocabularyCurve

_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 64, 64, 480, 340
_LEGEND_LEFT, _LEGEND_STEP, _LETTER = _LEFT + _PLOT_WIDTH + 24, 22, 7.0

# To be told apart by those who do not see all colours, too; and lines by their dashes and dots.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#8a6d00", "#3f9fd6", "#1c2430")
_DASHES = ("", "7 4", "2 3", "10 3 2 3")

_STYLE = """
  .paper { fill: #fff }
  .grid { stroke: #e3e7ee; stroke-width: 1 }
  .frame { fill: none; stroke: #5b6472; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  .dot { stroke: #fff; stroke-width: 1 }
  .head { font-weight: 600; fill: #1c2430 }
  .note { font-size: 12px; fill: #4a5360 }
  .name { font-size: 13px; fill: #1c2430; text-anchor: middle }
  .entry { font-size: 12px; fill: #1c2430 }
  .tick { font-size: 11px; fill: #4a5360; text-anchor: middle }
  .side { font-size: 11px; fill: #4a5360; text-anchor: end }
"""


def drawn(curve: VocabularyCurve) -> str:
    """Return error against the number of terms, on a logarithmic axis, in SVG.

    A colour for each score, dashes and dots of one kind for each model.

    Examples
    --------
    >>> lines = CurveLine("ig", "bayes", (0.5, 0.25)), CurveLine("df", "bayes", (0.5, 0.5))
    >>> drawing = drawn(VocabularyCurve((10, 20), lines, "error", "cross-validation", 4))
    >>> drawing.count('class="line"'), drawing.count("<title>")
    (4, 5)
    """
    axes, strokes = _Axes.of(curve), _strokes(curve.lines)
    parts = [_head(curve), *_grid(curve, axes)]
    parts += [part for line in curve.lines for part in _line(curve, line, axes, strokes)]
    parts += [_legend_entry(at, line, strokes) for at, line in enumerate(curve.lines)]
    return "\n".join([*parts, "</svg>\n"])


@dataclass(frozen=True)
class _Axes:
    """From numbers of terms and errors to places."""

    low: float  # logarithms of the numbers of terms
    high: float
    top: float  # the largest error
    step: float  # from one tick to the next

    @classmethod
    def of(cls, curve: VocabularyCurve) -> _Axes:
        low, high = (math.log10(size) for size in (curve.sizes[0], curve.sizes[-1]))
        margin = 0.03 * (high - low) or 0.5
        largest = max(max(line.errors) for line in curve.lines) or 1.0
        step = _step(largest)
        return cls(low - margin, high + margin, math.ceil(largest / step - 1e-9) * step, step)

    def x(self, size: float) -> float:
        share = (math.log10(size) - self.low) / (self.high - self.low)
        return round(_LEFT + _PLOT_WIDTH * share, 2)

    def y(self, error: float) -> float:
        return round(_TOP + _PLOT_HEIGHT * (1 - error / self.top), 2)


@dataclass(frozen=True)
class _Stroke:
    """How a line looks."""

    colour: str
    dash: str
    shape: int

    @property
    def style(self) -> str:
        dashed = f' stroke-dasharray="{self.dash}"' if self.dash else ""
        return f'stroke="{self.colour}"{dashed}'

    def dot(self, x: float, y: float) -> str:
        """Return the start of an element that marks a point."""
        look = f'class="dot" fill="{self.colour}"'
        if self.shape == 0:
            return f'<circle {look} cx="{x}" cy="{y}" r="4"'
        corners = ("-4 -4h8v8h-8z", "0 -5l5 9h-10z", "0 -5.5l5 5.5l-5 5.5l-5 -5.5z")
        return f'<path {look} d="M{x} {y}m{corners[self.shape - 1]}"'


def _strokes(lines: tuple[CurveLine, ...]) -> dict[str, _Stroke]:
    scores = list(dict.fromkeys(line.score for line in lines))
    models = list(dict.fromkeys(line.model for line in lines))
    return {
        line.name: _Stroke(
            _COLOURS[scores.index(line.score) % len(_COLOURS)],
            _DASHES[models.index(line.model) % len(_DASHES)],
            models.index(line.model) % len(_DASHES),
        )
        for line in lines
    }


def _head(curve: VocabularyCurve) -> str:
    longest = max(len(line.name) for line in curve.lines)
    width = round(_LEGEND_LEFT + 44 + _LETTER * longest + 24)
    bottom = _TOP + max(_PLOT_HEIGHT + 60, _LEGEND_STEP * len(curve.lines) + 24)
    headline = escape(curve.headline)
    what, _, lowest = headline.partition(", ")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom}" '
        f'width="{width}" height="{bottom}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">\n'
        f"<title>Vocabulary curve: {headline}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="paper" width="{width}" height="{bottom}"/>\n'
        f'<text class="head" x="{_LEFT}" y="26">{what[0].upper()}{what[1:]}</text>\n'
        f'<text class="note" x="{_LEFT}" y="46">{lowest[0].upper()}{lowest[1:]}</text>'
    )


def _grid(curve: VocabularyCurve, axes: _Axes) -> list[str]:
    right, bottom = _LEFT + _PLOT_WIDTH, _TOP + _PLOT_HEIGHT
    parts = []
    for size in _ticks(curve.sizes, axes):
        x = axes.x(size)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{bottom + 18}">{size:,}</text>')
    for at in range(round(axes.top / axes.step) + 1):
        y = axes.y(at * axes.step)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="side" x="{_LEFT - 8}" y="{y + 4}">{at * axes.step:.4g}</text>')
    frame = f'x="{_LEFT}" y="{_TOP}" width="{_PLOT_WIDTH}" height="{_PLOT_HEIGHT}"'
    middle, upright = _LEFT + _PLOT_WIDTH / 2, f"translate(20 {_TOP + _PLOT_HEIGHT / 2})"
    return [
        *parts,
        f'<rect class="frame" {frame}/>',
        f'<text class="name" x="{middle}" y="{bottom + 42}">Terms</text>',
        f'<text class="name" transform="{upright} rotate(-90)">'
        f"{escape(curve.measure[0].upper() + curve.measure[1:])}</text>",
    ]


def _ticks(sizes: tuple[int, ...], axes: _Axes) -> list[int]:
    """Return the numbers to write below: the last size and powers of ten, if there is room."""
    powers = [10**power for power in range(math.floor(math.log10(sizes[-1])) + 1)]
    inside = [power for power in powers if power >= sizes[0]]
    chosen: list[int] = []
    for size in (sizes[-1], *inside, *(sizes if len(inside) < 3 else ())):
        if all(_have_room(size, other, axes) for other in chosen):
            chosen.append(size)
    return chosen


def _have_room(one: int, other: int, axes: _Axes) -> bool:
    letters = len(f"{one:,}") + len(f"{other:,}")
    return abs(axes.x(one) - axes.x(other)) >= _LETTER * letters / 2 + 6


def _line(
    curve: VocabularyCurve, line: CurveLine, axes: _Axes, strokes: dict[str, _Stroke]
) -> list[str]:
    stroke = strokes[line.name]
    points = [
        (axes.x(size), axes.y(error)) for size, error in zip(curve.sizes, line.errors, strict=True)
    ]
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    dots = [
        f"{stroke.dot(x, y)}><title>{escape(line.name)}: {size:,} terms, {error:.4f}</title>"
        f"</{'circle' if stroke.shape == 0 else 'path'}>"
        for (x, y), size, error in zip(points, curve.sizes, line.errors, strict=True)
    ]
    return [f'<path class="line" {stroke.style} d="{path}"/>', *dots]


def _legend_entry(at: int, line: CurveLine, strokes: dict[str, _Stroke]) -> str:
    stroke, y = strokes[line.name], _TOP + 10 + at * _LEGEND_STEP
    return (
        f'<path class="line" {stroke.style} d="M{_LEGEND_LEFT} {y}h34"/>'
        f"{stroke.dot(_LEGEND_LEFT + 17, y)}/>"
        f'<text class="entry" x="{_LEGEND_LEFT + 44}" y="{y + 4}">{escape(line.name)}</text>'
    )


def _step(largest: float) -> float:
    """Return a round number that goes into another one three to six times.

    Examples
    --------
    >>> [_step(largest) for largest in (0.93, 0.2, 0.05)]
    [0.2, 0.05, 0.01]
    """
    power = 10.0 ** math.floor(math.log10(largest))
    steps = (round(power * factor, 12) for factor in (0.2, 0.5, 1.0, 2.0))
    return next(step for step in steps if largest / step <= 6 + 1e-9)
