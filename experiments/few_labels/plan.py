"""What to measure, and measuring it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.few_labels.corpora import read
from experiments.few_labels.methods import RECIPE, Prepared, measured
from experiments.few_labels.results import Results, Task
from tallytext.runtime import progress_bar

#: Settings were chosen on the samples of smaller seeds.
FIRST_SEED = 10


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    corpora: Sequence[str]
    k_values: Sequence[int]
    n_seeds: int
    methods: Sequence[str]

    def tasks(self, corpus: str) -> list[Task]:
        """Return the tasks of a corpus: all methods on one draw, then the next."""
        tasks = [
            Task(corpus, k, seed, method)
            for seed in range(FIRST_SEED, FIRST_SEED + self.n_seeds)
            for k in self.k_values
            for method in self.methods
        ]
        # Names alone have no sample of labels to repeat.
        return [*tasks, *[Task(corpus, 0, FIRST_SEED, RECIPE)] * (RECIPE in self.methods)]

    def all_tasks(self) -> list[Task]:
        return [task for corpus in self.corpora for task in self.tasks(corpus)]


def run(plan: Plan, results: Results, folder: Path | None) -> None:
    """Measure what there is no result of, corpus by corpus."""
    missing = [task for task in plan.all_tasks() if task not in results]
    with progress_bar("Judging", len(missing)) as step:
        for corpus in dict.fromkeys(task.corpus for task in missing):
            prepared = Prepared(read(corpus, folder))
            print(prepared, file=sys.stderr, flush=True)
            for task in missing:
                if task.corpus == corpus:
                    results.add(measured(prepared, task))
                    step()
