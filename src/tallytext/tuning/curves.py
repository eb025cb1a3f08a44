"""Error against the number of terms, for several scores and models, on one count of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from html import escape
from numbers import Integral
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext._typing import FloatArray
from tallytext._validation import checked_matrix
from tallytext.errors import LabelError
from tallytext.features.selector import TermSelector, without_others
from tallytext.models.bernoulli import BernoulliNB
from tallytext.models.cross_validation import fold_numbers
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.reading import in_units, unit_of, vocabulary_for
from tallytext.runtime import progress_bar
from tallytext.tally.labels import (
    Targets,
    array_of_labels,
    check_lengths,
    sort_labels,
    targets_of,
    truth_of,
)
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally

# ------------------------------------------------------------------------------------------------
# What is to be tried: scores and models by name, and numbers of terms.


def named(given: Any, what: str) -> dict[str, Any]:
    """Return things by their names, or by what they are called where they are a list."""
    if isinstance(given, Mapping):
        named = {str(name): each for name, each in given.items()}
    else:
        listed = [given] if isinstance(given, str) else list(given)
        named = {_name(each, listed): each for each in listed}
        if len(named) < len(listed):
            raise ValueError(f"two of the {what} have one name: give a mapping of names to them.")
    if not named:
        raise ValueError(f"there is nothing to try: {what} is empty.")
    return named


def _name(each: Any, among: list[Any]) -> str:
    if isinstance(each, str):
        return each
    kinds = [type(other) for other in among]
    short = getattr(each, "__name__", type(each).__name__)
    return (
        str(short) if kinds.count(type(each)) == 1 or short != type(each).__name__ else repr(each)
    )


def sizes_of(sizes: Iterable[int] | None, n_terms: int) -> list[int]:
    """Return numbers of terms, ascending, none above all of them.

    Examples
    --------
    >>> sizes_of(None, 130), sizes_of([7, 500, 90], 130)
    ([10, 20, 50, 100, 130], [7, 90, 130])
    """
    if not n_terms:
        raise ValueError("there is no term to keep: documents are empty, or min_df is too high.")
    if sizes is None:
        powers = range(0 if n_terms <= 20 else 1, len(str(n_terms)))
        steps = {step * 10**power for power in powers for step in (1, 2, 5)}
        return sorted({min(size, n_terms) for size in steps} | {n_terms})
    wanted = list(sizes)
    for size in wanted:
        if not isinstance(size, Integral) or size < 1:
            raise ValueError(f"sizes must be whole numbers from 1 on, not {size!r}.")
    if not wanted:
        raise ValueError("there is nothing to try: sizes is empty.")
    return sorted({min(int(size), n_terms) for size in wanted})


# ------------------------------------------------------------------------------------------------
# Error against the number of terms: what :func:`vocabulary_curve` returns.


@dataclass(frozen=True)
class CurveLine:
    """The errors of one model with the terms that one score holds best.

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
        """Both names in one."""
        return f"{self.score}, {self.model}"


