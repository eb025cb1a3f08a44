"""Charts of the HTML report: the learning curve and score intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tallytext.comparison.learning_curve import LearningCurve
from tallytext.io.svg import PlotArea, element, polyline, svg_drawing, text, tick_step, tooltip

_AREA = PlotArea(56, 20, 480, 240, digits=1)
_WIDTH, _HEIGHT = 560, 320
# Points keep this share of the width away from the frame.
_X_MARGIN = 0.03

_INTERVAL_WIDTH, _INTERVAL_HEIGHT, _INTERVAL_MARGIN = 200, 20, 12


def draw_learning_curve(curve: LearningCurve, measure: str) -> str:
    """Draw the score against the number of training documents, and its extrapolation.

    Examples
    --------
    >>> curve = LearningCurve((10, 20, 40), (0.5, 0.7, 0.8), 0.86, (0.8, 0.9))
    >>> drawing = draw_learning_curve(curve, "accuracy")
    >>> drawing.count('class="point"'), drawing.count('class="guess"')
    (3, 1)
    """
    ahead = [] if curve.at_double is None else [curve.at_double]
    sizes = [*curve.sizes, *(2 * curve.sizes[-1] for _ in ahead)]
    axes = _LearningCurveAxes(sizes, [*curve.scores, *ahead, *(curve.interval or ())])
    points = [*zip(curve.sizes, curve.scores, strict=True)]
    parts = [*_axes(axes, sizes, measure)]
    line = polyline((axes.x(size), axes.y(score)) for size, score in points)
    parts.append(element("path", class_="line learned", d=line))
    parts += [_dot("point", axes, size, score) for size, score in points]
    listed = ", ".join(f"{size:,}: {score:.3f}" for size, score in points)
    title = f"{measure} against training documents; {listed}"
    return svg_drawing([*parts, *_extrapolation(axes, curve)], _WIDTH, _HEIGHT, title)


class _LearningCurveAxes:
    """Positions of numbers of documents, on a logarithmic axis, and of scores."""

    def __init__(self, sizes: list[int], scores: list[float]) -> None:
        # A curve of one point would have an axis without length.
        self._low, self._high = math.log(sizes[0]), math.log(max(sizes[-1], sizes[0] + 1))
        self.step = step = tick_step(max(scores) - min(scores), (0.05, 0.1))
        self.bottom = max(0.0, math.floor(min(scores) / step) * step)
        self.top = min(1.0, math.ceil(max(scores) / step + 1e-9) * step)

    def x(self, size: int) -> float:
        share = (math.log(size) - self._low) / (self._high - self._low)
        return _AREA.x(_X_MARGIN + (1 - 2 * _X_MARGIN) * share)

    def y(self, score: float) -> float:
        return _AREA.y((score - self.bottom) / ((self.top - self.bottom) or 1.0))


def _axes(axes: _LearningCurveAxes, sizes: list[int], measure: str) -> Iterator[str]:
    for at in range(round((axes.top - axes.bottom) / axes.step) + 1):
        score = axes.bottom + at * axes.step
        y = axes.y(score)
        yield _AREA.horizontal_line(y)
        yield _AREA.y_tick(y, f"{score:.0%}", 6)
    for size in sizes:
        yield _AREA.x_tick(axes.x(size), f"{size:,}")
    yield _AREA.frame()
    yield _AREA.x_title("training documents", 40)
    yield _AREA.y_title(measure, 14)


def _extrapolation(axes: _LearningCurveAxes, curve: LearningCurve) -> Iterator[str]:
    """Yield a dashed line to twice as many documents, and the interval at its end."""
    if curve.at_double is None:
        return
    double = 2 * curve.sizes[-1]
    ends = (curve.sizes[-1], curve.scores[-1]), (double, curve.at_double)
    line = polyline((axes.x(size), axes.y(score)) for size, score in ends)
    yield element("path", class_="ahead", d=line)
    if curve.interval is not None:
        x, low, high = axes.x(double), *map(axes.y, curve.interval)
        bar = f"M{x} {low}V{high}M{x - 4} {low}h8M{x - 4} {high}h8"
        yield element("path", class_="unsure", d=bar)
    yield _dot("guess", axes, double, curve.at_double)


def _dot(kind: str, axes: _LearningCurveAxes, size: int, score: float) -> str:
    about = tooltip(f"{size:,}: {score:.4f}")
    return element("circle", about, class_=kind, cx=axes.x(size), cy=axes.y(score), r=4)


@dataclass(frozen=True)
class IntervalAxis:
    """The common axis of the score intervals in a table, between two round numbers.

    Examples
    --------
    >>> axis = IntervalAxis.from_intervals([(0.71, 0.78), (0.9, 0.94)])
    >>> axis.low, axis.high
    (0.7, 0.95)
    """

    low: float
    high: float

    @classmethod
    def from_intervals(cls, intervals: Sequence[tuple[float, float]]) -> IntervalAxis:
        """Return an axis that contains all intervals."""
        low, high = min(each[0] for each in intervals), max(each[1] for each in intervals)
        step = tick_step(high - low, (0.01, 0.02, 0.05, 0.1, 0.2))
        # Without the tolerance, a bound on a tick could be rounded to the next tick.
        bottom = max(0.0, math.floor(low / step + 1e-9) * step)
        return cls(round(bottom, 2), round(min(1.0, math.ceil(high / step - 1e-9) * step), 2))

    def x(self, score: float) -> float:
        """Return the position of a score."""
        share = (score - self.low) / ((self.high - self.low) or 1.0)
        return round(_INTERVAL_MARGIN + (_INTERVAL_WIDTH - 2 * _INTERVAL_MARGIN) * share, 1)

    def draw(self) -> str:
        """Return a drawing of the axis, for the head of a column."""
        ends = ((self.low, "start", 2), (self.high, "end", _INTERVAL_WIDTH - 2))
        labels = [text(f"{score:.0%}", x=x, y=13, text_anchor=anchor) for score, anchor, x in ends]
        rule = element("path", class_="rule", d=f"M{self.x(self.low)} 19.5H{self.x(self.high)}")
        return _interval_svg(f"axis from {self.low:.0%} to {self.high:.0%}", *labels, rule)


def draw_interval(
    axis: IntervalAxis, score: float, interval: tuple[float, float], band: tuple[float, float]
) -> str:
    """Draw a score and its interval, in front of the interval of the best learner as a band.

    Examples
    --------
    >>> drawing = draw_interval(IntervalAxis(0.5, 1.0), 0.75, (0.7, 0.8), (0.8, 0.9))
    >>> drawing.count("<circle"), drawing.count("<rect")
    (1, 1)
    """
    left, right = axis.x(interval[0]), axis.x(interval[1])
    start, width = axis.x(band[0]), max(round(axis.x(band[1]) - axis.x(band[0]), 1), 1)
    middle = _INTERVAL_HEIGHT / 2
    whisker = f"M{left} {middle}H{right}M{left} {middle - 4}v8M{right} {middle - 4}v8"
    return _interval_svg(
        f"{score:.1%}, 95% interval {interval[0]:.1%} to {interval[1]:.1%}",
        element("rect", class_="band", x=start, y=0, width=width, height=_INTERVAL_HEIGHT),
        element("path", class_="whisker", d=whisker),
        element("circle", class_="score", cx=axis.x(score), cy=middle, r=4),
    )


def _interval_svg(label: str, *children: str) -> str:
    return element(
        "svg",
        *children,
        class_="whiskers",
        viewBox=f"0 0 {_INTERVAL_WIDTH} {_INTERVAL_HEIGHT}",
        width=_INTERVAL_WIDTH,
        height=_INTERVAL_HEIGHT,
        role="img",
        aria_label=label,
    )
