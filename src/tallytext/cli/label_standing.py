"""How far labelling has come, in a line or two."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING

from rich.text import Text

from tallytext.evaluation import wilson_interval
from tallytext.labelling.standing import Standing

if TYPE_CHECKING:
    from tallytext.labelling import Session

_BARS = "▁▂▃▄▅▆▇█"
_BLOCK = 5  # documents drawn at random, to a bar
_MOST_BARS = 12
_RECENT, _FEWEST = 20, 3


class Pace:
    """How many labels a minute somebody gives.

    Parameters
    ----------
    clock : callable
        Returns seconds.

    Examples
    --------
    >>> seconds = iter([0.0, 4.0, 9.0, 600.0, 606.0])
    >>> pace = Pace(lambda: next(seconds))
    >>> for _ in range(5):
    ...     pace.step()
    >>> pace.per_minute  # the break does not count for more than one answer
    10.909090909090908
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._moments: list[float] = []

    def step(self) -> None:
        """Note that an answer was given."""
        self._moments = [*self._moments[-_RECENT:], self._clock()]

    @property
    def per_minute(self) -> float | None:
        """By the median time between the last answers; None before there are some."""
        if len(self._moments) <= _FEWEST:
            return None
        pairs = zip(self._moments[:-1], self._moments[1:], strict=True)
        return 60 / max(median(after - before for before, after in pairs), 0.01)


def spark_line(shares: list[float]) -> str:
    """Return a bar for each share.

    Examples
    --------
    >>> spark_line([0.0, 0.4, 0.8, 1.0])
    '▁▄▇█'
    """
    last = len(_BARS) - 1
    return "".join(_BARS[round(share * last)] for share in shares[-_MOST_BARS:])


def answers_told(n: int) -> str:
    """Return how many answers there are, in words.

    Examples
    --------
    >>> answers_told(1), answers_told(1_200)
    ('1 answer', '1,200 answers')
    """
    return f"{n:,} answer{'s' * (n != 1)}"


def standing_parts(session: Session, pace: Pace) -> list[Text]:
    """Return how many answers there are, how many documents are left, and how good guesses are."""
    parts = [Text(answers_told(session.n_answers), style="bold"), Text(f"{session.n_left:,} left")]
    if given := len(session.labelled) - session.n_answers:
        parts.insert(1, Text(f"{given:,} given"))
    if pace.per_minute is not None:
        parts.append(Text(f"{pace.per_minute:.0f} a minute"))
    return [*parts, *accuracy_parts(session)]


def accuracy_parts(session: Session) -> list[Text]:
    """Return how often guesses on documents drawn at random were right, and its course."""
    standing = Standing(session.journal.answers)
    drawn = standing.drawn
    if not drawn:
        return []
    low, high = wilson_interval(sum(drawn), len(drawn))
    share = sum(drawn) / len(drawn)
    told = f"guesses right {share:.0%} ({low:.0%} to {high:.0%}) of {len(drawn)} drawn at random"
    shares = standing.shares(_BLOCK)
    return [Text(told), *([Text(spark_line(shares), style="green")] if len(shares) > 1 else [])]
