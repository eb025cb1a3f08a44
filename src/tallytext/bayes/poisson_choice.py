"""The best weighting of words and alpha for each class, chosen on training data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.bayes.held_out import fold_models, held_out, stratified_folds
from tallytext.bayes.matrices import documents_of
from tallytext.bayes.poisson import PoissonNB
from tallytext.bayes.poisson_grid import (
    Candidate,
    Fold,
    Grid,
    GridF1,
    class_groups,
    group_f1,
    mean_f1,
)
from tallytext.bayes.poisson_weights import Weighting
from tallytext.matrices import checked_matrix
from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers
from tallytext.targets import Targets, targets_of, truth_of
from tallytext.threads import thread_count

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
    scores: Numbers
    truth: NDArray[np.bool_]
    folds: NDArray[np.intp]
    candidates: list[Candidate]
    f1: Numbers
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
