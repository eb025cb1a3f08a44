"""How far labelling has come, as the answers tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from tallytext.labelling.journal import Answer

_DEVIATIONS = 1.959963984540054  # of a normal distribution: 95 % lie within


@dataclass(frozen=True)
class Standing:
    """What answers tell of the guesses before them.

    Documents that would teach most are hard ones, so that only guesses on those drawn at random
    tell how often the model is right.

    Parameters
    ----------
    answers : sequence of Answer
        In the order in which they were given.

    Examples
    --------
    >>> drawn = [Answer(row, "", "sea", True, "sea" if row else "sky") for row in range(10)]
    >>> standing = Standing([*drawn, Answer(10, "", "sky", False, "sea")])
    >>> sum(standing.drawn), len(standing.drawn)
    (9, 10)
    >>> standing.shares(block=5)
    [0.8, 1.0]
    """

    answers: Sequence[Answer]

    @property
    def drawn(self) -> list[bool]:
        """Whether each guess on a document drawn at random was right."""
        return [
            answer.guess == answer.label
            for answer in self.answers
            if answer.at_random and answer.guess is not None
        ]

    @property
    def counts(self) -> dict[str, int]:
        """How many answers each label has, in the order in which labels came."""
        found: dict[str, int] = {}
        for answer in self.answers:
            found[answer.label] = found.get(answer.label, 0) + 1
        return found

    def shares(self, block: int) -> list[float]:
        """Return the share of right guesses in each block of documents drawn at random.

        The last block has up to twice as many, so that none is of a few.

        Parameters
        ----------
        block : int
            How many documents are in one.
        """
        drawn = self.drawn
        starts = range(0, max(len(drawn) - block, 0) + 1, block)
        ends = [*list(starts)[1:], len(drawn)]
        parts = [drawn[start:end] for start, end in zip(starts, ends, strict=True)]
        return [sum(part) / len(part) for part in parts if part]


def wilson_interval(right: int, asked: int) -> tuple[float, float]:
    r"""Return between which shares the true one lies, in 95 of 100 cases.

    .. math:: \frac{p + \frac{z^2}{2 n} \pm z \sqrt{\frac{p (1 - p)}{n} + \frac{z^2}{4 n^2}}}
              {1 + \frac{z^2}{n}}

    where :math:`p` is the share of right ones, :math:`n` how many were asked, and z = 1.96. Unlike
    the plain interval it stays within 0 and 1, and is of use from a few on.

    Parameters
    ----------
    right, asked : int
        How many were right, and of how many.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(8, 10)]
    [0.49, 0.943]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not asked:
        return 0.0, 1.0
    share, more = right / asked, _DEVIATIONS**2 / asked
    middle = share + more / 2
    spread = _DEVIATIONS * sqrt(share * (1 - share) / asked + more / (4 * asked))
    low, high = ((middle + side * spread) / (1 + more) for side in (-1, 1))
    # Rounding must not put the share itself outside.
    return max(min(low, share), 0.0), min(max(high, share), 1.0)
