"""One Dask worker and two, on the same generated Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import dask.dataframe as dd

from benchmarks.generated_files import Wanted, read_once, text_bytes
from benchmarks.local_cluster import cluster
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock
from tallytext.distributed import Files, dask_tally
from tallytext.runtime import peak_memory

BYTES = 4_000_000_000
BLOCK = "128MiB"
AT_MOST = 2
ABOUT = f"""[Generated documents](scale.md#the-documents) in Parquet, from files to a tally in the
memory of the client. A worker is a process with one thread. Each run has a new cluster,
whose start is not timed; the files were read once before. *From a frame*:
`dask_tally(dd.read_parquet(..., blocksize="{BLOCK}"))`. *From files*: `dask_tally(Files(...))`.
Speedups are relative to one worker. Memory: peak of a worker process, including interpreter and
libraries. At most two rounds; all tallies are compared, and are equal."""
COLUMNS = ("", "time", "MB of text/s", "times as fast", "peak memory of a worker")


@dataclass(frozen=True)
class Run:
    """What a run took, and what came of it."""

    tally: Any
    seconds: float
    peak: int


def measure(wanted: Wanted, clock: Clock) -> Iterator[Table]:
    with wanted.files() as files:
        read_once(files)
        text = sum(map(text_bytes, files))
        runs = _runs(files, clock)
    whole = next(iter(runs.values())).tally
    title = f"{whole.n_documents:,} documents, {text / 1e6:,.0f} MB of text"
    rows = [_row(name, n, runs, text) for name, n in runs]
    yield Table(f"{title}, {wanted.n_bytes / 1e6:,.0f} MB of Parquet", COLUMNS, rows)


def _runs(files: list[Path], clock: Clock) -> dict[tuple[str, int], Run]:
    """Return the fastest run of each; they take turns."""
    best: dict[tuple[str, int], Run] = {}
    for turn in range(min(clock.rounds, AT_MOST)):
        for which in [(name, n_workers) for name in SOURCES for n_workers in (1, 2)]:
            clock.say(f"Dask {which[0]}, {which[1]} workers, round {turn + 1}")
            run = _run(SOURCES[which[0]](files), which[1])
            if best and run.tally != next(iter(best.values())).tally:
                raise AssertionError(f"the tally {which} differs from the others")
            best[which] = min(run, best.get(which, run), key=lambda each: each.seconds)
    return best


def _run(source: Any, n_workers: int) -> Run:
    with cluster(n_workers) as client:
        begin = perf_counter()
        tally = dask_tally(source, text="body", labels="topic", client=client, verbose=False)
        seconds = perf_counter() - begin
        return Run(tally, seconds, max(client.run(peak_memory).values()))


def _row(name: str, n_workers: int, runs: dict[tuple[str, int], Run], text: int) -> tuple[str, ...]:
    run, alone = runs[name, n_workers], runs[name, 1]
    workers = "1 worker" if n_workers == 1 else f"{n_workers} workers"
    return (
        f"{name}, {workers}",
        duration(run.seconds),
        figure(text / 1e6 / run.seconds),
        figure(alone.seconds / run.seconds),
        f"{run.peak / 2**30:.2f} GiB",
    )


SOURCES: dict[str, Callable[[list[Path]], Any]] = {
    "from a frame": lambda files: dd.read_parquet(list(map(str, files)), blocksize=BLOCK),
    "from files": Files,
}
