"""A profile reads a stream: delivers, is told what was relevant, learns, moves its threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from experiments.kim.stream import Stream
from tallytext.decision import Platt

# Settled on profiles that are not reported: the topics of Reuters from the 16th to the 30th,
# while documents of the background were still scored by the model that had learned them.
KEPT = 300  # delivered documents that the threshold is fitted to, the latest
BACKGROUND = 50  # documents from before the stream that are taken for not relevant besides
DELIVER = 1 / 3  # utility of 2 for a relevant document, -1 for another: deliver from here on
CURIOUS = 5.0  # documents known, at which the bound is half of that


@dataclass(frozen=True)
class Way:
    """What a profile learns from.

    Attributes
    ----------
    model : {"nothing", "delivered", "background", "all"}
        What its model learns: delivered documents with their labels; the words of all others as
        not relevant, besides; or all documents with their labels, which nobody has.
    threshold : bool
        Whether its threshold moves.
    curious : float
        The number of documents known at which the bound on what is delivered is half of what it
        will be; 0: it is never lowered.
    """

    model: str
    threshold: bool
    curious: float = CURIOUS


class Profile:
    """One profile. Of documents that it does not deliver it never sees a label.

    Scores are log-odds per word, and are kept as they were when a document came: from a model that
    had not learned it. A few documents from before the stream, taken for not relevant and scored by
    a model without them, too, hold the sigmoid over them down where nothing is delivered.
    """

    def __init__(self, model: Any, stream: Stream, at: int, way: Way) -> None:
        self.way = way
        start = stream.counts[: stream.n_start]
        relevant = np.zeros(stream.n_start, dtype=bool)
        relevant[stream.examples(at)] = True
        self.model = clone(model).fit(start, _labels(relevant))
        self.background = _background(model, start, relevant, seed=at)
        self.scores = _left_out(model, start, relevant)
        self.relevant = np.ones(len(self.scores), dtype=bool)
        self.threshold = self._fitted()

    def read(self, counts: Any, relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which documents are delivered, and learn from what one is told of them."""
        scores = self.model.evidence(counts)[:, 0]
        delivered = scores >= self.threshold
        told = np.ones_like(delivered) if self.way.model == "all" else delivered
        self._learn(counts, relevant, told)
        if self.way.threshold and told.any():
            self._keep(scores[told], relevant[told])
        return delivered

    def _learn(self, counts: Any, relevant: NDArray[np.bool_], told: NDArray[np.bool_]) -> None:
        if self.way.model == "background":
            self.model.partial_fit(counts, _labels(relevant & told))
        elif self.way.model != "nothing" and told.any():
            self.model.partial_fit(counts[told], _labels(relevant[told]))

    def _keep(self, scores: NDArray[np.float64], relevant: NDArray[np.bool_]) -> None:
        kept = KEPT * (10 if self.way.model == "all" else 1)
        self.scores = np.concatenate([self.scores, scores])[-kept:]
        self.relevant = np.concatenate([self.relevant, relevant])[-kept:]
        self.threshold = self._fitted()

    def _fitted(self) -> float:
        """Return the threshold by all that is known; a bit too low while that is little."""
        scores = np.concatenate([self.scores, self.background])
        relevant = np.append(self.relevant, np.zeros(len(self.background), dtype=bool))
        least = DELIVER * len(self.scores) / (len(self.scores) + self.way.curious)
        return fitted_threshold(scores, relevant, least)


def fitted_threshold(
    scores: NDArray[np.float64], relevant: NDArray[np.bool_], least: float
) -> float:
    """Return the score from which on a document is relevant with so much probability.

    That only documents above earlier thresholds are known does not matter to a sigmoid over the
    score: they were picked by the score alone. If high scores speak against a document, the
    highest is the threshold.

    Examples
    --------
    >>> scores = np.array([0.0, 1.0, 2.0, 3.0])
    >>> round(fitted_threshold(scores, np.array([False, False, True, True]), 0.5), 6)
    1.5
    >>> fitted_threshold(scores, np.array([True, True, False, False]), 0.5)
    3.0
    """
    sigmoid = Platt.fit(scores[:, None], relevant[:, None])
    slope, intercept = sigmoid.slopes[0], sigmoid.intercepts[0]
    if slope <= 0:
        return float(scores.max())
    return float((np.log(least / (1 - least)) - intercept) / slope)


def _left_out(model: Any, counts: Any, relevant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the scores of examples by models that have not learned them."""
    found = []
    for each in np.flatnonzero(relevant):
        rest = np.arange(len(relevant)) != each
        other = clone(model).fit(counts[rest], _labels(relevant[rest]))
        found.append(other.evidence(counts[[each]])[0, 0])
    return np.array(found)


def _background(
    model: Any, counts: Any, relevant: NDArray[np.bool_], seed: int
) -> NDArray[np.float64]:
    """Return the scores of documents taken for not relevant, by a model without them."""
    others = np.flatnonzero(~relevant)
    n = min(BACKGROUND, len(others) // 2)
    drawn = np.random.default_rng(seed).choice(others, n, replace=False)
    rest = np.setdiff1d(np.arange(len(relevant)), drawn)
    other = clone(model).fit(counts[rest], _labels(relevant[rest]))
    return np.asarray(other.evidence(counts[drawn])[:, 0])


def _labels(relevant: NDArray[np.bool_]) -> list[list[str]]:
    return [["yes"] if each else [] for each in relevant]
