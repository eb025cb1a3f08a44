"""Scores with their intervals as dots and whiskers, all on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT, _MARGIN = 200, 20, 12


@dataclass(frozen=True)
class Axis:
    """From scores to places, from one round number to another.

    Examples
    --------
    >>> axis = Axis.of([(0.71, 0.78), (0.9, 0.94)])
    >>> axis.low, axis.high
    (0.7, 0.95)
    """

    low: float
    high: float

    @classmethod
    def of(cls, intervals: Sequence[tuple[float, float]]) -> Axis:
        """Return an axis that holds all of some intervals."""
        low, high = min(each[0] for each in intervals), max(each[1] for each in intervals)
        step = next(
            each for each in (0.01, 0.02, 0.05, 0.1, 0.2) if high - low <= 6 * each or each == 0.2
        )
        bottom = max(0.0, math.floor(low / step + 1e-9) * step)
        return cls(round(bottom, 2), round(min(1.0, math.ceil(high / step - 1e-9) * step), 2))

    def x(self, score: float) -> float:
        """Return the place of a score."""
        share = (score - self.low) / ((self.high - self.low) or 1.0)
        return round(_MARGIN + (_WIDTH - 2 * _MARGIN) * share, 1)

    def scale(self) -> str:
        """Return a drawing of the axis, for the head of a column."""
        ends = ((self.low, "start", 2), (self.high, "end", _WIDTH - 2))
        written = "".join(
            f'<text x="{x}" y="13" text-anchor="{anchor}">{score:.0%}</text>'
            for score, anchor, x in ends
        )
        return (
            f"{_svg(f'axis from {self.low:.0%} to {self.high:.0%}')}{written}"
            f'<path class="rule" d="M{self.x(self.low)} 19.5H{self.x(self.high)}"/></svg>'
        )


def whisker(
    axis: Axis, score: float, interval: tuple[float, float], band: tuple[float, float]
) -> str:
    """Draw a score, its interval, and behind them that of the best as a band.

    Examples
    --------
    >>> drawing = whisker(Axis(0.5, 1.0), 0.75, (0.7, 0.8), (0.8, 0.9))
    >>> drawing.count("<circle"), drawing.count("<rect")
    (1, 1)
    """
    left, right = axis.x(interval[0]), axis.x(interval[1])
    start, width = axis.x(band[0]), max(round(axis.x(band[1]) - axis.x(band[0]), 1), 1)
    middle = _HEIGHT / 2
    said = f"{score:.1%}, 95% interval {interval[0]:.1%} to {interval[1]:.1%}"
    return (
        f'{_svg(said)}<rect class="band" x="{start}" y="0" width="{width}" height="{_HEIGHT}"/>'
        f'<path class="whisker" d="M{left} {middle}H{right}M{left} {middle - 4}v8'
        f'M{right} {middle - 4}v8"/>'
        f'<circle class="score" cx="{axis.x(score)}" cy="{middle}" r="4"/></svg>'
    )


def _svg(said: str) -> str:
    return (
        f'<svg class="whiskers" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" aria-label="{said}">'
    )
