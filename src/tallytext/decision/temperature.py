"""One temperature for all classes, that rises with the length of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from tallytext.decision.ranking import log_posteriors
from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import class_indices, finite_scores, same_length

_Sample = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]

_FEW = 256
_P_BOUNDS = (-1.0, 2.0)
_P_STARTS = (0.5, 0.0, 1.0, -0.5, 1.5)
# The logarithm of the scale around its start: from all classes alike to certainty.
_SCALE_BOUNDS = (-25.0, 15.0)
# Certainty, and still no score becomes infinite: infinite scores have no difference.
# Scores that differ by less are equal: what would tell them apart is out of range.
_FLAT = 1e-200
_STEEPEST = 1e290


@dataclass(frozen=True)
class Temperature:
    r"""Posteriors whose scores are divided by a temperature that depends on the length.

    .. math:: p(c \mid d) \propto \exp\left( s_c(d) \, a \, (1 + |d|)^{-p} \right)

    The words of a document are not independent, as naive Bayes takes them to be, so its posteriors
    are too extreme, the more so the longer a document is. With a = 1 and p = 0 they are left as
    they are; with p = 1 the mean score of a word counts. The best class stays the best.

    Parameters
    ----------
    a : float, default=1.0
        Positive.
    p : float, default=0.5
        How fast the temperature rises with length.

    Examples
    --------
    >>> np.exp(Temperature(a=2.0, p=1.0).log_proba([[0.0, -np.log(9) * 2]], [3])).round(2)
    array([[0.9, 0.1]])
    """

    a: float = 1.0
    p: float = 0.5

    def __post_init__(self) -> None:
        if not (0 < self.a < np.inf and np.isfinite(self.p)):
            raise ScoreError(f"there is no temperature with a={self.a} and p={self.p}.")

    @classmethod
    def fit(cls, scores: ArrayLike, lengths: ArrayLike, truth: ArrayLike) -> Temperature:
        """Return the temperature with the least log-loss on out-of-sample scores.

        p is kept from -1 to 2, and a within bounds too, for there is no best one where all
        documents are classified rightly: the surer the better.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        lengths : array-like of shape (n_documents,)
            How many words of each document entered its scores.
        truth : array-like of int of shape (n_documents,)
            The index of the class of each document.

        Examples
        --------
        >>> scores = [[0.0, -8.0], [-8.0, 0.0], [0.0, -8.0], [0.0, -8.0]]
        >>> fitted = Temperature.fit(scores, [7, 7, 7, 7], [0, 1, 0, 1])
        >>> np.exp(fitted.log_proba(scores[:1], [7])).round(3)
        array([[0.75, 0.25]])
        """
        matrix = finite_scores(scores)
        right = class_indices(truth, matrix.shape[1])
        same_length(len(matrix), len(right), "class indices")
        if not len(matrix):
            raise ScoreError("there are no documents to fit a temperature to.")
        return cls(*_least_loss(matrix, _log_lengths(lengths, len(matrix)), right))

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the posteriors of each document, which sum to one.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        lengths : array-like of shape (n_documents,)
            How long each document is.
        """
        # A constant of each document changes no posterior, but scaled it would cost precision.
        shifted = log_posteriors(scores)
        with np.errstate(over="ignore"):
            scale = self.a * np.exp(-self.p * _log_lengths(lengths, len(shifted)))
        return log_posteriors(shifted * np.minimum(scale, _STEEPEST)[:, None])

    def to_dict(self) -> dict[str, float]:
        """Return the parameters as plain values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Temperature:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Temperature.from_dict(Temperature(2.0, 0.25).to_dict())
        Temperature(a=2.0, p=0.25)
        """
        if set(values) != {"a", "p"} or not all(
            isinstance(v, int | float) for v in values.values()
        ):
            raise ScoreError(f"these are not the parameters of a temperature: {dict(values)}")
        return cls(float(values["a"]), float(values["p"]))


def _log_lengths(lengths: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    values = np.asarray(lengths, dtype=np.float64)
    if values.shape != (n_documents,):
        raise ScoreError(f"there are {n_documents} documents, but lengths of shape {values.shape}.")
    if not ((values >= 0) & (values < np.inf)).all():
        raise ScoreError("a document has a length that is negative or not a finite number.")
    return np.log1p(values)


def _least_loss(
    matrix: NDArray[np.float64], log_lengths: NDArray[np.float64], right: NDArray[np.intp]
) -> tuple[float, float]:
    """Return a and p, found by way of the scale at the middle length, which hardly depends on p."""
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    if shifted.min() > -_FLAT:
        return Temperature.a, Temperature.p
    middle = log_lengths.mean()
    sample = shifted, log_lengths - middle, right
    # There may be several valleys. A few steps from each start tell which is the deepest, and a
    # few documents tell the way.
    step = -(-len(right) // _FEW)
    few = (shifted[::step], sample[1][::step], right[::step])
    few = few if few[0].min() < -_FLAT else sample
    roughly = [_descend(_start(p, *few[:2]), few, max_steps=6) for p in _P_STARTS]
    _, (scale, p) = _descend(min(roughly, key=itemgetter(0))[1], sample, max_steps=200)
    return float(np.exp(scale + p * middle)), float(p)


def _start(
    p: float, shifted: NDArray[np.float64], centred: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the parameters at which scores differ by one or so: neither flat nor too steep."""
    spread = -(shifted.mean(axis=1) * np.exp(-p * centred)).mean()
    return np.array([-np.log(spread), p])


def _descend(
    start: NDArray[np.float64], sample: _Sample, max_steps: int
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss at the foot of the slope, or where the steps end, and the place."""
    around = (start[0] + _SCALE_BOUNDS[0], start[0] + _SCALE_BOUNDS[1])
    found = minimize(
        _loss_and_slope,
        start,
        args=sample,
        jac=True,
        method="L-BFGS-B",
        bounds=[around, _P_BOUNDS],
        options={"ftol": 1e-12, "gtol": 1e-7, "maxiter": max_steps},
    )
    return float(found.fun), np.asarray(found.x, dtype=np.float64)


def _loss_and_slope(
    parameters: NDArray[np.float64],
    shifted: NDArray[np.float64],
    centred: NDArray[np.float64],
    right: NDArray[np.intp],
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean log-loss, and its derivatives by the log-scale and by p."""
    scale = np.exp(parameters[0] - parameters[1] * centred)
    scaled = shifted * scale[:, None]
    weights = np.exp(scaled)
    totals = weights.sum(axis=1)
    reached = scaled[np.arange(len(right)), right]
    loss = np.log(totals) - reached
    slope = np.einsum("dc,dc->d", weights, scaled) / totals - reached
    return float(loss.mean()), np.array([slope.mean(), -(slope * centred).mean()])
