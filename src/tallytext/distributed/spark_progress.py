"""How far Spark is, on standard error while it works."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, TypeAlias

from tallytext.distributed.watching import Lines
from tallytext.progress import PATIENCE

#: Returns how many tasks are done, how many there are, and how much memory they took, in bytes.
Look: TypeAlias = Callable[[], tuple[int, int, int]]

#: Is told the same.
Show: TypeAlias = Callable[[int, int, int], None]

_SECONDS_APART = 0.3


def is_shown(verbose: bool | None) -> bool:
    """Whether progress is shown: as asked for, or else if standard error is a terminal."""
    return sys.stderr.isatty() if verbose is None else verbose


@contextmanager
def bar(what: str, look: Look, verbose: bool | None) -> Iterator[None]:
    """Show a bar that looks by itself how far the work is, and vanishes when it is done.

    Parameters
    ----------
    what : str
        What is going on.
    look : callable
        Who knows; it is called by another thread.
    verbose : bool or None
        None: if standard error is a terminal, and the work takes longer than a second or two.
    """
    if not is_shown(verbose):
        yield
        return
    over = Event()
    patience = 0.0 if verbose else PATIENCE
    looking = Thread(target=_looking, args=(what, look, over, patience), daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def _looking(what: str, look: Look, over: Event, patience: float) -> None:
    if over.wait(patience):
        return
    with _screen(what) as show:
        while not over.wait(_SECONDS_APART):
            _shown(show, look)
        _shown(show, look)


def _shown(show: Show, look: Look) -> None:
    # Spark may be about to end, and then has no more to tell.
    with suppress(Exception):
        show(*look())


@contextmanager
def _screen(what: str) -> Iterator[Show]:
    """Yield what draws a bar, or where there is no terminal to draw on, writes lines."""
    if not sys.stderr.isatty():
        lines = Lines(what)
        yield lambda *counts: lines.show(_said(*counts) if counts[1] else "")
        lines.write()
        return
    from rich.console import Console
    from rich.errors import LiveError
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=None)

    def show(done: int, total: int, memory: int) -> None:
        said = f"{what}: {_said(done, total, memory)}" if total else what
        progress.update(task, description=said, completed=done, total=total or None)

    try:
        progress.start()
    except LiveError:  # somebody else has something on the screen that moves
        yield lambda *_: None
        return
    try:
        yield show
    finally:
        progress.stop()


def _said(done: int, total: int, memory: int) -> str:
    """Return how far the work is, in words.

    Examples
    --------
    >>> _said(3, 1200, 700 << 20)
    '3 of 1,200 tasks, a worker takes up to 700 MiB'
    """
    takes = f", a worker takes up to {memory >> 20:,} MiB" if memory else ""
    return f"{done:,} of {total:,} tasks{takes}"


class Stages:
    """Counts the tasks of the jobs that go by a name.

    Parameters
    ----------
    context : SparkContext
    name : str
        Of a group of jobs.
    memory : Accumulator
        What tasks have told.
    """

    def __init__(self, context: Any, name: str, memory: Any) -> None:
        self._tracker, self._name, self._memory = context.statusTracker(), name, memory
        self._before = self._stages()

    def look(self) -> tuple[int, int, int]:
        """Return how many tasks are done of those begun since, and how many there are."""
        found = [self._tracker.getStageInfo(each) for each in self._stages() - self._before]
        pairs = [_counts(info) for info in found if info is not None and _is_begun(info)]
        done, total = (sum(counts) for counts in zip((0, 0), *pairs, strict=True))
        return done, total, self._memory.value

    def _stages(self) -> set[int]:
        infos = map(self._tracker.getJobInfo, self._tracker.getJobIdsForGroup(self._name))
        return {stage for info in infos if info is not None for stage in info.stageIds}


class RemoteStages:
    """Is told of tasks by Spark Connect.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    def __init__(self, session: Any) -> None:
        self._session, self._counts = session, (0, 0)
        session.registerProgressHandler(self._told)

    def look(self) -> tuple[int, int, int]:
        """Return how many tasks are done, and how many there are."""
        return *self._counts, 0

    def end(self) -> None:
        """Be told no more."""
        self._session.removeProgressHandler(self._told)

    def _told(self, stages: Any, **_: Any) -> None:
        begun = [each for each in stages or () if each.num_completed_tasks]
        pairs = [(each.num_completed_tasks, each.num_tasks) for each in begun]
        done, total = (sum(counts) for counts in zip((0, 0), *pairs, strict=True))
        self._counts = done, total


class Most:
    """How an accumulator keeps the largest of the numbers that tasks add to it."""

    def zero(self, value: int) -> int:
        """Return what it begins with."""
        return 0

    def addInPlace(self, one: int, other: int) -> int:
        """Return the larger."""
        return max(one, other)


def _is_begun(info: Any) -> bool:
    """Whether a stage is at work, or was; others are known of that never will be."""
    return bool(info.numActiveTasks or info.numCompletedTasks or info.numFailedTasks)


def _counts(info: Any) -> tuple[int, int]:
    return info.numCompletedTasks, info.numTasks
