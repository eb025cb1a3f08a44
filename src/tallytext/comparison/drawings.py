"""Drawings of a comparison, in SVG, coloured by the page that they are in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from tallytext.comparison.learning_curve import LearningCurve
from tallytext.evaluation.evaluation import Evaluation

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


# ------------------------------------------------------------------------------------------------
# Scores with their intervals as dots and whiskers, all on one axis.

_BAR_WIDTH, _BAR_HEIGHT, _MARGIN = 200, 20, 12


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
        return round(_MARGIN + (_BAR_WIDTH - 2 * _MARGIN) * share, 1)

    def scale(self) -> str:
        """Return a drawing of the axis, for the head of a column."""
        ends = ((self.low, "start", 2), (self.high, "end", _BAR_WIDTH - 2))
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
    middle = _BAR_HEIGHT / 2
    said = f"{score:.1%}, 95% interval {interval[0]:.1%} to {interval[1]:.1%}"
    return (
        f'{_svg(said)}<rect class="band" x="{start}" y="0" width="{width}" height="{_BAR_HEIGHT}"/>'
        f'<path class="whisker" d="M{left} {middle}H{right}M{left} {middle - 4}v8'
        f'M{right} {middle - 4}v8"/>'
        f'<circle class="score" cx="{axis.x(score)}" cy="{middle}" r="4"/></svg>'
    )


def _svg(said: str) -> str:
    return (
        f'<svg class="whiskers" viewBox="0 0 {_BAR_WIDTH} {_BAR_HEIGHT}" width="{_BAR_WIDTH}" '
        f'height="{_BAR_HEIGHT}" role="img" aria-label="{said}">'
    )


# ------------------------------------------------------------------------------------------------
# Tables of a page: a head, rows whose first cell names them, and cells that are safe already.


def table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str) -> str:
    """Return a table in HTML that scrolls by itself where it is too wide.

    Examples
    --------
    >>> table("Classes", ["class", "documents"], [["sea", "3"]], "plain").count("<th ")
    3
    """
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(_row(row) for row in rows)
    return scrolled(
        name,
        f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
    )


def scrolled(name: str, inside: str) -> str:
    """Return something in a frame of its own, which keys can scroll, too."""
    return f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{inside}</div>'


def _row(cells: Sequence[str]) -> str:
    rest = "".join(f"<td>{cell}</td>" for cell in cells[1:])
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'


# ------------------------------------------------------------------------------------------------
# Which classes are taken for which: a map of all, or a list of the worst.

MOST_CLASSES = 40
_FAINTEST = 0.06
_LONGEST = 28


def confusion_matrix(evaluation: Evaluation) -> tuple[list[Any], NDArray[np.int64]]:
    """Return labels, those of most documents first, and documents by true and given label.

    Documents with several labels, or given several, are left out.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "spam", "spam"], ["ham", "ham", "spam"])
    >>> confusion_matrix(evaluation)
    (['spam', 'ham'], array([[1, 1],
           [0, 1]]))
    """
    right, _, wanted = evaluation.by_class
    order = np.argsort(-wanted, kind="stable")
    place = np.argsort(order)
    matrix = np.zeros((len(order), len(order)), dtype=np.int64)
    matrix[place, place] = right
    for (truth, given), count in evaluation.confusions.items():
        matrix[place[truth], place[given]] += count
    return [evaluation.labels[c] for c in order], matrix


def side_by_side(matrix: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return an order of classes in which those that are taken for each other are neighbours.

    Examples
    --------
    >>> side_by_side(np.array([[9, 0, 4, 0], [0, 9, 0, 3], [4, 0, 9, 0], [0, 3, 0, 9]])).tolist()
    [0, 2, 3, 1]
    """
    if len(matrix) < 3:
        return np.arange(len(matrix))
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    alike = shares + shares.T
    np.fill_diagonal(alike, 0)
    distances = squareform(alike.max() - alike, checks=False)
    tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
    order = leaves_list(tree).astype(np.intp)
    # Of both directions the one that begins with the larger class.
    return order if order[0] <= order[-1] else order[::-1]


