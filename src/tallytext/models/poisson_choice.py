"""The best weighting of words and alpha for each class, chosen on training data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext._core import add_rows
from tallytext._typing import FloatArray
from tallytext._validation import checked_matrix
from tallytext.decision.thresholds import SCut
from tallytext.evaluation.folds import stratified_folds
from tallytext.models.cross_validation import fold_models, held_out
from tallytext.models.poisson import (
    PoissonNB,
    PoissonRates,
    PoissonWeighting,
    RatioSource,
    Weighting,
    log_ratio,
)
from tallytext.models.reading import Reading, documents_of
from tallytext.models.scorer import Documents, sums_of_rows
from tallytext.models.word_probabilities import blocks
from tallytext.runtime import progress_bar, thread_count
from tallytext.tally.labels import Targets, targets_of, truth_of

# ------------------------------------------------------------------------------------------------
# How well each way of weighing words, with each alpha, does for each class: out-of-fold F1.

Candidate: TypeAlias = tuple[Weighting | None, float]

_NUMBERS = 1 << 25  # of the scores of all candidates at a time: 256 MB


@dataclass(frozen=True)
class Grid:
    """Candidates: all pairs of a weighting and an alpha.

    Attributes
    ----------
    weightings : sequence of {None, "ig", "chi", "prr"}
    alphas : sequence of float
    power, prr_source
        As in :class:`~tallytext.models.poisson.PoissonWeighting`.
    """

    weightings: Sequence[Weighting | None]
    alphas: Sequence[float]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    @property
    def candidates(self) -> list[Candidate]:
        """Each alpha with all weightings, then the next."""
        return [(weighting, float(alpha)) for alpha in self.alphas for weighting in self.weightings]

    def rows(self, rates: PoissonRates, first: int, last: int) -> Iterator[FloatArray]:
        """Yield weighed logarithms of ratios of a range of words, for each candidate.

        Rates are linear in alpha and most weights do not depend on it, so both are made once.
        """
        ends, kept = rates.ends(first, last), None
        for alpha in self.alphas:
            inside, outside = (side.mixed(alpha) for side in ends)
            for side in (inside, outside):
                side[:, ~rates.modelled] = 1.0
            if kept is None or self.prr_source == "poisson":
                kept = self._weights(rates, first, last, inside, outside)
            logs = log_ratio(inside, outside)
            yield from (weights * logs for weights in kept)

    def _weights(
        self, rates: PoissonRates, first: int, last: int, inside: FloatArray, outside: FloatArray
    ) -> list[FloatArray]:
        n_classes = rates.reading.n_classes
        ways = [
            PoissonWeighting([weighting] * n_classes, self.power, self.prr_source)
            for weighting in self.weightings
        ]
        return [way.rows(rates, first, last, inside, outside) for way in ways]

    def z_star(self, rates: PoissonRates, documents: Documents, n_threads: int) -> FloatArray:
        """Return candidates by documents by classes; NaN for classes without a model."""
        shape = len(self.candidates), documents.n_documents, rates.reading.n_classes
        scores, ground = np.zeros(shape), np.zeros((shape[0], 1, shape[2]))
        starts, terms, values = documents.starts, documents.terms, documents.values
        for first, last in blocks(rates.reading):
            for at, rows in enumerate(self.rows(rates, first, last)):
                ground[at] += rows.sum(axis=0)
                add_rows(starts, terms, values, rows, first, scores[at], n_threads)
        lengths = sums_of_rows(documents.values * rates.known[documents.terms], documents.starts)
        scores += ground * (rates.theta / max(rates.n_terms, 1))
        scores /= (lengths + rates.theta)[:, None]
        scores[:, :, ~rates.modelled] = np.nan
        return scores


@dataclass(frozen=True)
class Fold:
    """Documents that were held out, and the rates of all others."""

    rows: NDArray[np.intp]
    documents: Documents
    rates: PoissonRates


@dataclass(frozen=True)
class GridF1:
    """F1 of each candidate and class with the best threshold, pooled and in each fold.

    Attributes
    ----------
    f1 : ndarray of shape (n_candidates, n_classes)
    by_fold : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for folds that have no document of the class.
    """

    f1: FloatArray
    by_fold: FloatArray

    def standard_errors(self) -> FloatArray:
        """Return those of the means over folds; infinite where fewer than two folds have any."""
        known = ~np.isnan(self.by_fold)
        n = known.sum(axis=1)
        mean = np.where(known, self.by_fold, 0.0).sum(axis=1) / np.maximum(n, 1)
        squares = np.where(known, self.by_fold - mean[:, None], 0.0) ** 2
        variance = squares.sum(axis=1) / np.maximum(n - 1, 1)
        return np.where(n > 1, np.sqrt(variance / np.maximum(n, 1)), np.inf)


def mean_f1(found: Sequence[GridF1]) -> GridF1:
    """Return the mean over several deals, and all their folds."""
    pooled = np.mean([each.f1 for each in found], axis=0)
    return GridF1(pooled, np.concatenate([each.by_fold for each in found], axis=1))


def class_groups(n_documents: int, n_classes: int, n_candidates: int) -> list[tuple[int, int]]:
    """Return ranges of classes whose scores by all candidates fit into memory together.

    Examples
    --------
    >>> class_groups(10_000, 90, 44)
    [(0, 45), (45, 90)]
    """
    most = max(1, _NUMBERS // max(1, n_documents * n_candidates))
    n_groups = -(-n_classes // most)
    ends = np.linspace(0, n_classes, n_groups + 1).astype(int).tolist()
    return list(pairwise(ends))


def group_f1(
    grid: Grid,
    folds: Iterable[Fold],
    truth: NDArray[np.bool_],
    first: int,
    last: int,
    n_threads: int,
) -> GridF1:
    """Return the F1 of all candidates for the classes from ``first`` up to ``last``."""
    wanted, n_candidates = truth[:, first:last], len(grid.candidates)
    scores = np.empty((n_candidates, *wanted.shape))
    rows = []
    for fold in folds:
        rates = _of_classes(fold.rates, first, last)
        scores[:, fold.rows] = grid.z_star(rates, fold.documents, n_threads)
        rows.append(fold.rows)
    found = [_f1(scores[at], wanted, rows) for at in range(n_candidates)]
    return GridF1(np.array([f1 for f1, _ in found]), np.array([by for _, by in found]))


def _f1(
    scores: FloatArray, wanted: NDArray[np.bool_], folds: Sequence[NDArray[np.intp]]
) -> tuple[FloatArray, FloatArray]:
    """Return the F1 of decisions by the best thresholds, pooled and in each fold."""
    decided = SCut(fbr=0).fit(scores, wanted).decide(scores)
    right, given, there = (
        np.array([part[rows].sum(axis=0) for rows in folds], dtype=np.float64)
        for part in (decided & wanted, decided, wanted)
    )
    by_fold = np.divide(2 * right, given + there, out=np.full_like(right, np.nan), where=there > 0)
    pooled = 2 * right.sum(axis=0) / np.maximum((given + there).sum(axis=0), 1)
    return pooled, by_fold


def _of_classes(rates: PoissonRates, first: int, last: int) -> PoissonRates:
    reading, classes = rates.reading, rates.reading.classes
    kept = (classes >= first) & (classes < last)
    few: Reading = replace(
        reading,
        starts=np.append(0, np.cumsum(kept))[reading.starts],
        classes=classes[kept] - np.int32(first),
        cells=reading.cells[:, kept],
        class_totals=reading.class_totals[:, first:last],
        class_scales=reading.class_scales[:, first:last],
        class_documents=reading.class_documents[first:last],
        class_terms=reading.class_terms[first:last],
    )
    return replace(rates, reading=few, alpha=rates.alpha[first:last])


ALPHAS = tuple(step / 10 for step in range(11))
WEIGHTINGS: tuple[Weighting | None, ...] = (None, "ig", "chi", "prr")
N_BINS = 5


@dataclass(frozen=True, eq=False)
class PerClassChoice:
    """What :func:`choose_per_class` found.

    Attributes
    ----------
    model : PoissonNB
        Fitted to all documents, each class with its own choice.
    per_class : dict of label to (weighting, alpha)
        The choices.
    scores : ndarray of shape (n_documents, n_classes)
        Out-of-fold ``z_star`` under these choices, to fit thresholds to; -inf where all documents
        of a class were held out.
    truth : ndarray of bool of shape (n_documents, n_classes)
        Which document has which class.
    folds : ndarray of int of shape (n_documents,)
        The fold of each document, as dealt the first time.
    candidates : list of (weighting, alpha)
        What was tried.
    f1 : ndarray of shape (n_candidates, n_classes)
        Out-of-fold F1 with the best threshold: too high, for all candidates alike.
    bins : ndarray of int of shape (n_classes,)
        Classes by size, 0 the smallest.
    """

    model: PoissonNB
    per_class: dict[Any, Candidate]
    scores: FloatArray
    truth: NDArray[np.bool_]
    folds: NDArray[np.intp]
    candidates: list[Candidate]
    f1: FloatArray
    bins: NDArray[np.intp]


def choose_per_class(
    model: PoissonNB,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    random_state: int = 0,
    alphas: Sequence[float] = ALPHAS,
    progress: bool = False,
) -> PerClassChoice:
    """Choose how each class weighs words, and its alpha, by out-of-fold F1 (PNB*).

    Classes are parted into five bins by size. The best candidate on average over a bin is that of
    its classes, but for those whose own best beats it by more than one standard error of the F1
    in folds: one class alone has too few documents to choose among dozens of candidates.

    Parameters
    ----------
    model : PoissonNB
        Its other parameters are kept. It is not changed.
    X, y
        Training documents, as in :meth:`PoissonNB.fit`.
    folds : int, default=5
        Each is judged by the sums of all documents minus its own.
    repeats : int, default=1
        How often documents are dealt into folds anew; the F1 of each time are averaged, so that the
        choice depends less on luck.
    random_state : int, default=0
        Deals documents into folds.
    alphas : sequence of float, default=(0, 0.1, ..., 1)
        Tried with each weighting: none, "ig", "chi" and "prr".
    progress : bool, default=False
        Whether to show a bar.

    Returns
    -------
    PerClassChoice

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 0, 1], [0, 1, 2], [0, 0, 3]]
    >>> choice = choose_per_class(PoissonNB(), X, ["sea", "sea", "sky", "sky"], folds=2)
    >>> sorted(choice.per_class)
    ['sea', 'sky']
    >>> choice.model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """
    fitted: PoissonNB = clone(model).set_params(per_class=None).fit(X, y)
    matrix, targets = checked_matrix(fitted, X, reset=False, open_width=False), targets_of(y)
    truth = truth_of(targets.labels, fitted.classes_)
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, not {repeats}.")
    grid = Grid(WEIGHTINGS, alphas, model.weight_power, model.prr_source)
    deals = [stratified_folds(truth, folds, random_state + again) for again in range(repeats)]
    found = mean_f1(
        [_grid_f1(fitted, grid, matrix, targets, truth, deal, progress) for deal in deals]
    )
    bins = size_bins(truth.sum(axis=0))
    chosen = shrunken_choice(found, bins)
    per_class = {
        label: grid.candidates[at]
        for label, at in zip(fitted.classes_.tolist(), chosen, strict=True)
    }
    fitted.set_params(per_class=per_class)
    scores = held_out(fitted, matrix, targets, deals[0], PoissonNB.z_star)
    return PerClassChoice(
        fitted, per_class, scores, truth, deals[0], grid.candidates, found.f1, bins
    )


def size_bins(sizes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the fifth of the classes, by size, that each belongs to; equal sizes stay together.

    Examples
    --------
    >>> size_bins(np.array([1, 1, 2, 10, 90])).tolist()
    [0, 0, 2, 3, 4]
    """
    bounds = np.quantile(sizes, np.arange(1, N_BINS) / N_BINS, method="lower")
    return np.searchsorted(bounds, sizes, side="left")


