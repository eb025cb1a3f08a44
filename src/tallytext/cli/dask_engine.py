"""Dask as an engine: a cluster that is there, or processes of this machine for a while."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from tallytext.cli.console import warn
from tallytext.distributed.dask_modules import dask_module
from tallytext.errors import EngineError

if TYPE_CHECKING:
    from tallytext.distributed.files import Files, Split
    from tallytext.tally import GatheredTally

_PATIENCE = 10  # seconds to wait for a scheduler


class DaskEngine:
    """Work shared out by a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    quiet : bool
        Whether to show no progress.
    """

    def __init__(self, client: Any, quiet: bool) -> None:
        self._client, self._verbose = client, False if quiet else None

    def tally(self, files: Files, **counted: Any) -> GatheredTally:
        """Return the counts of all documents in files."""
        from tallytext.distributed import dask_tally

        return dask_tally(files, **counted, client=self._client, verbose=self._verbose)

    def mapped(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return what a function makes of each split and of what all are sent, in order."""
        from tallytext.distributed.dask_running import mapped_splits

        return mapped_splits(function, splits, shared, client=self._client)


@contextmanager
def dask_engine(
    scheduler: str | None, workers: int | None, n_splits: int, quiet: bool
) -> Iterator[DaskEngine]:
    """Yield an engine that works at the scheduler given, or on this machine.

    Parameters
    ----------
    scheduler : str or None
        The address of a scheduler.
    workers : int or None
        How many processes to start, if there is none; None for as many as there is work for.
    n_splits : int
        How many pieces of work there are.
    quiet : bool
        Whether to show no progress.
    """
    dask_module("distributed")  # which makes loggers
    _silence()
    opened = _on_this_machine(workers, n_splits) if scheduler is None else _connected(scheduler)
    with opened as client:
        yield DaskEngine(client, quiet)


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    distributed = dask_module("distributed")
    try:
        client = distributed.Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as problem:
        raise EngineError(
            f"there is no Dask scheduler at {scheduler!r}: {problem}. Start one with "
            "'dask scheduler', or leave --scheduler away to work on this machine."
        ) from None
    with client:
        if not client.nthreads():
            warn(f"the cluster at {scheduler} has no workers: the work waits until one comes.")
        yield client


@contextmanager
def _on_this_machine(workers: int | None, n_splits: int) -> Iterator[Any]:
    """Start processes, share memory out among them, and end them when all is done."""
    distributed = dask_module("distributed")
    n_workers = workers or max(1, min(dask_module("dask.system").CPU_COUNT, n_splits))
    # On a busy machine it takes a worker that was killed a while to be back.
    patient = dask_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "600s"})
    with patient, ExitStack() as stack:
        with _deaf_children():
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit=dask_module("distributed.system").MEMORY_LIMIT // n_workers,
                dashboard_address=":0",  # any port that is free
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
        yield stack.enter_context(distributed.Client(cluster))


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which is meant for this one: it ends them.

    They inherit what is blocked, and so does the thread that starts them anew.
    """
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    resource_tracker.ensure_running()  # when it begins later, it unblocks what is blocked here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _silence() -> None:
    """Let Dask keep to itself what ends in the middle: errors of ours say what it comes to."""
    loggers = ("asyncio", *logging.root.manager.loggerDict)
    for name in loggers:
        if name.startswith(("asyncio", "distributed")):
            logging.getLogger(name).setLevel(logging.CRITICAL)
