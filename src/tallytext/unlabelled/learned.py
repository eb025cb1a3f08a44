"""What some labelled documents and a pool come to."""

from __future__ import annotations

from typing import NamedTuple

from tallytext.unlabelled.anchored_em import Expected
from tallytext.unlabelled.trust import Trust
from tallytext.unlabelled.weights import PooledWeights


class Learned(NamedTuple):
    """A model, and how it was found.

    Attributes
    ----------
    weights : PooledWeights
        What judges documents.
    expected : Expected
        What the pool was found to hold.
    trust : float
        How far the anchor was trusted.
    measured : Trust
        What held-out documents said.
    translated : bool
        Whether words were translated.
    """

    weights: PooledWeights
    expected: Expected
    trust: float
    measured: Trust
    translated: bool

    def notes(self, n_labelled: int, n_documents: int) -> list[str]:
        """Return what was done, in sentences."""
        found = f"the anchor was trusted {self.trust:.2f} of 1"
        if self.measured.is_known:
            found += (
                f": on labelled documents held out it was right {self.measured.anchor:.0%} of the "
                f"time, naive Bayes {self.measured.words:.0%}"
            )
        others = n_documents - n_labelled
        return [
            f"learned from {n_labelled:,} labelled and {others:,} other documents",
            found,
            f"words {'stood' if self.translated else 'did not stand'} for others they come with",
        ]
