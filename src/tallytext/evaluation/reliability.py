"""Whether probabilities mean what they say: calibration error, Brier score, reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.measures import flags, in_unit_interval, same_length, scores_and_truth
from tallytext.io.safetensors import save_text

Strategy = Literal["equal-width", "equal-count"]


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Documents in bins of similar confidence; bins without documents are left out.

    Attributes
    ----------
    low, high : ndarray of float64 of shape (n_bins,)
        The bounds of each bin, the lower one within it, the upper one only in the last bin.
    confidence : ndarray of float64 of shape (n_bins,)
        The mean probability of the documents in each bin.
    accuracy : ndarray of float64 of shape (n_bins,)
        The share of them that is right.
    count : ndarray of int64 of shape (n_bins,)
        How many they are.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    confidence: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    count: NDArray[np.int64]

    @property
    def error(self) -> float:
        """The expected calibration error; see :func:`calibration_error`."""
        return float(np.average(np.abs(self.accuracy - self.confidence), weights=self.count))


def top_label(
    probabilities: ArrayLike, truth: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return how sure a classifier is of its first choice, and whether that is right.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
        Of each class; ties go to the lower index.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Returns
    -------
    probability, correct : ndarray of shape (n_documents,)
        What :func:`calibration_error` and :func:`reliability_curve` take.

    Examples
    --------
    >>> top_label([[0.75, 0.25], [0.375, 0.625]], [0, 0])
    (array([0.75 , 0.625]), array([ True, False]))
    """
    matrix, wanted = scores_and_truth(probabilities, truth)
    rows, best = np.arange(len(matrix)), matrix.argmax(axis=1)
    return matrix[rows, best], wanted[rows, best]


def reliability_curve(
    probabilities: ArrayLike,
    correct: ArrayLike,
    bins: int = 15,
    *,
    strategy: Strategy = "equal-width",
) -> ReliabilityCurve:
    """Sort documents into bins by probability, and compare each bin's accuracy with it.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        How sure the classifier was: of its first choice (see :func:`top_label`) or of one class.
    correct : array-like of bool of shape (n_documents,)
        Whether it was right.
    bins : int, default=15
        How many bins at most.
    strategy : {"equal-width", "equal-count"}, default="equal-width"
        Bins of equal width from 0 to 1, or with equal numbers of documents as far as equal
        probabilities, which stay together, allow.

    Examples
    --------
    >>> curve = reliability_curve([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2)
    >>> curve.confidence, curve.accuracy, curve.count
    (array([0.15, 0.8 ]), array([0.5, 1. ]), array([2, 2]))
    """
    confidence = _probabilities(probabilities)
    right = flags(correct, "correct")
    same_length(len(confidence), len(right), "in correct")
    edges = _edges(confidence, bins, strategy)
    bin_of = np.minimum(np.searchsorted(edges, confidence, side="right"), len(edges) - 1) - 1
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    kept = count > 0
    return ReliabilityCurve(
        edges[:-1][kept],
        edges[1:][kept],
        np.bincount(bin_of, weights=confidence, minlength=len(count))[kept] / count[kept],
        np.bincount(bin_of, weights=right, minlength=len(count))[kept] / count[kept],
        count[kept],
    )


def calibration_error(
    probabilities: ArrayLike,
    correct: ArrayLike,
    bins: int = 15,
    *,
    strategy: Strategy = "equal-width",
) -> float:
    r"""Return the expected calibration error.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n} \, | \mathrm{acc}_b - \mathrm{conf}_b |

    over bins b of documents of similar probability; parameters as in :func:`reliability_curve`.
    It depends on the bins and is too high for few documents, so compare like with like.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        How sure the classifier is.
    correct : array-like of shape (n_documents,)
        Whether it is right.
    bins : int, default=15
        How many bins to make at most.
    strategy : {"equal-width", "equal-count"}, default="equal-width"
        Whether bins are of one width, or hold as many documents each.

    Examples
    --------
    >>> round(calibration_error([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2), 4)
    0.275
    """
    return reliability_curve(probabilities, correct, bins, strategy=strategy).error


def brier_score(probabilities: ArrayLike, truth: ArrayLike) -> float:
    r"""Return the mean squared distance of probabilities to the truth, over all classes.

    .. math:: \frac{1}{n} \sum_d \sum_c (p_{dc} - y_{dc})^2

    From 0 to 2 for probabilities that sum to one; for two such classes it is twice the
    ``brier_score_loss`` of scikit-learn.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
        Of each class.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Examples
    --------
    >>> brier_score([[0.75, 0.25], [0.5, 0.5]], [0, 1])
    0.3125
    """
    matrix, wanted = scores_and_truth(probabilities, truth)
    _probabilities(matrix.ravel())
    return float(((matrix - wanted) ** 2).sum(axis=1).mean())


def _probabilities(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ScoreError(f"one probability per document is needed, not shape {array.shape}.")
    return in_unit_interval(array)


def _edges(values: NDArray[np.float64], bins: int, strategy: Strategy) -> NDArray[np.float64]:
    if bins < 1 or strategy not in ("equal-width", "equal-count"):
        raise ScoreError(f"there are no {strategy!r} bins, {bins} of them.")
    if strategy == "equal-width":
        return np.linspace(0, 1, bins + 1)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)))
    return edges if len(edges) > 1 else np.append(edges, edges)


# ------------------------------------------------------------------------------------------------
# A reliability curve as a drawing: one SVG file that needs nothing else.

_SIDE, _LEFT, _TOP = 360, 64, 44
_STRIP_TOP, _STRIP = _TOP + _SIDE + 16, 64
_WIDTH, _HEIGHT = _LEFT + _SIDE + 24, _STRIP_TOP + _STRIP + 48
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_NARROWEST_LABELLED = 18.0

