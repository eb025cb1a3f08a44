"""Execution of task graphs by the schedulers of Dask, local or distributed."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from threading import Lock
from time import monotonic, sleep
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import uuid4

from tallytext.distributed.dask_tasks import (
    EVENT_TOPIC,
    MERGE_PREFIX,
    PermanentFailure,
    TaskGraph,
    dask_module,
    failure_message,
    run_on_split,
)
from tallytext.distributed.files import Split
from tallytext.distributed.options import check_count
from tallytext.distributed.progress import ProgressTracker, TaskReport, show_progress
from tallytext.errors import EngineError, InputError, TallytextError

WORKER_TIMEOUT = 600.0
"""Seconds to wait for a worker, which a cluster may have to start first."""

MAX_GRAPH_BYTES = 8 << 20
"""Largest value that is part of a graph, and so is stored by the scheduler."""

_SECONDS_BETWEEN_CHECKS = 10.0  # of whether there are workers
_SECONDS_BETWEEN_POLLS = 0.01  # of the states of futures
_SECONDS_BETWEEN_UPDATES = 0.25  # of the progress bar


def find_scheduler(client: Any, default_get: Any = None) -> tuple[Any, Any]:
    """Return the client of a cluster and None, or None and a local scheduler function.

    In this order: the client that is given; the scheduler that Dask is configured for, which is the
    current client if there is one; the default of the collection; threads.

    Raises
    ------
    InputError
        If ``client`` is not a client, or is asynchronous.
    """
    Client = dask_module("distributed").Client
    if client is None:
        configured = dask_module("dask.base").get_scheduler() or default_get
        get = configured or dask_module("dask.threaded").get
        # The scheduler function of a cluster is the bound method Client.get.
        client = getattr(get, "__self__", None)
        if not isinstance(client, Client):
            return None, get
    if not isinstance(client, Client):
        raise InputError(f"client must be a distributed.Client, not {type(client).__name__}.")
    if client.asynchronous:
        raise InputError("client is asynchronous, but this function waits for its results.")
    return client, None


class DaskRun(NamedTuple):
    """Scheduler and settings of one call of a public function.

    Attributes
    ----------
    client : distributed.Client or None
        The cluster; None for a local scheduler.
    get : callable or None
        The local scheduler function.
    retries : int
        How often a failed task is retried.
    verbose : bool or None
        Whether to show progress.
    topic : str
        Name of the run in the events of workers; empty with a local scheduler.
    """

    client: Any
    get: Any
    retries: int
    verbose: bool | None
    topic: str

    @classmethod
    def start(cls, client: Any, default_get: Any, retries: int, verbose: bool | None) -> DaskRun:
        """Find the scheduler, and name the run; the parameters are those of the public function."""
        check_count("retries", retries, 0)
        client, get = find_scheduler(client, default_get)
        return cls(client, get, retries, verbose, "" if client is None else uuid4().hex)

    @property
    def tries(self) -> int:
        """How often a task tries its work: clusters retry tasks themselves, on another worker."""
        return self.retries + 1 if self.client is None else 1


def compute_graph(run: DaskRun, graph: TaskGraph) -> list[Any]:
    """Return the results of the last tasks of a graph, and show progress meanwhile."""
    tracker = ProgressTracker(graph.n_partitions, graph.activity, graph.n_merges)
    with show_progress(tracker, run.verbose) as show:
        if run.client is None:
            return _compute_locally(run.get, graph, tracker, show)
        return _compute_on_cluster(run, graph, tracker, show)


def _compute_locally(
    get: Any, graph: TaskGraph, tracker: ProgressTracker, show: Callable[[], None]
) -> list[Any]:
    """Run a graph in this process, or in a pool of processes on this machine."""

    def after_task(key: Any, result: Any, *_: Any) -> None:
        if isinstance(report := getattr(result, "report", None), TaskReport):
            tracker.add(report)
        elif isinstance(key, tuple) and str(key[0]).startswith(MERGE_PREFIX):
            tracker.add(TaskReport(-1, n_bytes=len(result)))
        show()

    # The pool would fuse tasks, and call back once for several of them.
    is_pool = get is dask_module("dask.multiprocessing").get
    options = {"optimize_graph": False} if is_pool else {}
    callback = dask_module("dask.callbacks").Callback(posttask=after_task)
    with translate_errors(None, graph.names), callback:
        return list(get(graph.tasks, graph.ends, **options))


def _compute_on_cluster(
    run: DaskRun, graph: TaskGraph, tracker: ProgressTracker, show: Callable[[], None]
) -> list[Any]:
    """Run a graph on a cluster; its tasks are cancelled after an error or Ctrl-C."""
    client, futures = run.client, list[Any]()
    with (
        # The list is filled below, and its futures are released whichever way the block ends.
        _release_futures(client, futures),
        translate_errors(client, graph.names, lambda: _failed_key(client, futures)),
        subscribe(client, run.topic, tracker) as listener,
        client.as_current(),
    ):
        futures += client.get(graph.tasks, graph.ends, sync=False, retries=run.retries)

        def update() -> None:
            show()
            listener.check()

        wait_for(client, futures, update)
        return _raise_failures(client.gather(futures))


def _raise_failures(results: Iterable[Any]) -> list[Any]:
    """Return results, or raise the error of the first permanent failure among them."""
    listed = list(results)
    for result in listed:
        if isinstance(result, PermanentFailure):
            raise result.error()
    return listed


def _failed_key(client: Any, futures: list[Any]) -> Any:
    """Return the key of the task that failed first, if the scheduler knows it."""
    failed = [future.key for future in futures if future.status == "error"]
    with suppress(Exception):
        return client.sync(client.scheduler.get_error_cause, keys=failed)


@contextmanager
def _release_futures(client: Any, futures: Sequence[Any]) -> Iterator[None]:
    """Cancel futures after an error, and release them in any case."""
    try:
        yield
    except BaseException:
        if client.status == "running":
            with suppress(Exception):
                client.cancel(list(futures))
        raise
    finally:
        # The traceback of a timeout refers to futures, so workers would keep their results.
        for future in futures:
            future.release()


def map_splits(
    function: Callable[[Split, bytes], Any],
    splits: Iterable[Split],
    shared: bytes,
    *,
    client: Any = None,
    in_flight: int | None = None,
    retries: int = 2,
) -> Iterator[Any]:
    """Yield the result of a function for each split, in order.

    Parameters
    ----------
    function : callable
        Gets a split and the shared bytes. It must be importable by workers, or a partial of an
        importable function.
    splits : iterable of Split
    shared : bytes
        The second argument of the function; each worker gets it once.
    client : distributed.Client, default=None
        As for :func:`dask_tally`.
    in_flight : int or None, default=None
        Largest number of splits that are being processed, or have results that are not yielded
        yet; by default twice the number of threads.
    retries : int, default=2
        How often a failed task is retried.

    Raises
    ------
    EngineError
        As for :func:`dask_tally`.
    """
    check_count("retries", retries, 0)
    client, get = find_scheduler(client)
    if client is None:
        yield from _map_locally(get, function, splits, shared, in_flight, retries)
    else:
        yield from _map_on_cluster(client, function, splits, shared, in_flight, retries)


def _map_locally(
    get: Any, function: Any, splits: Iterable[Split], shared: bytes, in_flight: Any, retries: int
) -> Iterator[Any]:
    task = partial(run_on_split, function, retries + 1, False)
    remaining = iter(splits)
    # Local schedulers return all results at once, so splits are computed block by block.
    while block := list(islice(remaining, in_flight or 2 * dask_module("dask.system").CPU_COUNT)):
        keys = [f"tallytext-split-{at}" for at in range(len(block))]
        pairs = zip(keys, block, strict=True)
        tasks = {key: (task, "tallytext-shared", split.to_json()) for key, split in pairs}
        with translate_errors():
            results = get(tasks | {"tallytext-shared": shared}, keys)
        yield from results


def _map_on_cluster(
    client: Any, function: Any, splits: Iterable[Split], shared: bytes, in_flight: Any, retries: int
) -> Iterator[Any]:
    task, futures = partial(run_on_split, function, 1, True), deque[Any]()

    def next_result() -> Any:
        with translate_errors(client):
            wait_for(client, [futures[0]])
            (result,) = _raise_failures([futures[0].result()])
        futures.popleft().release()
        return result

    with _release_futures(client, futures):
        with translate_errors(client):
            # Twice the threads keeps workers busy, and bounds the results that wait in memory.
            max_futures = in_flight or 2 * max(1, sum(client.nthreads().values()))
            # One task holds the bytes: as an argument of each task, they would be sent with every
            # split.
            shared_future = client.submit(_identity, share_bytes(client, shared), pure=False)
        for split in splits:
            if len(futures) == max_futures:
                yield next_result()
            with translate_errors(client):
                arguments = (shared_future, split.to_json())
                futures.append(client.submit(task, *arguments, pure=False, retries=retries))
        while futures:
            yield next_result()


def share_bytes(client: Any, shared: bytes) -> Any:
    """Return a value for a graph that stands for bytes needed by all its tasks.

    Few bytes are stored by the scheduler, and survive the loss of all workers. Many are sent
    directly to the workers of a cluster, and the value is a future.
    """
    if client is None or len(shared) <= MAX_GRAPH_BYTES:
        return shared
    with translate_errors(client):
        wait_for_workers(client)
        # hash=False: with a key by content, other runs with the same bytes would share the future.
        return client.scatter(shared, broadcast=True, hash=False)


def _identity(shared: bytes) -> bytes:
    return shared


# Waiting for a cluster


def wait_for(client: Any, futures: list[Any], update: Callable[[], None] = lambda: None) -> None:
    """Wait until all futures are done or one has failed.

    Parameters
    ----------
    client : distributed.Client
    futures : list of distributed.Future
    update : callable, optional
        Called from time to time.

    Raises
    ------
    EngineError
        If the cluster has no worker for ``WORKER_TIMEOUT`` seconds.
    """
    workers = _WorkerCheck(client)
    while not _are_done(futures):
        update()
        workers.check()


def wait_for_workers(client: Any) -> None:
    """Wait until the cluster has a worker.

    Raises
    ------
    EngineError
        If it has none for ``WORKER_TIMEOUT`` seconds.
    """
    workers = _WorkerCheck(client)
    while not client.nthreads():
        sleep(_SECONDS_BETWEEN_UPDATES)
        workers.check()


class _WorkerCheck:
    """Warns if a cluster has no worker, and raises an error if that lasts too long."""

    def __init__(self, client: Any) -> None:
        self._client, self._last_seen = client, monotonic()
        self._due = monotonic() + _SECONDS_BETWEEN_CHECKS
        self._warned = False

    def check(self) -> None:
        if monotonic() < self._due:
            return
        self._due = monotonic() + _SECONDS_BETWEEN_CHECKS
        if self._client.nthreads():
            self._last_seen, self._warned = monotonic(), False
        elif not self._warned:
            self._warned = True
            warnings.warn(
                f"the cluster has no worker: waiting up to {WORKER_TIMEOUT:.0f} seconds for one.",
                stacklevel=2,
            )
        if monotonic() - self._last_seen > WORKER_TIMEOUT:
            raise EngineError(
                f"the cluster has had no worker for {WORKER_TIMEOUT:.0f} seconds: all have died, "
                "or none was started. Start workers and run it again; if they died, they need more "
                "memory, or smaller partitions."
            )


def _are_done(futures: list[Any]) -> bool:
    """Wait for a moment, and return True if all futures are done or one has failed."""
    # Polls instead of distributed.wait(), so that progress and events are handled meanwhile.
    due = monotonic() + _SECONDS_BETWEEN_UPDATES
    while monotonic() < due:
        states = {future.status for future in futures}
        # One failure ends the wait, since the others may take hours.
        if "pending" not in states or states & {"error", "cancelled"}:
            return True
        sleep(_SECONDS_BETWEEN_POLLS)
    return False


# Events of workers


class EventListener:
    """Receiver of the events of one run: reports of tasks, and permanent failures."""

    def __init__(self, tracker: ProgressTracker) -> None:
        self._tracker = tracker
        self._failure: PermanentFailure | None = None

    def receive(self, event: list[Any]) -> None:
        """Receive an event of a worker."""
        if isinstance(event[0], str):
            self._failure = PermanentFailure(*event)
        else:
            self._tracker.add(TaskReport(*event))

    def check(self) -> None:
        """Raise the error of a permanent failure, without waiting for the other tasks."""
        if self._failure is not None:
            raise self._failure.error()


_listeners: dict[str, EventListener] = {}
_listeners_lock = Lock()


@contextmanager
def subscribe(client: Any, topic: str, tracker: ProgressTracker) -> Iterator[EventListener]:
    """Receive the events that workers send about one run."""
    with _listeners_lock:
        # A client has one handler per topic, so runs in several threads share it.
        listener = _listeners[topic] = EventListener(tracker)
        client.subscribe_topic(EVENT_TOPIC, _dispatch_event)
    try:
        yield listener
    finally:
        with _listeners_lock:
            del _listeners[topic]
            if not _listeners:  # other threads may listen with the same client
                with suppress(Exception):
                    client.unsubscribe_topic(EVENT_TOPIC)


def _dispatch_event(event: Any) -> None:
    topic, values = event[1]
    if (listener := _listeners.get(topic)) is not None:
        listener.receive(values)


# Errors of Dask


@contextmanager
def translate_errors(
    client: Any = None,
    names: Mapping[Any, str] = MappingProxyType({}),
    failed_key: Callable[[], Any] = lambda: None,
) -> Iterator[None]:
    """Raise errors of Dask as an EngineError with a remedy; a TallytextError stays as it is.

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster, if there is one.
    names : mapping, optional
        Names of tasks for messages, by their keys.
    failed_key : callable, optional
        Returns the key of the task that failed.
    """
    try:
        yield
    except Exception as problem:
        plain = _without_remote_traceback(problem)
        if isinstance(plain, TallytextError):
            raise plain from None
        if _is_lost(plain, client):
            raise EngineError(_lost_message(plain, client)) from plain
        raise EngineError(_task_message(plain, names, failed_key)) from plain


def _without_remote_traceback(problem: Exception) -> Exception:
    """Return the error that was raised in a process of Dask's pool, if it was raised there."""
    inner = getattr(problem, "exception", None)
    return inner if isinstance(inner, Exception) else problem


