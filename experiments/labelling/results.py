"""What was measured, kept in a file as it comes, so that a run can go on where it ended."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from experiments.labelling.simulation import Run
from tallytext.io import save_text


class Results:
    """Runs, by corpus, order and seed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        self._runs = [Run(**values) for values in known]

    @property
    def corpora(self) -> list[str]:
        """The corpora, in the order in which they came."""
        return [*dict.fromkeys(run.corpus for run in self._runs)]

    def of(self, corpus: str, order: str) -> list[Run]:
        """Return the runs of an order on a corpus, by their seeds."""
        found = [run for run in self._runs if (run.corpus, run.order) == (corpus, order)]
        return sorted(found, key=lambda run: run.seed)

    def lacks(self, corpus: str, order: str, seed: int) -> bool:
        """Whether there is no such run."""
        return all(run.seed != seed for run in self.of(corpus, order))

    def add(self, run: Run) -> None:
        """Keep a run; on disk when this returns."""
        self._runs.append(run)
        lines = ",\n".join(json.dumps(asdict(each)) for each in self._runs)
        save_text(self._path, f"[\n{lines}\n]\n")
