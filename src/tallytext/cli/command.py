"""A command whose help is about its user's things, and whose complaints show how it is used."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tallytext.cli.options import OTHER, OUTPUT

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
