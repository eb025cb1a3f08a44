"""Reading single keys from a terminal, or lines from a pipe."""

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

# Most terminals send DEL (7f) for Backspace; \x15 is Ctrl-U and \x0c is Ctrl-L, as in a shell.
ENTER, ESCAPE, TAB, ERASE, CLEAR, REDRAW = "", "\x1b", "\t", "\x7f", "\x15", "\x0c"
# Arrow keys, and the keys Page Up and Page Down.
UP, DOWN = ("\x1b[A", "\x1b[5~"), ("\x1b[B", "\x1b[6~")

_END = "\x04"  # Ctrl-D
_POLL_SECONDS = 0.2  # between two checks of the terminal size
# A terminal sends an escape sequence at once; a person who presses Esc types nothing so fast.
_SEQUENCE_TIMEOUT_SECONDS = 0.05


class EndOfKeys(Exception):
    """The terminal was closed, the pipe ended, or Ctrl-D was pressed."""


class Terminal:
    """Keys of a terminal, read without waiting for Enter and without echo.

    Use it as a context manager: it restores the mode of the terminal at the end, on SIGTERM, and
    while the program is stopped by Ctrl-Z. Ctrl-C stays a signal.

    Parameters
    ----------
    stream : text stream
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._descriptor = stream.fileno()
        # Bytes are read one by one, so a character of several bytes arrives in parts.
        self._decoder = codecs.getincrementaldecoder(stream.encoding)("replace")
        self._was_stopped = False
        self._before: Any = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        import termios

        # Saved before cbreak mode is set: a crash of the program must not leave a shell without
        # echo.
        self._before = termios.tcgetattr(self._descriptor)
        self._set_cbreak()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTSTP, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self._leave)
        return self

    def __exit__(self, *failure: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._restore()

    def discard(self) -> None:
        """Discard keys that were pressed and not read."""
        import termios

        termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def key(self) -> str:
        """Wait for a key; return ``REDRAW`` if the screen was resized or another program used it.

        Keys without a character are returned as their escape sequences.

        Raises
        ------
        EndOfKeys
            If Ctrl-D was pressed, or the terminal was closed.
        """
        # Polled, because only the main thread could install a handler for SIGWINCH.
        size = shutil.get_terminal_size()
        while not self._is_ready(_POLL_SECONDS):
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
            # Not stream.read(): its buffer would hold bytes back that select() cannot see.
            byte = os.read(self._descriptor, 1)
        # A terminal that was closed gives EIO rather than the end of the file.
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
        """Read the escape sequence of a key, up to a letter or a tilde."""
        found = ESCAPE
        while self._is_ready(_SEQUENCE_TIMEOUT_SECONDS):
            found += self._byte().decode("latin-1")
            # ECMA-48: a control sequence ends with a byte from 0x40 to 0x7e.
            if len(found) > 2 and "@" <= found[-1] <= "~":
                break
            # Alt and a key: two bytes in all. "[" and "O" begin longer sequences.
            if len(found) == 2 and found[-1] not in "[O":
                break
        return found

    def _set_cbreak(self) -> None:
        import tty

        tty.setcbreak(self._descriptor)

    def _restore(self) -> None:
        import termios

        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _leave(self, number: int, _: Any) -> None:
        """Restore the terminal, and then let the signal stop or end the program."""
        self._restore()
        # The default action, sent to the process itself, gives the shell the true exit status.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # The program continues after "fg"; another program may have used the terminal meanwhile.
        signal.signal(number, self._leave)
        self._set_cbreak()
        self._was_stopped = True


class WindowsTerminal:
    """Keys of a Windows console, which has neither stop signals nor escape sequences."""

    def __init__(self, stream: TextIO) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def discard(self) -> None:
        """Discard keys that were pressed and not read."""
        msvcrt = import_module("msvcrt")
        while msvcrt.kbhit():
            msvcrt.getwch()

    def key(self) -> str:
        """Wait for a key."""
        msvcrt = import_module("msvcrt")
        key: str = msvcrt.getwch()
        # The console sends a prefix and then a scan code for keys without a character.
        if key in "\x00\xe0":
            return {"H": UP[0], "I": UP[1], "P": DOWN[0], "Q": DOWN[1]}.get(msvcrt.getwch(), ESCAPE)
        # getwch() returns Ctrl-C as a character instead of raising KeyboardInterrupt.
        if key == "\x03":
            raise KeyboardInterrupt
        # Ctrl-Z ends input on Windows, as Ctrl-D does elsewhere.
        if key in (_END, "\x1a"):
            raise EndOfKeys
        return {"\r": ENTER, "\n": ENTER, "\b": ERASE}.get(key, key)


def open_terminal(stream: TextIO) -> Terminal | WindowsTerminal:
    """Return the reader of keys for this operating system."""
    return WindowsTerminal(stream) if sys.platform == "win32" else Terminal(stream)


class Keys:
    """Single keys from a terminal, or whole lines from a pipe.

    Use it as a context manager, so that a terminal sends its keys one by one.

    Parameters
    ----------
    stream : text stream, default=None
        Stream to read; None for standard input.

    Examples
    --------
    >>> from io import StringIO
    >>> keys = Keys(StringIO("1\\nspam\\n\\n"))
    >>> keys.read_key(), keys.read_key(), keys.read_key()
    ('1', 'spam', '')
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self._terminal: Terminal | WindowsTerminal | None = None
        # sys.stdin is None in a program without a console, such as pythonw.
        if self._stream is not None and self._stream.isatty():
            self._terminal = open_terminal(self._stream)

    def __enter__(self) -> Self:
        if self._terminal is not None:
            self._terminal.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._terminal is not None:
            self._terminal.__exit__(*failure)

    @property
    def from_terminal(self) -> bool:
        """True if the keys come from a terminal."""
        return self._terminal is not None

    def discard(self) -> None:
        """Discard keys that were pressed too early; lines from a pipe are never discarded."""
        if self._terminal is not None:
            self._terminal.discard()

    def read_key(self) -> str:
        """Read a key, or a line; the empty string is Enter.

        Raises
        ------
        EndOfKeys
            If the pipe ended, or Ctrl-D was pressed.
        KeyboardInterrupt
            If Ctrl-C was pressed.
        """
        return self._line() if self._terminal is None else self._terminal.key()

    def read_line(self, show: Callable[[str], None], known: Sequence[str] = ()) -> str | None:
        """Read a line; return None if it was cancelled with Esc.

        Parameters
        ----------
        show : callable
            Shows the line so far.
        known : sequence of str
            Words that Tab completes.
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
            line = edit_line(line, key, known)

    def _line(self) -> str:
        line = "" if self._stream is None else self._stream.readline()
        if not line:
            raise EndOfKeys
        return line.strip()


def edit_line(line: str, key: str, known: Sequence[str] = ()) -> str:
    """Return a line after a key, which adds a character, erases one or all, or completes it.

    Examples
    --------
    >>> edit_line("spa", "m"), edit_line("spam", "\\x7f"), edit_line("spam", "\\x15")
    ('spam', 'spa', '')
    >>> edit_line("sp", "\\t", ["ham", "spam"]), edit_line("sp", "\\x1b[A")
    ('spam', 'sp')
    """
    if key == ERASE:
        return line[:-1]
    if key == CLEAR:
        return ""
    if key == TAB:
        return next((each for each in known if each.startswith(line)), line)
    return line + key if len(key) == 1 and key.isprintable() else line
