"""Best times of several contestants that take turns."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple


class Contestant(NamedTuple):
    """What is timed, and what makes its argument outside the time."""

    run: Callable[[Any], Any]
    prepare: Callable[[], Any]


class Clock:
    """Times contestants over some rounds, and says what it is about to do.

    Parameters
    ----------
    rounds : int
        How often each contestant runs.
    say : callable
        Is given a line of text before each run.
    """

    def __init__(self, rounds: int, say: Callable[[str], None]) -> None:
        self.rounds = rounds
        self.say = say

    def best(
        self, what: str, contestants: Mapping[str, Contestant], at_most: int | None = None
    ) -> dict[str, float]:
        """Return the shortest time of each in seconds, over at most so many rounds.

        In each round every contestant runs once, so that a slow moment of the machine is not
        always the same one's.
        """
        seconds = dict.fromkeys(contestants, math.inf)
        rounds = min(self.rounds, at_most or self.rounds)
        for turn in range(rounds):
            for name, contestant in contestants.items():
                self.say(f"{what}: {name}, round {turn + 1} of {rounds}")
                seconds[name] = min(seconds[name], _seconds(contestant))
        return seconds


def on(argument: Any, runs: Mapping[str, Callable[[Any], Any]]) -> dict[str, Contestant]:
    """Return contestants that all get the same argument."""
    return {name: Contestant(run, lambda: argument) for name, run in runs.items()}


def _seconds(contestant: Contestant) -> float:
    argument = contestant.prepare()
    with _no_garbage_collection():
        start = time.perf_counter()
        result = contestant.run(argument)
        stop = time.perf_counter()
    del result  # not earlier: giving memory back is not part of the work
    return stop - start


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
