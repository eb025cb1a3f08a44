"""Scores in ascending order, thinned so that any rank is answered from a bounded number of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.fixed import fixed
from tallytext.errors import ScoreError


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
