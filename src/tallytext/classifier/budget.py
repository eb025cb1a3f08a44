"""How long a choice may take."""

from __future__ import annotations

from numbers import Real
from time import perf_counter

from tallytext.classifier.judging import Judge
from tallytext.learners import Learner

# Estimates in nanoseconds, of a machine that is neither new nor old.
_PER_TOKEN = 600.0
_PER_CELL = 100.0
_PER_DENSE_CELL = 60.0
_LEAST = 1e9


class Budget:
    """What may be spent on trying models.

    Parameters
    ----------
    n_tokens : int
        How much text there is. A choice may take about as long as it takes other libraries to
        count this text. What a model costs is estimated from counts, so that the same documents
        lead to the same choice, however busy the machine is.
    seconds : float, default=None
        Look at the clock instead: begin with no model after this time.
    """

    def __init__(self, n_tokens: int, seconds: float | None = None) -> None:
        if seconds is not None and not (isinstance(seconds, Real) and seconds >= 0):
            raise ValueError(f"budget must be a number of seconds, not {seconds!r}.")
        self._left = max(n_tokens * _PER_TOKEN, _LEAST)
        self._end = None if seconds is None else perf_counter() + seconds

    def allows(self, learner: Learner, judge: Judge, n_folds: int) -> bool:
        """Whether one more model may be tried; spends what it costs if so."""
        if self._end is not None:
            return perf_counter() < self._end
        cost = cost_of(learner, judge) * n_folds
        if cost > self._left:
            return False
        self._left -= cost
        return True


def cost_of(learner: Learner, judge: Judge) -> float:
    """Return about how long it takes to judge a model on one fold, in nanoseconds."""
    cells = judge.drawn.X.nnz / max(1, len(judge.folds))
    if learner.judged_by == "refitting":
        return _PER_CELL * judge.tally.n_tokens * len(judge.tally.classes)
    if learner.dense:
        return _PER_DENSE_CELL * (cells + judge.tally.n_terms) * len(judge.tally.classes)
    return _PER_CELL * cells
