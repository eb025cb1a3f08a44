"""Results of parts in files, so that a run can go on where it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.reproduction.paper import Paper, Part
from experiments.reproduction.record import plain


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
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(plain(vars(result)), indent=1) + "\n", encoding="utf-8")
        unfinished.replace(path)

    def get(self, paper: Paper, part: Part, quick: bool) -> Result | None:
        """Return what was found before, if by the same code and on the same documents."""
        path = self.path(paper, part)
        if not path.is_file():
            return None
        result = Result(**json.loads(path.read_text(encoding="utf-8")))
        return result if (result.source, result.quick) == (part.source, quick) else None


def gathered(results: dict[str, Result]) -> str:
    """Return results of a paper as one file, a line for each thing that was found."""
    parts = [f' "{name}": {{\n{_lines(result)}\n }}' for name, result in results.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(result: Result) -> str:
    values = {"seconds": round(result.seconds, 1), **result.found}
    lines = [f'  "{name}": {json.dumps(plain(value))}' for name, value in values.items()]
    return ",\n".join(lines)


def found_in(path: Path) -> dict[str, dict[str, Any]]:
    """Return what the parts of a paper found, from such a file."""
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found
