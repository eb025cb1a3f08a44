"""Answers on standard output, in whole lines."""

from __future__ import annotations

import sys

from tallytext.cli.interrupts import held_back


class Writer:
    """Writes lines, all of them even if Ctrl-C is pressed meanwhile, and does not keep any.

    Attributes
    ----------
    n_written : int
        How many answers were written.
    """

    def __init__(self) -> None:
        self.n_written = 0

    def write(self, lines: bytes, n_answers: int = 0) -> None:
        """Write lines that hold so many answers."""
        with held_back():
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
            self.n_written += n_answers
