"""Keys of a terminal, one by one, through stops and changes of its size."""

from __future__ import annotations

import codecs
import os
import select
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Self, TextIO

ENTER, ESCAPE, TAB, ERASE, CLEAR, REDRAW = "", "\x1b", "\t", "\x7f", "\x15", "\x0c"
UP, DOWN = ("\x1b[A", "\x1b[5~"), ("\x1b[B", "\x1b[6~")

_END = "\x04"  # Ctrl-D
_LOOK_EVERY = 0.2  # seconds; for a change of size
_SEQUENCE_WITHIN = 0.05  # seconds; a terminal sends the rest of a key at once, a person does not


class EndOfKeys(Exception):
    """Nobody will press a key any more."""


class Terminal:
    """What is pressed at a terminal, without waiting for Enter and without showing it.

    As a context: the terminal is as it was before when it ends, also if the program is told to, and
    while it is stopped by Ctrl-Z. Ctrl-C is a signal as always.

    Parameters
    ----------
    stream : text stream
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._descriptor = stream.fileno()
        self._decoder = codecs.getincrementaldecoder(stream.encoding)("replace")
        self._was_stopped = False
        self._before: Any = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        import termios

        self._before = termios.tcgetattr(self._descriptor)
        self._listen()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTSTP, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self._leave)
        return self

    def __exit__(self, *failure: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._restore()

    def discard(self) -> None:
        """Forget what was pressed and not read."""
        import termios

        termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def key(self) -> str:
        """Wait for a key; ``REDRAW`` if the screen is not what it was, too.

        Keys that have no character are the sequences that terminals send for them.

        Raises
        ------
        EndOfKeys
            If Ctrl-D was pressed, or the terminal is gone.
        """
        size = shutil.get_terminal_size()
        while not self._is_ready(_LOOK_EVERY):
            if self._was_stopped or shutil.get_terminal_size() != size:
                self._was_stopped = False
                return REDRAW
        key = self._sequence() if (first := self._byte()) == b"\x1b" else self._character(first)
        if key == _END:
            raise EndOfKeys
        return {"\r": ENTER, "\n": ENTER, "\b": ERASE}.get(key, key)

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def _byte(self) -> bytes:
        try:
            byte = os.read(self._descriptor, 1)
        except OSError:
            raise EndOfKeys from None
        if not byte:
            raise EndOfKeys
        return byte

    def _character(self, first: bytes) -> str:
        found = self._decoder.decode(first)
        while not found:
            found = self._decoder.decode(self._byte())
        return found

    def _sequence(self) -> str:
        """Return what follows an escape at once: parameters, up to a letter or a tilde."""
        found = ESCAPE
        while self._is_ready(_SEQUENCE_WITHIN):
            found += self._byte().decode("latin-1")
            if len(found) > 2 and "@" <= found[-1] <= "~":
                break
            if len(found) == 2 and found[-1] not in "[O":
                break
        return found

    def _listen(self) -> None:
        import tty

        tty.setcbreak(self._descriptor)

    def _restore(self) -> None:
        import termios

        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _leave(self, number: int, _: Any) -> None:
        """Stop or end as the signal says, the terminal being as it was."""
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # Here again, by "fg": another program may have had the terminal meanwhile.
        signal.signal(number, self._leave)
        self._listen()
        self._was_stopped = True


class WindowsTerminal:
    """The same of a console of Windows, which has neither stops nor sequences."""

    def __init__(self, stream: TextIO) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def discard(self) -> None:
        """Forget what was pressed and not read."""
        msvcrt = import_module("msvcrt")
        while msvcrt.kbhit():
            msvcrt.getwch()

    def key(self) -> str:
        """Wait for a key."""
        msvcrt = import_module("msvcrt")
        key: str = msvcrt.getwch()
        if key in "\x00\xe0":
            return {"H": UP[0], "I": UP[1], "P": DOWN[0], "Q": DOWN[1]}.get(msvcrt.getwch(), ESCAPE)
        if key == "\x03":
            raise KeyboardInterrupt
        if key in (_END, "\x1a"):
            raise EndOfKeys
        return {"\r": ENTER, "\n": ENTER, "\b": ERASE}.get(key, key)


def terminal_of(stream: TextIO) -> Terminal | WindowsTerminal:
    """Return the keys of a terminal, as this system has them."""
    return WindowsTerminal(stream) if sys.platform == "win32" else Terminal(stream)


# ------------------------------------------------------------------------------------------------
# Keys that are pressed, or lines that are typed where there is no keyboard.


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
