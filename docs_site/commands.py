"""The reference of the commands, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import typer

MARK = "<!-- commands -->"


def with_commands(page: str) -> str:
    """Put the reference of all commands where a page asks for it.

    Parameters
    ----------
    page : str
        The page, in Markdown.

    Examples
    --------
    >>> with_commands("nothing asked")
    'nothing asked'
    >>> "## tally train" in with_commands("<!-- commands -->")
    True
    """
    return page.replace(MARK, "\n".join(map(section, commands()))) if MARK in page else page


class Command:
    """A command, and the words that call it.

    Parameters
    ----------
    words : str
        Such as ``tally translate train``.
    about : object
        What Typer has made of it.
    """

    def __init__(self, words: str, about: Any) -> None:
        self.words = words
        self.about = about
        self.context = about.context_class(about, info_name=words)

    @property
    def parameters(self) -> list[Any]:
        """Its arguments and options, without ``--help``, which all have."""
        return [each for each in self.about.params if not getattr(each, "hidden", False)]


def commands() -> list[Command]:
    """List every command that does something, in the order of ``tally --help``."""
    from tallytext.cli import app

    return list(_walk("tally", typer.main.get_command(app)))


def _walk(words: str, about: Any) -> Iterator[Command]:
    inner = getattr(about, "commands", {})
    if not inner:
        yield Command(words, about)
    for name, each in inner.items():
        yield from _walk(f"{words} {name}", each)


def section(command: Command) -> str:
    """Describe a command in Markdown.

    Parameters
    ----------
    command : Command
        The command.
    """
    usage = " ".join([command.words, *command.about.collect_usage_pieces(command.context)])
    parts = [f"## {command.words}", f"```\n{usage}\n```", _help(command.about.help or "")]
    for panel, rows in _panels(command).items():
        parts.append("\n".join([f"| {panel} | |", "| --- | --- |", *rows]))
    return "\n\n".join([*parts, _help(command.about.epilog or "")]) + "\n"


def _help(text: str) -> str:
    return "\n\n".join(_paragraph(paragraph) for paragraph in text.split("\n\n"))


def _paragraph(text: str) -> str:
    r"""Keep the lines of lists and examples, which come after ``\b`` or below a heading."""
    lines = text.removeprefix("\b").strip().split("\n")
    if len(lines) == 1:
        return _plain(lines[0])
    heading = [lines.pop(0)] if lines[0].endswith(":") else []
    kept = [line.removeprefix("$ ") for line in dedent("\n".join(lines)).split("\n")]
    return "\n\n".join([*map(_plain, heading), "```\n" + "\n".join(kept) + "\n```"])


def _panels(command: Command) -> dict[str, list[str]]:
    panels: dict[str, list[str]] = {}
    for each in command.parameters:
        usual = "Arguments" if each.param_type_name == "argument" else "Options"
        panel = getattr(each, "rich_help_panel", None) or usual
        panels.setdefault(panel, []).append(_row(each, command.context))
    return panels


def _row(each: Any, context: Any) -> str:
    names, about = each.get_help_record(context)
    return f"| `{names}` | {_plain(about)} |".replace("\n", " ")


def _plain(text: str) -> str:
    """Let signs stand for themselves."""
    return "".join(f"&#{ord(sign)};" if sign in "&<\\`*_|$[" else sign for sign in text)
