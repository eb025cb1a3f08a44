"""Probabilities for each class on its own: Platt's sigmoids, and isotonic regression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from tallytext.decision.fixed import expect_classes, fixed
from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import finite_scores, scores_and_truth

Knots = tuple[NDArray[np.float64], NDArray[np.float64]]

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
    array([0.25, 0.5 , 0.75])
    """

    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("slopes", "intercepts"):
            object.__setattr__(self, name, fixed(getattr(self, name), name))
        if self.slopes.shape != self.intercepts.shape:
            raise ScoreError(f"{len(self.slopes)} slopes need as many intercepts.")

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
        matrix, wanted = _sample(scores, truth)
        found = [_sigmoid(matrix[:, c], wanted[:, c]) for c in range(matrix.shape[1])]
        return cls(*np.transpose(found))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document."""
        matrix = finite_scores(scores)
        expect_classes(len(self.slopes), matrix.shape[1], "Platt")
        return np.asarray(expit(self.slopes * matrix + self.intercepts))

    def to_dict(self) -> dict[str, list[float]]:
        """Return the parameters as plain values, for a file."""
        return {"slopes": self.slopes.tolist(), "intercepts": self.intercepts.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Platt:
        """Read what :meth:`to_dict` wrote.

        Examples
        --------
        >>> Platt.from_dict({"slopes": [2.0], "intercepts": [0.0]}).proba([[0.0]])
        array([[0.5]])
        """
        if set(values) != {"slopes", "intercepts"}:
            raise ScoreError(f"these are not the parameters of sigmoids: {sorted(values)}")
        return cls(values["slopes"], values["intercepts"])


@dataclass(frozen=True, eq=False)
class Isotonic:
    """Probabilities by a rising step for each class with enough documents, else by a sigmoid.

    Isotonic regression pools neighbouring documents until the share of the class rises with the
    score. It assumes nothing about the form, so it needs documents. Between the scores of the
    sample it interpolates; beyond them it stays level. As with :class:`Platt`, probabilities need
    not sum to one.

    Parameters
    ----------
    knots : sequence of (scores, probabilities) or None
        The corners of each class's function; None where the sigmoid is taken.
    platt : Platt
        The sigmoid of each class.

    Examples
    --------
    >>> scores, truth = [[-3], [-2], [-1], [0], [1], [2]], [[0], [1], [0], [0], [1], [1]]
    >>> Isotonic.fit(scores, truth, min_positives=3).proba(scores).round(3).ravel()
    array([0.   , 0.333, 0.333, 0.333, 1.   , 1.   ])
    """

    knots: tuple[Knots | None, ...]
    platt: Platt

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", tuple(map(_checked_knots, self.knots)))
        if len(self.knots) != len(self.platt.slopes):
            raise ScoreError(f"{len(self.knots)} classes need as many sigmoids.")

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike, *, min_positives: int = 50) -> Isotonic:
        """Return the functions with the least squared error on out-of-sample scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        min_positives : int, default=50
            With fewer documents, a class gets the sigmoid of :class:`Platt`.
        """
        matrix, wanted = _sample(scores, truth)
        enough = wanted.sum(axis=0) >= max(1, min_positives)
        knots = (
            _isotonic(matrix[:, c], wanted[:, c]) if enough[c] else None
            for c in range(matrix.shape[1])
        )
        return cls(tuple(knots), Platt.fit(matrix, wanted))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document."""
        matrix = finite_scores(scores)
        probabilities = self.platt.proba(matrix)
        for c, knots in enumerate(self.knots):
            if knots is not None:
                probabilities[:, c] = np.interp(matrix[:, c], *knots)
        return probabilities

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        plain = [
            None if knots is None else [part.tolist() for part in knots] for knots in self.knots
        ]
        return {"knots": plain, "platt": self.platt.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Isotonic:
        """Read what :meth:`to_dict` wrote.

        Examples
        --------
        >>> sigmoid = {"slopes": [2.0], "intercepts": [0.0]}
        >>> Isotonic.from_dict({"knots": [[[0, 1], [0, 1]]], "platt": sigmoid}).proba([[0.25]])
        array([[0.25]])
        """
        if set(values) != {"knots", "platt"}:
            raise ScoreError(f"these are not the parameters of an Isotonic: {sorted(values)}")
        return cls(values["knots"], Platt.from_dict(values["platt"]))


def _sample(scores: ArrayLike, truth: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    matrix, wanted = scores_and_truth(finite_scores(scores), truth)
    if not len(matrix):
        raise ScoreError("there are no documents to calibrate with.")
    return matrix, wanted


def _checked_knots(knots: Iterable[ArrayLike] | None) -> Knots | None:
    if knots is None:
        return None
    x, y = (fixed(part, "knots") for part in knots)
    if len(x) != len(y) or not len(x) or (np.diff(x) < 0).any():
        raise ScoreError(f"knots need rising scores and as many probabilities, not {x} and {y}.")
    return x, y


def _isotonic(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> Knots:
    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, wanted)
    return fitted.X_thresholds_, fitted.y_thresholds_


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
        step = np.linalg.solve(curvature + 1e-12 * np.eye(2), slope)
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
