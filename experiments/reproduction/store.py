"""Results of parts in files, so that a run can go on where it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.reproduction.paper import Paper, Part
from experiments.reproduction.record import plain
from tallytext.io import save_text


@dataclass(frozen=True)
class Result:
    """What a part found, and how long it took."""

    found: dict[str, Any]
    seconds: float
    source: str
    quick: bool


class Store:
    """A folder with a file of JSON for each part of a paper."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, paper: Paper, part: Part) -> Path:
        return self.folder / paper.name / f"{part.name}.json"

    def put(self, paper: Paper, part: Part, result: Result) -> None:
        path = self.path(paper, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        save_text(path, json.dumps(plain(vars(result)), indent=1) + "\n")

    def get(self, paper: Paper, part: Part, quick: bool) -> Result | None:
        """Return what was found before, if by the same code and on the same documents."""
        try:
            result = Result(**json.loads(self.path(paper, part).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None  # there is none, or what is there is damaged: it is measured again
        return result if (result.source, result.quick) == (part.source, quick) else None


Results = Mapping[str, Result]


def gathered(results: Results) -> str:
    """Return results of a paper as one file, a line for each thing that was found."""
    parts = [f' "{name}": {{\n{_lines(result)}\n }}' for name, result in results.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def results_in(path: Path) -> dict[str, Result]:
    """Return what the parts of a paper found, and more, from such a file."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {name: Result(**values) for name, values in stored.items()}


def found_in(path: Path) -> dict[str, dict[str, Any]]:
    """Return what the parts of a paper found, from such a file."""
    return found_of(results_in(path))


def found_of(results: Results) -> dict[str, dict[str, Any]]:
    """Return what parts found, and nothing else."""
    return {name: result.found for name, result in results.items()}


def _lines(result: Result) -> str:
    found = [f'   "{name}": {json.dumps(plain(each))}' for name, each in result.found.items()]
    rest = {"seconds": round(result.seconds, 1), "source": result.source, "quick": result.quick}
    lines = [f'  "{name}": {json.dumps(value)}' for name, value in rest.items()]
    inside = ",\n".join(found)
    return ",\n".join([*lines, f'  "found": {{\n{inside}\n  }}'])
