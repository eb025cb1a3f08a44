"""The command ``tally``. One command per file; each imports what it needs when it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated

import typer

from tallytext.cli.app import EXIT_CODES, Command, Commands, flowing, ungrouped
from tallytext.cli.compare import compare
from tallytext.cli.demo import demo
from tallytext.cli.evaluate import evaluate
from tallytext.cli.explain import explain
from tallytext.cli.inspect import info, terms
from tallytext.cli.label import label
from tallytext.cli.options import MODELS
from tallytext.cli.predict import predict
from tallytext.cli.reproduce import reproduce
from tallytext.cli.train import train
from tallytext.cli.translate import app as translate
from tallytext.cli.update import forget, learn, merge, recalibrate

HELP = """Sort texts into classes: learn from examples, answer for new texts, and say why.

    A model is one file, and learns from CSV, JSON lines, Parquet or folders of text. It can
    learn more at any time, and forget again. What is too much for one machine, Dask or Spark
    share out: see --engine of train, predict and evaluate.

    \b
    tally demo
    tally train mails.csv --text body --label folder
    tally predict mails.tally new.csv --text body > answers.jsonl
    tally explain mails.tally "Lunch on Friday?"
    tally train part-*.parquet --engine dask -o big.tally
    """

COMMANDS: dict[str, list[Callable[..., None]]] = {
    "Train and ask": [train, predict, explain, evaluate],
    "Label and compare": [label, compare],
    "Change a model": [learn, forget, merge, recalibrate],
    "Look into a model": [info, terms],
    "More": [demo, reproduce],
}

app = typer.Typer(
    cls=Commands,
    help=flowing(HELP),
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(
            cls=Command,
            help=flowing(command.__doc__ or ""),
            epilog=MODELS if command is train else None,
            rich_help_panel=panel,
        )(ungrouped(command))
app.add_typer(translate, name="translate", rich_help_panel="More")


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
    traceback: Annotated[
        bool,
        typer.Option(
            "--traceback",
            envvar="TALLYTEXT_TRACEBACK",
            help="Show where in the program an error comes from.",
        ),
    ] = False,
) -> None:
    """Take what is said before the name of a command."""


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What the terminal cannot show is shown some other way, and is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="tally")
