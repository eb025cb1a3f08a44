"""How far labelling has come, as the answers tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tallytext.labelling.journal import Answer


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