def shrunken_choice(found: GridF1, bins: NDArray[np.intp]) -> list[int]:
    """Return the candidate of each class: that of its bin, unless its own is clearly better."""
    errors, chosen = found.standard_errors(), np.empty(len(bins), dtype=np.intp)
    for bin_ in np.unique(bins):
        members = np.flatnonzero(bins == bin_)
        common = int(found.f1[:, members].mean(axis=1).argmax())
        gain = found.f1[:, members].max(axis=0) - found.f1[common, members]
        own = found.f1[:, members].argmax(axis=0)
        chosen[members] = np.where(gain > errors[common, members], own, common)
    return chosen.tolist()


def _grid_f1(
    model: PoissonNB,
    grid: Grid,
    X: Any,
    targets: Targets,
    truth: NDArray[np.bool_],
    dealt: NDArray[np.intp],
    progress: bool,
) -> GridF1:
    folds = [
        Fold(rows, documents_of(X[rows]), rest.rates(rest._reader().read()))
        for rows, rest in fold_models(model, X, targets, dealt)
    ]
    n_documents, n_classes = truth.shape
    groups = class_groups(n_documents, n_classes, len(grid.candidates))
    n_threads = thread_count(model.n_jobs)
    with progress_bar("Choosing weights", len(groups) * len(folds), progress) as step:
        found = [group_f1(grid, _followed(folds, step), truth, *ends, n_threads) for ends in groups]
    return GridF1(
        np.concatenate([part.f1 for part in found], axis=-1),
        np.concatenate([part.by_fold for part in found], axis=-1),
    )


def _followed(folds: list[Fold], step: Callable[[], None]) -> Iterator[Fold]:
    for fold in folds:
        yield fold
        step()
