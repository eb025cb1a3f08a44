r"""All documents outside a class but one, for smoothings whose f is proportional to the count.

In the rest of a class that does not show w, w has a probability of the form A(w) B(c). In that of
a class that does it is :math:`\bar\rho_c (T_w - N_{cw}) + \bar\gamma_c g(w)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.left_out_counts import LeftCounts
from tallytext.smoothing.base import Numbers


class RestArrays(NamedTuple):
    """What the kernel reads: per place, and per document and class, less what B says."""

    spread: Numbers
    words: Numbers
    inverse: Numbers
    seen: Numbers
    freed: Numbers


def no_rests() -> RestArrays:
    """Return the arrays of rests that are not asked for."""
    return RestArrays(*[np.empty(0)] * 3, *[np.empty((0, 0))] * 2)


@dataclass(frozen=True)
class LeftRests:
    """Rests of classes without a document, for each of some documents."""

    part: LeftCounts

    @cached_property
    def seen(self) -> Numbers:
        """What one count is worth in each rest, documents by classes."""
        rests = self.part.rests
        return self.part.smoothing.seen(np.ones(rests.tokens.shape), rests)

    @cached_property
    def freed(self) -> Numbers:
        """Gamma of each rest."""
        rests = self.part.rests
        return np.broadcast_to(self.part.smoothing.freed(rests), rests.tokens.shape)

    @cached_property
    def absent(self) -> Numbers:
        """A of each place: its probability in the largest rest of a class that has not shown it."""
        row = np.arange(self.part.left.n), self._first
        seen, freed = self.seen[row][self.part.left.row], self.freed[row][self.part.left.row]
        return seen * self.part.words + freed * self.part.spread

    @cached_property
    def ratio(self) -> Numbers:
        """B of each class, for each document."""
        total, rows = self.part.total, np.arange(self.part.left.n)
        any_word = self.seen * total[:, None]
        any_word = any_word + self.freed * self.part.spread_of(total, rows)[:, None]
        first = any_word[rows, self._first][:, None]
        return np.divide(any_word, first, out=np.ones_like(any_word), where=any_word > 0)

    @property
    def slope(self) -> Numbers:
        """Log B."""
        return np.log(self.ratio)

    @property
    def common(self) -> Numbers:
        """Log A."""
        return np.log(np.where(self.absent > 0, self.absent, 1.0))

    @property
    def own(self) -> Numbers:
        """Log p(w|rest) of each own entry: the rest never had the document."""
        part, left = self.part, self.part.left
        at = left.slot_row, left.slot_class
        counts = np.maximum(part.words[left.own_place] - part.own, 0.0)
        seen = self.seen[at][left.own_slot] * counts
        rest = seen + self.freed[at][left.own_slot] * part.spread[left.own_place]
        return np.log(np.where(rest > 0, rest, 1.0))

    def arrays(self) -> RestArrays:
        """Return what the kernel reads."""
        inverse = 1.0 / np.where(self.absent > 0, self.absent, np.inf)
        seen, freed = self.seen / self.ratio, self.freed / self.ratio
        return RestArrays(self.part.spread, self.part.words, inverse, seen, freed)

    @cached_property
    def _first(self) -> NDArray[np.intp]:
        return self.part.rests.tokens.argmax(axis=1)
