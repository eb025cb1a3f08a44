"""Vocabulary curves: the error of models against the number of terms, for scores of terms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from numbers import Integral
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext._validation import check_matrix
from tallytext.errors import LabelError
from tallytext.evaluation.folds import Rows, fold_numbers, iter_splits
from tallytext.features.selector import TermSelector, mask_columns
from tallytext.io.svg import (
    PlotArea,
    element,
    polyline,
    save_drawing,
    svg_drawing,
    text,
    tick_step,
    tooltip,
)
from tallytext.models.base import count_unit, to_units, vocabulary_for
from tallytext.models.bernoulli import BernoulliNB
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.runtime import progress_bar
from tallytext.tally.labels import (
    Targets,
    check_lengths,
    indicator_matrix,
    label_array,
    read_targets,
    sort_labels,
)
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally


def vocabulary_curve(
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    scores: Iterable[Any] | Mapping[str, Any] = ("ig", "chi", "df"),
    models: Iterable[Any] | Mapping[str, Any] | None = None,
    sizes: Iterable[int] | None = None,
    cv: int = 5,
    min_df: int = 1,
    random_state: int = 0,
    verbose: bool | None = None,
) -> VocabularyCurve:
    """Measure the error of models against the number of selected terms.

    Documents are counted once. Naive Bayes is estimated from the tally of the selected terms, so
    that a point costs no more than predicting the documents; normalised documents keep the norm
    that they had with all their terms. Any other classifier is fitted on the selected columns for
    each point.

    Terms are scored on training documents only: in cross-validation, without the held-out fold.

    Parameters
    ----------
    X, y
        Training documents: counts, and one label per document, lists of labels, or an indicator
        matrix.
    X_test, y_test : default=None
        Held-out documents; without them the error is measured on ``X`` by cross-validation.
    scores : iterable, or mapping of names, default=("ig", "chi", "df")
        Scores of terms: each a ``method`` of :class:`~tallytext.TermSelector`.
    models : iterable, or mapping of names, default=None
        Classifiers of count matrices; None for ``MultinomialNB()`` and ``BernoulliNB()``.
    sizes : iterable of int, default=None
        Numbers of terms to select; None for 10, 20, 50, 100 and so on up to all.
    cv : int, default=5
        Number of folds, if there are no held-out documents.
    min_df : int, default=1
        Leave out terms of fewer documents.
    random_state : int, default=0
        Seed of the folds.
    verbose : bool, default=None
        True to show a progress bar; None: on a terminal, if it takes long.

    Returns
    -------
    VocabularyCurve

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [3, 1, 0, 1], [0, 1, 2, 1], [0, 0, 1, 2]])
    >>> y = ["X", "X", "X", "Y", "Y"]
    >>> print(vocabulary_curve(X, y, X, y, scores=["ig"], models=[MultinomialNB()]))
    error of 5 held-out documents, lowest 0.0000: 2 terms by ig, MultinomialNB
      terms  ig, MultinomialNB
          1             0.4000
          2             0.0000
          4             0.0000
    """
    models = [MultinomialNB(), BernoulliNB()] if models is None else models
    methods, classifiers = _name_each(scores, "scores"), _name_each(models, "models")
    # Checks the matrices, and remembers the names of their columns.
    checker = TermSelector(min_df=min_df)
    checker._check_parameters()
    train = _check_documents(checker, X, y, reset=True)
    held_out = None if X_test is None else _check_documents(checker, X_test, y_test, reset=False)
    measurement = _CurveMeasurement(methods, classifiers, train, held_out, checker)
    splits = measurement.splits(cv, random_state)
    return measurement.run(splits, 1 if held_out else cv, sizes, verbose)


@dataclass(frozen=True)
class CurveLine:
    """The errors of one model with the best terms of one score.

    Attributes
    ----------
    score, model : str
        Their names.
    errors : tuple of float
        The error for each of the curve's ``sizes``.
    """

    score: str
    model: str
    errors: tuple[float, ...]

    @property
    def name(self) -> str:
        """The names of the score and the model."""
        return f"{self.score}, {self.model}"


class BestPoint(NamedTuple):
    """The point of a curve with the lowest error."""

    error: float
    n_terms: int
    score: str
    model: str


@dataclass(frozen=True)
class VocabularyCurve:
    """Error against the number of terms, for some scores and some models.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of terms, ascending; by default the last is the number of all terms.
    lines : tuple of CurveLine
        One for each score and model.
    measure : {"error", "1 - micro-F1"}
        The share of wrong labels, or for multi-label documents 1 minus the micro-averaged F1.
    method : {"held-out", "cross-validation"}
        How documents were held out.
    n_documents : int
        The number of documents that the error was measured on.

    Examples
    --------
    >>> lines = CurveLine("ig", "bayes", (0.5, 0.25)), CurveLine("df", "bayes", (0.5, 0.5))
    >>> curve = VocabularyCurve((10, 20), lines, "error", "cross-validation", 4)
    >>> print(curve)
    error of 4 documents by cross-validation, lowest 0.2500: 20 terms by ig, bayes
      terms  ig, bayes  df, bayes
         10     0.5000     0.5000
         20     0.2500     0.5000
    """

    sizes: tuple[int, ...]
    lines: tuple[CurveLine, ...]
    measure: str
    method: str
    n_documents: int

    @property
    def best(self) -> BestPoint:
        """The lowest error; among equal ones that with the fewest terms, then the first line."""
        points = [
            BestPoint(error, size, line.score, line.model)
            for line in self.lines
            for size, error in zip(self.sizes, line.errors, strict=True)
        ]
        # min() returns the first of equal points, and key compares error and size only.
        return min(points, key=lambda point: point[:2])

    @property
    def rows(self) -> list[tuple[int, ...] | tuple[float, ...]]:
        """The table: for each size, the number of terms and the error of each line."""
        return [
            (size, *(line.errors[at] for line in self.lines)) for at, size in enumerate(self.sizes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain values for JSON."""
        return {
            "measure": self.measure,
            "method": self.method,
            "documents": self.n_documents,
            "sizes": list(self.sizes),
            "lines": [
                {"score": line.score, "model": line.model, "errors": list(line.errors)}
                for line in self.lines
            ],
            "best": self.best._asdict(),
        }

    def figure(self, path: str | Path | None = None) -> str:
        """Draw the curve as a self-contained SVG file.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write the drawing to. It is written completely or not at all.

        Returns
        -------
        str
            The drawing in SVG.
        """
        return save_drawing(draw_curve(self), path)

    def __str__(self) -> str:
        heads = ["terms", *(line.name for line in self.lines)]
        cells = [[f"{row[0]:,}", *(f"{value:.4f}" for value in row[1:])] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        lines = [
            "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            for row in (heads, *cells)
        ]
        return "\n".join([self.headline, *lines])

    @property
    def headline(self) -> str:
        """The measure, the documents, and the lowest error."""
        best, n = self.best, f"{self.n_documents:,}"
        by_folds = self.method == "cross-validation"
        documents = f"{n} documents by cross-validation" if by_folds else f"{n} held-out documents"
        return (
            f"{self.measure} of {documents}, lowest {best.error:.4f}: "
            f"{best.n_terms:,} terms by {best.score}, {best.model}"
        )


class _CurveMeasurement:
    """Measurement of the errors of all scores, models and numbers of terms."""

    def __init__(
        self,
        methods: Mapping[str, Any],
        models: Mapping[str, Any],
        train: LabelledCounts,
        held_out: LabelledCounts | None,
        checker: TermSelector,
    ) -> None:
        self.methods, self.models, self.train, self.held_out = methods, models, train, held_out
        self.vocabulary, self.min_df = vocabulary_for(checker), checker.min_df
        # One unit for all folds, so that their tallies can be added and subtracted.
        self.unit = count_unit(train.X)
        self.planes = _required_planes(models.values(), self.unit, train.targets.multi_label)
        # A label that occurs only in test documents is an error of every model, and needs a column.
        distinct = train.targets.distinct | (held_out.targets.distinct if held_out else set())
        self.classes = label_array(sort_labels(distinct))

    def splits(self, n_folds: int, random_state: int) -> Iterator[CountedSplit]:
        """Yield training documents with their tally, and test documents."""
        if self.held_out is not None:
            yield CountedSplit(self.train, self._count(self.train), self.held_out)
            return
        numbers = fold_numbers(self.train.targets, n_folds, None, random_state)
        splits = list(iter_splits(numbers))
        folds = [self.train.take(split.test) for split in splits]
        tallies = [self._count(fold) for fold in folds]
        total = reduce(add, tallies)
        # The tally without a fold is the tally of all documents minus that of the fold.
        for split, fold, tally in zip(splits, folds, tallies, strict=True):
            yield CountedSplit(self.train.take(split.train), total - tally, fold)

    def _count(self, documents: LabelledCounts) -> Tally:
        """Return the tally of documents, with all planes that the scores and models need."""
        tally = Tally(self.vocabulary, planes=self.planes)
        return tally.learn(to_units(documents.X, self.unit), documents.targets.labels)

    def run(
        self, splits: Iterator[CountedSplit], n_splits: int, sizes: Any, verbose: bool | None
    ) -> VocabularyCurve:
        """Measure the errors over all splits."""
        checked = check_sizes(sizes, self._n_terms())
        # Numbers of correct, wrong and missing labels, by score, model and number of terms.
        outcomes = np.zeros((len(self.methods), len(self.models), len(checked), 3))
        steps = n_splits * outcomes[..., 0].size
        with progress_bar("Measuring error", steps, verbose) as step:
            for split in splits:
                for at, method in enumerate(self.methods.values()):
                    self._add(outcomes[at], split, method, checked, step)
        tested = self.held_out or self.train
        return VocabularyCurve(
            sizes=tuple(checked),
            lines=tuple(self._lines(outcomes)),
            measure="1 - micro-F1" if self.train.targets.multi_label else "error",
            method="held-out" if self.held_out else "cross-validation",
            n_documents=tested.X.shape[0],
        )

    def _add(
        self,
        outcomes: FloatArray,
        split: CountedSplit,
        method: Any,
        sizes: Sequence[int],
        step: Callable[[], None],
    ) -> None:
        """Add the outcomes of all models and numbers of terms, for one score."""
        selector = TermSelector(method, k=len(self.vocabulary), min_df=self.min_df)
        # Term strength compares documents with each other; all other scores need the tally only.
        needs_documents = isinstance(method, str) and method == "ts"
        if needs_documents:
            selector.fit(split.train.X)
        else:
            selector.fit_tally(split.tally)
        for at, size in enumerate(sizes):
            subset = TermSubset(split, selector.best_[:size], self.classes, self.unit)
            for which, model in enumerate(self.models.values()):
                # Counts and not rates are added, so that folds of different sizes have their proper
                # weight.
                outcomes[which, at] += subset.count_outcomes(model)
                step()

    def _lines(self, outcomes: FloatArray) -> Iterator[CurveLine]:
        for score, of_score in zip(self.methods, outcomes, strict=True):
            for model, of_model in zip(self.models, of_score, strict=True):
                yield CurveLine(score, model, tuple(map(error_rate, of_model)))

    def _n_terms(self) -> int:
        """Return the number of terms in at least ``min_df`` training documents."""
        X = self.train.X
        documents = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
        return int((documents >= self.min_df).sum())


def _check_documents(checker: TermSelector, X: Any, y: Any, reset: bool) -> LabelledCounts:
    X, targets = check_matrix(checker, X, reset=reset, open_width=False), read_targets(y)
    check_lengths(X, targets)
    if not targets.distinct:
        raise LabelError("no document has a label, so there is nothing to predict: check y.")
    if not X.has_canonical_format:
        # The matrix belongs to the caller, and sum_duplicates() works in place.
        X = X.copy()
        X.sum_duplicates()
    return LabelledCounts(X, targets)


def _required_planes(models: Iterable[Any], unit: float, multi_label: bool) -> list[Plane]:
    """Return the planes that the scores and models need besides the counts."""
    planes = [Plane("binary", shared=True)] if multi_label else []
    for model in models:
        if isinstance(model, NaiveBayes):
            model = clone(model)
            model._resolve_multi_label(multi_label)
            columns = model._columns(unit, False)
            planes += [column for column in columns if isinstance(column, Plane)]
    return planes


@dataclass(frozen=True)
class LabelledCounts:
    """Documents: a matrix of counts, and labels."""

    X: Any
    targets: Targets

    def take(self, rows: Rows) -> LabelledCounts:
        """Return the documents of some rows."""
        return LabelledCounts(self.X[rows], self.targets.take(rows))


@dataclass(frozen=True)
class CountedSplit:
    """Training documents, their tally, and test documents."""

    train: LabelledCounts
    tally: Tally
    test: LabelledCounts


@dataclass(frozen=True)
class TermSubset:
    """A split with a subset of its terms; tally and columns are made when a model needs them.

    Attributes
    ----------
    split : CountedSplit
        Documents with all terms.
    ids : ndarray
        The selected terms.
    classes : ndarray
        All classes.
    unit : float
        The unit of the counts.
    """

    split: CountedSplit
    ids: NDArray[np.intp]
    classes: NDArray[Any]
    unit: float

    @cached_property
    def tally(self) -> Tally:
        """The tally of the selected terms."""
        return self.split.tally.mask(self.ids)

    @cached_property
    def columns(self) -> tuple[Any, Any]:
        """The selected columns of the training and of the test documents."""
        # Columns in their original order, so that the result does not depend on the rank of a term.
        ids = np.sort(self.ids)
        return self.split.train.X[:, ids], self.split.test.X[:, ids]

    def count_outcomes(self, model: Any) -> FloatArray:
        """Return the numbers of correct, wrong and missing labels of the test documents."""
        if self.split.train.targets.multi_label:
            truth, given = self._truth(self.split.test), self._predict_indicator(model)
            parts = truth & given, given & ~truth, truth & ~given
            return np.array([part.sum() for part in parts], dtype=np.float64)
        predicted = self._predict(model).tolist()
        pairs = zip(predicted, self.split.test.targets.labels, strict=True)
        wrong = sum(mine != truth for mine, truth in pairs)
        # With one label per document, each error is a wrong label and a missing one.
        return np.array([len(predicted) - wrong, wrong, wrong], dtype=np.float64)

    def _predict(self, model: Any) -> NDArray[Any]:
        if isinstance(model, NaiveBayes):
            return self._estimate(model).predict(self.split.test.X)
        train, test = self.columns
        labels = label_array(self.split.train.targets.labels)
        return np.asarray(clone(model).fit(train, labels).predict(test))

    def _predict_indicator(self, model: Any) -> NDArray[np.bool_]:
        if not isinstance(model, NaiveBayes):
            train, test = self.columns
            fitted = clone(model).fit(train, self._truth(self.split.train).astype(np.int64))
            found = fitted.predict(test)
            # Some classifiers of scikit-learn return a sparse indicator matrix.
            return np.asarray(found.toarray() if hasattr(found, "toarray") else found) > 0
        estimated = self._estimate(model)
        decided = np.zeros((self.split.test.X.shape[0], len(self.classes)), dtype=bool)
        place = {label: at for at, label in enumerate(self.classes.tolist())}
        # Without a fold, a rare class may be missing from the model.
        columns = [place[label] for label in estimated.classes_.tolist()]
        decided[:, columns] = estimated.predict(self.split.test.X) > 0
        return decided

    def _estimate(self, model: NaiveBayes) -> NaiveBayes:
        """Return the model of the masked tally; no document is counted again."""
        train, estimated = self.split.train, clone(model)
        estimated._resolve_multi_label(train.targets.multi_label)
        estimated._set_tally(self.tally, self.unit, weighted=False, open_=True)
        mask = np.zeros(train.X.shape[1], dtype=bool)
        mask[self.ids] = True
        # Columns are masked and not removed, because ids are those of the whole vocabulary.
        estimated._fit_hyperparameters(mask_columns(train.X, mask), train.targets, None)
        return estimated

    def _truth(self, documents: Any) -> NDArray[np.bool_]:
        return indicator_matrix(documents.targets.labels, self.classes)


def error_rate(outcome: FloatArray) -> float:
    """Return 1 minus F1, which for one label per document is the share of errors.

    Parameters
    ----------
    outcome : ndarray of shape (3,)
        The numbers of correct, wrong and missing labels.

    Examples
    --------
    >>> error_rate(np.array([3.0, 1.0, 1.0]))
    0.25
    """
    right, wrong, missing = outcome.tolist()
    pairs = 2 * right + wrong + missing
    return (wrong + missing) / pairs if pairs else 0.0


def check_sizes(sizes: Iterable[int] | None, n_terms: int) -> list[int]:
    """Return the numbers of terms to try, ascending and at most ``n_terms``.

    Examples
    --------
    >>> check_sizes(None, 130), check_sizes([7, 500, 90], 130)
    ([10, 20, 50, 100, 130], [7, 90, 130])
    """
    if not n_terms:
        raise ValueError(
            "there are no terms to keep: all documents are empty, or min_df is too high."
        )
    if sizes is None:
        powers = range(0 if n_terms <= 20 else 1, len(str(n_terms)))
        steps = {step * 10**power for power in powers for step in (1, 2, 5)}
        return sorted({min(size, n_terms) for size in steps} | {n_terms})
    wanted = list(sizes)
    for size in wanted:
        if not isinstance(size, Integral) or size < 1:
            raise ValueError(f"sizes must be whole numbers from 1 on, not {size!r}.")
    if not wanted:
        raise ValueError("sizes is empty: give at least one.")
    return sorted({min(int(size), n_terms) for size in wanted})


def _name_each(given: Any, parameter: str) -> dict[str, Any]:
    """Return a mapping as it is; name the values of a list by their strings, types or reprs."""
    if isinstance(given, Mapping):
        named = {str(name): each for name, each in given.items()}
    else:
        listed = [given] if isinstance(given, str) else list(given)
        named = {_default_name(each, listed): each for each in listed}
        if len(named) < len(listed):
            raise ValueError(
                f"two of the {parameter} have the same name: give a mapping from names to "
                f"{parameter}."
            )
    if not named:
        raise ValueError(f"{parameter} is empty: give at least one.")
    return named


def _default_name(each: Any, among: list[Any]) -> str:
    if isinstance(each, str):
        return each
    same_type = sum(type(other) is type(each) for other in among)
    name = str(getattr(each, "__name__", type(each).__name__))
    return name if same_type == 1 or name != type(each).__name__ else repr(each)


# The drawing: lines in a plot area, with the legend at its right.

_AREA = PlotArea(64, 64, 480, 340)
_LEGEND_LEFT, _LEGEND_STEP = _AREA.right_edge + 24, 22
# The width of a letter, to leave room for labels.
_LETTER = 7.0

# Colours that are distinguishable with colour blindness; lines also differ by dashes and dots.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#8a6d00", "#3f9fd6", "#1c2430")
_DASHES = ("", "7 4", "2 3", "10 3 2 3")

_STYLE = """
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  .dot { stroke: #fff; stroke-width: 1 }
  .note { font-size: 12px; fill: #4a5360 }
  .entry { font-size: 12px; fill: #1c2430 }
"""


def draw_curve(curve: VocabularyCurve) -> str:
    """Return error against the number of terms, on a logarithmic axis, in SVG.

    Each score has a colour, and each model its dashes and dots.

    Examples
    --------
    >>> lines = CurveLine("ig", "bayes", (0.5, 0.25)), CurveLine("df", "bayes", (0.5, 0.5))
    >>> drawing = draw_curve(VocabularyCurve((10, 20), lines, "error", "cross-validation", 4))
    >>> drawing.count('class="line"'), drawing.count("<title>")
    (4, 5)
    """
    axes, strokes = _CurveAxes.from_curve(curve), _strokes(curve.lines)
    measured, _, lowest = curve.headline.partition(", ")
    parts = [
        text(_capitalize(measured), class_="head", x=_AREA.left, y=26),
        text(_capitalize(lowest), class_="note", x=_AREA.left, y=46),
        *_axes(curve, axes),
    ]
    parts += [part for line in curve.lines for part in _line(curve, line, axes, strokes)]
    parts += [_legend_entry(at, line, strokes) for at, line in enumerate(curve.lines)]
    longest = max(len(line.name) for line in curve.lines)
    width = round(_LEGEND_LEFT + 44 + _LETTER * longest + 24)
    height = _AREA.top + max(_AREA.height + 60, _LEGEND_STEP * len(curve.lines) + 24)
    return svg_drawing(parts, width, height, f"Vocabulary curve: {curve.headline}", _STYLE)


def _capitalize(sentence: str) -> str:
    """Return a sentence with its first letter in upper case, and the others as they are."""
    return sentence[0].upper() + sentence[1:]


@dataclass(frozen=True)
class _CurveAxes:
    """Positions of numbers of terms and of errors in the drawing."""

    low: float  # logarithms of the numbers of terms
    high: float
    top: float  # the largest error
    step: float  # from one tick to the next

    @classmethod
    def from_curve(cls, curve: VocabularyCurve) -> _CurveAxes:
        low, high = (math.log10(size) for size in (curve.sizes[0], curve.sizes[-1]))
        # A curve of one size has no width; half a decade at each side avoids a division by zero.
        margin = 0.03 * (high - low) or 0.5
        # If no model makes an error, the axis ends at 1, since 0 has no logarithm.
        largest = max(max(line.errors) for line in curve.lines) or 1.0
        power = 10.0 ** math.floor(math.log10(largest))
        step = tick_step(largest, [round(power * factor, 12) for factor in (0.2, 0.5, 1.0, 2.0)])
        # 1e-9: a maximum on a tick must not add an empty interval because of rounding.
        return cls(low - margin, high + margin, math.ceil(largest / step - 1e-9) * step, step)

    def x(self, size: float) -> float:
        return _AREA.x((math.log10(size) - self.low) / (self.high - self.low))

    def y(self, error: float) -> float:
        return _AREA.y(error / self.top)


@dataclass(frozen=True)
class _Stroke:
    """The colour, dashes and dots of a line."""

    colour: str
    dash: str
    shape: int

    def line(self, data: str) -> str:
        """Return a path."""
        dashes = {"stroke_dasharray": self.dash} if self.dash else {}
        return element("path", class_="line", stroke=self.colour, **dashes, d=data)

    def dot(self, x: float, y: float, *children: str) -> str:
        """Return the element that marks a point."""
        look = {"class_": "dot", "fill": self.colour}
        if self.shape == 0:
            return element("circle", *children, **look, cx=x, cy=y, r=4)
        corners = ("-4 -4h8v8h-8z", "0 -5l5 9h-10z", "0 -5.5l5 5.5l-5 5.5l-5 -5.5z")
        return element("path", *children, **look, d=f"M{x} {y}m{corners[self.shape - 1]}")


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


def _axes(curve: VocabularyCurve, axes: _CurveAxes) -> list[str]:
    parts = []
    for size in _ticks(curve.sizes, axes):
        x = axes.x(size)
        parts += [_AREA.vertical_line(x), _AREA.x_tick(x, f"{size:,}")]
    for at in range(round(axes.top / axes.step) + 1):
        y = axes.y(at * axes.step)
        parts += [_AREA.horizontal_line(y), _AREA.y_tick(y, f"{at * axes.step:.4g}")]
    titles = _AREA.x_title("Terms", 42), _AREA.y_title(_capitalize(curve.measure), 20)
    return [*parts, _AREA.frame(), *titles]


def _ticks(sizes: tuple[int, ...], axes: _CurveAxes) -> list[int]:
    """Return the labelled numbers of terms: the last size and powers of ten that fit."""
    powers = [10**power for power in range(math.floor(math.log10(sizes[-1])) + 1)]
    inside = [power for power in powers if power >= sizes[0]]
    chosen: list[int] = []
    # In order of importance: a label that would overlap an earlier one is left out.
    for size in (sizes[-1], *inside, *(sizes if len(inside) < 3 else ())):
        if all(_fits_beside(size, other, axes) for other in chosen):
            chosen.append(size)
    return chosen


def _fits_beside(one: int, other: int, axes: _CurveAxes) -> bool:
    letters = len(f"{one:,}") + len(f"{other:,}")
    return abs(axes.x(one) - axes.x(other)) >= _LETTER * letters / 2 + 6


def _line(
    curve: VocabularyCurve, line: CurveLine, axes: _CurveAxes, strokes: dict[str, _Stroke]
) -> list[str]:
    stroke = strokes[line.name]
    points = [
        (axes.x(size), axes.y(error)) for size, error in zip(curve.sizes, line.errors, strict=True)
    ]
    dots = [
        stroke.dot(x, y, tooltip(f"{line.name}: {size:,} terms, {error:.4f}"))
        for (x, y), size, error in zip(points, curve.sizes, line.errors, strict=True)
    ]
    return [stroke.line(polyline(points)), *dots]


def _legend_entry(at: int, line: CurveLine, strokes: dict[str, _Stroke]) -> str:
    stroke, y = strokes[line.name], _AREA.top + 10 + at * _LEGEND_STEP
    return (
        stroke.line(f"M{_LEGEND_LEFT} {y}h34")
        + stroke.dot(_LEGEND_LEFT + 17, y)
        + text(line.name, class_="entry", x=_LEGEND_LEFT + 44, y=y + 4)
    )
