"""Probabilities for each class on its own, by isotonic regression where there are documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.decision.fixed import fixed
from tallytext.decision.platt import Platt
from tallytext.errors import ScoreError
from tallytext.evaluation.inputs import calibration_sample, finite_scores

Knots = tuple[NDArray[np.float64], NDArray[np.float64]]


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
        matrix, wanted = calibration_sample(scores, truth)
        enough = wanted.sum(axis=0) >= max(1, min_positives)
        knots = (
            _isotonic(matrix[:, c], wanted[:, c]) if enough[c] else None
            for c in range(matrix.shape[1])
        )
        return cls(tuple(knots), Platt.fit(matrix, wanted))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
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

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> sigmoid = {"slopes": [2.0], "intercepts": [0.0]}
        >>> Isotonic.from_dict({"knots": [[[0, 1], [0, 1]]], "platt": sigmoid}).proba([[0.25]])
        array([[0.25]])
        """
        if set(values) != {"knots", "platt"}:
            raise ScoreError(f"these are not the parameters of an Isotonic: {sorted(values)}")
        return cls(values["knots"], Platt.from_dict(values["platt"]))


def _checked_knots(knots: Iterable[ArrayLike] | None) -> Knots | None:
    if knots is None:
        return None
    x, y = (fixed(part, "knots") for part in knots)
    if len(x) != len(y) or not len(x) or (np.diff(x) < 0).any():
        raise ScoreError(f"knots need rising scores and as many probabilities, not {x} and {y}.")
    if not (np.isfinite(x).all() and y.min() >= 0 and y.max() <= 1):
        raise ScoreError(f"knots need finite scores and probabilities, not {x} and {y}.")
    return x, y


def _isotonic(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> Knots:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, wanted)
    return fitted.X_thresholds_, fitted.y_thresholds_
