"""Graphs of tasks, run by whatever scheduler Dask has, under the eyes of who waits for them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any

from tallytext.distributed.dask_errors import plain_errors
from tallytext.distributed.dask_graphs import Tree
from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.dask_tasks import Wrong, work_on_split
from tallytext.distributed.dask_waiting import listening, wait_for, wait_for_workers
from tallytext.distributed.files import Split
from tallytext.distributed.job import expect_count
from tallytext.distributed.watching import Note, Watch, shown
from tallytext.errors import InputError

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
    expect_count("retries", retries, 0)
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
