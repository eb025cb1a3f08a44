"""Base classes of the commands: their help, option groups, warnings and exit codes."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Any, NoReturn, TypeGuard

import typer
from typer.core import TyperCommand, TyperGroup

from tallytext.cli.io import for_command_line, show_error, show_message, show_warning
from tallytext.cli.options import OTHER, OUTPUT, list_models
from tallytext.errors import ExpressionError, TallytextError
from tallytext.terminal import escape_controls

_LAST_PANELS = (OUTPUT, OTHER)

EXIT_CODES = (
    "Exit codes: 0 success; 1 a problem with the input or the model; 2 a problem with the command "
    "line; 130 interrupted by Ctrl-C."
)


# The base class of all errors of the command line, which typer does not export.
_UsageError: Any = typer.BadParameter.__base__


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options as the help shows them."""
        return [_hide_type(each) for each in super().get_params(ctx)]


class Command(TyperCommand):
    """A command that shows an example if an argument is missing."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the arguments and options in the order and form of the help."""
        return sorted(map(_hide_type, super().get_params(ctx)), key=_panel_position)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; if one is missing, add an example to the error."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            # Only the error for a missing argument has no message: the framework writes it later.
            example = first_example(self.help or "", ctx.command_path.partition(" ")[2])
            if not problem.message and example:
                problem.message = f"For example: {example}"
            if problem.message.endswith("less than or equal to 1"):
                problem.message += ". Write 0.7 for 70 %."
            raise
        except _UsageError as problem:
            if problem.message.startswith("Got unexpected extra argument"):
                problem.message += ". Put a text, or a name with blanks, in quotes."
            raise


class TrainCommand(Command):
    """The command ``train``, whose help ends with the list of models."""

    # A property, because the registry of models is imported only when this help is shown.
    @property
    def epilog(self) -> str | None:
        """The list of models."""
        return list_models()

    @epilog.setter
    # The constructor of the base class assigns the attribute, so a setter must exist.
    def epilog(self, _: str | None) -> None: ...


def _hide_type(parameter: Any) -> Any:
    """Hide Python types in the help: on a command line everything is text."""
    if parameter.param_type_name == "argument":
        # There is no setting for this; an attribute of the instance shadows the method of the
        # class.
        vars(parameter)["display_type_rich"] = lambda *_, **__: None
    elif parameter.is_flag and parameter.metavar is None:
        parameter.metavar = ""
    if parameter.name == "help":
        parameter.help = "Show this help."
    return parameter


def _panel_position(parameter: Any) -> int:
    """Return the position of an option in the help; panels that all commands have come last."""
    if parameter.name == "help":
        parameter.rich_help_panel = OTHER
    panel = getattr(parameter, "rich_help_panel", None)
    return _LAST_PANELS.index(panel) if panel in _LAST_PANELS else -1


def first_example(shown: str, command: str) -> str:
    r"""Return the first example of a command in a help text.

    Examples
    --------
    >>> first_example("Examples:\n$ tally train a.csv\n$ tally learn m.tally b.csv", "learn")
    'tally learn m.tally b.csv'
    """
    lines = (line.removeprefix("$ ") for line in shown.splitlines())
    return next((line for line in lines if line.startswith(f"tally {command} ")), "")


def expand_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with one option for each field of its dataclass parameters.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Reading:
    ...     text: str = "text"
    ...     label: str = "label"
    >>> def learn(model: str, reading: Reading) -> None:
    ...     print(model, reading)
    >>> signature(expand_option_groups(learn))
    <Signature (*, model: str, text: str = 'text', label: str = 'label') -> None>
    >>> expand_option_groups(learn)(model="mails", text="body", label="folder")
    mails Reading(text='body', label='folder')
    """
    own = signature(command, eval_str=True)
    parameters = own.parameters.values()
    groups = {each.name: each.annotation for each in parameters if _is_option_group(each)}

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            # Building the dataclass runs its checks, so wrong combinations of options fail here.
            given[name] = group(**{each: given.pop(each) for each in signature(group).parameters})
        command(**given)

    apart = [option for each in parameters for option in _options(each)]
    # Typer finds the options of a command in its signature.
    vars(run)["__signature__"] = own.replace(parameters=apart)
    return run


def _is_option_group(parameter: Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _options(parameter: Parameter) -> list[Parameter]:
    fields = [parameter]
    if _is_option_group(parameter):
        fields = list(signature(parameter.annotation, eval_str=True).parameters.values())
    # Keyword-only parameters may stand in any order, with or without defaults.
    return [each.replace(kind=Parameter.KEYWORD_ONLY) for each in fields]


def help_text(docstring: str) -> str:
    r"""Return a docstring as help text: each paragraph is one line, which the terminal wraps.

    A paragraph that starts with ``\b`` holds examples, one command per line.

    Examples
    --------
    >>> print(help_text("Two\nlines.\n\n\b\nfirst\nsecond"))
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
    r"""Return the example commands in a docstring.

    Examples
    --------
    >>> examples_in("Learn.\n\n\b\ntally learn a.csv\ntally learn b.csv")
    ['tally learn a.csv', 'tally learn b.csv']
    """
    _, _, examples = cleandoc(docstring).partition("\b\n")
    return examples.split("\n\n")[0].splitlines()


