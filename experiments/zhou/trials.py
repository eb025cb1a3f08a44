"""Trials: a few documents have labels, all others are judged, by each of four smoothings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from experiments.intervals import mean_and_error
from experiments.zhou.learned import LIMIT, Learned
from tallytext import ExpectationMaximisation, MultinomialNB
from tallytext.models import Background, Laplace, Semantic
from tallytext.semantic import TranslationModel

SHARE = 0.05
WEIGHT, ALPHA = 0.4, 0.5
METHODS = {"laplace": "Laplace", "background": "background", "csss": "CSSS", "ciss": "CISS"}
# Documents without a label join the background and the vocabulary, and no class.
KNOWN = ExpectationMaximisation(rounds=0)
SIX_ROUNDS = ExpectationMaximisation(rounds=6)
Scores = dict[str, float]


def samples(labels: NDArray[Any], size: float, n: int) -> Iterator[NDArray[np.intp]]:
    """Yield which documents have labels, n times.

    Parameters
    ----------
    labels : ndarray
    size : int or float
        So many of each class; or a share of each, and at least one.
    n : int
        How many samples; the first of many are the same as of few.
    """
    for seed in range(n):
        chance = np.random.default_rng(seed)
        parts = []
        for label in np.unique(labels):
            members = np.flatnonzero(labels == label)
            k = size if isinstance(size, int) else max(1, round(size * len(members)))
            parts.append(chance.choice(members, min(k, len(members)), replace=False))
        yield np.sort(np.concatenate(parts))


@dataclass(frozen=True)
class Trial:
    """One sample with labels, and all other documents to be judged.

    Parameters
    ----------
    learned : Learned
        Counts of all documents.
    labels : ndarray
        Of all documents; those outside the sample are for judging only.
    sample : ndarray of int
        The documents that have labels.
    """

    learned: Learned
    labels: NDArray[Any]
    sample: NDArray[np.intp]

    @cached_property
    def others(self) -> NDArray[np.intp]:
        return np.setdiff1d(np.arange(len(self.labels)), self.sample)

    @cached_property
    def _counts(self) -> tuple[Any, Any]:
        return self.learned.counts[self.sample], self.learned.counts[self.others]

    @cached_property
    def _words(self) -> tuple[Any, Any]:
        n = self.learned.n_words
        return self._counts[0][:, :n], self._counts[1][:, :n]

    @cached_property
    def model(self) -> MultinomialNB:
        """The counts of the sample and of all others, to be smoothed in any way."""
        own, pool = self._counts
        return _new(None).fit(own, self.labels[self.sample], unlabelled=pool, em=KNOWN)

    def laplace(self, own_words: bool = False) -> Scores:
        """Judge with one more of each word: of all texts, or of the sample only."""
        own, pool = self._words
        kept = np.flatnonzero(own.sum(axis=0)) if own_words else slice(None)
        model = _new(Laplace(1.0)).fit(own[:, kept], self.labels[self.sample])
        return self.scores(model.predict(pool[:, kept]))

    def background(self, alpha: float = ALPHA, inductive: bool = False, em: Any = KNOWN) -> Scores:
        """Judge by the mixture with the unigram of all texts, or of those of the sample only."""
        own, pool = self._words
        others = {} if inductive else {"unlabelled": pool, "em": em}
        model = _new(Background(alpha)).fit(own, self.labels[self.sample], **others)
        return self.scores(model.predict(pool))

    def semantic(self, translation: TranslationModel, weight: Any = WEIGHT) -> Scores:
        """Judge by the mixture with what signatures bring."""
        return self.scores(self.given(translation, weight))

    def given(self, translation: TranslationModel, weight: Any = WEIGHT) -> NDArray[Any]:
        """Return the labels that documents are given by that mixture."""
        self.model.set_params(smoothing=Semantic(translation, weight, ALPHA, min_probability=LIMIT))
        return np.asarray(self.model.predict(self._counts[1]))

    def after_rounds(self) -> Scores:
        """Judge by what was set last, once the others have joined classes in six rounds."""
        pool = self._counts[1]
        found = self.model.refresh(pool, SIX_ROUNDS).predict(pool)
        self.model.refresh(pool, KNOWN)
        return self.scores(found)

    def chosen_weight(self, translation: TranslationModel) -> float:
        """Return the weight under which the sample is judged best, each document left out."""
        own, pool = self._counts
        model = _new(Semantic(translation, "leave-one-out", ALPHA, min_probability=LIMIT))
        model.fit(own, self.labels[self.sample], unlabelled=pool, em=KNOWN)
        return float(model.chosen_[1].weight)

    def left_out(self) -> Scores:
        """Return how the sample is judged by what was set last, each document left out.

        The mean logarithm of the probability of a document's words in its class, that of its class
        given the words, and the share of labels that are right.
        """
        own = self._counts[0]
        judged = self.model.leave_one_out(own, self.labels[self.sample])
        return {
            "likelihood": float(judged.scores[judged.truth].mean()),
            "label": float(judged.log_proba()[judged.truth].mean()),
            "accuracy": judged.accuracy,
        }

    def all(self) -> dict[str, Scores]:
        """Judge by each of ``METHODS``."""
        return {
            "laplace": self.laplace(),
            "background": self.background(),
            "csss": self.semantic(self.learned.mixed(1.0)),
            "ciss": self.semantic(self.learned.mixed(0.0)),
        }

    def scores(self, found: NDArray[Any]) -> Scores:
        """Return micro- and macro-F1 of labels for the documents outside the sample."""
        truth = self.labels[self.others]
        kinds = ("micro", "macro")
        return {kind: float(f1_score(truth, found, average=kind)) for kind in kinds}


def _new(smoothing: Any) -> MultinomialNB:
    return MultinomialNB(smoothing, prior="smoothed")


def listed(results: Iterable[dict[str, Scores]]) -> dict[str, dict[str, list[float]]]:
    """Return, by method and kind of F1, what all trials came to.

    Examples
    --------
    >>> listed([{"csss": {"micro": 0.5, "macro": 0.4}}, {"csss": {"micro": 0.6, "macro": 0.5}}])
    {'csss': {'micro': [0.5, 0.6], 'macro': [0.4, 0.5]}}
    """
    trials = [*results]
    return {
        method: {kind: [trial[method][kind] for trial in trials] for kind in trials[0][method]}
        for method in trials[0]
    }


def spread(values: list[float]) -> str:
    """Write a mean and a standard deviation."""
    deviation = stdev(values) if len(values) > 1 else 0.0
    return f"{fmean(values):.3f} ± {deviation:.3f}"


def paired(values: list[float], base: list[float]) -> str:
    """Write the mean gain, in points, with a 95 % interval over samples; nothing over itself."""
    if values == base:
        return ""
    gains = [100 * (a - b) for a, b in zip(values, base, strict=True)]
    mean, error = mean_and_error(gains)
    return f"{mean:+.1f}" if error is None else f"{mean:+.1f} ± {error:.1f}"


def percent(values: list[float], base: list[float]) -> str:
    """Write the gain of a mean over another in percent of that, as the paper does."""
    return f"{100 * (fmean(values) / fmean(base) - 1):+.1f} %"
