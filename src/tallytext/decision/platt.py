"""Probabilities for each class on its own, by Platt's sigmoids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from tallytext.decision.fixed import expect_classes, fixed
from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import calibration_sample, finite_scores

_MAX_STEPS = 100
_MAX_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Platt:
    r"""Probabilities by one sigmoid for each class.

    .. math:: p(c \mid d) = \frac{1}{1 + e^{-(a_c s_c(d) + b_c)}}

    The probabilities of a document need not sum to one: each class is a question of its own, as in
    multi-label data. Naive Bayes scores should be log-odds divided by the length of the document.

    Parameters
    ----------
    slopes, intercepts : array-like of shape (n_classes,)
        a and b; :meth:`fit` finds them.

    Examples
    --------
    >>> fitted = Platt.fit([[-2.0], [-1.0], [1.0], [2.0]], [[0], [0], [1], [1]])
    >>> fitted.proba([[-1.5], [0.0], [1.5]]).round(2).ravel()
    array([0.27, 0.5 , 0.73])
    """

    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("slopes", "intercepts"):
            object.__setattr__(self, name, fixed(getattr(self, name), name))
        if self.slopes.shape != self.intercepts.shape:
            raise ScoreError(f"{len(self.slopes)} slopes need as many intercepts.")
        if not np.isfinite([self.slopes, self.intercepts]).all():
            raise ScoreError("slopes and intercepts must be finite numbers.")

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike) -> Platt:
        r"""Return the sigmoids with the least log-loss on out-of-sample scores.

        Targets are smoothed: :math:`(n_+ + 1)/(n_+ + 2)` for the :math:`n_+` documents of a class
        and :math:`1/(n_- + 2)` for the others, so there is a best sigmoid for any scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        """
        matrix, wanted = calibration_sample(scores, truth)
        found = [_sigmoid(matrix[:, c], wanted[:, c]) for c in range(matrix.shape[1])]
        return cls(*np.transpose(found))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = finite_scores(scores)
        expect_classes(len(self.slopes), matrix.shape[1], "Platt")
        return np.asarray(expit(self.slopes * matrix + self.intercepts))

    def to_dict(self) -> dict[str, list[float]]:
        """Return the parameters as plain values, for a file."""
        return {"slopes": self.slopes.tolist(), "intercepts": self.intercepts.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Platt:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Platt.from_dict({"slopes": [2.0], "intercepts": [0.0]}).proba([[0.0]])
        array([[0.5]])
        """
        if set(values) != {"slopes", "intercepts"}:
            raise ScoreError(f"these are not the parameters of sigmoids: {sorted(values)}")
        return cls(values["slopes"], values["intercepts"])


def _sigmoid(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and intercept with the least log-loss, for smoothed targets."""
    n_wanted = int(wanted.sum())
    high, low = (n_wanted + 1) / (n_wanted + 2), 1 / (len(wanted) - n_wanted + 2)
    middle, spread = scores.mean(), scores.std()
    # Standardised, so that Newton's steps fit scores of any size.
    inputs = np.stack([(scores - middle) / (spread or 1.0), np.ones(len(scores))])
    slope, intercept = _newton(inputs, np.where(wanted, high, low))
    slope = slope / (spread or 1.0)
    return float(slope), float(intercept - slope * middle)


def _newton(inputs: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise the log-loss of a sigmoid by Newton's method, halving steps that go too far."""
    weights = np.array([0.0, np.log(targets.mean() / (1 - targets.mean()))])
    for _ in range(_MAX_STEPS):
        probabilities = expit(weights @ inputs)
        slope = inputs @ (probabilities - targets)
        if np.abs(slope).max() <= 1e-10 * len(targets):
            break
        curvature = (inputs * (probabilities * (1 - probabilities))) @ inputs.T
        # The ridge keeps the system solvable where all scores are equal.
        step = np.asarray(np.linalg.solve(curvature + 1e-12 * np.eye(2), slope), np.float64)
        weights = weights - _damping(weights, step, inputs, targets) * step
    return weights


def _damping(
    weights: NDArray[np.float64],
    step: NDArray[np.float64],
    inputs: NDArray[np.float64],
    targets: NDArray[np.float64],
) -> float:
    """Return the largest of 1, 1/2, 1/4, ... at which a step does not raise the loss."""
    now = _log_loss(weights @ inputs, targets)
    for halvings in range(_MAX_HALVINGS):
        share = 0.5**halvings
        if _log_loss((weights - share * step) @ inputs, targets) <= now:
            return share
    return 0.0


def _log_loss(logits: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    return float((np.logaddexp(0, logits) - targets * logits).sum())
