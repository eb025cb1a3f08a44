"""How many threads to use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from numbers import Integral
from pathlib import Path
from time import monotonic

import joblib
from threadpoolctl import threadpool_limits

_MOST: ContextVar[int | None] = ContextVar("most_threads", default=None)


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads that ``n_jobs`` asks for.

    Parameters
    ----------
    n_jobs : int or None, default=None
        None: the cores that this process may use, but no more than ``OMP_NUM_THREADS`` where
        that is set, as joblib sets it in its workers so that together they fill the machine once,
        and than :func:`at_most` allows.
        A positive number: that many. A negative one: as joblib means it, -1 for all cores, -2 for
        all but one, and so on, at least one.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0.

    Examples
    --------
    >>> thread_count(3)
    3
    >>> thread_count(-1) == joblib.cpu_count()
    True
    """
    if n_jobs is None:
        most = _MOST.get()
        allowed = min(_cores(), _threads_allowed())
        return allowed if most is None else min(allowed, most)
    if not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs must be a whole number or None, not {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: give a positive number, -1 for all, or None.")
    return n_jobs if n_jobs > 0 else max(1, _cores() + 1 + n_jobs)


@contextmanager
def at_most(n_threads: int) -> Iterator[None]:
    """Use no more threads than this where nobody says how many, for work that others share out.

    Parameters
    ----------
    n_threads : int
        How many, at least 1.

    Examples
    --------
    >>> with at_most(1):
    ...     thread_count()
    1
    """
    before = _MOST.set(n_threads)
    try:
        yield
    finally:
        _MOST.reset(before)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep NumPy's linear algebra to one thread, for work that goes back and forth to it.

    Its threads wait for each other by spinning. Where products are small and other work comes in
    between, or cores are busy, that takes many times as long as the products.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@cache
def _cores() -> int:
    # Asking the system takes longer than predicting a document.
    return max(1, int(joblib.cpu_count()))


def _threads_allowed() -> int:
    """Return the limit that OMP_NUM_THREADS sets, or no limit when it is unset or senseless."""
    # OpenMP allows one number per level of nesting, as in "4,2"; the first is the outermost.
    outermost = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(outermost) if outermost.isdecimal() and int(outermost) > 0 else _cores()


# ------------------------------------------------------------------------------------------------
# A bar that shows how far long work is.

PATIENCE = 1.5
"""Seconds of work after which a bar is worth a look."""


@contextmanager
def progress_bar(what: str, total: int, shown: bool | None = None) -> Iterator[Callable[..., None]]:
    """Show a bar on standard error that vanishes when the work is done.

    Work that is part of other work, whose bar is there already, shows none.

    Parameters
    ----------
    what : str
        What is going on.
    total : int
        Number of steps.
    shown : bool, default=None
        Whether to show anything at all; None: if standard error is a terminal, once the work has
        taken longer than a second or two.

    Yields
    ------
    callable
        To be called after each step; with ``what``, it changes what is said to go on, and with
        ``steps`` the bar moves by any number of them.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        # A bar that is disabled ends the line all the same in some versions of rich.
        yield lambda what=None, steps=1: None
        return
    bar = _Bar(what, total, 0.0 if shown else PATIENCE)
    try:
        bar.show()
        yield bar.step
    finally:
        bar.stop()


class _Bar:
    """A bar that appears when patience is at an end."""

    def __init__(self, what: str, total: int, patience: float) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=total)
        self._due: float | None = monotonic() + patience
        self._begun = False

    def step(self, what: str | None = None, steps: int = 1) -> None:
        self._bar.update(self._task, description=what, advance=steps)
        self.show()

    def show(self) -> None:
        global _shown
        if self._due is None or monotonic() < self._due:
            return
        self._due = None
        if _shown:
            return
        from rich.errors import LiveError

        # Somebody else may have something on the screen that moves.
        with suppress(LiveError):
            self._bar.start()
            _shown = self._begun = True

    def stop(self) -> None:
        global _shown
        if self._begun:
            self._bar.stop()
            _shown = False


_shown = False  # there is one screen, and one bar on it


# ------------------------------------------------------------------------------------------------
# How much memory this process takes, and how much it took at most.

_STATUS = Path("/proc/self/status")


def held_memory() -> int:
    """Return the memory that this process holds now, in bytes; 0 where the system does not tell.

    Examples
    --------
    >>> held_memory() >= 0
    True
    """
    return _field("VmRSS") if _STATUS.exists() else 0


def peak_memory() -> int:
    """Return the most memory that this process has had so far, in bytes; 0 where nobody knows.

    Examples
    --------
    >>> peak_memory() >= 0
    True
    """
    if _STATUS.exists():  # where rusage would tell the peak of the process that began this one
        return _field("VmHWM")
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def _field(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
