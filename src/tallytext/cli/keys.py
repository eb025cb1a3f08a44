"""Keys that are pressed, or lines that are typed where there is no keyboard."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Self, TextIO

from tallytext.cli.terminal import (
    CLEAR,
    ENTER,
    ERASE,
    ESCAPE,
    TAB,
    EndOfKeys,
    Terminal,
    WindowsTerminal,
    terminal_of,
)

__all__ = ["EndOfKeys", "Keys"]


class Keys:
    """What somebody presses: single keys at a terminal, and whole lines from a pipe.

    As a context, the terminal gives its keys one by one.

    Parameters
    ----------
    stream : text stream, default=None
        Where from; None for standard input.

    Examples
    --------
    >>> from io import StringIO
    >>> keys = Keys(StringIO("1\\nspam\\n\\n"))
    >>> keys.pressed(), keys.pressed(), keys.pressed()
    ('1', 'spam', '')
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self._terminal: Terminal | WindowsTerminal | None = None
        if self._stream is not None and self._stream.isatty():
            self._terminal = terminal_of(self._stream)

    def __enter__(self) -> Self:
        if self._terminal is not None:
            self._terminal.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._terminal is not None:
            self._terminal.__exit__(*failure)

    @property
    def are_of_a_terminal(self) -> bool:
        """Whether somebody sits there."""
        return self._terminal is not None

    def discard(self) -> None:
        """Forget what somebody pressed too early; lines of a pipe are never too early."""
        if self._terminal is not None:
            self._terminal.discard()

    def pressed(self) -> str:
        """Return a key, or a line; the empty string for Enter.

        Raises
        ------
        EndOfKeys
            If there are no more: the pipe ended, or Ctrl-D was pressed.
        KeyboardInterrupt
            If Ctrl-C was pressed.
        """
        return self._line() if self._terminal is None else self._terminal.key()

    def typed(self, show: Callable[[str], None], known: Sequence[str] = ()) -> str | None:
        """Return a line; None if it was given up by Esc.

        Parameters
        ----------
        show : callable
            Shows what was typed so far.
        known : sequence of str
            What Tab completes to.
        """
        if self._terminal is None:
            return self._line()
        line = ""
        while True:
            show(line)
            key = self._terminal.key()
            if key == ESCAPE:
                return None
            if key == ENTER:
                return line.strip()
            line = edited(line, key, known)

    def _line(self) -> str:
        line = "" if self._stream is None else self._stream.readline()
        if not line:
            raise EndOfKeys
        return line.strip()


def edited(line: str, key: str, known: Sequence[str] = ()) -> str:
    """Return a line after a key: a character more, or one less, or none, or completed.

    Examples
    --------
    >>> edited("spa", "m"), edited("spam", "\\x7f"), edited("spam", "\\x15")
    ('spam', 'spa', '')
    >>> edited("sp", "\\t", ["ham", "spam"]), edited("sp", "\\x1b[A")
    ('spam', 'sp')
    """
    if key == ERASE:
        return line[:-1]
    if key == CLEAR:
        return ""
    if key == TAB:
        return next((each for each in known if each.startswith(line)), line)
    return line + key if len(key) == 1 and key.isprintable() else line
