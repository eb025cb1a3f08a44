"""``tally merge``: several models made one."""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path
from typing import Annotated

import typer

from tallytext.cli import options
from tallytext.cli.console import print_json, say
from tallytext.cli.interrupts import told
from tallytext.cli.models import expect_place, load, save


def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL", help="Files that tally train wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write the model of all; a file of this name is replaced.",
        ),
    ],
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Add up models that were trained apart, with the same settings.

    The result is exactly the model of all documents together, with the probabilities of the first.
    To train with the same settings everywhere, name a model instead of having one chosen.

    \b
    tally train january.csv --model chi-contrast
    tally train february.csv --model chi-contrast
    tally merge january.tally february.tally -o both.tally
    """
    expect_place(output)
    with told(lambda: f"Nothing was saved; {str(output)!r} was not touched."):
        merged = reduce(add, map(load, models))
    save(merged, output)
    report = merged.report()
    if as_json:
        print_json({"model": str(output), "merged": list(map(str, models)), **report.to_dict()})
    if not quiet:
        say(f"saved as {output}: {report.n_documents:,} documents, {report.n_classes:,} classes")
