"""Waiting for a cluster, but not for ever, and hearing of how far it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic, sleep
from typing import Any

from tallytext.distributed.dask_tasks import TOPIC, Wrong
from tallytext.distributed.watching import Note, Watch
from tallytext.errors import EngineError

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
