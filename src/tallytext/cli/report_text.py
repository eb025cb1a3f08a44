"""The report of a classifier, for those who write commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallytext.cli.console import results

if TYPE_CHECKING:
    from tallytext.classifier.report import Report

# What a report advises in Python, and the commands that do it.
_COMMANDS = {
    "give fit groups= or time=": "see tally compare --groups",
    "call recalibrate(texts, labels)": "see tally recalibrate",
}


def print_report(report: Report) -> None:
    """Write a report to standard output; a terminal gets no line that is wider than it is."""
    console = results()
    cut = console.is_terminal
    for line in in_commands(str(report)).splitlines():
        console.print(line, soft_wrap=not cut, no_wrap=cut, overflow="ellipsis" if cut else None)


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
