"""How many threads to use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from numbers import Integral

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
