"""A text in stretches, each with the terms that it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tallytext.explanation.contribution import Contribution


@dataclass(frozen=True)
class Segment:
    """A stretch of text, and the terms that cover all of it.

    Attributes
    ----------
    text : str
    terms : tuple of Contribution
    """

    text: str
    terms: tuple[Contribution, ...]

    @property
    def value(self) -> float:
        """What the terms add, for one occurrence of each."""
        return sum(each.per_token for each in self.terms)


def segments_of(text: str, contributions: Sequence[Contribution]) -> list[Segment]:
    """Cut a text wherever a term begins or ends.

    Examples
    --------
    >>> wave = Contribution("wave", 1, 1.5, spans=((4, 8),))
    >>> [segment.text for segment in segments_of("One wave!", [wave])]
    ['One ', 'wave', '!']
    """
    begins: dict[int, list[Contribution]] = {}
    ends: dict[int, list[Contribution]] = {}
    for each in contributions:
        for start, end in each.spans:
            begins.setdefault(start, []).append(each)
            ends.setdefault(end, []).append(each)
    cuts = sorted({0, len(text), *begins, *ends})
    open_: list[Contribution] = []
    segments = []
    for start, end in pairwise(cuts):
        for each in ends.get(start, ()):
            open_.remove(each)
        open_ += begins.get(start, ())
        # Not by their values: a term of a long document has many places, and hashing looks at all.
        distinct = {id(each): each for each in open_}
        segments.append(Segment(text[start:end], tuple(distinct.values())))
    return segments
