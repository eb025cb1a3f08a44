"""Documents that are a line each, with their labels in it, as fastText has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import UNKNOWN, Columns, Report
from tallytext.datasets.text_lines import text_lines

MARK = "__label__"


def marked_rows(stream: BinaryIO, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
    """Yield the documents of a file under the numbers of their lines; blank lines are none."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if line.isspace() and not problem:
            continue
        labels, text = split_marks(line)
        if columns.label is not None and not labels:
            problem = problem or f"no word begins with {MARK}. {UNKNOWN}"
        if problem:
            report(f"line {number}", problem)
        else:
            yield number, text, _wanted(labels, columns), ()


def split_marks(line: str) -> tuple[list[str], str]:
    """Return the labels in a line, and its text without them.

    Examples
    --------
    >>> split_marks("__label__bread __label__oven Why does my  bread not rise?")
    (['bread', 'oven'], 'Why does my bread not rise?')
    """
    words = line.split()
    labels = [word.removeprefix(MARK) for word in words if word.startswith(MARK)]
    return labels, " ".join(word for word in words if not word.startswith(MARK))


def _wanted(labels: list[str], columns: Columns) -> Any:
    if columns.label is None:
        return None
    return labels[0] if len(labels) == 1 else labels
