"""Spark as an engine: the session is begun for the work, and ended with it."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallytext.distributed.files import Files, Split
    from tallytext.tally import GatheredTally


class SparkEngine:
    """Work shared out by Spark.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    quiet : bool
        Whether to show no progress.
    """

    def __init__(self, session: Any, quiet: bool) -> None:
        self._session, self._verbose = session, False if quiet else None

    def tally(self, files: Files, **counted: Any) -> GatheredTally:
        """Return the counts of all documents in files."""
        from tallytext.distributed import spark_tally

        return spark_tally(files, **counted, session=self._session, verbose=self._verbose)

    def mapped(
        self, function: Callable[[Split, bytes], bytes], splits: Sequence[Split], shared: bytes
    ) -> Iterable[bytes]:
        """Return what a function makes of each split and of what all are sent, in order."""
        from tallytext.distributed.spark_running import mapped_splits

        how = {"session": self._session, "verbose": self._verbose}
        return mapped_splits(function, splits, shared, **how)


@contextmanager
def spark_engine(master: str | None, quiet: bool) -> Iterator[SparkEngine]:
    """Yield an engine that works at the master given, or where the settings of Spark say.

    Parameters
    ----------
    master : str or None
    quiet : bool
        Whether to show no progress.
    """
    from tallytext.distributed.spark_running import spark_session

    with _silent():
        with _own_interrupts():
            session = spark_session(master)
        try:
            yield SparkEngine(session, quiet)
        finally:
            session.stop()


@contextmanager
def _silent() -> Iterator[None]:
    """Let Spark keep to itself what ends in the middle: errors of ours say what it comes to."""
    before = logging.root.level
    logging.root.setLevel(logging.CRITICAL)  # where its bridge to Java writes
    try:
        yield
    finally:
        logging.root.setLevel(before)


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep Ctrl-C as it is: Spark would answer it in the middle of a sentence to Java."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
