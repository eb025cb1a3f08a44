"""Decisions by a threshold for each class, chosen for the best F1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.calibrators import check_classes, fixed
from tallytext.errors import ScoreError
from tallytext.evaluation.measures import indicator, score_matrix, scores_and_truth

Fallback = Literal["highest", "never"]

_FBR_CANDIDATES = np.arange(1, 9) / 10


@dataclass(frozen=True, eq=False)
class SCut:
    r"""Assign a class where its score reaches the threshold of the class.

    :meth:`fit` takes out-of-sample scores and gives each class the threshold :math:`\theta_c` with
    the best F1. Candidates lie midway between neighbouring distinct scores, and at the lowest
    score; of equally good ones the highest wins. A class is assigned where
    :math:`s_c(d) \geq \theta_c`. A rare class has too few documents for its best threshold to mean
    much: if the best F1 is below ``fbr``, the threshold is a fallback. A class that no document of
    the sample has is never assigned: its threshold is infinite.

    Fitted to the scores that it then decides on, the rule is an oracle: the best that any
    thresholds could do, and no estimate of anything.

    Parameters
    ----------
    fbr : float or "auto", default=0.3
        The F1 below which a threshold is not trusted. "auto" tries .1, .2, ..., .8: thresholds are
        fitted to the documents in even places and judged on the others, and the other way round;
        the best micro-averaged F1 wins, of equals the lowest.
    fallback : {"highest", "never"}, default="highest"
        The threshold of a class whose best F1 is too low: the highest score in the sample, so that
        only a document at least as certain gets the class (FBR.1), or none at all (FBR.0).
    thresholds : array-like of shape (n_classes,), default=None
        The threshold of each class; :meth:`fit` finds them.

    Examples
    --------
    >>> scores = [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4]]
    >>> rule = SCut().fit(scores, [[1], [0], [1], [1], [0], [0]])
    >>> rule.thresholds.round(4)
    array([0.55])
    >>> rule.decide([[0.54], [0.55]])
    array([[False],
           [ True]])
    """

    fbr: float | Literal["auto"] = 0.3
    fallback: Fallback = "highest"
    thresholds: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.fbr != "auto" and not (isinstance(self.fbr, Real) and 0 <= self.fbr <= 1):
            raise ScoreError(f'fbr must be a number from 0 to 1, or "auto", not {self.fbr!r}.')
        if self.fallback not in ("highest", "never"):
            raise ScoreError(f'fallback must be "highest" or "never", not {self.fallback!r}.')
        if self.thresholds is not None:
            object.__setattr__(self, "thresholds", fixed(self.thresholds, "thresholds"))

    def fit(self, scores: ArrayLike, truth: ArrayLike) -> SCut:
        """Return the rule with the best thresholds for out-of-sample scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.

        Returns
        -------
        SCut
            With ``thresholds``, and with the number that was chosen if ``fbr`` is "auto".
        """
        matrix, wanted = scores_and_truth(scores, truth)
        matrix = _below_infinity(matrix)
        if len(matrix) < (2 if self.fbr == "auto" else 1):
            raise ScoreError(f"{len(matrix)} documents are too few to choose thresholds from.")
        cuts = _best_cuts(matrix, wanted, self.fallback)
        fbr = _best_fbr(matrix, wanted, self.fallback) if self.fbr == "auto" else self.fbr
        return replace(self, fbr=fbr, thresholds=cuts.at(fbr))

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        if self.thresholds is None:
            raise ScoreError("SCut has no thresholds yet: use what fit returns.")
        matrix = _below_infinity(score_matrix(scores))
        check_classes(len(self.thresholds), matrix.shape[1], "SCut")
        return (matrix >= self.thresholds) & (matrix > -np.inf)


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Of each class: the best threshold, its F1, and what to fall back to."""

    best: NDArray[np.float64]
    f1: NDArray[np.float64]
    fallback: NDArray[np.float64]

    def at(self, fbr: float) -> NDArray[np.float64]:
        """Return the thresholds if those with an F1 below ``fbr`` are not trusted."""
        return np.where(self.f1 < fbr, self.fallback, self.best)


