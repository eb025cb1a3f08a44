"""Answers on standard output, in whole lines."""

from __future__ import annotations

import csv
import io
import sys
from typing import Any

from tallytext.cli.console import as_json
from tallytext.cli.interrupts import held_back


class Writer:
    """Writes answers as lines of JSON.

    Attributes
    ----------
    n_written : int
        How many were written.
    """

    def __init__(self) -> None:
        self.n_written = 0

    def write(self, answers: list[dict[str, Any]]) -> None:
        """Write answers, all of them even if Ctrl-C is pressed meanwhile, and do not keep any."""
        self._put(self._lines(answers), len(answers))

    def _lines(self, answers: list[dict[str, Any]]) -> str:
        return "".join(as_json(answer) + "\n" for answer in answers)

    def _put(self, lines: str, n_answers: int) -> None:
        with held_back():
            sys.stdout.buffer.write(lines.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
            self.n_written += n_answers


class CsvWriter(Writer):
    """Writes answers as CSV, several labels in one field with ; between them.

    Parameters
    ----------
    has_id : bool
        Whether each has an id.
    top : int
        How many of the likeliest labels each has.
    has_sets : bool
        Whether each has a set of labels.
    """

    def __init__(self, has_id: bool, top: int, has_sets: bool) -> None:
        super().__init__()
        self._top = top
        ranks = [f"{name}_{rank + 1}" for rank in range(top) for name in ("label", "probability")]
        ids, sets = ["id"] * has_id, ["set"] * has_sets
        self._put(_csv([["row", *ids, "label", "probability", *ranks, *sets]]), 0)

    def _lines(self, answers: list[dict[str, Any]]) -> str:
        return _csv([self._fields(answer) for answer in answers])

    def _fields(self, answer: dict[str, Any]) -> list[Any]:
        ranked = [value for each in answer.pop("top", []) for value in each.values()]
        ranked += [""] * (2 * self._top - len(ranked))
        sets = [_field(answer.pop("set"))] if "set" in answer else []
        return [*map(_field, answer.values()), *ranked, *sets]


def _field(value: Any) -> Any:
    return ";".join(map(str, value)) if isinstance(value, list) else value


def _csv(rows: list[list[Any]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
