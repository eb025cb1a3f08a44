"""Decisions by rank: the best class, the best classes of a document, the best documents of a class.

A rule turns scores of documents by classes into True where a class is assigned. Rules do not
change: ``fit`` returns a rule that knows what it needs. Classes without a score (-inf or NaN) are
not assigned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.fixed import expect_classes, fixed
from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import indicator, score_matrix


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
        expect_classes(len(prior), matrix.shape[1], "the prior")
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
        expect_classes(len(self.shares), matrix.shape[1], "PCut")
        # .29 · 50 is a little less than 14.5 in floating point, but a half is to be rounded up.
        return np.asarray(np.floor(np.round(self.x * self.shares * len(matrix), 9) + 0.5))
