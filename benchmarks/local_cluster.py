"""A Dask cluster on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    """Start workers of one thread each, with the libraries in memory."""
    settings = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=n_workers, **settings) as workers, Client(workers) as client:
        client.run(_warm)
        yield client


def _warm() -> None:
    """Import what counting needs."""
    import dask.dataframe  # noqa: F401

    import tallytext.distributed.counting  # noqa: F401
