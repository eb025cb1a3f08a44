r"""Output to terminals: consoles of rich, and escapes for characters that a terminal would obey.

Texts, labels, terms and names of files come from anywhere. On a terminal, a control character in
them could move the cursor, change colours or the title, or reverse the direction of the text.
All output for people is written through a :func:`console` or :func:`write_line`, which escape them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# All with the Unicode property Bidi_Control: they can make a text read as a different one.
_BIDI_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Control characters except for the end of a line, separators of lines, and lone surrogates.
_OBEYED = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI_CONTROLS}]")


def escape_controls(text: str, keep: str = "\n") -> str:
    r"""Replace control characters by visible symbols, so that a terminal does not obey them.

    Characters up to U+001F become control pictures; others become escapes such as ``\u009b``, as
    JSON writes them, so that lines of JSON keep their value. A tab becomes four spaces.

    Parameters
    ----------
    text : str
    keep : {"\\n", ""}, default="\\n"
        Whether to leave the ends of lines as they are.

    Examples
    --------
    >>> escape_controls("\x1b[31mred\x9b0m")
    '␛[31mred\\u009b0m'
    """
    # Most texts have none, and the search is fast.
    if not _OBEYED.search(text) and ("\n" in keep or "\n" not in text):
        return text
    return "".join(
        char if char in keep or not _is_control(char) else _control_symbol(char)
        for char in text.replace("\r\n", "\n").replace("\t", "    ")
    )


def _is_control(char: str) -> bool:
    return char == "\n" or _OBEYED.match(char) is not None


def _control_symbol(char: str) -> str:
    code = ord(char)
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"


def console(file: IO[str] | None = None, **settings: Any) -> Console:
    r"""Return a console of rich that escapes the control characters of what it prints.

    Its own sequences, for colours and progress bars, are written as they are.

    Parameters
    ----------
    file : text stream, default=None
        Where to write; None for standard output, or standard error with ``stderr=True``.
    **settings : object
        Other parameters of :class:`rich.console.Console`.

    Examples
    --------
    >>> from io import StringIO
    >>> file = StringIO()
    >>> console(file, highlight=False).print("a\x1b[2Jb")
    >>> file.getvalue()
    'a␛[2Jb\n'
    """
    from rich.console import Console
    from rich.segment import Segment

    class EscapingConsole(Console):
        def render(self, *given: Any, **options: Any) -> Iterable[Segment]:
            # All that is printed passes here; rich's own sequences are segments with a control.
            for each in super().render(*given, **options):
                text = each.text if each.control else escape_controls(each.text)
                yield each if text is each.text else Segment(text, each.style)

        def on_broken_pipe(self) -> None:
            """Raise the error again, which ends a command well; the base class exits with 1."""
            raise

    return EscapingConsole(file=file, **settings)


def write_line(text: str) -> None:
    """Write text and the end of a line to standard error, in one piece."""
    sys.stderr.write(f"{escape_controls(text)}\n")
    sys.stderr.flush()
