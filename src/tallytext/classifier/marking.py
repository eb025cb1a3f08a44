"""How good answers are, in one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.calibration import per_token
from tallytext.smoothing.base import Numbers

_HOPELESS = 8  # times as many labels as there are


def mark(seen: OutOfSample) -> float:
    """Return how good an answer is: accuracy, or F1 where documents have several labels or none.

    The F1 is the micro-averaged one at the best common threshold for log-odds per token: each
    class will get a threshold of its own, so what counts is the order.
    """
    if not len(seen.scores):
        return 0.0
    if not seen.several:
        return seen.accuracy
    odds, wanted = per_token(seen.log_odds(), seen.lengths).ravel(), seen.truth.ravel()
    return _best_f1(odds, wanted)


def _best_f1(odds: Numbers, wanted: NDArray[np.bool_]) -> float:
    """Return the F1 at the best threshold, without putting all in order where most is hopeless."""
    n, n_wanted = len(odds), max(int(wanted.sum()), 1)
    n_looked_at = min(n, _HOPELESS * n_wanted)
    least = np.partition(odds, n - n_looked_at)[n - n_looked_at]
    likely = np.flatnonzero(odds >= least)
    best = _highest_f1(odds[likely], wanted[likely], n_wanted)
    # Whoever gives n labels has an F1 of 2 W / (n + W) at most, if W are wanted.
    if len(likely) == n or best >= 2 * n_wanted / (len(likely) + 1 + n_wanted):
        return best
    return _highest_f1(odds, wanted, n_wanted)


def _highest_f1(odds: Numbers, wanted: NDArray[np.bool_], n_wanted: int) -> float:
    right = np.cumsum(wanted[np.argsort(-odds, kind="stable")])
    return float((2 * right / (np.arange(1, len(right) + 1) + n_wanted)).max())
