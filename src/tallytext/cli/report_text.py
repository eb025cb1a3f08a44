"""The report of a classifier, for those who write commands."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from tallytext.cli.console import results

if TYPE_CHECKING:
    from tallytext.classifier.report import Report

# What a report advises in Python, and the commands that do it.
_COMMANDS = {
    "give fit groups= or time=": "see tally compare --groups",
    "call recalibrate(texts, labels)": "see tally recalibrate",
}

_INDENT = " " * 15


def print_report(report: Report) -> None:
    """Write a report to standard output; a terminal gets no line that is wider than it is."""
    console = results()
    width = console.width if console.is_terminal else None
    for line in in_commands(str(report)).splitlines():
        console.print(line if width is None else fitted(line, width), soft_wrap=True)


def fitted(line: str, width: int) -> str:
    """Return a line of a report that fits: sentences are wrapped, settings are cut.

    Examples
    --------
    >>> print(fitted("  expected     84.1% accuracy, on 4,096 documents", 40))
      expected     84.1% accuracy, on 4,096
                   documents
    >>> fitted("     84.1% of 4,096  contrast      MultinomialNB(complement=True)", 50)
    '     84.1% of 4,096  contrast      MultinomialNB(…'
    """
    if len(line) <= width:
        return line
    if line.startswith("    ") and not line.startswith(_INDENT):
        return f"{line[: width - 1]}…"
    return fill(line, width, subsequent_indent=_INDENT, break_on_hyphens=False)


def in_commands(report: str) -> str:
    """Return a report that speaks of commands where it spoke of Python.

    Examples
    --------
    >>> in_commands("stale: call recalibrate(texts, labels)")
    'stale: see tally recalibrate'
    """
    for python, command in _COMMANDS.items():
        report = report.replace(python, command)
    return report