class Best(NamedTuple):
    """A point of a curve."""

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
        Numbers of terms, ascending; the last is usually all of them.
    lines : tuple of CurveLine
        One for each score and model.
    measure : {"error", "1 - micro F1"}
        The share of wrong labels, or what the micro-averaged F1 lacks where documents have
        several labels or none.
    method : {"held-out", "cross-validation"}
        How documents were kept from a model.
    n_documents : int
        How many documents were judged.

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
    def best(self) -> Best:
        """The lowest error; of several the one with the fewest terms, then the first line."""
        points = [
            Best(error, size, line.score, line.model)
            for line in self.lines
            for size, error in zip(self.sizes, line.errors, strict=True)
        ]
        return min(points, key=lambda point: point[:2])

    @property
    def rows(self) -> list[tuple[int, ...] | tuple[float, ...]]:
        """The table: for each size, the number of terms and the error of each line."""
        return [
            (size, *(line.errors[at] for line in self.lines)) for at, size in enumerate(self.sizes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
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
        """Draw the curve: one SVG file that needs nothing else.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write it to as well. It appears whole or not at all.

        Returns
        -------
        str
            The drawing, in SVG.
        """
        from tallytext.io.safetensors import save_text

        drawing = drawn(self)
        if path is not None:
            save_text(path, drawing)
        return drawing

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
        """What was measured, and where it is lowest."""
        best, n = self.best, f"{self.n_documents:,}"
        by_folds = self.method == "cross-validation"
        judged = f"{n} documents by cross-validation" if by_folds else f"{n} held-out documents"
        return (
            f"{self.measure} of {judged}, lowest {best.error:.4f}: "
            f"{best.n_terms:,} terms by {best.score}, {best.model}"
        )


# ------------------------------------------------------------------------------------------------
# Documents to learn from and documents to judge, each counted once.


@dataclass(frozen=True)
class Documents:
    """Counts and labels."""

    X: Any
    targets: Targets

    def some(self, rows: NDArray[np.intp]) -> Documents:
        """Return some of them."""
        return Documents(self.X[rows], self.targets.some(rows))


@dataclass(frozen=True)
class Split:
    """Training documents, their tally, and the documents to judge."""

    train: Documents
    tally: Tally
    test: Documents


def folds_of(
    whole: Documents, n_folds: int, random_state: int, counted: Callable[[Documents], Tally]
) -> Iterator[Split]:
    """Yield a split for each fold; the tally of the others is that of all less that of the fold."""
    number = fold_numbers(whole.targets, n_folds, None, random_state)
    rows = [np.flatnonzero(number == fold) for fold in range(n_folds)]
    folds = [whole.some(each) for each in rows]
    tallies = [counted(fold) for fold in folds]
    total = reduce(add, tallies)
    for fold, tally, mine in zip(folds, tallies, rows, strict=True):
        others = np.setdiff1d(np.arange(len(number)), mine, assume_unique=True)
        yield Split(whole.some(others), total - tally, fold)


# ------------------------------------------------------------------------------------------------
# How a model does with some of the terms.


@dataclass(frozen=True)
class Cut:
    """A split with some of its terms, made for models as they ask for it.

    Attributes
    ----------
    split : Split
        Documents with all terms.
    ids : ndarray
        The terms to keep.
    classes : ndarray
        All classes there are.
    unit : float
        What counts are counted in.
    """

    split: Split
    ids: NDArray[np.intp]
    classes: NDArray[Any]
    unit: float

    @cached_property
    def tally(self) -> Tally:
        """The tally of the kept terms."""
        return self.split.tally.mask(self.ids)

    @cached_property
    def columns(self) -> tuple[Any, Any]:
        """The kept columns of the training documents and of those to judge."""
        ids = np.sort(self.ids)
        return self.split.train.X[:, ids], self.split.test.X[:, ids]

    def outcome(self, model: Any) -> FloatArray:
        """Return right labels, wrong ones, and missing ones."""
        multi_label = self.split.train.targets.multi_label
        if multi_label:
            return _counts(self._truth(self.split.test), self._decided(model))
        predicted = self._predicted(model).tolist()
        pairs = zip(predicted, self.split.test.targets.labels, strict=True)
        wrong = sum(mine != truth for mine, truth in pairs)
        return np.array([len(predicted) - wrong, wrong, wrong], dtype=np.float64)

    def _predicted(self, model: Any) -> NDArray[Any]:
        if isinstance(model, NaiveBayes):
            return self._read_off(model).predict(self.split.test.X)
        train, test = self.columns
        labels = array_of_labels(self.split.train.targets.labels)
        return np.asarray(clone(model).fit(train, labels).predict(test))

    def _decided(self, model: Any) -> NDArray[np.bool_]:
        if not isinstance(model, NaiveBayes):
            train, test = self.columns
            fitted = clone(model).fit(train, self._truth(self.split.train).astype(np.int64))
            found = fitted.predict(test)
            return np.asarray(found.toarray() if hasattr(found, "toarray") else found) > 0
        read = self._read_off(model)
        decided = np.zeros((self.split.test.X.shape[0], len(self.classes)), dtype=bool)
        place = {label: at for at, label in enumerate(self.classes.tolist())}
        columns = [place[label] for label in read.classes_.tolist()]
        decided[:, columns] = read.predict(self.split.test.X) > 0
        return decided

    def _read_off(self, model: NaiveBayes) -> NaiveBayes:
        """Return the model of the masked tally: nothing is counted again."""
        train, read = self.split.train, clone(model)
        read._settle(train.targets.multi_label)
        read._start(self.tally, self.unit, weighted=False, open_=True)
        kept = np.zeros(train.X.shape[1], dtype=bool)
        kept[self.ids] = True
        read._choose(without_others(train.X, kept), train.targets, None)
        return read

    def _truth(self, documents: Any) -> NDArray[np.bool_]:
        return truth_of(documents.targets.labels, self.classes)


def error_of(outcome: FloatArray) -> float:
    """Return what F1 lacks; where each document has one label and gets one, the share of errors.

    Examples
    --------
    >>> error_of(np.array([3.0, 1.0, 1.0]))
    0.25
    """
    right, wrong, missing = outcome.tolist()
    pairs = 2 * right + wrong + missing
    return (wrong + missing) / pairs if pairs else 0.0


def _counts(truth: NDArray[np.bool_], decided: NDArray[np.bool_]) -> FloatArray:
    parts = truth & decided, decided & ~truth, truth & ~decided
    return np.array([part.sum() for part in parts], dtype=np.float64)


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
    """Measure error against the number of terms that are kept.

    Documents are counted once. Naive Bayes is read off the tally of the kept terms, so that a point
    costs no more than judging the documents; normalised documents keep the norm that they had with
    all their terms. Any other classifier is fitted on the kept columns, once for each point.

    Terms are scored on training documents alone: in cross-validation without the fold that is
    judged.

    Parameters
    ----------
    X, y
        Training documents: counts, and one label per document, lists of labels, or an indicator
        matrix.
    X_test, y_test : default=None
        Documents to judge; without them those of ``X`` are judged, fold after fold.
    scores : iterable, or mapping of names, default=("ig", "chi", "df")
        What terms are scored by: each a ``method`` of :class:`~tallytext.TermSelector`.
    models : iterable, or mapping of names, default=None
        Classifiers of count matrices; None for ``MultinomialNB()`` and ``BernoulliNB()``.
    sizes : iterable of int, default=None
        Numbers of terms to keep; None for 10, 20, 50, 100 and so on up to all.
    cv : int, default=5
        Number of folds where there are no documents to judge.
    min_df : int, default=1
        Leave terms of fewer documents out of all lines.
    random_state : int, default=0
        How documents are dealt out to folds.
    verbose : bool, default=None
        Whether to show a progress bar; None: on a terminal, if it takes its time.

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
    methods, classifiers = named(scores, "scores"), named(_or_default(models), "models")
    carrier = TermSelector(min_df=min_df)
    carrier._check_parameters()
    whole = _documents(carrier, X, y, reset=True)
    held_out = None if X_test is None else _documents(carrier, X_test, y_test, reset=False)
    curve = _Curve(methods, classifiers, whole, held_out, carrier)
    splits = curve.splits(cv, random_state)
    return curve.measured(splits, 1 if held_out else cv, sizes, verbose)


class _Curve:
    """What is tried on which documents."""

    def __init__(
        self,
        methods: Mapping[str, Any],
        models: Mapping[str, Any],
        whole: Documents,
        held_out: Documents | None,
        carrier: TermSelector,
    ) -> None:
        self.methods, self.models, self.whole, self.held_out = methods, models, whole, held_out
        self.vocabulary, self.min_df = vocabulary_for(carrier), carrier.min_df
        self.unit = unit_of(whole.X)
        self.planes = _planes(models.values(), self.unit, whole.targets.multi_label)
        distinct = whole.targets.distinct | (held_out.targets.distinct if held_out else set())
        self.classes = array_of_labels(sort_labels(distinct))

    def splits(self, n_folds: int, random_state: int) -> Iterator[Split]:
        if self.held_out is None:
            yield from folds_of(self.whole, n_folds, random_state, self.counted)
        else:
            yield Split(self.whole, self.counted(self.whole), self.held_out)

    def counted(self, documents: Documents) -> Tally:
        """Return the tally of documents, with all the planes that scores and models read."""
        tally = Tally(self.vocabulary, planes=self.planes)
        return tally.learn(in_units(documents.X, self.unit), documents.targets.labels)

    def measured(
        self, splits: Iterator[Split], n_splits: int, sizes: Any, verbose: bool | None
    ) -> VocabularyCurve:
        kept = sizes_of(sizes, self._n_terms())
        outcomes = np.zeros((len(self.methods), len(self.models), len(kept), 3))
        steps = n_splits * outcomes[..., 0].size
        with progress_bar("Measuring error", steps, verbose) as step:
            for split in splits:
                for at, method in enumerate(self.methods.values()):
                    self._add(outcomes[at], split, method, kept, step)
        judged = self.held_out or self.whole
        return VocabularyCurve(
            sizes=tuple(kept),
            lines=tuple(self._lines(outcomes)),
            measure="1 - micro F1" if self.whole.targets.multi_label else "error",
            method="held-out" if self.held_out else "cross-validation",
            n_documents=judged.X.shape[0],
        )

    def _add(
        self,
        outcomes: FloatArray,
        split: Split,
        method: Any,
        sizes: Sequence[int],
        step: Callable[[], None],
    ) -> None:
        """Add up how the models do with the terms that a score holds best."""
        most = len(self.vocabulary)
        selector = TermSelector(method, k=most, min_df=self.min_df)
        whole = isinstance(method, str) and method == "ts"
        best = (selector.fit(split.train.X) if whole else selector.fit_tally(split.tally)).best_
        for at, size in enumerate(sizes):
            cut = Cut(split, best[:size], self.classes, self.unit)
            for which, model in enumerate(self.models.values()):
                outcomes[which, at] += cut.outcome(model)
                step()

    def _lines(self, outcomes: FloatArray) -> Iterator[CurveLine]:
        for score, of_score in zip(self.methods, outcomes, strict=True):
            for model, of_model in zip(self.models, of_score, strict=True):
                yield CurveLine(score, model, tuple(map(error_of, of_model)))

    def _n_terms(self) -> int:
        """Return how many terms some training document has, and ``min_df`` leaves."""
        X = self.whole.X
        documents = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
        return int((documents >= self.min_df).sum())


def _documents(carrier: TermSelector, X: Any, y: Any, reset: bool) -> Documents:
    X, targets = checked_matrix(carrier, X, reset=reset, open_width=False), targets_of(y)
    check_lengths(X, targets)
    if not targets.distinct:
        raise LabelError("no document has a label: there is no class to tell.")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Documents(X, targets)


def _planes(models: Iterable[Any], unit: float, multi_label: bool) -> list[Plane]:
    """Return what the scores and models read besides whole counts."""
    planes = [Plane("binary", shared=True)] if multi_label else []
    for model in models:
        if isinstance(model, NaiveBayes):
            settled = clone(model)
            settled._settle(multi_label)
            columns = settled._columns(unit, False)
            planes += [column for column in columns if isinstance(column, Plane)]
    return planes


def _or_default(models: Any) -> Any:
    return [MultinomialNB(), BernoulliNB()] if models is None else models


# ------------------------------------------------------------------------------------------------
# A vocabulary curve as a drawing: one SVG file that needs nothing else.

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
