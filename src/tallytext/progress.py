"""A bar that shows how far long work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

PATIENCE = 1.5
"""Seconds of work after which a bar is worth a look."""


@contextmanager
def progress_bar(what: str, total: int, shown: bool | None = None) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error that vanishes when the work is done.

    Parameters
    ----------
    what : str
        What is going on.
    total : int
        Number of steps.
    shown : bool, default=None
        Whether to show anything at all; None: if standard error is a terminal, once the work has
        taken longer than a second or two.

    Yields
    ------
    callable
        To be called after each step.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        # A bar that is disabled ends the line all the same in some versions of rich.
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    start, begun = monotonic(), False

    def step() -> None:
        nonlocal begun
        bar.advance(task)
        if not begun and (shown or monotonic() - start > PATIENCE):
            bar.start()
            begun = True

    try:
        if shown:
            bar.start()
            begun = True
        yield step
    finally:
        if begun:
            bar.stop()
