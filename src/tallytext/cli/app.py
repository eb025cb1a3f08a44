"""A command whose help is about its user's things, and whose complaints show how it is used."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from tallytext.cli.io import complain, say, warn
from tallytext.cli.options import OTHER, OUTPUT
from tallytext.errors import TallytextError

_LAST = (OUTPUT, OTHER)


class Group(TyperGroup):
    """Several commands under one name."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options, as they are shown."""
        return [_without_type(each) for each in super().get_params(ctx)]


class Command(TyperCommand):
    """A command with an example for those who forget an argument."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options, as they are shown."""
        return sorted(map(_without_type, super().get_params(ctx)), key=_panel)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read arguments; where one is missing, say how it would be done."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            # Nothing else comes without a message: the framework says what is missing.
            example = first_example(self.help or "", ctx.command_path.partition(" ")[2])
            if not problem.message and example:
                problem.message = f"For example: {example}"
            raise


def _without_type(parameter: Any) -> Any:
    """Leave types of Python out of help: they tell nothing to who writes words on a line."""
    if parameter.param_type_name == "argument":
        vars(parameter)["display_type_rich"] = lambda *_, **__: None
    elif parameter.is_flag and parameter.metavar is None:
        parameter.metavar = ""
    if parameter.name == "help":
        parameter.help = "Show this help."
    return parameter


def _panel(parameter: Any) -> int:
    """Return when an option is shown: what all commands have comes last."""
    if parameter.name == "help":
        parameter.rich_help_panel = OTHER
    panel = getattr(parameter, "rich_help_panel", None)
    return _LAST.index(panel) if panel in _LAST else -1


def first_example(shown: str, command: str) -> str:
    r"""Return the first line of help that shows a command.

    Examples
    --------
    >>> first_example("Examples:\n$ tally train a.csv\n$ tally learn m.tally b.csv", "learn")
    'tally learn m.tally b.csv'
    """
    lines = (line.removeprefix("$ ") for line in shown.splitlines())
    return next((line for line in lines if line.startswith(f"tally {command} ")), "")


# ------------------------------------------------------------------------------------------------
# Options that commands take together, as one object.


def ungrouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes each field of its dataclasses as an option of its own.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Reading:
    ...     text: str = "text"
    ...     label: str = "label"
    >>> def learn(model: str, reading: Reading) -> None:
    ...     print(model, reading)
    >>> signature(ungrouped(learn))
    <Signature (*, model: str, text: str = 'text', label: str = 'label') -> None>
    >>> ungrouped(learn)(model="mails", text="body", label="folder")
    mails Reading(text='body', label='folder')
    """
    own = signature(command, eval_str=True)
    parameters = own.parameters.values()
    groups = {each.name: each.annotation for each in parameters if _is_group(each)}

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each: given.pop(each) for each in signature(group).parameters})
        command(**given)

    apart = [option for each in parameters for option in _options(each)]
    vars(run)["__signature__"] = own.replace(parameters=apart)
    return run


def _is_group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _options(parameter: Parameter) -> list[Parameter]:
    fields = [parameter]
    if _is_group(parameter):
        fields = list(signature(parameter.annotation, eval_str=True).parameters.values())
    return [each.replace(kind=Parameter.KEYWORD_ONLY) for each in fields]


# ------------------------------------------------------------------------------------------------
# Docstrings of commands as help.


def flowing(docstring: str) -> str:
    r"""Return a docstring whose paragraphs fill the width of the terminal, whatever that is.

    A paragraph after a line with ``\b`` holds examples, a command on each line.

    Examples
    --------
    >>> print(flowing("Two\nlines.\n\n\b\nfirst\nsecond"))
    Two lines.
    <BLANKLINE>
    Examples:
    $ first
    $ second
    """
    paragraphs = cleandoc(docstring).split("\n\n")
    return "\n\n".join(
        "\n".join(["Examples:", *(f"$ {line}" for line in examples_in(text))])
        if text.startswith("\b")
        else " ".join(text.split("\n"))
        for text in paragraphs
    )


def examples_in(docstring: str) -> list[str]:
    r"""Return the commands that a docstring shows.

    Examples
    --------
    >>> examples_in("Learn.\n\n\b\ntally learn a.csv\ntally learn b.csv")
    ['tally learn a.csv', 'tally learn b.csv']
    """
    _, _, examples = cleandoc(docstring).partition("\b\n")
    return examples.split("\n\n")[0].splitlines()


# ------------------------------------------------------------------------------------------------
# What goes wrong, in a sentence and an exit code.

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
