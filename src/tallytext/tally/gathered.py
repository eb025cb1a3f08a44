"""A tally that was counted in many places, and what is known of its making."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer


@dataclass(frozen=True)
class Dropped:
    """What was left out of a tally, so that its vocabulary does not outgrow a limit.

    Attributes
    ----------
    n_tokens : int
        How many occurrences of terms were left out, in all.
    bound : int
        No count of a term, in a class or over all, is off by more than this. It is too low, and
        never too high, unless counts with such a limit were subtracted from it. Every term that
        occurs more often is there.

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
    """What it took to count in many places.

    Attributes
    ----------
    n_parts, n_merges : int
        How many partitions were counted, and how often some tallies became one.
    text_bytes, sent_bytes : int
        How much text was read, and how much was sent by those who counted and merged.
    count_seconds, merge_seconds : float
        Time of all of them together, that of reading excluded.
    peak_memory : int
        The most that one process had in memory, in bytes.
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
    """Where a tally is from.

    Attributes
    ----------
    vectorizer : TextVectorizer
        How texts became terms; not fitted.
    texts, labels : list
        Some of the documents, drawn by what is in them: the same whoever counted which.
    n_skipped : int
        How many rows could not be read, and were left out.
    skipped : list of str
        Why, of the first ten.
    dropped : Dropped
        What a limit of the vocabulary cost.
    outgrown : list of Plane
        Fractional planes that were to be counted, and are not there since their sums would have
        left 64 bits.
    costs : Costs
        What it took.
    """

    vectorizer: TextVectorizer
    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    n_skipped: int = 0
    skipped: list[str] = field(default_factory=list)
    dropped: Dropped = field(default_factory=Dropped)
    outgrown: list[Plane] = field(default_factory=list)
    costs: Costs = field(default_factory=Costs)

    def __repr__(self) -> str:
        """Return what there is, and not the documents."""
        told = [f"{self.costs.n_parts:,} partitions", f"{len(self.texts):,} documents drawn"]
        told += [f"{self.n_skipped:,} rows skipped"] if self.n_skipped else []
        told += [repr(self.dropped)] if self.dropped else []
        told += [f"outgrown {', '.join(map(repr, self.outgrown))}"] if self.outgrown else []
        return f"<Origin: {', '.join(told)}>"


class GatheredTally(Tally):
    """A tally that was counted in many places: equal to one that was counted in one.

    It is a :class:`~tallytext.Tally` like others, and knows besides what it takes to make a
    classifier of it: see :meth:`tallytext.TextClassifier.from_tally`. Terms and classes come in
    order, whatever the order in which they were met. Once it has learned more, or what is derived
    from it, has no more of this origin than how texts became terms and what was left out. A plain
    tally to which it is added stays one, and knows nothing of that.

    Parameters
    ----------
    vocabulary, planes
        As for :class:`~tallytext.Tally`.

    Attributes
    ----------
    origin : Origin or None
        Where it is from; None if it was counted here.
    """

    origin: Origin | None = None

    def copy(self) -> Self:
        """Return an independent tally. The cells are shared until one of the two writes its own."""
        tally = super().copy()
        tally.origin = self.origin
        return tally

    def _learn(self, *documents: Any) -> Self:
        tally = super()._learn(*documents)
        tally.origin = _changed(self.origin)
        return tally

    def _combine(self, other: Any, sign: int) -> Self:
        tally = super()._combine(other, sign)
        tally.origin = _changed(self.origin, getattr(other, "origin", None))
        return tally

    def _derived(self, *maps: Any, **options: Any) -> Self:
        tally = super()._derived(*maps, **options)
        tally.origin = _changed(self.origin)
        return tally

    def _with_planes(self, planes: tuple[Plane, ...]) -> Self:
        tally = super()._with_planes(planes)
        tally.origin = _changed(self.origin)
        return tally

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"origin": self.origin}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.origin = state["origin"]


def _changed(origin: Origin | None, other: Origin | None = None) -> Origin | None:
    """Return what stays true of the origin of a tally whose counts are others now."""
    if origin is None:
        return None
    lost = [each.dropped for each in (origin, other) if each is not None]
    dropped = Dropped(sum(each.n_tokens for each in lost), sum(each.bound for each in lost))
    return Origin(origin.vectorizer, dropped=dropped)


# ------------------------------------------------------------------------------------------------
# Fractional planes whose sums would leave 64 bits are left out, and the rest goes on.
#
# Sums of planes are kept in units of :math:`2^{-32}`, so that they end at :math:`2^{31}`: a plane
# that adds one for each token is full after two thousand million tokens, where plain counts have
# hardly begun. Nothing that is added is negative, so that whether a plane is full in the end does
# not depend on the order of adding.

FULL = 2.0**31 * (1 - 2.0**-30)
"""Where the sum of a plane ends, as far as sums of floats can tell."""


def added(one: Tally, other: Tally) -> Tally:
    """Return the sum of two tallies, of the planes that both have and that have room for it.

    Parameters
    ----------
    one : Tally
        May become the sum itself.
    other : Tally
        Is left as it is.

    Examples
    --------
    >>> half = Tally(planes=[Plane()]).learn({"sea": 2**30}, "x")
    >>> added(half.copy(), half).planes, added(half.copy(), half).n_tokens
    ((), 2147483648)
    """
    planes = [each for each in one.planes if each in other.planes and _fits(each, one, other)]
    mine, theirs = (_only(each, planes) for each in (one, other))
    mine += theirs
    return mine


def _only(tally: Tally, planes: list[Plane]) -> Tally:
    return tally if list(tally.planes) == planes else tally.keep_planes(planes)


def _fits(plane: Plane, one: Tally, other: Tally) -> bool:
    totals = [tally.plane_totals(plane) for tally in (one, other)]
    sums = sum(each.total for each in totals), sum(each.scale for each in totals)
    return max(sums) < FULL
