"""Settings chosen by how well they do on documents that a model has not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from tallytext._validation import checked_matrix
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.errors import ScoreError
from tallytext.evaluation.measures import f_measures
from tallytext.models.bernoulli import BernoulliNB
from tallytext.models.cross_validation import cross_validate, fit_together
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.poisson import PoissonNB
from tallytext.models.reading import unit_of
from tallytext.models.smoothing.closed_form import Background, Laplace
from tallytext.models.smoothing.discounting import AbsoluteDiscount
from tallytext.runtime import progress_bar

# ------------------------------------------------------------------------------------------------
# Which settings are worth a try.

_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)


def points_of(grid: Any) -> list[dict[str, Any]]:
    """Return settings from a mapping of names to values, a list of such, or a list of settings.

    Examples
    --------
    >>> points_of({"tf": ["raw", "log"], "complement": True})
    [{'complement': True, 'tf': 'raw'}, {'complement': True, 'tf': 'log'}]
    """
    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    for some in grids:
        if not isinstance(some, Mapping):
            raise ValueError(f"a grid maps names of parameters to values, which {grid!r} does not.")
    return [point for some in grids for point in ParameterGrid(_listed(some))]


def default_grid(model: NaiveBayes, whole: bool = True) -> list[dict[str, Any]]:
    """Return settings for a model: of the multinomial one, smoothing, transforms and contrast.

    Without those that need whole counts where ``whole`` is false.
    """
    if isinstance(model, BernoulliNB):
        return points_of({"gamma": [0.01, 0.03, 0.1, 0.3, 1.0], "complement": [False, True]})
    if isinstance(model, PoissonNB):
        return points_of({"alpha": [0.2, 0.5, 0.8, 1.0], "weighting": [None, "chi", "prr"]})
    if not isinstance(model, MultinomialNB):
        raise TypeError(f"say what to try for a {type(model).__name__}: give a grid.")
    transforms = {"tf": ["raw", "log"] if whole else ["raw"], "normalize": [None, "l2"]}
    linear = {"smoothing": [Laplace(epsilon) for epsilon in _EPSILONS], "complement": [False, True]}
    others = [Background(0.5), Background(0.9), *([AbsoluteDiscount()] if whole else [])]
    plain = {"smoothing": others, "tf": "raw", "normalize": None}
    return [*points_of(transforms | linear), *points_of(plain)]


def _listed(grid: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(values) if isinstance(values, Iterable) and not _is_one(values) else [values]
        for name, values in grid.items()
    }


def _is_one(value: Any) -> bool:
    return isinstance(value, str | Mapping)


@dataclass(frozen=True)
class Trial:
    """One setting, and how it did."""

    parameters: dict[str, Any]
    score: float


@dataclass(frozen=True)
class Tuned:
    """The outcome of :func:`tune`.

    Attributes
    ----------
    model : NaiveBayes
        The best setting, fitted on all documents.
    best : dict
        Its parameters, as far as they were tried out.
    score : float
        What it scored on documents it had not seen.
    trials : list of Trial
        All settings, best first.
    method : {"leave-one-out", "cross-validation"}
        How documents were kept from a model.
    """

    model: NaiveBayes
    trials: list[Trial]
    method: str

    @property
    def best(self) -> dict[str, Any]:
        """The best setting."""
        return self.trials[0].parameters

    @property
    def score(self) -> float:
        """What the best setting scored."""
        return self.trials[0].score

    def __str__(self) -> str:
        settings = "1 setting" if len(self.trials) == 1 else f"{len(self.trials)} settings"
        lines = [f"{settings} by {self.method}:"]
        for trial in self.trials[:10]:
            named = ", ".join(f"{name}={value!r}" for name, value in trial.parameters.items())
            lines.append(f"  {trial.score:.4f}  {named}")
        return "\n".join(lines)


def tune(
    X: Any,
    y: Any,
    model: NaiveBayes | None = None,
    grid: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None = None,
    *,
    scoring: Callable[[OutOfSample], float] | None = None,
    folds: int = 5,
    groups: Any = None,
    time: Any = None,
    progress: bool = False,
) -> Tuned:
    """Choose the settings of a model from its training documents.

    Each setting is judged by exact leave-one-out, documents being counted once for all settings;
    by folds where leave-one-out would flatter: when the grid weighs words by their labels, when the
    model has no leave-one-out, and when documents come in ``groups`` (threads, authors, near
    duplicates) or in ``time``.

    Parameters
    ----------
    X, y
        Training documents, as for ``fit``.
    model : NaiveBayes, default=None
        What to tune; None for ``MultinomialNB()``.
    grid : mapping, or iterable of mappings, default=None
        Values to try for each parameter; None for what is usually worth a try.
    scoring : callable, default=None
        From an :class:`OutOfSample` to a number, larger being better. None for the accuracy, and
        for micro-averaged F1 where documents have several labels or none.
    folds : int, default=5
        Number of folds.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group are never on both sides.
    time : array-like of shape (n_documents,), default=None
        Documents are judged by models of earlier ones only.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [3, 1, 0, 0], [0, 1, 2, 1], [0, 0, 1, 2]]
    >>> found = tune(X, ["x", "x", "x", "y", "y"], grid={"complement": [False, True]})
    >>> found.method, found.score
    ('leave-one-out', 1.0)
    """
    model = MultinomialNB() if model is None else model
    points = default_grid(model, _is_whole(model, X)) if grid is None else points_of(grid)
    if not points:
        raise ValueError("the grid is empty: there is no setting to try.")
    candidates = [clone(model).set_params(**point) for point in points]
    by_folds = groups is not None or time is not None or any(map(_needs_folds, candidates))

    def judged(candidate: NaiveBayes) -> OutOfSample:
        if by_folds:
            return cross_validate(candidate, X, y, folds=folds, groups=groups, time=time)
        return candidate.leave_one_out(X, y)

    if not by_folds:
        fit_together(candidates, X, y)
    judge, trials = scoring or _default_scoring, []
    with progress_bar("Trying settings", len(points), progress) as step:
        for candidate, point in zip(candidates, points, strict=True):
            trials.append(_trial(point, judge(judged(candidate))))
            step()
    trials.sort(key=lambda trial: -trial.score)
    best = clone(model).set_params(**trials[0].parameters).fit(X, y)
    return Tuned(best, trials, "cross-validation" if by_folds else "leave-one-out")


def _trial(point: dict[str, Any], score: float) -> Trial:
    if np.isnan(score):
        raise ScoreError(f"{point} scored nan, so that settings cannot be ordered: see scoring.")
    return Trial(point, float(score))


def _is_whole(model: NaiveBayes, X: Any) -> bool:
    return unit_of(checked_matrix(clone(model), X, reset=True, open_width=False)) == 1


def _needs_folds(model: NaiveBayes) -> bool:
    weighed = getattr(model, "weighting", None) is not None
    return weighed or not model.has_leave_one_out


def _default_scoring(seen: OutOfSample) -> float:
    if not seen.multi_label:
        return seen.accuracy
    return float(f_measures(seen.truth, seen.predict().astype(np.bool_)).micro_f1)