_STYLE = """
  .paper { fill: #fff }
  .grid { stroke: #e3e7ee; stroke-width: 1 }
  .frame { fill: none; stroke: #5b6472; stroke-width: 1 }
  .bar { fill: #9dbce6; stroke: #3b6fb6; stroke-width: 1 }
  .gap { fill: none; stroke: #c9772b; stroke-width: 2 }
  .mean { fill: #c9772b }
  .ideal { stroke: #1c2430; stroke-width: 1.5; stroke-dasharray: 5 4 }
  .head { font-weight: 600; fill: #1c2430 }
  .name { font-size: 13px; fill: #1c2430; text-anchor: middle }
  .tick { font-size: 11px; fill: #4a5360; text-anchor: middle }
  .side { font-size: 11px; fill: #4a5360; text-anchor: end }
  .count { font-size: 9px; fill: #4a5360; text-anchor: middle }
"""


def reliability_diagram(curve: ReliabilityCurve, path: str | Path | None = None) -> str:
    """Draw a reliability curve.

    A bar for the accuracy of each bin, and a dot at its mean confidence and accuracy with a line to
    the dashed diagonal, where the dots of reliable probabilities lie. Below, how many documents
    each bin holds.

    Parameters
    ----------
    curve : ReliabilityCurve
        What to draw.
    path : str or Path, default=None
        A file to write it to as well. It appears whole or not at all.

    Returns
    -------
    str
        The drawing, in SVG.

    Examples
    --------
    >>> from tallytext.evaluation import reliability_curve
    >>> curve = reliability_curve([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2)
    >>> reliability_diagram(curve).count('class="bar"')
    4
    """
    parts = [_head(curve), *_axes(), *_bars(curve), _ideal(), *_dots(curve), *_counts(curve)]
    drawing = "\n".join([*parts, "</svg>\n"])
    if path is not None:
        save_text(path, drawing)
    return drawing


def _head(curve: ReliabilityCurve) -> str:
    summary = f"calibration error {curve.error:.4f}, {curve.count.sum():,} documents"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">\n'
        f"<title>Reliability diagram: {summary}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="paper" width="{_WIDTH}" height="{_HEIGHT}"/>\n'
        f'<text class="head" x="{_LEFT}" y="28">{summary[0].upper()}{summary[1:]}</text>'
    )


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 2)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 2)


def _axes() -> list[str]:
    bottom, middle = _STRIP_TOP + _STRIP, _LEFT + _SIDE / 2
    grid = [_grid_lines(tick) for tick in _TICKS]
    ticks = [
        f'<text class="tick" x="{_x(tick)}" y="{bottom + 16}">{tick:g}</text>'
        f'<text class="side" x="{_LEFT - 8}" y="{_y(tick) + 4}">{tick:g}</text>'
        for tick in _TICKS
    ]
    names = [
        f'<text class="name" x="{middle}" y="{bottom + 36}">Confidence</text>',
        _upright("Accuracy", _TOP + _SIDE / 2),
        _upright("Documents", _STRIP_TOP + _STRIP / 2),
    ]
    return [*grid, *ticks, *names]


def _grid_lines(tick: float) -> str:
    right, bottom = _LEFT + _SIDE, _STRIP_TOP + _STRIP
    return (
        f'<line class="grid" x1="{_x(tick)}" x2="{_x(tick)}" y1="{_TOP}" y2="{bottom}"/>'
        f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{_y(tick)}" y2="{_y(tick)}"/>'
    )


def _upright(name: str, y: float) -> str:
    return f'<text class="name" transform="translate(22 {y}) rotate(-90)">{name}</text>'


def _bars(curve: ReliabilityCurve) -> list[str]:
    shapes = []
    for low, high, accuracy in zip(curve.low, curve.high, curve.accuracy, strict=True):
        shapes.append(_bar(low, high, _y(accuracy), _TOP + _SIDE))
    frame = f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>'
    return [*shapes, frame]


def _bar(low: float, high: float, top: float, bottom: float) -> str:
    width = max(round(_x(high) - _x(low), 2), 1.0)
    height = round(bottom - top, 2)
    return f'<rect class="bar" x="{_x(low)}" y="{top}" width="{width}" height="{height}"/>'


def _ideal() -> str:
    return f'<line class="ideal" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'


def _dots(curve: ReliabilityCurve) -> list[str]:
    return [
        f'<path class="gap" d="M{_x(sure)} {_y(right)}V{_y(sure)}"/>'
        f'<circle class="mean" cx="{_x(sure)}" cy="{_y(right)}" r="3.5">'
        f"<title>confidence {sure:.3f}, accuracy {right:.3f}, documents {count:,}</title></circle>"
        for sure, right, count in zip(curve.confidence, curve.accuracy, curve.count, strict=True)
    ]


def _counts(curve: ReliabilityCurve) -> list[str]:
    bottom, most = _STRIP_TOP + _STRIP, curve.count.max()
    shapes = []
    for low, high, count in zip(curve.low, curve.high, curve.count, strict=True):
        top = round(bottom - (_STRIP - 14) * count / most, 2)
        shapes.append(_bar(low, high, top, bottom))
        if _SIDE * (high - low) >= _NARROWEST_LABELLED:
            middle = _x((low + high) / 2)
            shapes.append(f'<text class="count" x="{middle}" y="{top - 4}">{_short(count)}</text>')
    frame = f'<rect class="frame" x="{_LEFT}" y="{_STRIP_TOP}" width="{_SIDE}" height="{_STRIP}"/>'
    return [*shapes, frame]


def _short(count: int) -> str:
    """Return a number in four characters or so."""
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if count >= size:
            return f"{count / size:.{int(count < 10 * size)}f}{unit}"
    return str(count)
