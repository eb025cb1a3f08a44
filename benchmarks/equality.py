"""Tallies of Dask and Spark beside that of one machine: equal, or not."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import sleep
from typing import Any

import numpy as np
import psutil
import pyarrow.parquet as pq

from benchmarks.tables import Table
from benchmarks.timing import Clock
from tallytext import Tally, TextClassifier
from tallytext.distributed import dask_tally, spark_tally
from tallytext.distributed.spark_session import start_session

FOLDER = True
CORPORA = ("20ng_bydate", "reuters21578", "debian_sections")
PARTITIONS = (1, 2, 7, 64)
ABOUT = """Is the tally of two workers bit-identical to that of
`Tally.from_texts` on one machine? Compared are occurrences, documents and the fractional planes of
all models of `auto`, with several labels per document in Reuters-21578. Texts are in Parquet files,
one for each partition. "Worker killed": while the partitions are counted, one worker process is
ended by SIGKILL, as if it ran out of memory; another worker repeats its work."""


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    rows = []
    with ExitStack() as stack:
        engines = [stack.enter_context(engine()) for engine in (_dask, _spark)]
        for corpus in CORPORA:
            table = pq.read_table(folder / f"{corpus}.parquet", columns=["text", "labels"])
            clock.say(f"{corpus}: one machine")
            planes = TextClassifier().planes()
            wanted = Tally.from_texts(table["text"], table["labels"], planes=planes)
            for n in PARTITIONS:
                told = _compared(table, n, wanted, engines, lambda what: clock.say(what))
                rows.append((f"{corpus}, {n} partition{'s' * (n != 1)}", *told))
    columns = ("", "Dask", "Dask, worker killed", "Spark", "Spark, worker killed")
    yield Table("Equal to the tally of one machine", columns, rows)


Engine = tuple[str, Callable[[Path, int, Any], Tally], Callable[[], list[int]]]


def _compared(
    table: Any, n: int, wanted: Tally, engines: list[Engine], say: Callable[[str], None]
) -> Iterator[str]:
    with TemporaryDirectory() as name:
        for at, (first, end) in enumerate(_bounds(table.num_rows, n)):
            pq.write_table(table.slice(first, end - first), Path(name) / f"part-{at:03}.parquet")
        for engine, count, workers in engines:
            for kill in (False, True):
                say(f"{n} partitions, {engine}{', a worker killed' * kill}")
                with _killing(workers if kill else None) as killed:
                    found = count(Path(name), n, wanted.planes)
                verdict = "equal" if found == wanted else "NOT EQUAL"
                yield verdict if killed.is_set() or not kill else f"{verdict}, none killed"


def _bounds(n_rows: int, n: int) -> list[tuple[int, int]]:
    ends = np.linspace(0, n_rows, n + 1).astype(int).tolist()
    return list(pairwise(ends))


@contextmanager
def _killing(workers: Callable[[], list[int]] | None) -> Iterator[Event]:
    """End one of the processes that count, as soon as one is at work."""
    killed, over = Event(), Event()

    def lie_in_wait() -> None:
        while workers is not None and not over.is_set() and not killed.is_set():
            for pid in workers()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.set()
            sleep(0.005)

    hunter = Thread(target=lie_in_wait)
    hunter.start()
    try:
        yield killed
    finally:
        over.set()
        hunter.join()


@contextmanager
def _dask() -> Iterator[Engine]:
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def count(folder: Path, n: int, planes: Any) -> Tally:
            frame = dd.read_parquet(folder, split_row_groups=False)
            assert frame.npartitions == n
            return dask_tally(frame, labels="labels", planes=planes, client=client)

        def at_work() -> list[int]:
            busy = {worker for worker, tasks in client.processing().items() if tasks}
            pids = {each.worker_address: each.pid for each in cluster.workers.values()}
            return [pid for address, pid in pids.items() if address in busy and pid]

        yield "Dask", count, at_work


@contextmanager
def _spark() -> Iterator[Engine]:
    session = start_session("local[2,4]")  # two at a time, and four attempts

    def count(folder: Path, n: int, planes: Any) -> Tally:
        frame = session.read.parquet(str(folder)).repartition(n)
        return spark_tally(frame, labels="labels", planes=planes, session=session)

    def at_work() -> list[int]:
        """Return the processes of Python that Spark has at work."""
        found = psutil.Process().children(recursive=True)
        return [each.pid for each in found if _counts(each)]

    try:
        yield "Spark", count, at_work
    finally:
        session.stop()


def _counts(process: Any) -> bool:
    """Whether a process is one that Spark has forked to run Python, and it is at work."""
    try:
        forked = "pyspark.daemon" in " ".join(process.cmdline()) and not process.children()
        running = process.status() == psutil.STATUS_RUNNING
        return running and forked and "pyspark.daemon" in " ".join(process.parent().cmdline())
    except (psutil.NoSuchProcess, AttributeError):
        return False