def _is_lost(problem: Exception, client: Any) -> bool:
    closed = dask_module("distributed.comm.core").CommClosedError
    if isinstance(problem, CancelledError | closed) or type(problem) is TimeoutError:
        return True
    return client is not None and client.status != "running"


def _lost_message(problem: Exception, client: Any) -> str:
    if client is not None and client.status == "running":
        return (
            "workers were lost, and with them the only copies of some data, such as a model "
            f"({_first_line(problem)}). No result was stored: run it again."
        )
    return (
        f"the cluster was lost ({_first_line(problem)}). Is its scheduler running? No result was "
        "stored: run it again once the scheduler is back."
    )


def _task_message(
    problem: Exception, names: Mapping[Any, str], failed_key: Callable[[], Any]
) -> str:
    if isinstance(problem, dask_module("distributed.scheduler").KilledWorker):
        return _killed_message(problem, names)
    if isinstance(problem, ModuleNotFoundError) or "deserialization" in str(problem):
        return (
            f"the cluster cannot load the tasks ({_first_line(problem)}). Its scheduler and all "
            "workers need tallytext, and your own modules that make the partitions, in the same "
            "versions as here."
        )
    return failure_message(names.get(failed_key(), "a partition"), problem)


def _killed_message(problem: Any, names: Mapping[Any, str]) -> str:
    task, times = problem.task, problem.allowed_failures + 1
    name = names.get(task, f"the task {task!r}")
    worker = getattr(problem.last_worker, "address", problem.last_worker)
    return (
        f"{times} workers died, one after the other, at {name}. Most often they ran out of memory: "
        "make partitions smaller, give workers more memory or fewer threads, or bound the "
        "vocabulary with max_terms. If your platform reclaims machines, raise Dask's setting "
        f"distributed.scheduler.allowed-failures. See the log of the last worker, {worker}."
    )


def _first_line(problem: Exception) -> str:
    first_line = (str(problem).strip() or type(problem).__name__).partition("\n")[0]
    return f"{first_line:.200}"
