"""How long a choice may take."""

from __future__ import annotations

from numbers import Real
from time import perf_counter
from typing import NamedTuple

from tallytext.classifier.folds import fold_size
from tallytext.learners import Learner

# Estimates in nanoseconds, of a machine that is neither new nor old.
_PER_TOKEN = 60.0  # a small part of what counting takes elsewhere
_PER_DENSE_CELL = 60.0
_LEAST = 5e7


class Size(NamedTuple):
    """How much there is to learn from."""

    n_documents: int
    n_tokens: int
    n_cells: int  # pairs of a document and a word
    n_terms: int
    n_classes: int


def affordable(learner: Learner, size: Size) -> bool:
    """Whether a learner is tried where nobody said how long a choice may take.

    What must have a number for each word and class, and for each document and class, is tried
    where these fit into memory. What others cost is estimated from counts and not measured, so
    that the same documents lead to the same choice, however busy the machine is.

    Examples
    --------
    >>> from tallytext.learners import find_learner
    >>> small, large = Size(1_000, 10**5, 60_000, 10_000, 5), Size(10**4, 10**6, 10**6, 10**5, 50)
    >>> [affordable(find_learner("poisson"), size) for size in (small, large)]
    [True, False]
    """
    if learner.most_weights is not None:
        return (size.n_terms + size.n_documents) * size.n_classes <= learner.most_weights
    if not learner.dense:
        return True
    in_a_fold = size.n_cells * fold_size(size.n_documents) / max(size.n_documents, 1)
    cost = _PER_DENSE_CELL * (in_a_fold + size.n_terms) * size.n_classes
    return cost <= max(_LEAST, _PER_TOKEN * size.n_tokens)


class Deadline:
    """A moment after which nothing new is begun.

    Parameters
    ----------
    seconds : float or None
        From now; None for never.
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None and not (isinstance(seconds, Real) and seconds >= 0):
            raise ValueError(f"budget must be a number of seconds, not {seconds!r}.")
        self._end = None if seconds is None else perf_counter() + seconds

    def __bool__(self) -> bool:
        """Whether it is over."""
        return self._end is not None and perf_counter() >= self._end
