"""The graph of tasks that counts partitions and merges parts, as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from uuid import uuid4

from tallytext.distributed.dask_sources import Partitions
from tallytext.distributed.dask_tasks import (
    Leaf,
    count,
    merge_shard,
    merge_whole,
    pick,
    unless_wrong,
)
from tallytext.distributed.job import Job

Key: TypeAlias = Any

_MOST_PIECES = 65_536


@dataclass(frozen=True)
class Tree:
    """Tasks, and the keys of the last: one for each shard.

    Attributes
    ----------
    tasks : dict
    ends : list
    names : dict
        What the tasks at the leaves, and those that make partitions, are called in messages.
    what : str
        What is done.
    n_merges : int
        How many tasks merge parts, and tell of it.
    """

    tasks: dict[Key, Any]
    ends: list[Key]
    names: dict[Key, str]
    what: str = "Counting"
    n_merges: int = 0


def tree_of(partitions: Partitions, job: Job, fan_in: int, tries: int, topic: str = "") -> Tree:
    """Return the tasks that count and merge.

    The first merges are of whole parts, which are small yet: so there are few tasks, and each part
    is sent once. Then they are cut, and all further merges, which are larger, are done shard by
    shard, by many at a time. Nothing but the ends is kept once it was merged.

    The job is a task, of which each worker gets a copy; so it is there as long as the scheduler is.

    Parameters
    ----------
    partitions : Partitions
    job : Job
    fan_in : int
        How many parts are merged at a time.
    tries : int
        How often a partition is tried before it has failed.
    topic : str, default=""
        By which workers of a cluster tell how far they are.
    """
    sizes = whole_levels(len(partitions), fan_in, job.n_shards)
    leaf = Leaf(partitions.kind, 1 if sizes else job.n_shards, tries, topic)
    growing = _Growing(partitions.graph, job, fan_in, leaf)
    level = leaves = growing.leaves(partitions)
    for left in reversed(range(len(sizes))):
        level = growing.merged_whole(level, 1 if left else job.n_shards)
    ends = [growing.merged_shard(level, shard) for shard in range(job.n_shards)]
    names = partitions.named(leaves)
    return Tree(growing.tasks, ends, names, n_merges=growing.n_merges)


def whole_levels(n_parts: int, fan_in: int, n_shards: int) -> list[int]:
    """Return how many parts are left after each round of merging whole ones.

    Whole parts must stay small, so that there are no more rounds of them than it takes for a number
    of tasks that a scheduler can bear.

    Examples
    --------
    >>> [whole_levels(n, 8, 32) for n in (8, 9, 64, 5_000, 100_000)]
    [[], [2], [8], [625], [12500, 1563]]
    """
    levels: list[int] = []
    while n_parts > fan_in and (not levels or n_parts * n_shards > _MOST_PIECES):
        n_parts = -(-n_parts // fan_in)
        levels.append(n_parts)
    return levels


class _Growing:
    """A graph to which tasks are added."""

    def __init__(self, graph: dict[Key, Any], job: Job, fan_in: int, leaf: Leaf) -> None:
        self._token, self._fan_in, self._leaf, self.n_merges = uuid4().hex, fan_in, leaf, 0
        self._job = f"tallytext-job-{self._token}"
        self.tasks = graph | {self._job: job.pack()}

    def leaves(self, partitions: Partitions) -> list[Key]:
        keys = [(f"tallytext-count-{self._token}", number) for number in range(len(partitions))]
        task = partial(count, self._leaf)
        given = zip(keys, partitions.names, partitions.sources, strict=True)
        for number, (key, name, source) in enumerate(given):
            self.tasks[key] = (task, self._job, number, name, source)
        return keys

    def merged_whole(self, level: list[Key], n_pieces: int) -> list[Key]:
        """Return the level above, the parts of which are in so many pieces."""
        task = partial(unless_wrong, merge_whole, self._leaf.topic, n_pieces)
        return [self._merge(task, group) for group in self._groups(level)]

    def merged_shard(self, level: list[Key], shard: int) -> Key:
        """Return the last of one shard."""
        picked = [(f"tallytext-pick-{self._token}", shard, at) for at in range(len(level))]
        self.tasks |= {one: (pick, key, shard) for one, key in zip(picked, level, strict=True)}
        task = partial(unless_wrong, merge_shard, self._leaf.topic)
        while len(picked) > 1:
            groups = self._groups(picked)
            picked = [each[0] if len(each) == 1 else self._merge(task, each) for each in groups]
        return picked[0]

    def _groups(self, level: list[Key]) -> list[list[Key]]:
        return [level[at : at + self._fan_in] for at in range(0, len(level), self._fan_in)]

    def _merge(self, task: Any, group: list[Key]) -> Key:
        self.n_merges += 1
        key = (f"tallytext-merge-{self._token}", self.n_merges)
        self.tasks[key] = (task, self._job, group)
        return key
