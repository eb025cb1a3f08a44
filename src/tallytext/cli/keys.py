"""Keys that are pressed, or lines that are typed where there is no keyboard."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

_CTRL_C, _CTRL_D, _ENTER = "\x03", "\x04", "\r\n"


class EndOfKeys(Exception):
    """Nobody will press a key any more."""


class Keys:
    """What somebody presses: single keys at a terminal, and whole lines from a pipe.

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

    def pressed(self) -> str:
        """Return a key, or a line; the empty string for Enter.

        Raises
        ------
        EndOfKeys
            If there are no more: the pipe ended, or Ctrl-D was pressed.
        KeyboardInterrupt
            If Ctrl-C was pressed.
        """
        return self._key() if self._stream.isatty() else self.line()

    def line(self) -> str:
        """Return a line without what surrounds it."""
        line = self._stream.readline()
        if not line:
            raise EndOfKeys
        return line.strip()

    def _key(self) -> str:
        with _one_by_one(self._stream) as read:
            key: str = read()
        if key == _CTRL_C:
            raise KeyboardInterrupt
        if key in ("", _CTRL_D):
            raise EndOfKeys
        return "" if key in _ENTER else key


@contextmanager
def _one_by_one(stream: TextIO) -> Iterator[Any]:
    """Yield what reads one key without waiting for Enter."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        import msvcrt

        yield msvcrt.getwch  # type: ignore[attr-defined]
        return
    descriptor = stream.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield lambda: stream.read(1)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
