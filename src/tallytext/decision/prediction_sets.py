"""Conformal prediction sets: sets of classes that contain the true one with a given coverage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.calibrators import check_n_classes, freeze_vectors
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation.measures import probability_matrix, scores_and_truth
from tallytext.tally.labels import plain_label

# Stored scores, of all labels and of each class: enough to round ranks by 0.1 % and 0.8 % at most.
_MAX_POOLED_SCORES, _MAX_CLASS_SCORES = 1024, 128


@dataclass(frozen=True, eq=False)
class PredictionSets:
    r"""Conformal prediction sets: all classes that a document may plausibly have.

    The nonconformity of a true label is one minus its out-of-sample probability,
    :math:`a_n = 1 - \hat p(y_n \mid n)`. A class is in the set of a document if its nonconformity
    is no higher than that of most true labels:

    .. math:: C(d) = \{ c : 1 - \hat p(c \mid d) \leq a_{(\lceil (1 - \delta)(N + 1) \rceil)} \}

    If new documents are exchangeable with those of the sample, the true label is in its set with
    probability :math:`1 - \delta` at least. This coverage holds however bad the probabilities are:
    bad ones make large sets. If the sample is too small for a coverage, that is if the rank exceeds
    N, every set contains all classes. In multi-label data each label of a document counts
    separately, so coverage is the share of pairs of document and label; a document without labels
    is no case.

    At most 1,024 scores are stored, and 128 of each class, so that any coverage can be chosen
    later. Ranks in between are rounded up, so that coverage is never lower for it, and higher by
    at most 1/1024 (1/128 by class) and the share of equal scores.

    Parameters
    ----------
    classes : sequence of labels
        The classes of the sample.
    pooled : RankedScores
        The nonconformity of all true labels.
    of_class : sequence of RankedScores
        The nonconformity of the true labels of each class.

    Examples
    --------
    >>> probabilities = [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.4, 0.6]]
    >>> fitted = PredictionSets.fit(probabilities, [0, 0, 1, 1], ["ham", "spam"])
    >>> fitted.sets([[0.95, 0.05], [0.5, 0.5], [0.35, 0.65]], coverage=0.8)
    array([[ True, False],
           [ True, False],
           [False,  True]])
    """

    classes: tuple[Any, ...]
    pooled: RankedScores
    of_class: tuple[RankedScores, ...]

    def __post_init__(self) -> None:
        for name in ("classes", "of_class"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if len(set(self.classes)) != len(self.classes):
            raise LabelError("prediction sets need classes that differ from each other.")
        if len(self.classes) != len(self.of_class):
            raise ScoreError(
                f"there are {len(self.classes)} classes, but scores of {len(self.of_class)}."
            )
        if self.pooled.n != sum(ranked.n for ranked in self.of_class):
            raise ScoreError("there must be scores, as many in all as those of all classes.")

    @classmethod
    def fit(
        cls, probabilities: ArrayLike, truth: ArrayLike, classes: Sequence[Any] | None = None
    ) -> PredictionSets:
        """Rank the nonconformity of the true labels of out-of-sample documents.

        Parameters
        ----------
        probabilities : array-like of shape (n_documents, n_classes)
            Probabilities by a model that was not trained on these documents.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        classes : sequence of labels, default=None
            The class of each column; None for the column numbers.
        """
        matrix, positive = scores_and_truth(probability_matrix(probabilities), truth)
        names = list(range(matrix.shape[1])) if classes is None else _plain_labels(classes)
        check_n_classes(len(names), matrix.shape[1], "PredictionSets")
        if not positive.any():
            raise ScoreError("there are no labels to fit prediction sets to.")
        nonconformity = 1 - matrix
        by_class = [
            RankedScores.from_scores(column[own], _MAX_CLASS_SCORES)
            for column, own in zip(nonconformity.T, positive.T, strict=True)
        ]
        pooled = RankedScores.from_scores(nonconformity[positive], _MAX_POOLED_SCORES)
        return cls(tuple(names), pooled, tuple(by_class))

    @classmethod
    def without_scores(cls, classes: Sequence[Any]) -> PredictionSets:
        """Return sets of all classes: no document has shown which of them can be left out.

        Parameters
        ----------
        classes : sequence of labels

        Examples
        --------
        >>> PredictionSets.without_scores(["ham", "spam"]).sets([[0.9, 0.1]], coverage=0.5)
        array([[ True,  True]])
        """
        none = RankedScores(0, np.empty(0))
        names = _plain_labels(classes)
        return cls(tuple(names), none, (none,) * len(names))

    @classmethod
    def from_counts(
        cls, probabilities: NDArray[np.float64], counts: NDArray[np.int64], classes: Sequence[Any]
    ) -> PredictionSets:
        """Rank the nonconformity of true labels that are counted by probability.

        Parameters
        ----------
        probabilities : ndarray of shape (n_classes, n)
        counts : ndarray of int of shape (n_classes, n)
            Number of documents with the class whose out-of-sample probability was this one.
        classes : sequence of labels
            The class of each row.
        """
        by_class = [np.repeat(1 - row, n) for row, n in zip(probabilities, counts, strict=True)]
        return cls(
            tuple(_plain_labels(classes)),
            RankedScores.from_scores(np.concatenate(by_class), _MAX_POOLED_SCORES),
            tuple(RankedScores.from_scores(scores, _MAX_CLASS_SCORES) for scores in by_class),
        )

    def thresholds(
        self, coverage: float, *, classes: Sequence[Any] | None = None, by_class: bool = False
    ) -> NDArray[np.float64]:
        r"""Return the highest :math:`1 - \hat p` at which each class is still in a set.

        Parameters
        ----------
        coverage : float
            :math:`1 - \delta`, between 0 and 1.
        classes : sequence of labels, default=None
            The classes to return thresholds of; None for those of the sample. A class that the
            sample did not have gets the pooled threshold.
        by_class : bool, default=False
            True if the coverage must hold for each class, and not only on average. A
            class then gets its own threshold if it has at least :math:`1 / \delta` scores, else
            the pooled one.

        Returns
        -------
        ndarray of float64 of shape (n_classes,)
            A class with threshold 1 is in every set.
        """
        share = _exact_coverage(coverage)
        names = self.classes if classes is None else _plain_labels(classes)
        thresholds = np.full(len(names), self.pooled.conformal_quantile(share))
        if by_class:
            ranked = dict(zip(self.classes, self.of_class, strict=True))
            for c, name in enumerate(names):
                # With fewer documents, its own quantile would be the highest score: the pooled one
                # is used.
                if name in ranked and ranked[name].n * (1 - share) >= 1:
                    thresholds[c] = ranked[name].conformal_quantile(share)
        return thresholds

    def sets(
        self,
        probabilities: ArrayLike,
        coverage: float,
        *,
        classes: Sequence[Any] | None = None,
        by_class: bool = False,
        never_empty: bool = True,
    ) -> NDArray[np.bool_]:
        """Return True where a class is in the prediction set of a document.

        Parameters
        ----------
        probabilities : array-like of shape (n_documents, n_classes)
            Probabilities by the model, or the kind of model, whose probabilities were fitted.
        coverage, classes, by_class
            As in :meth:`thresholds`; ``classes`` are those of the columns.
        never_empty : bool, default=True
            True to always include the best class, which can only raise the coverage. Otherwise the
            set of a document unlike all of the sample may be empty.
        """
        matrix = probability_matrix(probabilities)
        thresholds = self.thresholds(coverage, classes=classes, by_class=by_class)
        check_n_classes(len(thresholds), matrix.shape[1], "PredictionSets")
        included: NDArray[np.bool_] = 1 - matrix <= thresholds
        if never_empty:
            included[np.arange(len(matrix)), matrix.argmax(axis=1)] = True
        return included

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values, for a file."""
        return {
            "classes": list(self.classes),
            "pooled": self.pooled.to_dict(),
            "of_class": [ranked.to_dict() for ranked in self.of_class],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PredictionSets:
        """Return the prediction sets with the values of :meth:`to_dict`.

        Parameters
        ----------
        values : mapping
            The parameters.

        Examples
        --------
        >>> made = PredictionSets.fit([[0.75, 0.25], [0.5, 0.5]], [0, 1]).to_dict()
        >>> PredictionSets.from_dict(made).thresholds(0.5)
        array([0.5, 0.5])
        """
        if set(values) != {"classes", "pooled", "of_class"} or not all(
            isinstance(values[name], list | tuple) for name in ("classes", "of_class")
        ):
            raise ScoreError(f"these are not the parameters of prediction sets: {sorted(values)}")
        of_class = tuple(RankedScores.from_dict(ranked) for ranked in values["of_class"])
        pooled = RankedScores.from_dict(values["pooled"])
        return cls(tuple(_plain_labels(values["classes"])), pooled, of_class)


@dataclass(frozen=True, eq=False)
class RankedScores:
    r"""An order-statistics sketch: of n sorted scores, m at evenly spaced ranks with the highest.

    .. math:: r_j = \lceil j n / m \rceil, \qquad j = 1, \dots, m

    The score of a rank that is not stored is that of the next stored rank, at most :math:`n / m`
    ranks above it: never a lower score.

    Parameters
    ----------
    n : int
        Number of scores.
    scores : array-like of shape (m,)
        The stored scores, from 0 to 1, in ascending order.

    Examples
    --------
    >>> ranked = RankedScores.from_scores([0.5, 0.1, 0.4, 0.2, 0.3], max_scores=2)
    >>> ranked.scores, ranked.at_rank(2), ranked.at_rank(4)
    (array([0.3, 0.5]), 0.3, 0.5)
    """

    n: int
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze_vectors(self, "scores")
        m = len(self.scores)
        # type() and not isinstance(), because JSON's true is an int in Python.
        if type(self.n) is not int or m > self.n or (m == 0) != (self.n == 0):
            raise ScoreError(f"{m} scores cannot stand for n={self.n!r}.")
        if m and not (self.scores[0] >= 0 and self.scores[-1] <= 1):
            raise ScoreError("ranked scores must lie from 0 to 1.")
        if (np.diff(self.scores) < 0).any():
            raise ScoreError("ranked scores must be in ascending order.")

    @classmethod
    def from_scores(cls, scores: ArrayLike, max_scores: int) -> RankedScores:
        """Sort scores and store at most ``max_scores`` of them."""
        ranked = np.sort(np.asarray(scores, dtype=np.float64))
        n, m = len(ranked), min(len(ranked), max_scores)
        # Integer arithmetic, because a rounding error in ceil(jn / m) would give a rank too low.
        ranks = -(-np.arange(1, m + 1) * n // max(m, 1))
        return cls(n, ranked[ranks - 1])

    def at_rank(self, rank: int) -> float:
        """Return the score of a rank, rounded up to the next stored rank."""
        if not 1 <= rank <= self.n:
            raise ScoreError(f"there are {self.n} scores, so there is no rank {rank}.")
        # The inverse of r_j: the smallest j with r_j >= rank, counted from 0.
        return float(self.scores[(rank - 1) * len(self.scores) // self.n])

    def conformal_quantile(self, coverage: Fraction) -> float:
        r"""Return the score of rank :math:`\lceil (1 - \delta)(n + 1) \rceil`; 1 if there is none.

        Examples
        --------
        >>> ranked = RankedScores.from_scores([0.1, 0.2, 0.3, 0.4], max_scores=4)
        >>> ranked.conformal_quantile(Fraction("0.6")), ranked.conformal_quantile(Fraction("0.9"))
        (0.3, 1.0)
        """
        rank = math.ceil(coverage * (self.n + 1))
        return self.at_rank(rank) if rank <= self.n else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values, for a file."""
        return {"n": self.n, "scores": self.scores.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RankedScores:
        """Return the ranked scores with the values of :meth:`to_dict`.

        Examples
        --------
        >>> RankedScores.from_dict({"n": 3, "scores": [0.25, 0.5]}).at_rank(3)
        0.5
        """
        if not isinstance(values, Mapping) or set(values) != {"n", "scores"}:
            raise ScoreError(f"these are not ranked scores: {values!r:.80}")
        return cls(values["n"], values["scores"])


def _plain_labels(classes: Sequence[Any]) -> list[Any]:
    """Return labels as Python values, because JSON cannot hold NumPy scalars."""
    return [plain_label(label, f"class {c}") for c, label in enumerate(classes)]


def _exact_coverage(coverage: float) -> Fraction:
    """Return a coverage as the decimal fraction that was written: 0.55 · 100 must be exactly 55."""
    if not isinstance(coverage, Real) or not 0 < coverage < 1:
        raise ScoreError(f"coverage must lie between 0 and 1, e.g. 0.9, not {coverage!r}.")
    return Fraction(str(float(coverage)))
