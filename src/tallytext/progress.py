"""A bar that shows how far long work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

PATIENCE = 1.5
"""Seconds of work after which a bar is worth a look."""


@contextmanager
def progress_bar(what: str, total: int, shown: bool | None = None) -> Iterator[Callable[..., None]]:
    """Show a bar on standard error that vanishes when the work is done.

    Work that is part of other work, whose bar is there already, shows none.

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
        To be called after each step; with ``what``, it changes what is said to go on, and with
        ``steps`` the bar moves by any number of them.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        # A bar that is disabled ends the line all the same in some versions of rich.
        yield lambda what=None, steps=1: None
        return
    bar = _Bar(what, total, 0.0 if shown else PATIENCE)
    try:
        bar.show()
        yield bar.step
    finally:
        bar.stop()


class _Bar:
    """A bar that appears when patience is at an end."""

    def __init__(self, what: str, total: int, patience: float) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=total)
        self._due: float | None = monotonic() + patience
        self._begun = False

    def step(self, what: str | None = None, steps: int = 1) -> None:
        self._bar.update(self._task, description=what, advance=steps)
        self.show()

    def show(self) -> None:
        global _shown
        if self._due is None or monotonic() < self._due:
            return
        self._due = None
        if _shown:
            return
        from rich.errors import LiveError

        # Somebody else may have something on the screen that moves.
        with suppress(LiveError):
            self._bar.start()
            _shown = self._begun = True

    def stop(self) -> None:
        global _shown
        if self._begun:
            self._bar.stop()
            _shown = False


_shown = False  # there is one screen, and one bar on it
