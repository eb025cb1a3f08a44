"""How far those are who count apart, and how much memory it takes them, for whoever looks on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from threading import Lock
from time import monotonic

from tallytext.runtime import progress_bar

LINES_APART = 5.0
"""Seconds between two lines where there is no terminal to draw a bar on."""


@dataclass(frozen=True)
class Note:
    """What is told when a partition was counted, or some were merged.

    Attributes
    ----------
    number : int
        Of the partition; -1 for a merge.
    n_documents, text_bytes : int
        How many documents were counted, and how much text.
    n_terms : int
        How many terms the partition has; 0 for a merge.
    n_bytes : int
        How large the result is, as it travels.
    peak_memory : int
        The most that the process has had in memory, in bytes.
    """

    number: int
    n_documents: int = 0
    text_bytes: int = 0
    n_terms: int = 0
    n_bytes: int = 0
    peak_memory: int = 0

    def to_list(self) -> list[int]:
        """Return plain values, as JSON has them."""
        return list(astuple(self))


class Watch:
    """The sum of all notes. A partition that was counted twice is there once.

    Parameters
    ----------
    n_parts : int
        How many partitions there are.
    what : str, default="Counting"
        What is done to them.
    n_merges : int, default=0
        How often parts will be merged.

    Examples
    --------
    >>> watch = Watch(3, n_merges=2)
    >>> watch.told(Note(0, n_documents=1200, text_bytes=5 << 20, n_terms=31_000, n_bytes=1 << 20))
    >>> watch.told(Note(-1, n_bytes=3 << 20, peak_memory=700 << 20))
    >>> print(*watch.lines(), sep="\\n")
    1 of 3 partitions, 1,200 documents, 5.0 MiB
    largest part 31,000 terms in 1.0 MiB
    1 of 2 merges, to 3.0 MiB
    a worker takes up to 700.0 MiB
    """

    def __init__(self, n_parts: int, what: str = "Counting", n_merges: int = 0) -> None:
        self.n_parts, self.what, self.n_merges = n_parts, what, n_merges
        self.n_documents = self.text_bytes = self.peak_memory = 0
        self._counted: set[int] = set()
        self._largest = Note(-1)
        self._n_merged = self._merged_bytes = 0
        self._lock = Lock()

    @property
    def n_counted(self) -> int:
        """How many partitions were counted."""
        return len(self._counted)

    @property
    def n_steps(self) -> int:
        """How many steps there are: partitions and merges."""
        return self.n_parts + self.n_merges

    @property
    def n_done(self) -> int:
        """How many steps are done. What was merged twice, since a worker was lost, counts twice."""
        return self.n_counted + min(self._n_merged, self.n_merges)

    def told(self, note: Note) -> None:
        """Take note."""
        with self._lock:
            self.peak_memory = max(self.peak_memory, note.peak_memory)
            if note.number < 0:
                self._n_merged += 1
                self._merged_bytes = max(self._merged_bytes, note.n_bytes)
            elif note.number not in self._counted:
                self._counted.add(note.number)
                self.n_documents += note.n_documents
                self.text_bytes += note.text_bytes
                self._largest = max(self._largest, note, key=lambda each: each.n_bytes)

    def lines(self) -> list[str]:
        """Return what is known, in short lines."""
        read = f", {size(self.text_bytes)}" if self.text_bytes else ""
        counted = f"{self.n_counted:,} of {self.n_parts:,} partitions"
        told = [f"{counted}, {self.n_documents:,} documents{read}"]
        if self._largest.n_bytes:
            terms = f"{self._largest.n_terms:,} terms"
            told.append(f"largest part {terms} in {size(self._largest.n_bytes)}")
        if self._merged_bytes:
            merges = f"{min(self._n_merged, self.n_merges):,} of {self.n_merges:,} merges"
            told.append(f"{merges}, to {size(self._merged_bytes)}")
        if self.peak_memory:
            told.append(f"a worker takes up to {size(self.peak_memory)}")
        return told


@contextmanager
def shown(watch: Watch, verbose: bool | None = None) -> Iterator[Callable[[], None]]:
    """Show how far the work is, on standard error.

    Parameters
    ----------
    watch : Watch
        Who knows.
    verbose : bool or None, default=None
        None: a bar, if standard error is a terminal and the work takes longer than a second or two.
        True: a bar at once, or lines now and then where there is no terminal. False: nothing.

    Yields
    ------
    callable
        To be called now and then, by one thread: it shows what is known by then.
    """
    if verbose and not sys.stderr.isatty():
        lines = Lines(watch.what)
        yield lambda: lines.show("; ".join(watch.lines()))
        lines.show("; ".join(watch.lines()))
        lines.write()
        return
    before = 0
    with progress_bar(watch.what, watch.n_steps, verbose) as step:

        def show() -> None:
            nonlocal before
            now = watch.n_done
            step(what="\n".join(watch.lines()), steps=now - before)
            before = now

        yield show


class Lines:
    """Writes a line if the last is some seconds old, and it says something new.

    Parameters
    ----------
    what : str
        What is going on.
    """

    def __init__(self, what: str) -> None:
        self._what, self._line, self._written = what, "", ""
        self._due = monotonic() + LINES_APART

    def show(self, line: str) -> None:
        """Take what is known by now; an empty line if it is nothing."""
        self._line = line
        if monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write what is known, as at the end."""
        self._due = monotonic() + LINES_APART
        if self._line and self._line != self._written:
            self._written = self._line
            print(f"{self._what}: {self._line}", file=sys.stderr, flush=True)


def size(n_bytes: int) -> str:
    """Return a number of bytes in words.

    Examples
    --------
    >>> size(700), size(5 << 30)
    ('700 bytes', '5.0 GiB')
    """
    power = max(0, n_bytes.bit_length() - 1) // 10
    if not power:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1024**power:,.1f} {'KMGTP'[power - 1]}iB"
