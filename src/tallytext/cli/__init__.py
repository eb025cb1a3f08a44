"""The command ``tally``. One command per file; each imports what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from tallytext.cli.demo import demo

app = typer.Typer(
    help="Text classification from exact, additive counts.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tallytext {version('tallytext')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
        ),
    ] = False,
) -> None:
    """Text classification from exact, additive counts."""


def main() -> None:
    """Run the command line."""
    app()