def confusion_map(evaluation: Evaluation) -> str:
    """Return a table in HTML whose cells are darker the more documents they stand for."""
    labels, matrix = confusion_matrix(evaluation)
    order = side_by_side(matrix)
    names, matrix = [str(labels[c]) for c in order], matrix[np.ix_(order, order)]
    heads = "".join(
        f'<th scope="col" class="up" title="{escape(name)}"><span>{_short(name)}</span></th>'
        for name in names
    )
    rows = "".join(
        _row_of_confusion_map(name, at, cells, names)
        for at, (name, cells) in enumerate(zip(names, matrix, strict=True))
    )
    return scrolled(
        "What is taken for what",
        '<table class="map"><thead>'
        f'<tr><td class="corner"></td><th scope="colgroup" colspan="{len(names)}" class="over">'
        f'what the best learner says</th></tr><tr><th scope="col" class="corner">label given</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>",
    )


def _row_of_confusion_map(name: str, at: int, cells: NDArray[np.int64], names: list[str]) -> str:
    total = max(int(cells.sum()), 1)
    made = "".join(
        _cell(int(count), count / total, at == other, f"{name} taken for {names[other]}")
        for other, count in enumerate(cells)
    )
    return f'<tr><th scope="row" title="{escape(name)}">{_short(name)}</th>{made}</tr>'


def _cell(count: int, share: float, is_right: bool, title: str) -> str:
    if not count:
        return "<td></td>"
    colour = "0,114,178" if is_right else "213,94,0"
    depth = _FAINTEST + (1 - _FAINTEST) * float(share) ** 0.5
    ground = f"background-color:rgba({colour},{depth:.2f})"
    ink = ";color:#fff" if depth > 0.6 else ""
    said = f"{escape(title)}: {count:,} ({share:.1%})"
    return f'<td style="{ground}{ink}" title="{said}">{count:,}</td>'


