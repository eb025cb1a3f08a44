"""What was measured, kept in a file as it comes, so that a run can go on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


class Task(NamedTuple):
    """One method on one draw."""

    corpus: str
    k: int
    seed: int
    method: str


@dataclass(frozen=True)
class Result:
    """What one method reached on one draw.

    Attributes
    ----------
    task : Task
    accuracy : float
    seconds : float
        What fitting took.
    notes : dict
        What the method tells of itself.
    """

    task: Task
    accuracy: float
    seconds: float
    notes: dict[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        values = {**self.task._asdict(), **asdict(self)}
        del values["task"]
        return json.dumps(values) + "\n"

    @classmethod
    def of_line(cls, line: str) -> Result:
        values = json.loads(line)
        task = Task(*(values.pop(name) for name in Task._fields))
        return cls(task, **values)


class Results:
    """Results by task, in memory and, a line of JSON each, in a file.

    A last line that was cut short, because the program was ended while it wrote, is dropped.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._by_task: dict[Task, Result] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        whole, end, cut = path.read_text(encoding="utf-8").rpartition("\n")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._keep(Result.of_line(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise SystemExit(f"{path}, line {number}, is no result: {line:.60}") from error
        if cut:
            path.write_text(whole + end, encoding="utf-8")

    def _keep(self, result: Result) -> None:
        self._by_task[result.task] = result

    def add(self, result: Result) -> None:
        """Keep a result, in the file first."""
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(result.line())
        self._keep(result)

    def __contains__(self, task: Task) -> bool:
        return task in self._by_task

    def __len__(self) -> int:
        return len(self._by_task)

    def some(self, tasks: Iterable[Task]) -> Results:
        """Return those of some tasks."""
        found = Results()
        found._by_task = {task: self._by_task[task] for task in tasks if task in self._by_task}
        return found

    def of(self, corpus: str, method: str) -> dict[int, dict[int, Result]]:
        """Return results of a method on a corpus, by k and seed."""
        found: dict[int, dict[int, Result]] = {}
        for task, result in sorted(self._by_task.items()):
            if (task.corpus, task.method) == (corpus, method):
                found.setdefault(task.k, {})[task.seed] = result
        return found

    def corpora(self) -> list[str]:
        """Return the corpora there are results of, as they came."""
        return [*dict.fromkeys(task.corpus for task in self._by_task)]