def _below_infinity(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    # No score, however certain, may reach an infinite threshold, which stands for never.
    return np.minimum(matrix, np.finfo(np.float64).max)


def _best_cuts(matrix: NDArray[np.float64], wanted: NDArray[np.bool_], fallback: Fallback) -> _Cuts:
    found = [_best_cut(matrix[:, c], wanted[:, c]) for c in range(matrix.shape[1])]
    best, f1 = np.array(found).T
    highest = matrix.max(axis=0)
    usable = (fallback == "highest") & wanted.any(axis=0) & (highest > -np.inf)
    return _Cuts(best, f1, np.where(usable, highest, np.inf))


def _best_cut(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the threshold of one class with the best F1, and that F1."""
    order = np.argsort(-scores)
    ranked = scores[order]
    below = np.append(ranked[1:], -np.inf)
    f1 = 2 * np.cumsum(wanted[order]) / (np.arange(1, len(ranked) + 1) + wanted.sum())
    # A threshold cannot part equal scores, nor reach documents without one.
    f1[ranked == below] = 0
    last = int(f1.argmax())
    if f1[last] == 0:
        return np.inf, 0.0
    return _midway(ranked[last], below[last]), float(f1[last])


def _midway(above: float, below: float) -> float:
    """Return a threshold that ``above`` reaches and ``below`` does not."""
    middle = above / 2 + below / 2
    # No number lies between neighbouring floats, and none in the middle of an infinite range.
    return float(middle if below < middle <= above else above)


def _best_fbr(matrix: NDArray[np.float64], wanted: NDArray[np.bool_], fallback: Fallback) -> float:
    """Return the F1 that is best not trusted, by thresholds of one half judged on the other."""
    halves = [(matrix[start::2], wanted[start::2]) for start in (0, 1)]
    right, given = np.zeros((2, len(_FBR_CANDIDATES)), dtype=np.int64)
    for fitted, judged in (halves, halves[::-1]):
        cuts = _best_cuts(*fitted, fallback)
        for i, fbr in enumerate(_FBR_CANDIDATES):
            decided = judged[0] >= cuts.at(fbr)
            right[i] += (decided & judged[1]).sum()
            given[i] += decided.sum()
    f1 = 2 * right / np.maximum(given + wanted.sum(), 1)
    return float(_FBR_CANDIDATES[f1.argmax()])


# ------------------------------------------------------------------------------------------------
# Decisions by rank: the best class, the best classes of a document, the best documents of a class.
#
# A rule turns scores of documents by classes into True where a class is assigned. Rules do not
# change: ``fit`` returns a rule that knows what it needs. Classes without a score (-inf or NaN) are
# not assigned.


@dataclass(frozen=True, eq=False)
class Argmax:
    """Assign the class with the highest score to each document.

    Ties go to the class with the larger prior, then to the lower index.

    Parameters
    ----------
    prior : array-like of shape (n_classes,), default=None
        How frequent each class is; all the same by default.

    Examples
    --------
    >>> Argmax().choose([[0.5, 0.5, 0.1], [0.1, 0.2, 0.3]])
    array([0, 2])
    >>> Argmax(prior=[0.2, 0.6, 0.2]).decide([[0.5, 0.5, 0.1]])
    array([[False,  True, False]])
    """

    prior: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.prior is not None:
            object.__setattr__(self, "prior", fixed(self.prior, "prior"))

    def choose(self, scores: ArrayLike) -> NDArray[np.intp]:
        """Return the index of the class of each document, even of one without any score.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = score_matrix(scores)
        prior = np.zeros(matrix.shape[1]) if self.prior is None else self.prior
        check_classes(len(prior), matrix.shape[1], "the prior")
        order = np.argsort(-prior, kind="stable")
        return np.asarray(order[matrix[:, order].argmax(axis=1)])

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned: once for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = score_matrix(scores)
        return indicator(self.choose(matrix), matrix.shape[1])


@dataclass(frozen=True)
class RCut:
    """Assign the t best classes to each document; ties go to the lower class index.

    Parameters
    ----------
    t : int, default=1
        How many classes each document gets.

    Examples
    --------
    >>> RCut(2).decide([[0.9, 0.2, 0.5]])
    array([[ True, False,  True]])
    """

    t: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.t, Integral) or self.t < 1:
            raise ScoreError(f"t must be a whole number from 1 up, not {self.t!r}.")

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = score_matrix(scores)
        best = np.argsort(-matrix, axis=1, kind="stable")[:, : self.t]
        decided = np.zeros(matrix.shape, dtype=np.bool_)
        np.put_along_axis(decided, best, True, axis=1)
        return decided & (matrix > -np.inf)


@dataclass(frozen=True, eq=False)
class PCut:
    r"""Assign each class to its best documents, as many as its share among the training documents.

    Of a batch of N documents, class c gets the :math:`k_c = \mathrm{round}(x \Pr(c) N)` best (a
    half is rounded up); ties go to the document that comes first. The decision on one document
    depends on the others, so there is none before the batch is there.

    Parameters
    ----------
    x : float, default=1.0
        More than 1 assigns more classes than in training, less than 1 fewer.
    shares : array-like of shape (n_classes,), default=None
        Pr(c); :meth:`fit` counts them.

    Examples
    --------
    >>> rule = PCut().fit([[True, False], [True, False], [True, True], [False, False]])
    >>> rule.shares
    array([0.75, 0.25])
    >>> rule.decide([[0.9, 0.2], [0.4, 0.8]])
    array([[ True, False],
           [ True,  True]])
    """

    x: float = 1.0
    shares: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.x, Real) or not 0 <= self.x < np.inf:
            raise ScoreError(f"x must be a number from 0 up, not {self.x!r}.")
        if self.shares is not None:
            object.__setattr__(self, "shares", fixed(self.shares, "shares"))

    def fit(self, truth: ArrayLike) -> PCut:
        """Return the rule with the shares of the classes in a boolean matrix.

        Parameters
        ----------
        truth : array-like of shape (n_documents, n_classes)
            True where a class applies.
        """
        wanted = indicator(truth)
        if not len(wanted):
            raise ScoreError("there are no documents to count the shares of classes in.")
        return replace(self, shares=wanted.mean(axis=0))

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = score_matrix(scores)
        best = np.argsort(-matrix, axis=0, kind="stable")
        rank = np.empty_like(best)
        np.put_along_axis(rank, best, np.arange(len(matrix))[:, None], axis=0)
        return (rank < self._wanted(matrix)) & (matrix > -np.inf)

    def _wanted(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many documents each class gets."""
        if self.shares is None:
            raise ScoreError("PCut does not know the shares of classes: use what fit returns.")
        check_classes(len(self.shares), matrix.shape[1], "PCut")
        # .29 · 50 is a little less than 14.5 in floating point, but a half is to be rounded up.
        return np.asarray(np.floor(np.round(self.x * self.shares * len(matrix), 9) + 0.5))
