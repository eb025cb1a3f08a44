"""What became of each document, in two numbers whose sums make a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallytext.comparison.splits import Rows
from tallytext.smoothing.base import Numbers


@dataclass(frozen=True)
class Outcomes:
    r"""Numbers of each document; the score of some is the quotient of their sums.

    .. math:: s = \frac{\sum_d t_d}{\sum_d b_d}, \qquad t_d = 2 |P_d \cap L_d|,
        \quad b_d = |P_d| + |L_d|

    with the labels L of a document and those P that it was given: micro-averaged F1, and the
    accuracy where documents have one label and were given one.

    Attributes
    ----------
    tops, bottoms : ndarray of shape (n_documents,)
        :math:`t_d` and :math:`b_d`; both are 0 for documents that were not judged.
    judged : ndarray of bool of shape (n_documents,)

    Examples
    --------
    >>> outcomes = Outcomes.none(3)
    >>> outcomes.add(np.array([0, 2]), ["sea", "sky"], ["sea", "sea"])
    >>> outcomes.score, outcomes.judged.tolist()
    (0.5, [True, False, True])
    """

    tops: Numbers
    bottoms: Numbers
    judged: Any

    @classmethod
    def none(cls, n_documents: int) -> Outcomes:
        """Return those of documents that were not judged yet."""
        return cls(np.zeros(n_documents), np.zeros(n_documents), np.zeros(n_documents, dtype=bool))

    def add(self, rows: Rows, truth: Sequence[Any], predicted: Sequence[Any]) -> None:
        """Enter what some documents were given: labels, or lists of labels."""
        pairs = [
            (_set(given), _set(wanted)) for given, wanted in zip(predicted, truth, strict=True)
        ]
        self.tops[rows] = [2 * len(given & wanted) for given, wanted in pairs]
        self.bottoms[rows] = [len(given) + len(wanted) for given, wanted in pairs]
        self.judged[rows] = True

    def of(self, shown: Any) -> Outcomes:
        """Return the outcomes with all documents but these taken for not judged."""
        return Outcomes(self.tops * shown, self.bottoms * shown, self.judged & shown)

    def on(self, rows: Any) -> float:
        """Return the score of some documents."""
        return float(self.tops[rows].sum() / max(self.bottoms[rows].sum(), 1))

    @property
    def score(self) -> float:
        """Of all documents that were judged."""
        return self.on(slice(None))

    @property
    def n_judged(self) -> int:
        """How many documents were judged."""
        return int(self.judged.sum())


def _set(labels: Any) -> set[Any]:
    return set(labels) if isinstance(labels, list | tuple | set | frozenset) else {labels}
