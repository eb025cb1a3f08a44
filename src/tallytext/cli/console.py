"""What is shown: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def results() -> Console:
    """Return the console for results; without colours where it is no terminal."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def remarks(screen: IO[str] | None = None) -> Console:
    """Return the console for everything else: standard error, or another way to the screen."""
    from rich.console import Console

    return Console(file=screen, stderr=screen is None, highlight=False, markup=False, emoji=False)


def say(message: str) -> None:
    """Write a line to standard error."""
    remarks().print(message, soft_wrap=True)


def warn(message: str) -> None:
    """Write a warning to standard error."""
    _write("warning", "yellow", message)


def complain(message: str) -> None:
    """Write an error to standard error."""
    _write("error", "bold red", message)


def _write(kind: str, style: str, message: str) -> None:
    from rich.text import Text

    remarks().print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


def print_json(value: Any) -> None:
    """Write one JSON object to standard output."""
    from tallytext.distributed.answer_lines import as_json

    sys.stdout.write(as_json(value) + "\n")


def is_watched(quiet: bool) -> bool:
    """Whether somebody would see a progress bar, and wants to."""
    return not quiet and sys.stderr.isatty()
