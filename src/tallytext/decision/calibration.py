"""From scores of documents that a model had not seen to probabilities that can be relied on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from tallytext._typing import FloatArray
from tallytext.decision.calibrators import Isotonic, Platt, Temperature, TopLabel
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.errors import ScoreError

Method: TypeAlias = Literal["auto", "temperature", "platt", "isotonic"]
Calibrator: TypeAlias = Temperature | TopLabel | Platt | Isotonic

_METHODS = ("auto", "temperature", "platt", "isotonic")
_IMPOSSIBLE = -1e6
_ENOUGH = 1024  # documents for the two numbers of a temperature


def check_method(method: str) -> None:
    """Refuse a way to calibrate that there is not."""
    if method not in _METHODS:
        raise ValueError(f"method must be one of {_METHODS}, not {method!r}.")


def fit_calibrator(seen: OutOfSample, method: Method = "auto") -> Calibrator:
    """Fit a calibration on what models say of documents that they have not learned.

    Parameters
    ----------
    seen : OutOfSample
    method : {"auto", "temperature", "platt", "isotonic"}, default="auto"
        As for :class:`~tallytext.Calibrated`.
    """
    if seen.multi_label:
        return _by_class(seen, method)
    known = seen.truth.any(axis=1)
    scores, lengths = _possible(seen.scores[known]), seen.lengths[known]
    truth = seen.truth[known].argmax(axis=1)
    # A document whose class is gone without it is a mistake at any temperature, and a loss of
    # any size: it says how often the model is right, but not how sure the others may be.
    fair = np.isfinite(seen.scores[np.flatnonzero(known), truth])
    temperature = Temperature()
    if fair.any() or not fair.size:
        some = np.flatnonzero(fair)[:: -(-int(fair.sum()) // _ENOUGH)]
        temperature = Temperature.fit(scores[some], lengths[some], truth[some])
    if method == "temperature":
        return temperature
    isotonic = method != "platt"
    return TopLabel.fit(scores, lengths, truth, isotonic=isotonic, temperature=temperature)


def probabilities(
    calibrator: Calibrator,
    scores: FloatArray,
    lengths: FloatArray,
    log_odds: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return the calibrated probabilities of raw scores.

    Parameters
    ----------
    calibrator : Temperature, TopLabel, Platt or Isotonic
    scores, lengths : ndarray
        What a model says of documents.
    log_odds : callable
        From scores to the log-odds of each class against all others.
    """
    if isinstance(calibrator, Temperature | TopLabel):
        return np.exp(calibrator.log_proba(_possible(scores), lengths))
    return calibrator.proba(per_token(log_odds(scores), lengths))


def per_token(odds: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return log-odds divided by the length, as comparable between documents as may be."""
    finite = np.clip(odds, _IMPOSSIBLE, -_IMPOSSIBLE)
    return finite / np.maximum(lengths, 1.0)[:, None]


def _by_class(seen: OutOfSample, method: Method) -> Calibrator:
    if method == "temperature":
        raise ScoreError(
            "a temperature makes probabilities sum to one, but documents may have several "
            "labels here. Use method='platt' or 'isotonic'."
        )
    kind = Platt if method == "platt" else Isotonic
    return kind.fit(per_token(seen.log_odds(), seen.lengths), seen.truth)


def _possible(scores: FloatArray) -> FloatArray:
    """Return scores with a large negative number for classes that are impossible."""
    highest = np.where(np.isfinite(scores), scores, -np.inf).max(axis=1, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    return np.where(np.isfinite(scores), scores, highest + _IMPOSSIBLE)
