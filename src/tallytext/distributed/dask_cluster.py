"""Graphs of tasks, run by whatever scheduler Dask has, under the eyes of who waits for them."""

from __future__ import annotations

import json
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
from typing import Any

from tallytext.distributed.dask_tasks import TOPIC, Tree, Wrong, dask_module, failure, work_on_split
from tallytext.distributed.job import Split, check_count
from tallytext.distributed.watching import Note, Watch, shown
from tallytext.errors import EngineError, InputError, TallytextError

# ------------------------------------------------------------------------------------------------
# What goes wrong on a cluster, in words that say what to do.


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


# ------------------------------------------------------------------------------------------------
# Waiting for a cluster, but not for ever, and hearing of how far it is.

NO_WORKERS = 600.0
"""How many seconds to wait for workers, which may have to be begun first."""

_LOOK = 10.0  # seconds between two looks at whether there are any
_NAP = 0.01
_GLANCE = 0.25  # seconds between two looks at how far the work is


class Heard:
    """What workers tell of one piece of work: notes, and what is wrong with documents."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._wrong: Wrong | None = None

    def take(self, told: list[Any]) -> None:
        """Take what a worker has told."""
        if isinstance(told[0], str):
            self._wrong = Wrong(*told)
        else:
            self._watch.told(Note(*told))

    def check(self) -> None:
        """Raise what is wrong with a document, as soon as it is known."""
        if self._wrong is not None:
            raise self._wrong.error()


_heard: dict[str, Heard] = {}
_changing = Lock()


@contextmanager
def listening(client: Any, topic: str, watch: Watch) -> Iterator[Heard]:
    """Listen to what workers tell of one piece of work."""
    with _changing:
        heard = _heard[topic] = Heard(watch)
        client.subscribe_topic(TOPIC, _hear)
    try:
        yield heard
    finally:
        with _changing:
            del _heard[topic]
            if not _heard:  # others may listen with the same client
                with suppress(Exception):
                    client.unsubscribe_topic(TOPIC)


def _hear(event: Any) -> None:
    topic, told = event[1]
    if (heard := _heard.get(topic)) is not None:
        heard.take(told)


def wait_for(client: Any, futures: list[Any], look: Callable[[], None] = lambda: None) -> None:
    """Wait until all futures are done or one has failed.

    Parameters
    ----------
    client : distributed.Client
    futures : list of distributed.Future
    look : callable, optional
        Called now and then.

    Raises
    ------
    EngineError
        If the cluster has had no worker for long.
    """
    alive = _Alive(client)
    while not _are_done(futures):
        look()
        alive.check()


def wait_for_workers(client: Any) -> None:
    """Wait until there is a worker.

    Raises
    ------
    EngineError
        If there is none for long.
    """
    alive = _Alive(client)
    while not client.nthreads():
        sleep(_GLANCE)
        alive.check()


class _Alive:
    """Raises an error where a cluster has had no worker for long."""

    def __init__(self, client: Any) -> None:
        self._client, self._due, self._seen = client, monotonic() + _LOOK, monotonic()
        self._warned = False

    def check(self) -> None:
        if monotonic() < self._due:
            return
        self._due = monotonic() + _LOOK
        if self._client.nthreads():
            self._seen, self._warned = monotonic(), False
        elif not self._warned:
            self._warned = True
            warnings.warn(
                f"the cluster has no worker: waiting for one, {NO_WORKERS:.0f} seconds at most.",
                stacklevel=2,
            )
        if monotonic() - self._seen > NO_WORKERS:
            raise EngineError(
                f"the cluster has had no worker for {NO_WORKERS:.0f} seconds: all have died or "
                "none was ever there. Start some and begin again; if they died, they need more "
                "memory, or smaller partitions."
            )


def _are_done(futures: list[Any]) -> bool:
    """Wait a moment for futures, and return whether there is nothing left to wait for."""
    due = monotonic() + _GLANCE
    while monotonic() < due:
        found = {future.status for future in futures}
        if "pending" not in found or found & {"error", "cancelled"}:
            return True
        sleep(_NAP)
    return False


FEW_BYTES = 8 << 20
"""What is no larger may be kept by a scheduler, as part of a graph."""


def client_or_get(client: Any, default_get: Any = None) -> tuple[Any, Any]:
    """Return the client of a cluster, or else the function that runs graphs here.

    A client that is given comes first, then what Dask is configured for, which is the current
    client where there is one, then the default of a collection, and threads.

    Raises
    ------
    InputError
        If the client is no client, or can only be awaited.
    """
    Client = dask_module("distributed").Client
    if client is None:
        get = dask_module("dask.base").get_scheduler() or default_get or _threads()
        client = getattr(get, "__self__", None)
        if not isinstance(client, Client):
            return None, get
    if not isinstance(client, Client):
        raise InputError(f"client must be a distributed.Client, not {type(client).__name__}.")
    if client.asynchronous:
        raise InputError("the client is asynchronous, so that nobody can wait for it here.")
    return client, None


def _threads() -> Any:
    return dask_module("dask.threaded").get


def computed(
    client: Any,
    get: Any,
    tree: Tree,
    n_parts: int,
    verbose: bool | None,
    topic: str,
    retries: int,
) -> list[Any]:
    """Return the results at the ends of a tree.

    Parameters
    ----------
    client, get
        As :func:`client_or_get` returns them.
    tree : Tree
    n_parts : int
        How many partitions there are.
    verbose : bool or None
        Whether to show how far the work is.
    topic : str
        Where workers of a cluster tell.
    retries : int
        How often a cluster tries again.
    """
    watch = Watch(n_parts, tree.what, tree.n_merges)
    with shown(watch, verbose) as show:
        if client is None:
            return _here(get, tree, watch, show)
        return _on_cluster(client, tree, watch, show, topic, retries)


def _here(get: Any, tree: Tree, watch: Watch, show: Callable[[], None]) -> list[Any]:
    """Run a tree in this process, or in a pool of others on this machine."""

    def done(key: Any, result: Any, *_: Any) -> None:
        if isinstance(note := getattr(result, "note", None), Note):
            watch.told(note)
        elif isinstance(key, tuple) and str(key[0]).startswith("tallytext-merge"):
            watch.told(Note(-1, n_bytes=len(result)))
        show()

    # A pool of processes would make one task of several, and not tell of all of them.
    is_pool = get is dask_module("dask.multiprocessing").get
    options = {"optimize_graph": False} if is_pool else {}
    with plain_errors(None, tree.names), dask_module("dask.callbacks").Callback(posttask=done):
        return list(get(tree.tasks, tree.ends, **options))


def _on_cluster(
    client: Any, tree: Tree, watch: Watch, show: Callable[[], None], topic: str, retries: int
) -> list[Any]:
    """Run a tree on a cluster; what is under way is called off when an error or Ctrl-C ends it."""
    futures: list[Any] = []
    with (
        _called_off(client, futures),
        plain_errors(client, tree.names, lambda: _cause(client, futures)),
        listening(client, topic, watch) as heard,
        client.as_current(),
    ):
        futures += client.get(tree.tasks, tree.ends, sync=False, retries=retries)

        def look() -> None:
            show()
            heard.check()

        wait_for(client, futures, look)
        return _right(client.gather(futures))


def _right(results: Iterable[Any]) -> list[Any]:
    """Return results, or raise the first thing that is wrong with documents."""
    listed = list(results)
    for result in listed:
        if isinstance(result, Wrong):
            raise result.error()
    return listed


def _cause(client: Any, futures: list[Any]) -> Any:
    """Return the key of the task that was the first to fail, if the scheduler tells."""
    failed = [future.key for future in futures if future.status == "error"]
    with suppress(Exception):
        return client.sync(client.scheduler.get_error_cause, keys=failed)


@contextmanager
def _called_off(client: Any, futures: Sequence[Any]) -> Iterator[None]:
    """Call futures off where an error comes in between, and let go of them in any case."""
    try:
        yield
    except BaseException:
        if client.status == "running":
            with suppress(Exception):
                client.cancel(list(futures))
        raise
    finally:
        # Tracebacks of timeouts hold them, and so workers would hold results.
        for future in futures:
            future.release()


def mapped_splits(
    function: Callable[[Split, bytes], Any],
    splits: Iterable[Split],
    shared: bytes,
    *,
    client: Any = None,
    in_flight: int | None = None,
    retries: int = 2,
) -> Iterator[Any]:
    """Yield what a function returns for each split, in order.

    Parameters
    ----------
    function : callable
        One that can be sent, of a module, or partial of one. It is given a split, and the
        shared bytes.
    splits : iterable of Split
    shared : bytes
        What the function needs each time; each worker gets it once.
    client : distributed.Client, default=None
        As for :func:`dask_tally`.
    in_flight : int or None, default=None
        How many splits may be worked on, or have results that wait; by default twice as many as
        there are threads.
    retries : int, default=2
        How often a task that failed is tried again.

    Raises
    ------
    EngineError
        As for :func:`dask_tally`.
    """
    check_count("retries", retries, 0)
    client, get = client_or_get(client)
    if client is None:
        yield from _mapped_here(get, function, splits, shared, in_flight, retries)
    else:
        yield from _mapped_on_cluster(client, function, splits, shared, in_flight, retries)


def _mapped_here(
    get: Any, function: Any, splits: Iterable[Split], shared: bytes, in_flight: Any, retries: int
) -> Iterator[Any]:
    task = partial(work_on_split, function, retries + 1, False)
    waiting = iter(splits)
    while some := list(islice(waiting, in_flight or 2 * dask_module("dask.system").CPU_COUNT)):
        keys = [f"tallytext-split-{at}" for at in range(len(some))]
        given = zip(keys, some, strict=True)
        tasks = {key: (task, "tallytext-shared", _told(split)) for key, split in given}
        with plain_errors():
            answers = get(tasks | {"tallytext-shared": shared}, keys)
        yield from answers


def _mapped_on_cluster(
    client: Any, function: Any, splits: Iterable[Split], shared: bytes, in_flight: Any, retries: int
) -> Iterator[Any]:
    task, futures = partial(work_on_split, function, 1, True), deque[Any]()

    def taken() -> Any:
        """Return the result of the first future, and let go of it."""
        with plain_errors(client):
            wait_for(client, [futures[0]])
            (result,) = _right([futures[0].result()])
        futures.popleft().release()
        return result

    with _called_off(client, futures):
        with plain_errors(client):
            most = in_flight or 2 * max(1, sum(client.nthreads().values()))
            everywhere = client.submit(_itself, sent(client, shared), pure=False)
        for split in splits:
            if len(futures) == most:
                yield taken()
            with plain_errors(client):
                given = (everywhere, _told(split))
                futures.append(client.submit(task, *given, pure=False, retries=retries))
        while futures:
            yield taken()


def _told(split: Split) -> str:
    return json.dumps(split.to_dict())


def sent(client: Any, shared: bytes) -> Any:
    """Return what to put into a graph, once, for bytes that all tasks of it need.

    Few bytes are remembered by the scheduler, and survive all workers. Many are sent to the
    workers of a cluster past it; what is returned then is a future.
    """
    if client is None or len(shared) <= FEW_BYTES:
        return shared
    with plain_errors(client):
        wait_for_workers(client)
        return client.scatter(shared, broadcast=True, hash=False)


def _itself(shared: bytes) -> bytes:
    return shared
