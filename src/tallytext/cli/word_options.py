"""Options that say what words are made of, wherever texts are cut into words."""

from __future__ import annotations

from typing import Any

import typer


def language_option(panel: str) -> Any:
    """Return the option for stems, in a panel of the help."""
    return typer.Option(
        metavar="NAME",
        help="Stem words in this language, such as english or de.",
        rich_help_panel=panel,
    )


def stop_words_option(panel: str) -> Any:
    """Return the option for stop words, in a panel of the help."""
    return typer.Option(
        metavar="LANGUAGE",
        help="Leave out the stop words of this language.",
        rich_help_panel=panel,
    )
