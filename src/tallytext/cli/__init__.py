"""The command ``tally``. Commands import the library when they run, so that help is fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from traceback import format_exception
from typing import Annotated

import typer

from tallytext.cli.app import (
    EXIT_CODES,
    Command,
    Commands,
    TrainCommand,
    expand_option_groups,
    help_text,
)
from tallytext.cli.compare import compare
from tallytext.cli.demo import demo
from tallytext.cli.evaluate import evaluate
from tallytext.cli.explain import explain
from tallytext.cli.filter import app as filter_app
from tallytext.cli.inspect import info, terms
from tallytext.cli.io import show_error
from tallytext.cli.label import label
from tallytext.cli.predict import predict
from tallytext.cli.rank import rank
from tallytext.cli.reproduce import reproduce
from tallytext.cli.train import train
from tallytext.cli.translate import app as translate
from tallytext.cli.update import forget, learn, merge, recalibrate, thresholds
from tallytext.terminal import write_line

HELP = """Classify texts: train a model on examples, predict labels, and explain them.

    A model is one file, trained on CSV, JSON lines, Parquet or folders of text. It can learn more
    documents at any time, and forget them. For data too large for one machine, train, predict and
    evaluate can run on Dask or Spark (--engine).

    \b
    tally demo
    tally train mails.csv --text body --label folder
    tally predict mails.tally new.csv --text body > answers.jsonl
    tally explain mails.tally "Lunch on Friday?"
    tally train part-*.parquet --engine dask -o big.tally
    """

COMMANDS: dict[str, list[Callable[..., None]]] = {
    "Train and predict": [train, predict, rank, explain, evaluate],
    "Label and compare": [label, compare],
    "Change a model": [learn, forget, merge, recalibrate, thresholds],
    "Inspect a model": [info, terms],
    "More": [demo, reproduce],
}

app = typer.Typer(
    cls=Commands,
    help=help_text(HELP),
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(
            cls=TrainCommand if command is train else Command,
            help=help_text(command.__doc__ or ""),
            rich_help_panel=panel,
        )(expand_option_groups(command))
app.add_typer(filter_app, name="filter", rich_help_panel="Train and predict")
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
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option(
            "--traceback",
            envvar="TALLYTEXT_TRACEBACK",
            help="Show the Python traceback of an error.",
        ),
    ] = False,
) -> None:
    """Options before the name of a command; their callbacks do the work."""


def _replace_closed_streams() -> None:
    """End with one line if standard output is closed; without standard error, be silent."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Occupies the number, so that no file that is opened later becomes a standard stream.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        show_error("standard output is closed. Redirect it to a file, or to /dev/null.")
        raise SystemExit(1)


def main() -> None:
    """Run the command line."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A character that the terminal cannot show is escaped, instead of raising an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="tally")
    except Exception as problem:
        # The interpreter would print the message of the error as it is.
        write_line("".join(format_exception(problem)).rstrip("\n"))
        raise SystemExit(1) from None
