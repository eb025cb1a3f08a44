"""Jobs of commands on Dask or Spark, through one interface for both engines."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from multiprocessing import resource_tracker
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from tallytext.cli.io import (
    check_not_empty,
    message_console,
    reading_parameters,
    show_speed,
    show_warning,
    shows_progress,
    warn_about_skipped,
)
from tallytext.cli.options import EngineName, EngineOptions, ReadingOptions
from tallytext.distributed.dask_tasks import dask_module
from tallytext.errors import EngineError
from tallytext.runtime import progress_bar

if TYPE_CHECKING:
    from tallytext.distributed.files import Files, Split
    from tallytext.distributed.prediction import SplitResult
    from tallytext.io.batches import SkippedRows
    from tallytext.tally.gathered import GatheredTally


# Reading options that say how to open files; all others are used by the workers.
_FILE_OPTIONS = ("format", "encoding", "match", "where", "max_row", "max_unpacked")
_CONNECT_TIMEOUT_SECONDS = 10


class Engine(Protocol):
    """An engine that distributes work."""

    def tally(self, files: Files, **parameters: Any) -> GatheredTally:
        """Return the counts of all documents in files."""

    def map_splits(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return the results of a function on each split and the shared bytes, in order."""


def _shows_engine_progress(quiet: bool) -> bool | None:
    """Return None for a bar on a terminal, True for lines in a log, False for a quiet command."""
    if quiet:
        return False
    return None if shows_progress(quiet) else True


@contextmanager
def open_engine(options: EngineOptions, n_splits: int, quiet: bool) -> Iterator[Engine]:
    """Yield an engine, and stop its processes at the end of the block.

    Parameters
    ----------
    options : EngineOptions
        The engine and its cluster.
    n_splits : int
        Number of splits; more processes would have nothing to do.
    quiet : bool
        True to show no progress.
    """
    with ExitStack() as stack:
        with _start_status(options, quiet):
            # The status line ends when the engine has started; the stack keeps the engine open.
            engine = stack.enter_context(_engine(options, n_splits, quiet))
        yield engine


def _engine(options: EngineOptions, n_splits: int, quiet: bool) -> AbstractContextManager[Engine]:
    if options.engine is EngineName.dask:
        return dask_engine(options.scheduler, options.workers, n_splits, quiet)
    return spark_engine(options.master, quiet)


@contextmanager
def _start_status(options: EngineOptions, quiet: bool) -> Iterator[None]:
    """Show that the engine is starting, which takes seconds."""
    if not shows_progress(quiet) or options.engine is None:
        yield
        return
    # A copy of the stream, because standard error is discarded while Spark starts.
    with (
        os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding=sys.stderr.encoding) as screen,
        message_console(screen).status(f"Starting {options.engine.value.capitalize()} ..."),
    ):
        yield


