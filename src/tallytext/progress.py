"""A bar that shows how far long work is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, total: int, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error that vanishes when the work is done.

    Parameters
    ----------
    what : str
        What is going on.
    total : int
        Number of steps.
    shown : bool
        Whether to show anything at all.

    Yields
    ------
    callable
        To be called after each step.
    """
    if not shown:
        # A bar that is disabled ends the line all the same in some versions of rich.
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
