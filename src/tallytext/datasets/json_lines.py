"""Documents in files of JSON objects, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import Columns, Report, UnreadableRow, offered
from tallytext.datasets.text_lines import text_lines

_decode = JSONDecoder().decode


def json_rows(stream: BinaryIO, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
    """Yield the objects of a file, each under the number of its line; blank lines are none."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if line.isspace() and not problem:
            continue
        try:
            row = _row(line, problem, columns)
        except UnreadableRow as reason:
            report(f"line {number}", str(reason))
        else:
            yield number, *row


def value_of(record: dict[str, Any], name: str) -> Any:
    """Return what stands under a key; dots lead into objects within.

    Examples
    --------
    >>> value_of({"mail": {"body": "See you at noon"}}, "mail.body")
    'See you at noon'
    """
    if name in record:
        return record[name]
    value: Any = record
    for key in name.split("."):
        if not isinstance(value, dict) or key not in value:
            raise UnreadableRow(f"no key {name!r}. {offered(name, list(record))}".rstrip("."))
        value = value[key]
    return value


def _row(line: str, problem: str, columns: Columns) -> tuple[str, Any, list[Any]]:
    if problem:
        raise UnreadableRow(problem)
    record = _object(line)
    text = value_of(record, columns.text)
    if not isinstance(text, str):
        raise UnreadableRow(f"{columns.text!r} is {text!r:.60}, not a string")
    wanted = columns.label
    label = None if wanted is None else columns.label_in(value_of(record, wanted))
    return text, label, [value_of(record, name) for name in columns.also]


def _object(line: str) -> dict[str, Any]:
    try:
        record = _decode(line)
    except JSONDecodeError as problem:
        reason = problem.msg.removesuffix(" at")
        raise UnreadableRow(f"not JSON: {reason}, column {problem.colno}") from None
    except (ValueError, RecursionError) as problem:
        raise UnreadableRow(f"not readable as JSON: {problem}") from None
    if not isinstance(record, dict):
        raise UnreadableRow(f"not an object, but {line.strip()!r:.60}")
    return record
