"""What goes wrong, in a sentence and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from tallytext.cli.command import Group
from tallytext.cli.console import complain, say, warn
from tallytext.errors import TallytextError

EXIT_CODES = (
    "Exit codes: 0 all went well; 1 something is wrong with the input or the model; 2 something "
    "is wrong with the command line; 130 interrupted by Ctrl-C."
)


class Commands(Group):
    """The commands; errors of users are told, those of programmers show where they are."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with _plain_warnings():
                result = super().invoke(ctx)
                sys.stdout.flush()
                return result
        except BrokenPipeError:
            # Who reads has had enough, as "head" has after ten lines; that is no error.
            _close_output()
            raise typer.Exit(0) from None
        except KeyboardInterrupt as stop:
            say(" ".join(["interrupted.", *getattr(stop, "__notes__", [])]))
            raise typer.Exit(130) from None
        except (TallytextError, OSError) as problem:
            _tell(problem, ctx.params["traceback"])


def _tell(problem: Exception, with_traceback: bool) -> NoReturn:
    if with_traceback:
        raise problem
    complain(_sentence(problem))
    raise typer.Exit(1) from None


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename and problem.strerror:
        return f"{os.fspath(problem.filename)!r}: {problem.strerror}."
    return str(problem) or type(problem).__name__


def _close_output() -> None:
    """Let what is left go nowhere, so that the interpreter does not complain when it leaves."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show each warning for users once, as one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: warn(str(message))
        yield
