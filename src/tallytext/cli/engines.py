"""Engines that share out work, as commands see them: neither Dask nor Spark, but either."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from multiprocessing import resource_tracker
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from tallytext.cli.io import check_some, is_watched, remarks, tell_speed, warn, warn_of_skipped
from tallytext.cli.options import EngineName, Many, Reading
from tallytext.distributed.dask_tasks import dask_module
from tallytext.errors import EngineError
from tallytext.runtime import progress_bar

if TYPE_CHECKING:
    from tallytext.distributed.job import Files, Split
    from tallytext.distributed.predicting import Outcome
    from tallytext.io.batches import Skipped
    from tallytext.tally.gathered import GatheredTally


class Engine(Protocol):
    """What shares out work."""

    def tally(self, files: Files, **counted: Any) -> GatheredTally:
        """Return the counts of all documents in files."""

    def mapped(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return what a function makes of each split and of what all are sent, in order."""


@contextmanager
def opened_engine(many: Many, n_splits: int, quiet: bool) -> Iterator[Engine]:
    """Yield an engine; what was started for it is ended, whatever happens.

    Parameters
    ----------
    many : Many
        Which, and where.
    n_splits : int
        How many pieces of work there are: more processes would have nothing to do.
    quiet : bool
        Whether to show no progress.
    """
    with ExitStack() as stack:
        with _waiting(many, quiet):
            engine = stack.enter_context(_engine(many, n_splits, quiet))
        yield engine


def _engine(many: Many, n_splits: int, quiet: bool) -> AbstractContextManager[Engine]:
    if many.engine is EngineName.dask:
        return dask_engine(many.scheduler, many.workers, n_splits, quiet)

    return spark_engine(many.master, quiet)


@contextmanager
def _waiting(many: Many, quiet: bool) -> Iterator[None]:
    """Say what takes so long, if somebody looks on."""
    if not is_watched(quiet) or many.engine is None:
        yield
        return
    # A copy: while Spark starts, what is written to standard error goes nowhere.
    with (
        os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding=sys.stderr.encoding) as screen,
        remarks(screen).status(f"Starting {many.engine.value.capitalize()} ..."),
    ):
        yield


