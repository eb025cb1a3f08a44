"""Work that is done in a session of Spark: named, shown, cancelled, and its errors told."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar, cast
from uuid import uuid4

from tallytext.distributed.files import Split
from tallytext.distributed.spark_failures import plain_failures
from tallytext.distributed.spark_progress import Most, RemoteStages, Stages, bar, is_shown

Result = TypeVar("Result")


class Work:
    """Some jobs that belong together.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None
        Whether to show progress; None: if standard error is a terminal, and Spark shows none.

    Attributes
    ----------
    session : pyspark.sql.SparkSession
    name : str
        Under which the jobs can be found.
    memory : Accumulator or None
        Is to be told by tasks how much memory they took, if somebody looks.
    """

    def __init__(self, session: Any, verbose: bool | None = None) -> None:
        self.session, self.name = session, f"tallytext-{uuid4().hex[:12]}"
        self._context, self._verbose = context_of(session), verbose
        if verbose is None and _shows_itself(self._context):
            self._verbose = False
        watched = is_shown(self._verbose) and self._context is not None
        self.memory = self._context.accumulator(0, Most()) if watched else None

    def done(self, what: str, action: Callable[[], Result]) -> Result:
        """Do something, and show how far it is; an interrupt ends the jobs that it has begun.

        It is done by another thread: to this one Spark can then listen while it waits.
        """
        from pyspark import inheritable_thread_target

        named = inheritable_thread_target(self.session)(self._named)
        with self._shown(what), ThreadPoolExecutor(1) as threads:
            doing = threads.submit(named, action)
            try:
                return cast(Result, doing.result())
            except KeyboardInterrupt:
                self._cancel()
                raise

    def rows(self, what: str, frame: Any) -> Generator[Any, None, None]:
        """Yield the rows of a DataFrame: all are computed first, and then sent one by one.

        They are computed by all at once, and kept on their disks. So the first row comes late, but
        what is sent is never more at a time than a partition, of which the driver allows so much.
        """
        with kept(frame) as computed:
            self.done(what, computed.count)
            yield from computed.toLocalIterator()

    def _named(self, action: Callable[[], Result]) -> Result:
        """Do something in jobs that go by a name; the thread ends with them."""
        if self._context is None:
            self.session.addTag(self.name)
        else:
            self._context.setJobGroup(self.name, "tallytext", interruptOnCancel=True)
        return action()

    def _cancel(self) -> None:
        with suppress(Exception):  # there may be no Spark any more
            if self._context is None:
                self.session.interruptTag(self.name)
            else:
                self._context.cancelJobGroup(self.name)

    @contextmanager
    def _shown(self, what: str) -> Iterator[None]:
        if not is_shown(self._verbose):
            yield
        elif self._context is not None:
            stages = Stages(self._context, self.name, self.memory)
            with bar(what, stages.look, self._verbose):
                yield
        else:
            remote = RemoteStages(self.session)
            try:
                with bar(what, remote.look, self._verbose):
                    yield
            finally:
                remote.end()


@contextmanager
def running(session: Any, verbose: bool | None = None) -> Iterator[Work]:
    """Do work in a session; errors of Spark become errors of ours.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    with plain_failures(partial(_is_over, session)):
        yield Work(session, verbose)


def context_of(session: Any) -> Any:
    """Return the SparkContext of a session; None if it is elsewhere, as with Spark Connect."""
    try:
        return session.sparkContext
    except Exception:  # of which kind has changed between versions of Spark
        return None


def _is_over(session: Any) -> bool:
    """Whether a session was stopped, or its driver has ended."""
    try:
        context = session.sparkContext
    except Exception:  # it is elsewhere, and says itself when it is closed
        return False
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except Exception:  # nobody answers
        return True


def _shows_itself(context: Any) -> bool:
    """Whether Spark draws bars of its own, with which others would take turns."""
    if context is None:
        return False
    return str(context.getConf().get("spark.ui.showConsoleProgress", "false")) == "true"


def mapped(frame: Any, function: Callable[..., Any], schema: Any) -> Any:
    """Return the DataFrame that a function makes of the Arrow batches of each partition."""
    with _no_word_of_pandas():
        return frame.mapInArrow(function, schema)


def grouped(frame: Any, keys: Sequence[str], function: Callable[..., Any], schema: Any) -> Any:
    """Return the DataFrame that a function makes of the rows of each group."""
    with _no_word_of_pandas():
        return frame.groupBy(*keys).applyInArrow(function, schema)


def numbers_of(session: Any, splits: Sequence[Split]) -> tuple[Any, list[str]]:
    """Return a DataFrame with the number of a split in each partition, and the splits as JSON."""
    n_splits = len(splits)
    numbers = session.range(0, n_splits, 1, max(n_splits, 1))
    return numbers, [json.dumps(split.to_dict()) for split in splits]


@contextmanager
def kept(frame: Any) -> Iterator[Any]:
    """Keep what is computed of a DataFrame on the disks of workers, as long as it is needed."""
    from pyspark import StorageLevel

    frame = frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield frame
    finally:
        with suppress(Exception):  # Spark may be gone, and with it what it kept
            frame.unpersist()


@contextmanager
def _no_word_of_pandas() -> Iterator[None]:
    """Spark warns of new versions of pandas, which nothing here makes use of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        yield
