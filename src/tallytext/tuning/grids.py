"""Which settings are worth a try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.model_selection import ParameterGrid

from tallytext.bayes import BernoulliNB, MultinomialNB, PoissonNB
from tallytext.bayes.model import NaiveBayes
from tallytext.smoothing import AbsoluteDiscount, Background, Laplace

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
