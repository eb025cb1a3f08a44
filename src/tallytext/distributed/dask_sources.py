"""What Dask has documents in: the partitions of a DataFrame or Bag, or of files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tallytext.datasets.columns import Columns
from tallytext.distributed.dask_frames import with_integers
from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.files import Files
from tallytext.errors import InputError


@dataclass(frozen=True)
class Partitions:
    """Pieces of work.

    Attributes
    ----------
    kind : {"frame", "rows", "split"}
        What they are made of.
    names : list of str
        What they are called in messages.
    sources : list
        For each the key under which Dask makes it, or what says where to read it.
    graph : dict
        How Dask makes them.
    default_get : callable or None
        What computes graphs of this kind, where nothing else is asked for.
    """

    kind: str
    names: list[str]
    sources: list[Any]
    graph: dict[Any, Any] = field(default_factory=dict)
    default_get: Any = None

    def __len__(self) -> int:
        return len(self.sources)

    def named(self, leaves: list[Any]) -> dict[Any, str]:
        """Return the names of partitions by the keys of what makes them, and of what reads them."""
        return dict(zip(self.sources + leaves, self.names * 2, strict=True))


def partitions_of(source: Any, columns: Columns) -> Partitions:
    """Return the partitions of a Dask DataFrame or Bag, or of files.

    Raises
    ------
    InputError
        If it is something else.
    FileError
        If there is no such column.
    """
    if isinstance(source, Files):
        splits = source.splits()
        told = [json.dumps(split.to_dict()) for split in splits]
        return Partitions("split", [str(split) for split in splits], told)
    kind = kind_of(source)
    if kind is None:
        raise InputError(
            f"{type(source).__name__} cannot be counted with Dask: give a Dask DataFrame "
            "(dask.dataframe.from_pandas makes one), a Bag, or Files."
        )
    return _of_collection(kind, _of_frame(source, columns) if kind == "frame" else _listed(source))


def kind_of(source: Any) -> str | None:
    """Return "frame" for a Dask DataFrame, "rows" for a Bag, and None for all else."""
    if isinstance(source, dask_module("dask.dataframe").DataFrame):
        return "frame"
    if isinstance(source, dask_module("dask.bag").Bag):
        return "rows"
    return None


def _of_frame(source: Any, columns: Columns) -> Any:
    columns.find(list(source.columns), "the DataFrame")
    # All else is dropped first, so that no other column is read from files.
    source = source[list(dict.fromkeys(columns.names))]
    if columns.label is None or source._meta[columns.label].dtype.kind not in "iu":
        return source
    return source.map_partitions(with_integers, columns.label, meta=source._meta)


def _listed(source: Any) -> Any:
    """Return a Bag whose partitions can be read twice: iterators would be empty by then."""
    return source.map_partitions(list)


def _of_collection(kind: str, collection: Any) -> Partitions:
    delayed = collection.to_delayed()
    graph = dict(delayed[0].__dask_graph__()) if delayed else {}
    names = [f"partition {number}" for number in range(len(delayed))]
    keys = [each.key for each in delayed]
    return Partitions(kind, names, keys, graph, collection.__dask_scheduler__)
