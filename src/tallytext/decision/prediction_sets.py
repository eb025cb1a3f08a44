"""Sets of classes that hold the right one as often as is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.calibrators import check_classes, fixed
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation.measures import probability_matrix, scores_and_truth
from tallytext.tally.labels import plain

# ------------------------------------------------------------------------------------------------
# Scores in ascending order, thinned so that any rank is answered from a bounded number of them.


@dataclass(frozen=True, eq=False)
class RankedScores:
    r"""Of n scores in ascending order, m at evenly spaced ranks, the highest among them.

    .. math:: r_j = \lceil j n / m \rceil, \qquad j = 1, \dots, m

    A rank that was not kept is answered by the next that was, :math:`n / m` ranks above it at
    most: never by a lower score.

    Parameters
    ----------
    n : int
        How many scores there were.
    scores : array-like of shape (m,)
        Those that are kept, from 0 to 1, in ascending order.

    Examples
    --------
    >>> ranked = RankedScores.of([0.5, 0.1, 0.4, 0.2, 0.3], most=2)
    >>> ranked.scores, ranked.at_rank(2), ranked.at_rank(4)
    (array([0.3, 0.5]), 0.3, 0.5)
    """

    n: int
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", fixed(self.scores, "ranked scores"))
        m = len(self.scores)
        if type(self.n) is not int or m > self.n or (m == 0) != (self.n == 0):
            raise ScoreError(f"{m} scores cannot stand for n={self.n!r}.")
        if m and not (self.scores[0] >= 0 and self.scores[-1] <= 1):
            raise ScoreError("ranked scores must lie from 0 to 1.")
        if (np.diff(self.scores) < 0).any():
            raise ScoreError("ranked scores must be in ascending order.")

    @classmethod
    def of(cls, scores: ArrayLike, most: int) -> RankedScores:
        """Rank scores and keep ``most`` of them at most."""
        ranked = np.sort(np.asarray(scores, dtype=np.float64))
        n, m = len(ranked), min(len(ranked), most)
        # In whole numbers: ceil(jn / m) is not to be one too low.
        ranks = -(-np.arange(1, m + 1) * n // max(m, 1))
        return cls(n, ranked[ranks - 1])

    def at_rank(self, rank: int) -> float:
        """Return the score of the lowest rank that was kept and is not below this one."""
        if not 1 <= rank <= self.n:
            raise ScoreError(f"there are {self.n} scores, and so none of rank {rank}.")
        return float(self.scores[(rank - 1) * len(self.scores) // self.n])

    def covering(self, coverage: Fraction) -> float:
        r"""Return the score of rank :math:`\lceil (1 - \delta)(n + 1) \rceil`; 1 if there is none.

        Examples
        --------
        >>> ranked = RankedScores.of([0.1, 0.2, 0.3, 0.4], most=4)
        >>> ranked.covering(Fraction("0.6")), ranked.covering(Fraction("0.9"))
        (0.3, 1.0)
        """
        rank = math.ceil(coverage * (self.n + 1))
        return self.at_rank(rank) if rank <= self.n else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        return {"n": self.n, "scores": self.scores.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RankedScores:
        """Read what :meth:`to_dict` wrote.

        Examples
        --------
        >>> RankedScores.from_dict({"n": 3, "scores": [0.25, 0.5]}).at_rank(3)
        0.5
        """
        if not isinstance(values, Mapping) or set(values) != {"n", "scores"}:
            raise ScoreError(f"these are not ranked scores: {values!r:.80}")
        return cls(values["n"], values["scores"])


_MOST, _MOST_OF_A_CLASS = 1024, 128


@dataclass(frozen=True, eq=False)
class PredictionSets:
    r"""Conformal prediction sets: all classes that a document may well have.

    With the out-of-sample probabilities of labelled documents, how strange each true label looks
    is :math:`a_n = 1 - \hat p(y_n \mid n)`. A class is in the set of a document if it looks no
    stranger than most of these did:

    .. math:: C(d) = \{ c : 1 - \hat p(c \mid d) \leq a_{(\lceil (1 - \delta)(N + 1) \rceil)} \}

    If documents to come are like those of the sample, in any order, the true label is in its set
    with a probability of :math:`1 - \delta` at least, the coverage, however bad the probabilities
    are: bad ones make large sets. Where the sample is too small for a coverage, that is where the
    rank exceeds N, all classes are in every set. With several labels per document each of them is
    a case of its own, so coverage is the share of pairs of document and label; a document without
    label is no case.

    Of the scores at most 1,024 are kept, and 128 of each class, so that any coverage can be asked
    for later; ranks in between are rounded up, so coverage is never lower for it, and higher by
    1/1024 at most (1/128 by class), and by what equal scores add.

    Parameters
    ----------
    classes : sequence of labels
        The classes of the sample.
    pooled : RankedScores
        The scores of all labels.
    of_class : sequence of RankedScores
        The scores of each class.

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
            raise ScoreError(f"{len(self.classes)} classes, but scores of {len(self.of_class)}.")
        if not self.pooled.n or self.pooled.n != sum(ranked.n for ranked in self.of_class):
            raise ScoreError("there must be scores, as many in all as those of all classes.")

    @classmethod
    def fit(
        cls, probabilities: ArrayLike, truth: ArrayLike, classes: Sequence[Any] | None = None
    ) -> PredictionSets:
        """Return the sets that out-of-sample probabilities give.

        Parameters
        ----------
        probabilities : array-like of shape (n_documents, n_classes)
            By a model that was not trained on these documents.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        classes : sequence of labels, default=None
            The class of each column; None for the numbers of the columns.
        """
        matrix, wanted = scores_and_truth(probability_matrix(probabilities), truth)
        names = list(range(matrix.shape[1])) if classes is None else _plain(classes)
        check_classes(len(names), matrix.shape[1], "PredictionSets")
        if not wanted.any():
            raise ScoreError("there are no labels to find prediction sets with.")
        strange = 1 - matrix
        by_class = [
            RankedScores.of(column[right], _MOST_OF_A_CLASS)
            for column, right in zip(strange.T, wanted.T, strict=True)
        ]
        return cls(tuple(names), RankedScores.of(strange[wanted], _MOST), tuple(by_class))

    def thresholds(
        self, coverage: float, *, classes: Sequence[Any] | None = None, by_class: bool = False
    ) -> NDArray[np.float64]:
        r"""Return how low :math:`1 - \hat p` must be for each class to be in a set.

        Parameters
        ----------
        coverage : float
            :math:`1 - \delta`, between 0 and 1.
        classes : sequence of labels, default=None
            For which classes; None for those of the sample. A class that the sample did not have
            is judged by the scores of all.
        by_class : bool, default=False
            Whether the coverage is to hold for each class on its own, not only on average: by the
            scores of the class if it had :math:`1 / \delta` of them at least, else of all.

        Returns
        -------
        ndarray of float64 of shape (n_classes,)
            1 lets a class into every set.
        """
        share = _share(coverage)
        asked = self.classes if classes is None else _plain(classes)
        thresholds = np.full(len(asked), self.pooled.covering(share))
        if by_class:
            ranked = dict(zip(self.classes, self.of_class, strict=True))
            for c, name in enumerate(asked):
                if name in ranked and ranked[name].n * (1 - share) >= 1:
                    thresholds[c] = ranked[name].covering(share)
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
        """Return True where a class is in the set of a document.

        Parameters
        ----------
        probabilities : array-like of shape (n_documents, n_classes)
            Of the kind that was fitted to.
        coverage, classes, by_class
            As in :meth:`thresholds`; ``classes`` are those of the columns.
        never_empty : bool, default=True
            Whether the best class is in the set in any case. Else the set of a document that
            looks like none of the sample may be empty. This can only raise the coverage.
        """
        matrix = probability_matrix(probabilities)
        thresholds = self.thresholds(coverage, classes=classes, by_class=by_class)
        check_classes(len(thresholds), matrix.shape[1], "PredictionSets")
        chosen: NDArray[np.bool_] = 1 - matrix <= thresholds
        if never_empty:
            chosen[np.arange(len(matrix)), matrix.argmax(axis=1)] = True
        return chosen

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        return {
            "classes": list(self.classes),
            "pooled": self.pooled.to_dict(),
            "of_class": [ranked.to_dict() for ranked in self.of_class],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PredictionSets:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

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
        return cls(tuple(_plain(values["classes"])), pooled, of_class)


def _plain(classes: Sequence[Any]) -> list[Any]:
    """Return labels as Python values: those of NumPy cannot be written to a file of text."""
    return [plain(label, f"class {c}") for c, label in enumerate(classes)]


def _share(coverage: float) -> Fraction:
    """Return a coverage as the decimal that was meant: 0.55 · 100 is to be 55 and no more."""
    if not isinstance(coverage, Real) or not 0 < coverage < 1:
        raise ScoreError(f"coverage must lie between 0 and 1, as 0.9 does, not {coverage!r}.")
    return Fraction(str(float(coverage)))