# ------------------------------------------------------------------------------------------------
# Dask as an engine: a cluster that is there, or processes of this machine for a while.

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
        from tallytext.distributed.dask import dask_tally

        return dask_tally(files, **counted, client=self._client, verbose=self._verbose)

    def mapped(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return what a function makes of each split and of what all are sent, in order."""
        from tallytext.distributed.dask_cluster import mapped_splits

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


# ------------------------------------------------------------------------------------------------
# Spark as an engine: the session is begun for the work, and ended with it.


class SparkEngine:
    """Work shared out by Spark.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    quiet : bool
        Whether to show no progress.
    """

    def __init__(self, session: Any, quiet: bool) -> None:
        self._session, self._verbose = session, False if quiet else None

    def tally(self, files: Files, **counted: Any) -> GatheredTally:
        """Return the counts of all documents in files."""
        from tallytext.distributed.spark import spark_tally

        return spark_tally(files, **counted, session=self._session, verbose=self._verbose)

    def mapped(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return what a function makes of each split and of what all are sent, in order."""
        from tallytext.distributed.spark import mapped_splits

        how = {"session": self._session, "verbose": self._verbose}
        return mapped_splits(function, splits, shared, **how)


@contextmanager
def spark_engine(master: str | None, quiet: bool) -> Iterator[SparkEngine]:
    """Yield an engine that works at the master given, or where the settings of Spark say.

    Parameters
    ----------
    master : str or None
    quiet : bool
        Whether to show no progress.
    """
    from tallytext.distributed.spark import spark_session

    with _silent():
        with _own_interrupts():
            session = spark_session(master)
        try:
            yield SparkEngine(session, quiet)
        finally:
            session.stop()


@contextmanager
def _silent() -> Iterator[None]:
    """Let Spark keep to itself what ends in the middle: errors of ours say what it comes to."""
    before = logging.root.level
    logging.root.setLevel(logging.CRITICAL)  # where its bridge to Java writes
    try:
        yield
    finally:
        logging.root.setLevel(before)


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep Ctrl-C as it is: Spark would answer it in the middle of a sentence to Java."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# ------------------------------------------------------------------------------------------------
# Documents that are read where they are worked on, by those an engine gives the work to.

# Of reading: what is known of files, before anybody reads them.
_OF_FILES = ("format", "encoding", "match")


class SharedWork:
    """Pieces of work, shared out by an engine; it counts as it hears of them.

    Parameters
    ----------
    sources : list of str
    reading : Reading
        How to read them.
    many : Many
        Where the work is done.
    quiet : bool
        Whether to say nothing but warnings.

    Attributes
    ----------
    n_documents, n_bytes, n_skipped : int
        Read so far, and left out.
    """

    def __init__(self, sources: list[str], reading: Reading, many: Many, quiet: bool) -> None:
        from tallytext.distributed.job import Files

        self.n_documents = self.n_bytes = self.n_skipped = 0
        self._start, self._quiet, self._sources, self._many = perf_counter(), quiet, sources, many
        values = asdict(reading) | {"on_error": reading.on_error.value}
        self._files = Files(sources, **{name: values.pop(name) for name in _OF_FILES})
        self._splits = self._files.splits()
        self.reading: dict[str, Any] = values

    def tally(self, **counted: Any) -> GatheredTally:
        """Return the counts of all documents; that there is none is an error.

        Parameters
        ----------
        **counted
            What is counted, as the engines take it.
        """
        how = {"labels" if name == "label" else name: v for name, v in self.reading.items()}
        with self._engine() as engine:
            tally = engine.tally(self._files, **how, **counted)
        assert tally.origin is not None
        self.n_documents = int(tally.n_documents)
        self.n_bytes = sum(split.n_bytes for split in self._splits)
        self.n_skipped = tally.origin.n_skipped
        check_some(self.n_documents, self.n_skipped, self._sources)
        self._warn_of_all(self.n_skipped, tally.origin.skipped)
        return tally

    def outcomes(
        self, function: Callable[[Split, bytes], bytes], question: bytes
    ) -> Generator[Outcome, None, None]:
        """Yield what became of each piece of work, in order.

        Parameters
        ----------
        function : callable
            Takes a split and what all have to know, and returns an outcome, packed.
        question : bytes
            What all have to know.
        """
        from tallytext.distributed.predicting import Outcome
        from tallytext.io.batches import Skipped

        left_out: dict[str, Skipped] = {}
        n_splits = len(self._splits)
        with (
            self._engine() as engine,
            progress_bar("Working", n_splits, False if self._quiet else None) as step,
        ):
            sent = engine.mapped(function, self._splits, question)
            for split, packed in zip(self._splits, sent, strict=True):
                outcome = Outcome.unpack(packed)
                self._count(outcome)
                left_out.setdefault(split.name, Skipped())
                left_out[split.name] += outcome.skipped
                step(f"{self.n_documents:,} documents")
                yield outcome
        for source, skipped in left_out.items():
            warn_of_skipped(skipped, source)

    def close(self) -> None:
        """Say how many documents there were, and how long they took."""
        if not self._quiet:
            tell_speed(self.n_documents, self.n_bytes, perf_counter() - self._start)

    def _engine(self) -> AbstractContextManager[Engine]:
        """Open the engine, which takes seconds, once the first file is seen to be of use."""
        for split in self._splits[:1]:
            split.check(**self.reading)
        return opened_engine(self._many, len(self._splits), self._quiet)

    def _count(self, outcome: Outcome) -> None:
        self.n_documents += outcome.n_documents
        self.n_bytes += outcome.n_bytes
        self.n_skipped += outcome.skipped.count

    def _warn_of_all(self, count: int, messages: list[str]) -> None:
        from tallytext.io.batches import Skipped

        warn_of_skipped(Skipped(count, messages), ", ".join(self._sources))