def _short(name: str) -> str:
    return escape(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…")


# ------------------------------------------------------------------------------------------------
# How the page of a comparison looks, on a light ground, on a dark one, and on paper.

_GROUND = """
:root { --ground: #fff; --ink: #1c2430; --quiet: #59626f; --rule: #dfe4ec; --link: #1f6fb2;
  --line: #0072b2; --ahead: #c75600; --band: rgba(0,114,178,0.12); --pale: #9dbce6;
  --raised: #f6f8fb }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --ink: #e6e9ee; --quiet: #9aa4b2; --rule: #2e3643; --link: #6cb1ee;
    --line: #56a8e0; --ahead: #f0883e; --band: rgba(86,168,224,0.17); --pale: #2f5582;
    --raised: #1b212a }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--ink); background: var(--ground); max-width: 66rem; margin: 0 auto;
  padding: 2rem 1.5rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 0.6rem }
p { max-width: 46rem; margin: 0 0 0.9rem }
a { color: var(--link); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
header { margin-bottom: 1rem } header .note { margin: 0.3rem 0 0 }
section { border-top: 1px solid var(--rule); padding-top: 1.6rem; margin-top: 2rem }
main > section:first-child { border: 0; padding-top: 0.4rem; margin-top: 0 }
nav ol { list-style: none; margin: 0 0 1.4rem; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0.2rem 1.2rem; font-size: 0.93em }
.lead { font-size: 1.2em; line-height: 1.5 }
.note, small { color: var(--quiet); font-size: 0.87em }
.warning { border-left: 4px solid var(--ahead); border-radius: 0 6px 6px 0;
  padding: 0.6em 1em; background: var(--raised) }
@media (min-width: 84rem) {
  body { max-width: 82rem; display: grid; grid-template-columns: 13rem minmax(0, 1fr);
    column-gap: 3rem }
  header { grid-column: 2 }
  nav { position: sticky; top: 2rem; align-self: start; grid-row: 2 }
  nav ol { flex-direction: column; gap: 0.5rem }
  main { grid-column: 2 }
}
"""

_TABLES = """
.wide { overflow-x: auto; margin: 0 0 1rem }
table { border-collapse: collapse }
.plain th, .plain td { padding: 0.3rem 1.1rem 0.3rem 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums }
.plain thead th { color: var(--quiet); font-weight: 500; font-size: 0.87em; vertical-align: bottom }
.plain tbody th { font-weight: 500 }
.plain tr > :first-child, .named td:nth-child(2), .named th:nth-child(2),
.classes td:last-child, .classes th:last-child { text-align: left }
.plain tbody tr:hover { background: var(--raised) }
.learners { font-size: 0.93em } .learners th:first-child { min-width: 14rem }
.learners small { display: block; white-space: normal; font-weight: 400; line-height: 1.35 }
.learners tbody tr:first-child { background: var(--band) }
.learners .remark { color: var(--ahead); font-weight: 400; white-space: normal; font-size: 0.87em }
.classes .terms { color: var(--quiet); white-space: normal; display: block; min-width: 16rem;
  font-size: 0.93em }
.whiskers { display: block } .whiskers text { font-size: 11px; fill: var(--quiet) }
.whiskers .rule { stroke: var(--quiet) } .whiskers .band { fill: var(--band) }
.whiskers .whisker { fill: none; stroke: var(--line); stroke-width: 1.5 }
.whiskers .score { fill: var(--line); stroke: var(--ground) }
.map { font-size: 11.5px; font-variant-numeric: tabular-nums }
.map td { min-width: 2.6em; height: 2.1em; padding: 0 2px; text-align: center;
  border: 1px solid var(--rule) }
.map th { font-weight: 400; text-align: right; padding: 0 8px 0 0; white-space: nowrap }
.map tbody th { position: sticky; left: 0; background: var(--ground) }
.map tbody tr:hover th, .map tbody tr:hover td {
  box-shadow: inset 0 1px var(--quiet), inset 0 -1px var(--quiet) }
.map .corner { border: 0; vertical-align: bottom; color: var(--quiet); font-weight: 500 }
.map .over { text-align: center; color: var(--quiet); font-weight: 500; padding-bottom: 0.5em }
.map .up { vertical-align: bottom; text-align: left; padding: 0 0 6px }
.map .up span { writing-mode: vertical-rl; transform: rotate(180deg); display: inline-block }
"""

_DRAWINGS = """
.drawing { margin: 0; overflow-x: auto }
.drawing svg { display: block; max-width: 100%; min-width: 26rem; height: auto }
.drawing text { fill: var(--ink); font-family: inherit }
.drawing .paper { fill: none } .drawing .grid { stroke: var(--rule) }
.drawing .frame { fill: none; stroke: var(--quiet) }
.drawing .tick, .drawing .side, .drawing .count, .drawing .note { fill: var(--quiet);
  font-size: 11px }
.drawing .tick, .drawing .name, .drawing .count { text-anchor: middle }
.drawing .side { text-anchor: end } .drawing .count { font-size: 9px }
.drawing .name { font-size: 13px } .drawing .entry, .drawing .note { font-size: 12px }
.drawing .head { font-weight: 600 }
.drawing .line { fill: none; stroke-width: 2; stroke-linejoin: round }
.drawing .dot { stroke: var(--ground) }
.drawing .learned { stroke: var(--line) } .drawing .point { fill: var(--line) }
.drawing .ahead { fill: none; stroke: var(--ahead); stroke-width: 2; stroke-dasharray: 6 4 }
.drawing .unsure { fill: none; stroke: var(--ahead); stroke-width: 1.5 }
.drawing .guess { fill: var(--ahead) }
.drawing .bar { fill: var(--pale); stroke: var(--line) }
.drawing .gap { fill: none; stroke: var(--ahead); stroke-width: 2 }
.drawing .mean { fill: var(--ahead) }
.drawing .ideal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4 }
"""

_DOCUMENTS = """
details { border-bottom: 1px solid var(--rule); padding: 0.5rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule);
  padding: 0.7rem; border-radius: 6px; font-size: 0.87em; margin: 0.6rem 0 }
.for { background-color: rgba(46,160,67,0.35); border-radius: 3px; padding: 1px 3px }
.against { background-color: rgba(248,81,73,0.35); border-radius: 3px; padding: 1px 3px }
.tallytext-explanation > div:nth-child(2) { max-height: 22em; overflow: auto }
.tallytext-explanation { overflow-x: auto }
"""

_PRINT = """
@media print {
  :root { --ground: #fff; --ink: #000; --quiet: #444; --rule: #ccc; --line: #0072b2;
    --ahead: #c75600; --pale: #9dbce6; --band: rgba(0,114,178,0.12); --raised: #f6f8fb }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  body { display: block; max-width: none; padding: 0; font-size: 10pt }
  nav { display: none }
  .wide, .drawing { overflow: visible } .learners, .map { font-size: 7.5pt }
  .drawing svg { min-width: 0; max-width: 16cm }
  figure, tr, .map, .warning { break-inside: avoid } h2 { break-after: avoid }
  details::details-content { content-visibility: visible; height: auto }
  .tallytext-explanation > div:nth-child(2) { max-height: none }
}
"""

STYLE = _GROUND + _TABLES + _DRAWINGS + _DOCUMENTS + _PRINT
