"""What goes wrong on a cluster, in words that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.dask_tasks import failure
from tallytext.errors import EngineError, TallytextError


@contextmanager
def plain_errors(
    client: Any = None,
    names: Mapping[Any, str] = MappingProxyType({}),
    cause: Callable[[], Any] = lambda: None,
) -> Iterator[None]:
    """Turn what Dask raises into an error of ours; ours stay as they are.

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster, if there is one.
    names : mapping, optional
        What tasks are called, by their keys.
    cause : callable, optional
        Returns the key of the task that failed.
    """
    try:
        yield
    except Exception as problem:
        plain = _unwrapped(problem)
        if isinstance(plain, TallytextError):
            raise plain from None
        if _is_lost(plain, client):
            raise EngineError(_lost(plain, client)) from plain
        raise EngineError(_sentence(plain, names, cause)) from plain


def _unwrapped(problem: Exception) -> Exception:
    """Return what was raised in another process of Dask's pool, without the traceback in it."""
    inner = getattr(problem, "exception", None)
    return inner if isinstance(inner, Exception) else problem


def _sentence(problem: Exception, names: Mapping[Any, str], cause: Callable[[], Any]) -> str:
    if _is_killed(problem):
        return _killed(problem, names)
    if isinstance(problem, ModuleNotFoundError) or "deserialization" in str(problem):
        return (
            f"the cluster cannot read the work ({_said(problem)}). Its scheduler and all workers "
            "need tallytext and the modules of your own that partitions are made with, in the "
            "versions that are here."
        )
    return failure(names.get(cause(), "a partition"), problem)


def _lost(problem: Exception, client: Any) -> str:
    if client is not None and client.status == "running":
        return (
            "workers were lost, and with them all copies of what only they had, a model for "
            f"instance ({_said(problem)}). Nothing is half done: begin again."
        )
    return (
        f"the cluster was lost ({_said(problem)}). Is its scheduler running? What was under way "
        "is not finished: begin again when it is back."
    )


def _is_lost(problem: Exception, client: Any) -> bool:
    closed = dask_module("distributed.comm.core").CommClosedError
    if isinstance(problem, CancelledError | closed) or type(problem) is TimeoutError:
        return True
    return client is not None and client.status != "running"


def _is_killed(problem: Exception) -> bool:
    return isinstance(problem, dask_module("distributed.scheduler").KilledWorker)


def _killed(problem: Any, names: Mapping[Any, str]) -> str:
    task, times = problem.task, problem.allowed_failures + 1
    name = names.get(task, f"the task {task!r}")
    return (
        f"{times} workers died, one after the other, at {name}. Most often they ran out of memory: "
        "make partitions smaller, give workers more memory or fewer threads, or bound the "
        "vocabulary with max_terms. Where machines are taken away, raise Dask's setting "
        "distributed.scheduler.allowed-failures. Logs of the last worker tell more: "
        f"{getattr(problem.last_worker, 'address', problem.last_worker)}."
    )


def _said(problem: Exception) -> str:
    first_line = (str(problem).strip() or type(problem).__name__).partition("\n")[0]
    return f"{first_line:.200}"
