"""Drawings of a comparison, in SVG, coloured by the page that they are in."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallytext.comparison.learning_curve import LearningCurve

_WIDTH, _HEIGHT, _LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 560, 320, 56, 20, 480, 240


def learning_drawing(curve: LearningCurve, measure: str) -> str:
    """Draw a score against the number of documents learned, and where it may be heading.

    Examples
    --------
    >>> curve = LearningCurve((10, 20, 40), (0.5, 0.7, 0.8), 0.86, (0.8, 0.9))
    >>> drawing = learning_drawing(curve, "accuracy")
    >>> drawing.count('class="point"'), drawing.count('class="guess"')
    (3, 1)
    """
    ahead = [] if curve.at_double is None else [curve.at_double]
    sizes = [*curve.sizes, *(2 * curve.sizes[-1] for _ in ahead)]
    axes = _Axes(sizes, [*curve.scores, *ahead, *(curve.interval or ())])
    parts = [_head(_said(curve, measure)), *_grid(axes, sizes, measure)]
    parts.append(f'<path class="line learned" d="{_path(axes, curve.sizes, curve.scores)}"/>')
    for size, score in zip(curve.sizes, curve.scores, strict=True):
        parts.append(_dot("point", axes, size, score))
    return "\n".join([*parts, *_outlook(axes, curve), "</svg>\n"])


def _said(curve: LearningCurve, measure: str) -> str:
    points = zip(curve.sizes, curve.scores, strict=True)
    listed = ", ".join(f"{size:,}: {score:.3f}" for size, score in points)
    return f"{measure} against documents learned; {listed}"


def _outlook(axes: _Axes, curve: LearningCurve) -> Iterator[str]:
    """Yield a dashed line to twice as many documents, and how unsure its end is."""
    if curve.at_double is None:
        return
    double = 2 * curve.sizes[-1]
    ends = (curve.sizes[-1], double), (curve.scores[-1], curve.at_double)
    yield f'<path class="ahead" d="{_path(axes, *ends)}"/>'
    if curve.interval is not None:
        x, low, high = axes.x(double), *map(axes.y, curve.interval)
        yield f'<path class="unsure" d="M{x} {low}V{high}M{x - 4} {low}h8M{x - 4} {high}h8"/>'
    yield _dot("guess", axes, double, curve.at_double)


class _Axes:
    """From numbers of documents, on a logarithmic axis, and scores to places."""

    def __init__(self, sizes: list[int], scores: list[float]) -> None:
        self._low, self._high = math.log(sizes[0]), math.log(max(sizes[-1], sizes[0] + 1))
        step = 0.05 if max(scores) - min(scores) <= 0.3 else 0.1
        self.bottom = max(0.0, math.floor(min(scores) / step) * step)
        self.top = min(1.0, math.ceil(max(scores) / step + 1e-9) * step)
        self.step = step

    def x(self, size: int) -> float:
        share = (math.log(size) - self._low) / (self._high - self._low)
        return round(_LEFT + _PLOT_WIDTH * (0.03 + 0.94 * share), 1)

    def y(self, score: float) -> float:
        share = (score - self.bottom) / ((self.top - self.bottom) or 1.0)
        return round(_TOP + _PLOT_HEIGHT * (1 - share), 1)


def _head(title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img"><title>{title}</title>'
    )


def _grid(axes: _Axes, sizes: list[int], measure: str) -> Iterator[str]:
    right, bottom = _LEFT + _PLOT_WIDTH, _TOP + _PLOT_HEIGHT
    for at in range(round((axes.top - axes.bottom) / axes.step) + 1):
        score = axes.bottom + at * axes.step
        y = axes.y(score)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>'
        yield f'<text class="side" x="{_LEFT - 6}" y="{y + 4}">{score:.0%}</text>'
    for size in sizes:
        yield f'<text class="tick" x="{axes.x(size)}" y="{bottom + 18}">{size:,}</text>'
    yield (
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_PLOT_WIDTH}" '
        f'height="{_PLOT_HEIGHT}"/>'
    )
    middle = _LEFT + _PLOT_WIDTH / 2
    yield f'<text class="name" x="{middle}" y="{bottom + 40}">documents learned</text>'
    yield (
        f'<text class="name" transform="translate(14 {_TOP + _PLOT_HEIGHT / 2}) rotate(-90)">'
        f"{measure}</text>"
    )


def _path(axes: _Axes, sizes: tuple[int, ...], scores: tuple[float, ...]) -> str:
    points = zip(sizes, scores, strict=True)
    return "M" + "L".join(f"{axes.x(size)} {axes.y(score)}" for size, score in points)


def _dot(kind: str, axes: _Axes, size: int, score: float) -> str:
    where = f'cx="{axes.x(size)}" cy="{axes.y(score)}" r="4"'
    return f'<circle class="{kind}" {where}><title>{size:,}: {score:.4f}</title></circle>'
