"""Calibration of probabilities: calibration error, Brier score, reliability curve and diagram."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import ScoreError
from tallytext.evaluation.measures import (
    check_flags,
    check_probabilities,
    check_same_length,
    scores_and_truth,
)
from tallytext.io.svg import PlotArea, element, save_drawing, svg_drawing, text, tooltip

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
        The share of them that is correct.
    count : ndarray of int64 of shape (n_bins,)
        The number of documents in each bin.
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
    """Return the probability of the most likely class, and True if that class is correct.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents, n_classes)
        The probability of each class; ties go to the lower index.
    truth : array-like of shape (n_documents, n_classes) or (n_documents,)
        True where a class applies, or one class index per document.

    Returns
    -------
    probability, correct : ndarray of shape (n_documents,)
        The arguments of :func:`calibration_error` and :func:`reliability_curve`.

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
    """Group documents into bins by probability; return confidence and accuracy of each bin.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        Probabilities of the most likely class (see :func:`top_label`) or of one class.
    correct : array-like of bool of shape (n_documents,)
        True if the class is correct.
    bins : int, default=15
        The largest number of bins.
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
    right = check_flags(correct, "correct")
    check_same_length(len(confidence), len(right), "in correct")
    edges = _edges(confidence, bins, strategy)
    # Bins are closed on the left; the last one also holds its upper edge.
    bin_of = np.minimum(np.searchsorted(edges, confidence, side="right"), len(edges) - 1) - 1
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    filled = count > 0
    return ReliabilityCurve(
        edges[:-1][filled],
        edges[1:][filled],
        np.bincount(bin_of, weights=confidence, minlength=len(count))[filled] / count[filled],
        np.bincount(bin_of, weights=right, minlength=len(count))[filled] / count[filled],
        count[filled],
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
    It depends on the bins and is too high for few documents, so compare only values of the same
    bins and about as many documents.

    Parameters
    ----------
    probabilities : array-like of shape (n_documents,)
        Probabilities of the most likely class, or of one class.
    correct : array-like of shape (n_documents,)
        True if the class is correct.
    bins : int, default=15
        The largest number of bins.
    strategy : {"equal-width", "equal-count"}, default="equal-width"
        Bins of equal width, or with equal numbers of documents.

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
        The probability of each class.
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
        raise ScoreError(
            f"probabilities must be one per document, not an array of shape {array.shape}."
        )
    return check_probabilities(array)


def _edges(values: NDArray[np.float64], bins: int, strategy: Strategy) -> NDArray[np.float64]:
    if bins < 1 or strategy not in ("equal-width", "equal-count"):
        raise ScoreError(
            "bins must be at least 1, and strategy 'equal-width' or 'equal-count', not "
            f"{bins} and {strategy!r}."
        )
    if strategy == "equal-width":
        return np.linspace(0, 1, bins + 1)
    # Many documents can have the same probability, which would give bins without width.
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)))
    # All probabilities are equal: one bin without width.
    return edges if len(edges) > 1 else np.append(edges, edges)


# The reliability diagram: bins above, and the strip with numbers of documents below them.

_BINS = PlotArea(64, 44, 360, 360)
_STRIP = PlotArea(_BINS.left, _BINS.bottom_edge + 16, _BINS.width, 64)
_WIDTH, _HEIGHT = _BINS.right_edge + 24, _STRIP.bottom_edge + 48
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MIN_LABELLED_WIDTH = 18.0
# Space above the highest bar of the strip, for its label.
_STRIP_MARGIN = 14

_STYLE = """
  .bar { fill: #9dbce6; stroke: #3b6fb6; stroke-width: 1 }
  .gap { fill: none; stroke: #c9772b; stroke-width: 2 }
  .mean { fill: #c9772b }
  .ideal { stroke: #1c2430; stroke-width: 1.5; stroke-dasharray: 5 4 }
  .count { font-size: 9px; fill: #4a5360; text-anchor: middle }
"""


def reliability_diagram(curve: ReliabilityCurve, path: str | Path | None = None) -> str:
    """Draw a reliability curve.

    It shows a bar for the accuracy of each bin, and a dot at its mean confidence and accuracy with
    a line to the dashed diagonal, on which the dots of calibrated probabilities lie. Below are the
    numbers of documents.

    Parameters
    ----------
    curve : ReliabilityCurve
        The curve to draw.
    path : str or Path, default=None
        A file to write the diagram to. It is written completely or not at all.

    Returns
    -------
    str
        The diagram in SVG.

    Examples
    --------
    >>> from tallytext.evaluation import reliability_curve
    >>> curve = reliability_curve([0.1, 0.2, 0.7, 0.9], [0, 1, 1, 1], bins=2)
    >>> reliability_diagram(curve).count('class="bar"')
    4
    """
    summary = f"calibration error {curve.error:.4f}, {curve.count.sum():,} documents"
    head = text(summary[0].upper() + summary[1:], class_="head", x=_BINS.left, y=28)
    # The diagonal lies above the bars and below the dots.
    ends = {"x1": _BINS.x(0), "y1": _BINS.y(0), "x2": _BINS.x(1), "y2": _BINS.y(1)}
    ideal = element("line", class_="ideal", **ends)
    parts = [head, *_axes(), *_bars(curve), ideal, *_dots(curve), *_counts(curve)]
    title = f"Reliability diagram: {summary}"
    return save_drawing(svg_drawing(parts, _WIDTH, _HEIGHT, title, _STYLE), path)


def _axes() -> list[str]:
    x, y = _BINS.x, _BINS.y
    grid = [
        _BINS.vertical_line(x(tick), _STRIP.bottom_edge) + _BINS.horizontal_line(y(tick))
        for tick in _TICKS
    ]
    ticks = [
        _STRIP.x_tick(x(tick), f"{tick:g}", 16) + _BINS.y_tick(y(tick), f"{tick:g}")
        for tick in _TICKS
    ]
    names = [
        _STRIP.x_title("Confidence", 36),
        _BINS.y_title("Accuracy", 22),
        _STRIP.y_title("Documents", 22),
    ]
    return [*grid, *ticks, *names]


def _bars(curve: ReliabilityCurve) -> list[str]:
    bins = zip(curve.low, curve.high, curve.accuracy, strict=True)
    shapes = [_bar(low, high, _BINS.y(accuracy), _BINS.bottom_edge) for low, high, accuracy in bins]
    return [*shapes, _BINS.frame()]


def _bar(low: float, high: float, top: float, bottom: float) -> str:
    left = _BINS.x(low)
    # A bin of equal probabilities has no width, and its bar would be invisible.
    width = max(round(_BINS.x(high) - left, 2), 1.0)
    height = round(bottom - top, 2)
    return element("rect", class_="bar", x=left, y=top, width=width, height=height)


def _dots(curve: ReliabilityCurve) -> list[str]:
    shapes = []
    for confidence, accuracy, count in zip(
        curve.confidence, curve.accuracy, curve.count, strict=True
    ):
        x, y = _BINS.x(confidence), _BINS.y(accuracy)
        about = f"confidence {confidence:.3f}, accuracy {accuracy:.3f}, documents {count:,}"
        shapes.append(
            element("path", class_="gap", d=f"M{x} {y}V{_BINS.y(confidence)}")
            + element("circle", tooltip(about), class_="mean", cx=x, cy=y, r=3.5)
        )
    return shapes


def _counts(curve: ReliabilityCurve) -> list[str]:
    largest = curve.count.max()
    shapes = []
    for low, high, count in zip(curve.low, curve.high, curve.count, strict=True):
        top = round(_STRIP.bottom_edge - (_STRIP.height - _STRIP_MARGIN) * count / largest, 2)
        shapes.append(_bar(low, high, top, _STRIP.bottom_edge))
        if _STRIP.width * (high - low) >= _MIN_LABELLED_WIDTH:
            middle = _STRIP.x((low + high) / 2)
            shapes.append(text(_short(count), class_="count", x=middle, y=top - 4))
    return [*shapes, _STRIP.frame()]


def _short(count: int) -> str:
    """Return a number in about four characters."""
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if count >= size:
            return f"{count / size:.{int(count < 10 * size)}f}{unit}"
    return str(count)
