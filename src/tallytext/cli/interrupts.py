"""What Ctrl-C may interrupt, and what is said about the work that was done by then."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def told(outcome: Callable[[], str]) -> Iterator[None]:
    """Say of an interruption what it comes to.

    Parameters
    ----------
    outcome : callable
        Returns what was saved by then, and what was not.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(outcome())
        raise


@contextmanager
def held_back() -> Iterator[None]:
    """Let an interruption wait until this is done, so that no line or file is half written.

    A second one does not wait: who reads the lines may have stopped to do so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def wait(number: int, _: Any) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt
