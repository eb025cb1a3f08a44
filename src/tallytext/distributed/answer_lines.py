"""Answers as lines of text, wherever they are written."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Protocol

_encode = json.JSONEncoder(ensure_ascii=False).encode


class Lines(Protocol):
    """How answers become lines."""

    @property
    def head(self) -> bytes:
        """What comes before all answers."""

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""


class JsonLines:
    """Answers as lines of JSON.

    Examples
    --------
    >>> JsonLines().of([{"row": 1, "label": "café"}]).decode()
    '{"row": 1, "label": "café"}\\n'
    """

    head = b""

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""
        return "".join(as_json(answer) + "\n" for answer in answers).encode()


class CsvLines:
    """Answers as CSV, several labels in one field with ; between them.

    Parameters
    ----------
    has_file : bool
        Whether each names its file.
    has_id : bool
        Whether each has an id.
    top : int
        How many of the likeliest labels each has.
    has_sets : bool
        Whether each has a set of labels.

    Examples
    --------
    >>> lines = CsvLines(has_file=False, has_id=False, top=0, has_sets=False)
    >>> lines.head, lines.of([{"row": 1, "label": ["sea", "sky"], "probability": [0.9, 0.8]}])
    (b'row,label,probability\\n', b'1,sea;sky,0.9;0.8\\n')
    """

    def __init__(self, *, has_file: bool, has_id: bool, top: int, has_sets: bool) -> None:
        self._top = top
        ranks = [f"{name}_{rank + 1}" for rank in range(top) for name in ("label", "probability")]
        files, ids, sets = ["file"] * has_file, ["id"] * has_id, ["set"] * has_sets
        self.head = _csv([[*files, "row", *ids, "label", "probability", *ranks, *sets]])

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""
        return _csv([self._fields(answer) for answer in answers])

    def _fields(self, answer: dict[str, Any]) -> list[Any]:
        plain = {name: value for name, value in answer.items() if name not in ("top", "set")}
        ranked = [value for each in answer.get("top", []) for value in each.values()]
        ranked += [""] * (2 * self._top - len(ranked))
        sets = [_field(answer["set"])] if "set" in answer else []
        return [*map(_field, plain.values()), *ranked, *sets]


def as_json(value: Any) -> str:
    """Return a value as one line of JSON, which can be written as UTF-8 in any case.

    Examples
    --------
    >>> as_json({"label": "café"}), as_json("\\ud800")
    ('{"label": "café"}', '"\\\\ud800"')
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _field(value: Any) -> Any:
    return ";".join(map(str, value)) if isinstance(value, list) else value


def _csv(rows: list[list[Any]]) -> bytes:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode("utf-8", "replace")
