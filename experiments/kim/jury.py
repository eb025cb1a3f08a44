"""Models of all training documents, and of all but a fold: scores that nobody has learned from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from experiments.kim.folds import stratified_folds
from experiments.kim.split import ENGLISH, Side, Split, Words, reuters
from experiments.reproduction.workplace import Workplace
from tallytext import MultinomialNB, PoissonNB
from tallytext.models import Laplace

ALPHA, THETA = 0.8, 10.0
ALPHAS = tuple(step / 10 for step in range(11))
N_FOLDS = 5


class Scores(NamedTuple):
    """Of training documents, by models that have not learned them; and of test documents."""

    train: NDArray[np.float64]
    test: NDArray[np.float64]


class Absentee(NamedTuple):
    """A model without some rows, and the columns of the classes that it knows."""

    model: Any
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Jury:
    """A model of all training documents, and for each fold one of all others."""

    split: Split
    whole: Any
    rest: tuple[Absentee, ...]

    @classmethod
    def of(cls, model: Any, split: Split, n_folds: int = N_FOLDS) -> Jury:
        folds = stratified_folds(split.train.truth, n_folds, 0)
        rest = tuple(_absentee(model, split, folds, fold) for fold in range(n_folds))
        return cls(split, _fitted(model, split.train, slice(None)), rest)

    def scores(self, score: Callable[[Any, Any], Any], **settings: Any) -> Scores:
        """Return what models say under settings that can be changed without counting anew.

        A class of which a fold has all documents is given minus infinity there.
        """
        held_out = np.full(self.split.train.truth.shape, -np.inf)
        for model, rows, columns in self.rest:
            said = score(model.set_params(**settings), self.split.train.counts[rows])
            held_out[np.ix_(rows, columns)] = said
        return Scores(held_out, self.test(score, **settings))

    def test(self, score: Callable[[Any, Any], Any], **settings: Any) -> NDArray[np.float64]:
        """Return what the model of all training documents says of the test documents."""
        found = score(self.whole.set_params(**settings), self.split.test.counts)
        return np.asarray(found)


def _fitted(model: Any, side: Side, rows: Any) -> Any:
    labels = np.empty(len(side.labels), dtype=object)
    labels[:] = side.labels
    return clone(model).fit(side.counts[rows], labels[rows].tolist())


def _absentee(model: Any, split: Split, folds: NDArray[np.intp], fold: int) -> Absentee:
    found = _fitted(model, split.train, np.flatnonzero(folds != fold))
    return Absentee(
        found, np.flatnonzero(folds == fold), np.searchsorted(split.classes, found.classes_)
    )


def poisson_jury(work: Workplace, theta: float = THETA, words: Words = ENGLISH) -> Jury:
    """Return Poisson models of Reuters."""
    return _poisson_jury(work, theta, words)


@lru_cache(maxsize=4)
def _poisson_jury(work: Workplace, theta: float, words: Words) -> Jury:
    return Jury.of(PoissonNB(theta=theta, multi_label=True), reuters(work, words))


def poisson_scores(work: Workplace, weighting: str | None, alpha: float = ALPHA) -> Scores:
    """Return z* of Reuters (eq. 15)."""
    return _poisson_scores(work, weighting, alpha)


@lru_cache(maxsize=12)
def _poisson_scores(work: Workplace, weighting: str | None, alpha: float) -> Scores:
    return poisson_jury(work).scores(PoissonNB.z_star, weighting=weighting, alpha=alpha)


def unigram_scores(work: Workplace, words: Words = ENGLISH) -> Scores:
    """Return log-odds per token of the unigram model on Reuters."""
    return _unigram_scores(work, words)


@lru_cache(maxsize=2)
def _unigram_scores(work: Workplace, words: Words) -> Scores:
    jury = Jury.of(MultinomialNB(Laplace(1), multi_label=True), reuters(work, words))
    return jury.scores(MultinomialNB.evidence)
