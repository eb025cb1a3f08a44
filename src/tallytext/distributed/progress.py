"""Progress and memory use of remote workers, for the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from threading import Lock
from time import monotonic

from tallytext.runtime import progress_bar
from tallytext.terminal import write_line

SECONDS_BETWEEN_LINES = 5.0
"""Shortest time between two lines, if standard error is not a terminal that can show a bar."""


@dataclass(frozen=True)
class TaskReport:
    """Report of a task that counted or evaluated a partition, or merged results.

    Attributes
    ----------
    number : int
        Number of the partition; -1 for a merge.
    n_documents, text_bytes : int
        Number of documents, and bytes of text.
    n_terms : int
        Number of terms of the partition; 0 for a merge.
    n_bytes : int
        Size of the packed result.
    peak_memory : int
        Largest memory use of the process so far, in bytes.
    """

    number: int
    n_documents: int = 0
    text_bytes: int = 0
    n_terms: int = 0
    n_bytes: int = 0
    peak_memory: int = 0

    def to_list(self) -> list[int]:
        """Return the values as a list, as JSON can hold it."""
        return list(astuple(self))


class ProgressTracker:
    """Sum of the reports of all tasks; a partition that was counted twice is included once.

    Parameters
    ----------
    n_parts : int
        Number of partitions.
    activity : str, default="Counting"
        The activity, as the bar calls it.
    n_merges : int, default=0
        Number of merges to come.

    Examples
    --------
    >>> tracker = ProgressTracker(3, n_merges=2)
    >>> counted = {"n_documents": 1200, "text_bytes": 5 << 20, "n_terms": 31_000}
    >>> tracker.add(TaskReport(0, **counted, n_bytes=1 << 20))
    >>> tracker.add(TaskReport(-1, n_bytes=3 << 20, peak_memory=700 << 20))
    >>> print(*tracker.lines(), sep="\\n")
    1 of 3 partitions, 1,200 documents, 5.0 MiB
    largest partition: 31,000 terms, 1.0 MiB
    1 of 2 merges, results of up to 3.0 MiB
    peak memory of a worker: 700.0 MiB
    """

    def __init__(self, n_parts: int, activity: str = "Counting", n_merges: int = 0) -> None:
        self.n_parts, self.activity, self.n_merges = n_parts, activity, n_merges
        self.n_documents = self.text_bytes = self.peak_memory = 0
        self._finished: set[int] = set()
        self._largest = TaskReport(-1)
        self._n_merged = self._merged_bytes = 0
        # Reports arrive in threads of Dask.
        self._lock = Lock()

    @property
    def n_finished(self) -> int:
        """Number of partitions that are finished."""
        return len(self._finished)

    @property
    def n_steps(self) -> int:
        """Number of partitions and merges."""
        return self.n_parts + self.n_merges

    @property
    def n_done(self) -> int:
        """Number of finished partitions and merges; merges repeated after a loss count again."""
        return self.n_finished + min(self._n_merged, self.n_merges)

    def add(self, report: TaskReport) -> None:
        """Add the report of a task."""
        with self._lock:
            self.peak_memory = max(self.peak_memory, report.peak_memory)
            if report.number < 0:
                self._n_merged += 1
                self._merged_bytes = max(self._merged_bytes, report.n_bytes)
            # A cluster recomputes partitions whose results were lost with a worker.
            elif report.number not in self._finished:
                self._finished.add(report.number)
                self.n_documents += report.n_documents
                self.text_bytes += report.text_bytes
                self._largest = max(self._largest, report, key=lambda each: each.n_bytes)

    def lines(self) -> list[str]:
        """Return the state of the work in short lines."""
        n_bytes = f", {format_bytes(self.text_bytes)}" if self.text_bytes else ""
        partitions = f"{self.n_finished:,} of {self.n_parts:,} partitions"
        lines = [f"{partitions}, {self.n_documents:,} documents{n_bytes}"]
        if self._largest.n_bytes:
            terms = f"{self._largest.n_terms:,} terms"
            lines.append(f"largest partition: {terms}, {format_bytes(self._largest.n_bytes)}")
        if self._merged_bytes:
            merges = f"{min(self._n_merged, self.n_merges):,} of {self.n_merges:,} merges"
            lines.append(f"{merges}, results of up to {format_bytes(self._merged_bytes)}")
        if self.peak_memory:
            lines.append(f"peak memory of a worker: {format_bytes(self.peak_memory)}")
        return lines


@contextmanager
def show_progress(
    tracker: ProgressTracker, verbose: bool | None = None
) -> Iterator[Callable[[], None]]:
    """Show the progress of work on standard error.

    Parameters
    ----------
    tracker : ProgressTracker
    verbose : bool or None, default=None
        None: a bar, if standard error is a terminal and the work takes longer than a second or two.
        True: a bar at once, or lines from time to time if it is not a terminal. False: nothing.

    Yields
    ------
    callable
        Updates the display; to be called from time to time, by one thread.
    """
    if verbose and not sys.stderr.isatty():
        lines = LineProgress(tracker.activity)
        yield lambda: lines.show("; ".join(tracker.lines()))
        lines.show("; ".join(tracker.lines()))
        lines.write()
        return
    before = 0
    with progress_bar(tracker.activity, tracker.n_steps, verbose) as step:

        def show() -> None:
            nonlocal before
            now = tracker.n_done
            step(description="\n".join(tracker.lines()), steps=now - before)
            before = now

        yield show


class LineProgress:
    """Progress as lines on standard error: new ones only, and with some seconds in between.

    Parameters
    ----------
    activity : str
        Begins each line.
    """

    def __init__(self, activity: str) -> None:
        self._activity, self._line, self._written = activity, "", ""
        self._due = monotonic() + SECONDS_BETWEEN_LINES

    def show(self, line: str) -> None:
        """Set the state of the work, and write it if the last line is old enough."""
        self._line = line
        if monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write the state of the work at once, unless it is empty or was written already."""
        self._due = monotonic() + SECONDS_BETWEEN_LINES
        if self._line and self._line != self._written:
            self._written = self._line
            write_line(f"{self._activity}: {self._line}")


def format_bytes(n_bytes: int) -> str:
    """Return a number of bytes with a unit.

    Examples
    --------
    >>> format_bytes(700), format_bytes(5 << 30)
    ('700 bytes', '5.0 GiB')
    """
    # floor(log2(n)) // 10, without the rounding of a logarithm at exact powers.
    power = max(0, n_bytes.bit_length() - 1) // 10
    if not power:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1024**power:,.1f} {'KMGTP'[power - 1]}iB"
