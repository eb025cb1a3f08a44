"""A tally merged from parts that were counted in many places, and its provenance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer

MAX_PLANE_SUM = 2.0**31 * (1 - 2.0**-30)
"""The largest sum of a plane, with a margin for the rounding of floats.

Sums of planes are 64-bit integers in units of :math:`2^{-32}`, so that they end at :math:`2^{31}`:
a plane that adds one for each token is full after about two billion tokens.
"""


@dataclass(frozen=True)
class Dropped:
    """The counts left out of a tally because of a limit on its vocabulary.

    Attributes
    ----------
    n_tokens : int
        Number of term occurrences left out, in total.
    bound : int
        Upper bound of the error of each count, in a class or in total. Counts are too low and
        never too high, unless counts with such a limit were subtracted. Every term that occurs
        more often than this is in the tally.

    Examples
    --------
    >>> bool(Dropped()), bool(Dropped(n_tokens=7, bound=2))
    (False, True)
    """

    n_tokens: int = 0
    bound: int = 0

    def __bool__(self) -> bool:
        return self.n_tokens > 0


@dataclass(frozen=True)
class Costs:
    """The time, traffic and memory that distributed counting took.

    Attributes
    ----------
    n_parts, n_merges : int
        Number of partitions counted, and number of merges.
    text_bytes, sent_bytes : int
        Bytes of text read, and bytes sent by the workers.
    count_seconds, merge_seconds : float
        Time of all workers together, without reading.
    peak_memory : int
        The largest memory use of one process, in bytes.
    """

    n_parts: int = 0
    n_merges: int = 0
    text_bytes: int = 0
    sent_bytes: int = 0
    count_seconds: float = 0.0
    merge_seconds: float = 0.0
    peak_memory: int = 0

    def __add__(self, other: Costs) -> Costs:
        return Costs(
            self.n_parts + other.n_parts,
            self.n_merges + other.n_merges,
            self.text_bytes + other.text_bytes,
            self.sent_bytes + other.sent_bytes,
            self.count_seconds + other.count_seconds,
            self.merge_seconds + other.merge_seconds,
            max(self.peak_memory, other.peak_memory),
        )


@dataclass(frozen=True, repr=False)
class Origin:
    """The provenance of a merged tally.

    Attributes
    ----------
    vectorizer : TextVectorizer
        The settings that turned texts into terms; not fitted.
    texts, labels : list
        A sample of the documents, selected by their content, so that it does not depend on the
        order or the partitions in which they were counted.
    n_skipped : int
        Number of rows that could not be read and were left out.
    skipped : list of str
        The reasons, for the first ten.
    dropped : Dropped
        The counts left out because of a limit on the vocabulary.
    overflowing : list of Plane
        Fractional planes that were requested and left out, since their sums would exceed 64 bits.
    costs : Costs
        The time, traffic and memory of the counting.
    """

    vectorizer: TextVectorizer
    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    n_skipped: int = 0
    skipped: list[str] = field(default_factory=list)
    dropped: Dropped = field(default_factory=Dropped)
    overflowing: list[Plane] = field(default_factory=list)
    costs: Costs = field(default_factory=Costs)

    def __repr__(self) -> str:
        """Return a summary without the documents."""
        facts = [f"{self.costs.n_parts:,} partitions", f"{len(self.texts):,} documents sampled"]
        if self.n_skipped:
            facts.append(f"{self.n_skipped:,} rows skipped")
        if self.dropped:
            facts.append(repr(self.dropped))
        if self.overflowing:
            facts.append(f"overflowing {', '.join(map(repr, self.overflowing))}")
        return f"<Origin: {', '.join(facts)}>"


class GatheredTally(Tally):
    """A tally merged from parts, equal to the tally of the same documents counted in one place.

    It is a :class:`~tallytext.Tally` that also has the :attr:`origin` needed to make a classifier
    from it: see :meth:`tallytext.TextClassifier.from_tally`. Terms and classes are sorted, so that
    they do not depend on the order of counting.

    After it has learned or forgotten documents, and in tallies derived from it, ``origin`` has only
    the vectorizer and the dropped counts. A plain tally to which it is added gets no ``origin``.

    Parameters
    ----------
    vocabulary, planes
        As for :class:`~tallytext.Tally`.

    Attributes
    ----------
    origin : Origin or None
        The provenance; None if the tally was counted in this process.
    """

    origin: Origin | None = None

    def copy(self) -> Self:
        """Return an independent tally. The cells are shared until one of the two writes its own."""
        tally = super().copy()
        tally.origin = self.origin
        return tally

    def keep_planes(self, planes: Iterable[Plane]) -> Self:
        """Return a tally with these planes only; occurrences and documents stay.

        Parameters
        ----------
        planes : iterable of Plane
            The planes.
        """
        tally = super().keep_planes(planes)
        tally.origin = _origin_after_change(self.origin)
        return tally

    # The origin describes one set of documents. Every way to other counts passes one of these.

    def _learn(self, *documents: Any) -> Self:
        tally = super()._learn(*documents)
        tally.origin = _origin_after_change(self.origin)
        return tally

    def _combine(self, other: Any, sign: int) -> Self:
        tally = super()._combine(other, sign)
        tally.origin = _origin_after_change(self.origin, getattr(other, "origin", None))
        return tally

    def _derive(self, *maps: Any, **options: Any) -> Self:
        tally = super()._derive(*maps, **options)
        tally.origin = _origin_after_change(self.origin)
        return tally

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"origin": self.origin}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.origin = state["origin"]


def _origin_after_change(origin: Origin | None, other: Origin | None = None) -> Origin | None:
    """Return the part of the origin that stays true once the counts have changed."""
    if origin is None:
        return None
    lost = [each.dropped for each in (origin, other) if each is not None]
    dropped = Dropped(sum(each.n_tokens for each in lost), sum(each.bound for each in lost))
    return Origin(origin.vectorizer, dropped=dropped)


def add_tallies(one: Tally, other: Tally) -> Tally:
    """Return the sum of two tallies without the planes that would overflow or that one lacks.

    All contributions to a plane are non-negative, so the planes that are left in the end do not
    depend on the order of adding.

    Parameters
    ----------
    one : Tally
        May be changed in place and returned.
    other : Tally
        Is not changed.

    Examples
    --------
    >>> half = Tally(planes=[Plane()]).learn({"sea": 2**30}, "x")
    >>> add_tallies(half.copy(), half).planes, add_tallies(half.copy(), half).n_tokens
    ((), 2147483648)
    """
    planes = [each for each in one.planes if each in other.planes and _sum_fits(each, one, other)]
    mine, theirs = (
        each if list(each.planes) == planes else each.keep_planes(planes) for each in (one, other)
    )
    mine += theirs
    return mine


def _sum_fits(plane: Plane, one: Tally, other: Tally) -> bool:
    totals = [tally.plane_totals(plane) for tally in (one, other)]
    sums = sum(each.total for each in totals), sum(each.scale for each in totals)
    return max(sums) < MAX_PLANE_SUM
