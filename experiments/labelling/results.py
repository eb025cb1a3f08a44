"""What was measured, kept in a file as it comes, so that a run can go on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from experiments.labelling.simulation import Run
from tallytext.storage import save_text


class Results:
    """Runs, by order and seed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        self._runs = [Run(**values) for values in known]

    def __contains__(self, run: tuple[str, int, int]) -> bool:
        """Return whether an order was run with a seed, for so many answers or more."""
        order, seed, n = run
        return any(len(each.accuracies) >= n for each in self.of(order) if each.seed == seed)

    def of(self, order: str) -> Iterator[Run]:
        """Yield the runs of an order."""
        return (each for each in self._runs if each.order == order)

    def add(self, run: Run) -> None:
        """Keep a run; on disk when this returns."""
        same = (run.order, run.seed)
        self._runs = [each for each in self._runs if (each.order, each.seed) != same] + [run]
        lines = ",\n".join(json.dumps(asdict(each)) for each in self._runs)
        save_text(self._path, f"[\n{lines}\n]\n")
