"""Grid search: tune the parameters of a model by leave-one-out or by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallytext._estimators import clone
from tallytext._validation import check_matrix
from tallytext.decision.calibrators import OutOfSample
from tallytext.errors import ScoreError
from tallytext.evaluation.measures import f_measures
from tallytext.models.base import count_unit
from tallytext.models.bernoulli import BernoulliNB
from tallytext.models.cross_validation import cross_validate
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes, fit_together
from tallytext.models.poisson import PoissonNB
from tallytext.models.smoothing.base import Background, Laplace
from tallytext.models.smoothing.discounting import AbsoluteDiscount
from tallytext.runtime import progress_bar

_EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class ScoredCandidate:
    """The parameters of a candidate, and its score on documents that were held out.

    Attributes
    ----------
    parameters : dict
        The values of the parameters in the grid.
    score : float
    """

    parameters: dict[str, Any]
    score: float


@dataclass(frozen=True)
class TuningResult:
    """The result of :func:`tune`.

    Attributes
    ----------
    model : NaiveBayes
        The best setting, fitted on all documents.
    best : dict
        Its values of the parameters in the grid.
    score : float
        Its score on documents that were held out.
    candidates : list of ScoredCandidate
        All settings, best first.
    method : {"leave-one-out", "cross-validation"}
        How documents were held out.
    """

    model: NaiveBayes
    candidates: list[ScoredCandidate]
    method: str

    @property
    def best(self) -> dict[str, Any]:
        """The best setting."""
        return self.candidates[0].parameters

    @property
    def score(self) -> float:
        """The score of the best setting."""
        return self.candidates[0].score

    def __str__(self) -> str:
        settings = "1 setting" if len(self.candidates) == 1 else f"{len(self.candidates)} settings"
        lines = [f"{settings} by {self.method}:"]
        for candidate in self.candidates[:10]:
            named = ", ".join(f"{name}={value!r}" for name, value in candidate.parameters.items())
            lines.append(f"  {candidate.score:.4f}  {named}")
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
) -> TuningResult:
    """Choose the parameters of a model by grid search on its training documents.

    Each setting is scored by exact leave-one-out, and documents are counted once for all settings.
    Cross-validation is used where leave-one-out would be too optimistic or is not available: if the
    grid weights words by their labels, if the model has no leave-one-out, and for documents with
    ``groups`` (threads, authors, near duplicates) or with ``time``.

    Parameters
    ----------
    X, y
        Training documents, as for ``fit``.
    model : NaiveBayes, default=None
        The model to tune; None for ``MultinomialNB()``.
    grid : mapping, or iterable of mappings, default=None
        Values to try for each parameter; None for a default grid of the model.
    scoring : callable, default=None
        A function of an :class:`OutOfSample` that returns a number, higher for better. None for
        the accuracy, and for micro-averaged F1 of multi-label documents.
    folds : int, default=5
        Number of folds.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group are held out together.
    time : array-like of shape (n_documents,), default=None
        Documents are predicted by models of earlier documents only.
    progress : bool, default=False
        True to show a progress bar.

    Returns
    -------
    TuningResult

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [3, 1, 0, 0], [0, 1, 2, 1], [0, 0, 1, 2]]
    >>> found = tune(X, ["x", "x", "x", "y", "y"], grid={"complement": [False, True]})
    >>> found.method, found.score
    ('leave-one-out', 1.0)
    """
    model = MultinomialNB() if model is None else model
    points = default_grid(model, _has_whole_counts(model, X)) if grid is None else expand_grid(grid)
    if not points:
        raise ValueError("the grid is empty: there is no setting to try.")
    models = [clone(model).set_params(**point) for point in points]
    by_folds = groups is not None or time is not None or any(map(_needs_folds, models))
    if not by_folds:
        # All settings share one tally, so that documents are counted once.
        fit_together(models, X, y)
    candidates = []
    with progress_bar("Trying settings", len(points), progress) as step:
        for each, point in zip(models, points, strict=True):
            if by_folds:
                seen = cross_validate(each, X, y, folds=folds, groups=groups, time=time)
            else:
                seen = each.leave_one_out(X, y)
            candidates.append(_score_candidate(point, (scoring or _default_scoring)(seen)))
            step()
    # A stable sort: of equal scores, the setting that comes first in the grid is chosen.
    candidates.sort(key=lambda candidate: -candidate.score)
    best = clone(model).set_params(**candidates[0].parameters).fit(X, y)
    return TuningResult(best, candidates, "cross-validation" if by_folds else "leave-one-out")


def _score_candidate(point: dict[str, Any], score: float) -> ScoredCandidate:
    # NaN compares as neither smaller nor larger, so the sort would give an arbitrary order.
    if np.isnan(score):
        raise ScoreError(
            f"{point} scored nan, so settings cannot be ranked: check the scoring function."
        )
    return ScoredCandidate(point, float(score))


def _has_whole_counts(model: NaiveBayes, X: Any) -> bool:
    return count_unit(check_matrix(clone(model), X, reset=True, open_width=False)) == 1


def _needs_folds(model: NaiveBayes) -> bool:
    # Weights by label have seen the document that leave-one-out takes out of the counts.
    weighted = getattr(model, "weighting", None) is not None
    return weighted or not model.has_leave_one_out


def _default_scoring(seen: OutOfSample) -> float:
    if not seen.multi_label:
        return seen.accuracy
    return float(f_measures(seen.truth, seen.predict().astype(np.bool_)).micro_f1)


def expand_grid(grid: Any) -> list[dict[str, Any]]:
    """Return all settings of a grid: a mapping of names to values, or a list of such mappings.

    Examples
    --------
    >>> expand_grid({"tf": ["raw", "log"], "complement": True})
    [{'complement': True, 'tf': 'raw'}, {'complement': True, 'tf': 'log'}]
    """
    from sklearn.model_selection import ParameterGrid

    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    for each in grids:
        if not isinstance(each, Mapping):
            raise ValueError(f"a grid maps names of parameters to values, not {grid!r}.")
    return [point for each in grids for point in ParameterGrid(_as_lists(each))]


def default_grid(model: NaiveBayes, whole: bool = True) -> list[dict[str, Any]]:
    """Return the default settings to try for a model.

    For ``MultinomialNB`` they vary the smoothing, the transforms and the complement.

    Parameters
    ----------
    model : NaiveBayes
    whole : bool, default=True
        False to leave out the settings that need whole counts.
    """
    if isinstance(model, BernoulliNB):
        return expand_grid({"gamma": [0.01, 0.03, 0.1, 0.3, 1.0], "complement": [False, True]})
    if isinstance(model, PoissonNB):
        return expand_grid({"alpha": [0.2, 0.5, 0.8, 1.0], "weighting": [None, "chi", "prr"]})
    if not isinstance(model, MultinomialNB):
        raise TypeError(f"there is no default grid for {type(model).__name__}: pass grid.")
    # Logarithms of counts and discounts are defined for whole counts only.
    transforms = {"tf": ["raw", "log"] if whole else ["raw"], "normalize": [None, "l2"]}
    linear = {"smoothing": [Laplace(epsilon) for epsilon in _EPSILONS], "complement": [False, True]}
    others = [Background(0.5), Background(0.9), *([AbsoluteDiscount()] if whole else [])]
    plain = {"smoothing": others, "tf": "raw", "normalize": None}
    return [*expand_grid(transforms | linear), *expand_grid(plain)]


def _as_lists(grid: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(values) if isinstance(values, Iterable) and not _is_single(values) else [values]
        for name, values in grid.items()
    }


def _is_single(value: Any) -> bool:
    # Both are iterable, but are values of a parameter themselves.
    return isinstance(value, str | Mapping)
