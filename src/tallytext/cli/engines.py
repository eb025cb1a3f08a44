"""Engines that share out work, as commands see them: neither Dask nor Spark, but either."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from tallytext.cli.console import is_watched, remarks
from tallytext.cli.engine_options import EngineName, Many

if TYPE_CHECKING:
    from tallytext.distributed.files import Files, Split
    from tallytext.tally import GatheredTally


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
        from tallytext.cli.dask_engine import dask_engine

        return dask_engine(many.scheduler, many.workers, n_splits, quiet)
    from tallytext.cli.spark_engine import spark_engine

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