# What other programs call these commands.
_OTHER_NAMES = {
    **dict.fromkeys(("fit", "build", "create"), "train"),
    **dict.fromkeys(("classify", "infer", "inference", "apply"), "predict"),
    **dict.fromkeys(("test", "eval", "score", "validate"), "evaluate"),
    **dict.fromkeys(("update", "add", "partial_fit"), "learn"),
    **dict.fromkeys(("unlearn", "remove", "delete"), "forget"),
    **dict.fromkeys(("annotate", "tag"), "label"),
    **dict.fromkeys(("show", "describe", "inspect"), "info"),
    **dict.fromkeys(("benchmark", "select"), "compare"),
}


class Commands(Group):
    """All commands of ``tally``; errors of users become one line and an exit code."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; for a name that other programs use, name ours in the error."""
        if args and (known := _OTHER_NAMES.get(args[0])) and known in self.commands:
            raise _UsageError(f"No such command {args[0]!r}. Did you mean {known!r}?", ctx=ctx)
        return super().resolve_command(ctx, args)

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Parse the options before the name of a command."""
        with _escaped_usage_errors():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with _escaped_usage_errors(), _one_line_warnings():
                result = super().invoke(ctx)
                # Inside the try block: a closed pipe may show only when the last buffer is written.
                sys.stdout.flush()
                return result
        except BrokenPipeError:
            # The reader closed the pipe, as "head" does after ten lines; that is not an error.
            _discard_output()
            raise typer.Exit(0) from None
        except KeyboardInterrupt as stop:
            show_message(" ".join(["interrupted.", *getattr(stop, "__notes__", [])]))
            raise typer.Exit(130) from None
        except (TallytextError, OSError) as problem:
            _exit_with_error(problem, ctx.params["traceback"])


def _exit_with_error(problem: Exception, with_traceback: bool) -> NoReturn:
    if with_traceback:
        raise problem
    show_error(_error_message(problem))
    if _is_output_error(problem):
        _discard_output()
    # An expression is a part of the command line, such as the value of --model.
    raise typer.Exit(2 if isinstance(problem, ExpressionError) else 1) from None


def _error_message(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.filename and problem.strerror:
        return f"{os.fspath(problem.filename)!r}: {problem.strerror}.{_os_remedy(problem)}"
    if _is_output_error(problem):
        return f"cannot write to standard output: {problem.strerror}.{_os_remedy(problem)}"
    return for_command_line(str(problem)) or type(problem).__name__


def _is_output_error(problem: Exception) -> TypeGuard[OSError]:
    """Return True for an error in writing to standard output: those of files have a name."""
    return isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EBADF, errno.EIO)


def _os_remedy(problem: OSError) -> str:
    if problem.errno == errno.ENOSPC:
        return " Free some space, or write to another disk."
    return " Check its permissions." if problem.errno in (errno.EACCES, errno.EPERM) else ""


def _discard_output() -> None:
    """Discard buffered output, so that the interpreter does not fail when it flushes at exit."""
    try:
        # Replaces the descriptor and not sys.stdout, whose buffer still holds bytes to be flushed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


@contextmanager
def _escaped_usage_errors() -> Iterator[None]:
    """Escape control characters in errors of the command line, which the framework prints."""
    try:
        yield
    except _UsageError as problem:
        problem.message = escape_controls(problem.message)
        raise


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Show each UserWarning once, as one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: show_warning(
            for_command_line(str(message))
        )
        yield
