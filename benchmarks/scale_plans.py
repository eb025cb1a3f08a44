"""What the laws say of jobs that nobody has run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log10

from benchmarks.scale_job import FAN_IN
from benchmarks.scale_model import Costs, Job, Model
from benchmarks.scale_units import number, power, rounded, size, span
from benchmarks.tables import Table
from tallytext.distributed.dask_tasks import whole_merge_levels

DOCUMENTS_IN_PART = 200_000
CORES, GBIT = 16, 10
SHARDS, MERGE_MEMORY = (32, 64, 128, 256), 8e9
SIZE = "documents", "classes", "`max_terms`"
PLANS = [
    (n_documents, n_classes, max_terms, n_machines)
    for n_documents, n_machines in ((10**9, 4), (10**11, 100))
    for n_classes in (20, 10**5)
    for max_terms in (None, 10**6)
]


@dataclass(frozen=True)
class Plan:
    """A job, what it takes if whole parts are merged first, and if they are cut from the start.

    Classes are the bytes of what is sent then that list classes.
    """

    job: Job
    n_machines: int
    costs: Costs
    cut: Costs
    cut_classes: float

    @classmethod
    def of(
        cls, model: Model, n_documents: int, n_classes: int, max_terms: int | None, n_machines: int
    ) -> Plan:
        """Take the fewest shards with which no merge is large, or those where it is smallest."""
        n_parts = n_documents // DOCUMENTS_IN_PART
        jobs = [
            Job(n_documents, n_parts, n_classes, n_shards, max_terms, _n_whole(n_parts, n_shards))
            for n_shards in SHARDS
        ]
        costs = [model.costs(job) for job in jobs]
        takes = [max(each.merge_memory, MERGE_MEMORY) for each in costs]
        best = takes.index(min(takes))
        job, cut = jobs[best], replace(jobs[best], n_whole=0)
        return cls(job, n_machines, costs[best], model.costs(cut), model.class_bytes(cut))

    @property
    def seconds(self) -> float:
        """From the beginning to the end."""
        shared = self.costs.count_seconds + self.costs.merge_seconds
        network = self.costs.sent_bytes / (self.n_machines * GBIT * 1e9 / 8)
        return shared / (self.n_machines * CORES) + network + self.last_seconds

    @property
    def last_seconds(self) -> float:
        """Of the client, and of merges near the root, which are fewer than there are cores."""
        return self.costs.longest_merges + self.costs.gather_seconds

    @property
    def size(self) -> tuple[str, str, str]:
        """What the job is, in words."""
        job = self.job
        few = job.n_classes < 1_000
        return (
            _tens(job.n_documents),
            f"{job.n_classes}" if few else _tens(job.n_classes),
            "exact" if job.max_terms is None else _tens(job.max_terms),
        )


def tables(model: Model) -> Iterator[Table]:
    """Yield what jobs take: time and network, then memory."""
    plans = [Plan.of(model, *plan) for plan in PLANS]
    work = "text", "machines", "counting, core hours", "merging, core hours", "hours"
    sent = "sent", "… if all is cut", "… lists of classes"
    yield Table("plans", (*SIZE, *work, *sent), [_plan(plan) for plan in plans])
    held = "terms", "cells", "shards", "largest merge", "… if all is cut", "client"
    yield Table("memory", (*SIZE, *held, "client and longest merges"), [*map(_memory, plans)])


def _plan(plan: Plan) -> tuple[str, ...]:
    costs = plan.costs
    hours = costs.count_seconds / 3600, costs.merge_seconds / 3600, plan.seconds / 3600
    return (
        *plan.size,
        size(costs.text_bytes),
        f"{plan.n_machines}",
        *map(number, hours),
        size(costs.sent_bytes),
        size(plan.cut.sent_bytes),
        size(plan.cut_classes),
    )


def _memory(plan: Plan) -> tuple[str, ...]:
    costs = plan.costs
    return (
        *plan.size,
        rounded(costs.n_terms),
        rounded(costs.n_cells),
        f"{plan.job.n_shards}",
        size(costs.merge_memory),
        size(plan.cut.merge_memory),
        size(costs.client_memory),
        span(plan.last_seconds),
    )


def _n_whole(n_parts: int, n_shards: int) -> int:
    return len(whole_merge_levels(n_parts, FAN_IN, n_shards))


def _tens(n: int) -> str:
    return power(round(log10(n)))
