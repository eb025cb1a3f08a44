"""Sessions of Spark, and functions of files that are run in them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from tempfile import TemporaryFile
from typing import Any

import pyarrow as pa

from tallytext.distributed.files import Split
from tallytext.distributed.spark_failures import failures_told
from tallytext.distributed.spark_masters import begun, expect_master
from tallytext.distributed.spark_tasks import numbers_in
from tallytext.distributed.spark_work import context_of, mapped, numbers_of, running
from tallytext.errors import EngineError

_RESULTS = "number long, result binary"
_QUIET: dict[str, Any] = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}


def needed_spark() -> None:
    """See that Spark is there.

    Raises
    ------
    EngineError
        If it is not installed.
    """
    try:
        import pyspark  # noqa: F401, I001 - what is most likely missing first
        import pandas  # noqa: F401 - without it, Spark sends no Arrow batch to Python
    except ImportError as problem:
        raise EngineError(
            f"this needs Spark, but there is no {problem.name}: install it with "
            "pip install 'tallytext[spark]' (in a clone of the sources, '.[spark]'). Spark runs on "
            "Java."
        ) from None


def chosen_session(session: Any = None) -> Any:
    """Return a session that is alive: the one given, or the active one.

    Raises
    ------
    EngineError
        If there is none.
    """
    needed_spark()
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() if session is None else session
    if found is None:
        raise EngineError(
            "there is no Spark session: make one with SparkSession.builder.getOrCreate(), "
            "or give one as session=."
        )
    context = context_of(found)
    if context is not None and context._jsc is None:
        raise EngineError("the Spark session was stopped: make a new one, and read the data again.")
    return found


def n_shuffled(session: Any) -> int:
    """Return into how many partitions Spark shuffles, as the session is configured."""
    return int(session.conf.get("spark.sql.shuffle.partitions", "200"))


def spark_session(master: str | None = None) -> Any:
    """Make a session that says no more than it must.

    Parameters
    ----------
    master : str, default=None
        Such as ``"local[4]"``, ``"spark://host:7077"``, ``"yarn"``, or ``"sc://host"`` for Spark
        Connect; None for what Spark is configured for, which is this machine by default.

    Raises
    ------
    EngineError
        If Spark or Java is missing, or there is nobody at the address.
    """
    needed_spark()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("tallytext")
    if master is not None:
        is_remote = master.startswith("sc://")
        builder = builder.remote(master) if is_remote else builder.master(master)
    expect_master(master)
    if (master or "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config(map=_QUIET)
    with begun(master), _silent():
        return builder.getOrCreate()


def mapped_splits(
    function: Callable[[Split, bytes], bytes],
    splits: Sequence[Split],
    shared: bytes,
    *,
    session: Any = None,
    verbose: bool | None = None,
) -> Iterator[bytes]:
    """Yield what a function makes of each split, in order.

    All of the work is done first, by all at once, and kept on their disks. So the first result
    comes late, but here there is one in memory at a time.

    Parameters
    ----------
    function : callable
        Of a module that workers can import.
    splits : sequence of Split
    shared : bytes
        Its second argument.
    session : pyspark.sql.SparkSession, default=None
        None for the active one.
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    session = chosen_session(session)
    if not splits:
        return
    with running(session, verbose) as work:
        numbers, spelt = numbers_of(session, splits)
        results = mapped(numbers, _on_splits(function, spelt, shared), _RESULTS)
        with closing(work.rows("working", results)) as rows:
            for row in rows:
                yield bytes(row.result)


def _on_splits(
    function: Callable[[Split, bytes], bytes], splits: Sequence[str], shared: bytes
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            split = Split(**json.loads(splits[number]))
            with failures_told(str(split)):
                result = function(split, shared)
            columns = [pa.array([number]), pa.array([result], pa.binary())]
            yield pa.record_batch(columns, ["number", "result"])

    return run


@contextmanager
def _silent() -> Iterator[None]:
    """Let a new Java process write to nowhere: it keeps what is standard error when it begins."""
    sys.stderr.flush()
    with TemporaryFile() as nowhere:
        before = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