class DaskEngine:
    """A Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    quiet : bool
        True to show no progress.
    """

    def __init__(self, client: Any, quiet: bool) -> None:
        self._client, self._verbose = client, _shows_engine_progress(quiet)

    def tally(self, files: Files, **parameters: Any) -> GatheredTally:
        """Return the counts of all documents in files."""
        from tallytext.distributed.dask import dask_tally

        return dask_tally(files, **parameters, client=self._client, verbose=self._verbose)

    def map_splits(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return the results of a function on each split and the shared bytes, in order."""
        from tallytext.distributed.dask_cluster import map_splits

        return map_splits(function, splits, shared, client=self._client)


@contextmanager
def dask_engine(
    scheduler: str | None, workers: int | None, n_splits: int, quiet: bool
) -> Iterator[DaskEngine]:
    """Yield an engine on the cluster of a scheduler, or on a local cluster.

    Parameters
    ----------
    scheduler : str or None
        Address of a scheduler; None starts a local cluster.
    workers : int or None
        Number of processes of the local cluster; None for one per core, up to ``n_splits``.
    n_splits : int
        Number of splits.
    quiet : bool
        True to show no progress.
    """
    dask_module("distributed")  # its import creates the loggers
    _silence_dask()
    opened = _local_client(workers, n_splits) if scheduler is None else _cluster_client(scheduler)
    with opened as client:
        yield DaskEngine(client, quiet)


@contextmanager
def _cluster_client(scheduler: str) -> Iterator[Any]:
    distributed = dask_module("distributed")
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT_TIMEOUT_SECONDS)
    except (OSError, ValueError) as problem:
        raise EngineError(
            f"there is no Dask scheduler at {scheduler!r}: {problem}. Start one with "
            "'dask scheduler', or leave out --scheduler to use this machine."
        ) from None
    with client:
        if not client.nthreads():
            show_warning(
                f"the cluster at {scheduler} has no workers: the work waits for one. Start it with "
                f"'dask worker {scheduler}'."
            )
        yield client


@contextmanager
def _local_client(workers: int | None, n_splits: int) -> Iterator[Any]:
    """Start a cluster of local processes with equal shares of the memory; stop it at the end."""
    distributed = dask_module("distributed")
    n_workers = workers or max(1, min(dask_module("dask.system").CPU_COUNT, n_splits))
    # On a busy machine, a worker that was killed takes a while to restart.
    patient = dask_module("dask").config.set({"distributed.deploy.lost-worker-timeout": "600s"})
    with patient, ExitStack() as stack:
        with _block_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit=dask_module("distributed.system").MEMORY_LIMIT // n_workers,
                dashboard_address=":0",  # any free port
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
        yield stack.enter_context(distributed.Client(cluster))


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C: it is meant for this process, which stops them.

    Child processes inherit the blocked signals, and so does the thread that restarts them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # if it started later, it would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _silence_dask() -> None:
    """Silence the log messages of Dask; the commands show errors themselves."""
    loggers = ("asyncio", *logging.root.manager.loggerDict)
    for name in loggers:
        if name.startswith(("asyncio", "distributed")):
            logging.getLogger(name).setLevel(logging.CRITICAL)


class SparkEngine:
    """A Spark session.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    quiet : bool
        True to show no progress.
    """

    def __init__(self, session: Any, quiet: bool) -> None:
        self._session, self._verbose = session, _shows_engine_progress(quiet)

    def tally(self, files: Files, **parameters: Any) -> GatheredTally:
        """Return the counts of all documents in files."""
        from tallytext.distributed.spark import spark_tally

        return spark_tally(files, **parameters, session=self._session, verbose=self._verbose)

    def map_splits(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return the results of a function on each split and the shared bytes, in order."""
        from tallytext.distributed.spark import map_splits

        return map_splits(function, splits, shared, session=self._session, verbose=self._verbose)


@contextmanager
def spark_engine(master: str | None, quiet: bool) -> Iterator[SparkEngine]:
    """Yield an engine on the cluster of a master, and stop its session at the end.

    Parameters
    ----------
    master : str or None
        URL of the master; None for the one in the settings of Spark.
    quiet : bool
        True to show no progress.
    """
    from tallytext.distributed.spark_session import start_session

    with _silence_spark():
        with _preserve_interrupt_handler():
            session = start_session(master)
        try:
            yield SparkEngine(session, quiet)
        finally:
            session.stop()


@contextmanager
def _silence_spark() -> Iterator[None]:
    """Silence the log messages of Spark; the commands show errors themselves."""
    before = logging.root.level
    logging.root.setLevel(logging.CRITICAL)  # py4j, the bridge to Java, logs there
    try:
        yield
    finally:
        logging.root.setLevel(before)


@contextmanager
def _preserve_interrupt_handler() -> Iterator[None]:
    """Restore the handler of Ctrl-C: that of Spark runs in the middle of calls to Java."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class EngineJob:
    """A job on documents that the workers of an engine read, with counts of them.

    Parameters
    ----------
    sources : list of str
        Names of files and folders.
    reading : ReadingOptions
        Options for reading them.
    engine : EngineOptions
        The engine and its cluster.
    quiet : bool
        True to show warnings only.

    Attributes
    ----------
    n_documents, n_bytes, n_skipped : int
        Numbers of documents and bytes read so far, and of rows skipped.
    """

    def __init__(
        self, sources: list[str], reading: ReadingOptions, engine: EngineOptions, quiet: bool
    ) -> None:
        from tallytext.distributed.files import Files

        self.n_documents = self.n_bytes = self.n_skipped = 0
        self._start, self._quiet, self._sources = perf_counter(), quiet, sources
        self._engine_options = engine
        values = reading_parameters(reading) | {"on_error": reading.on_error.value}
        self._files = Files(sources, **{name: values.pop(name) for name in _FILE_OPTIONS})
        self._splits = self._files.splits()
        self.reading: dict[str, Any] = values

    def tally(self, **parameters: Any) -> GatheredTally:
        """Return the counts of all documents; raise InputError if there is none.

        Parameters
        ----------
        **parameters
            Parameters of the counting function of the engine.
        """
        from tallytext.io.batches import SkippedRows

        reading = {"labels" if key == "label" else key: v for key, v in self.reading.items()}
        with self._engine() as engine:
            tally = engine.tally(self._files, **reading, **parameters)
        assert tally.origin is not None
        self.n_documents = int(tally.n_documents)
        self.n_bytes = sum(split.n_bytes for split in self._splits)
        self.n_skipped = tally.origin.n_skipped
        check_not_empty(self.n_documents, self.n_skipped, self._sources)
        warn_about_skipped(
            SkippedRows(self.n_skipped, tally.origin.skipped), ", ".join(self._sources)
        )
        return tally

    def split_results(
        self, function: Callable[[Split, bytes], bytes], request: bytes
    ) -> Generator[SplitResult, None, None]:
        """Yield the result of each split, in order.

        Parameters
        ----------
        function : callable
            Takes a split and the request, and returns a packed result.
        request : bytes
            The same for all splits.
        """
        from tallytext.distributed.prediction import SplitResult
        from tallytext.io.batches import SkippedRows

        skipped_rows: dict[str, SkippedRows] = {}
        n_splits = len(self._splits)
        with (
            self._engine() as engine,
            progress_bar("Working", n_splits, False if self._quiet else None) as step,
        ):
            sent = engine.map_splits(function, self._splits, request)
            for split, packed in zip(self._splits, sent, strict=True):
                result = SplitResult.unpack(packed)
                self._count(result)
                skipped_rows.setdefault(split.name, SkippedRows())
                skipped_rows[split.name] += result.skipped
                step(f"{self.n_documents:,} documents")
                yield result
        for source, skipped in skipped_rows.items():
            warn_about_skipped(skipped, source)

    def close(self) -> None:
        """Show the number of documents and the time they took."""
        if not self._quiet:
            show_speed(self.n_documents, self.n_bytes, perf_counter() - self._start)

    def _engine(self) -> AbstractContextManager[Engine]:
        """Start the engine, which takes seconds, after a check of the first file."""
        # A wrong column or format is an error after milliseconds, and not after the cluster
        # started.
        for split in self._splits[:1]:
            split.check(**self.reading)
        return open_engine(self._engine_options, len(self._splits), self._quiet)

    def _count(self, result: SplitResult) -> None:
        self.n_documents += result.n_documents
        self.n_bytes += result.n_bytes
        self.n_skipped += result.skipped.count
