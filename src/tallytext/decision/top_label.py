"""Probabilities whose largest is as large as it is often right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from tallytext.decision.fixed import expect_classes
from tallytext.decision.isotonic import Isotonic
from tallytext.decision.platt import Platt
from tallytext.decision.temperature import Temperature
from tallytext.errors import ScoreError

_LEAST = 1e-12


@dataclass(frozen=True)
class TopLabel:
    r"""A temperature, and then a map of the probability of the best class to how often it is right.

    .. math:: p'_{\hat c} = g(p_{\hat c}), \qquad
              p'_c = p_c \, \frac{1 - p'_{\hat c}}{1 - p_{\hat c}} \quad (c \neq \hat c)

    A temperature alone has to please the few documents that are far off, and so makes all others
    less sure than they may be. g rises, and the best class stays the best: :math:`p'_{\hat c}` is
    never taken below what the second best would have then.

    Parameters
    ----------
    temperature : Temperature
    top : Platt or Isotonic
        g, of one class, on log-odds.
    most : float, default=1.0
        What no probability exceeds.

    Examples
    --------
    >>> halved = TopLabel(Temperature(1.0, 0.0), Platt([0.5], [0.0]))
    >>> np.exp(halved.log_proba([[np.log(16.0), 0.0]], [3])).round(2)
    array([[0.8, 0.2]])
    """

    temperature: Temperature
    top: Platt | Isotonic
    most: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.most <= 1:
            raise ScoreError(f"no probability can be the largest with most={self.most}.")
        sigmoids = self.top.platt if isinstance(self.top, Isotonic) else self.top
        expect_classes(len(sigmoids.slopes), 1, "the map of the largest probability")

    @classmethod
    def fit(
        cls,
        scores: ArrayLike,
        lengths: ArrayLike,
        truth: ArrayLike,
        *,
        isotonic: bool = True,
        temperature: Temperature | None = None,
    ) -> TopLabel:
        """Return what fits out-of-sample scores.

        Parameters
        ----------
        scores, lengths, truth
            As in :meth:`Temperature.fit`.
        isotonic : bool, default=True
            Whether g is isotonic, where there are documents enough, or a sigmoid.
        temperature : Temperature, default=None
            What to begin with; None for that of these scores.
        """
        if temperature is None:
            temperature = Temperature.fit(scores, lengths, truth)
        logs = temperature.log_proba(scores, lengths)
        right = (logs.argmax(axis=1) == np.asarray(truth))[:, None]
        kind = Isotonic if isotonic else Platt
        n = len(logs)
        return cls(temperature, kind.fit(_top_odds(logs)[:, None], right), (n + 1) / (n + 2))

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities of each document, which sum to one.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        lengths : array-like of shape (n_documents,)
            How long each document is.
        """
        logs = self.temperature.log_proba(scores, lengths)
        if logs.shape[1] == 1:
            return logs
        row, best = np.arange(len(logs)), logs.argmax(axis=1)
        others = _normalised(logs, best)
        second = np.exp(others.max(axis=1))
        wanted = self.top.proba(_top_odds(logs)[:, None])[:, 0]
        # A little more than the second best, so that rounding does not make it the best.
        least = np.minimum(second / (1 + second) + 1e-9, 1.0)
        top = np.clip(wanted, least, max(self.most, 0.5 + 1e-9))
        made = others + np.log1p(-np.minimum(top, 1 - _LEAST))[:, None]
        made[row, best] = np.log(top)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        kind = "isotonic" if isinstance(self.top, Isotonic) else "platt"
        parts = {"temperature": self.temperature.to_dict(), "top": self.top.to_dict()}
        return {"kind": kind, "most": self.most, **parts}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TopLabel:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> made = TopLabel(Temperature(), Platt([1.0], [0.0]), 0.9).to_dict()
        >>> TopLabel.from_dict(made).most
        0.9
        """
        kinds: dict[Any, Any] = {"isotonic": Isotonic, "platt": Platt}
        if set(values) != {"kind", "most", "temperature", "top"} or values["kind"] not in kinds:
            raise ScoreError(f"these are not the parameters of a TopLabel: {sorted(values)}")
        top = kinds[values["kind"]].from_dict(values["top"])
        return cls(Temperature.from_dict(values["temperature"]), top, float(values["most"]))


def _top_odds(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of the best class, kept from being infinite."""
    odds: NDArray[np.float64] = logit(np.clip(np.exp(logs.max(axis=1)), _LEAST, 1 - _LEAST))
    return odds


def _normalised(logs: NDArray[np.float64], best: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the logarithms of the shares of all classes but the best; -inf for that."""
    others = logs.copy()
    others[np.arange(len(logs)), best] = -np.inf
    highest = others.max(axis=1, keepdims=True)
    # Where all others are impossible they share alike what is left.
    others = np.where(np.isfinite(highest), others, np.where(np.isfinite(logs), -np.inf, 0.0))
    total = np.logaddexp.reduce(others, axis=1, keepdims=True)
    shares: NDArray[np.float64] = others - total
    return shares
