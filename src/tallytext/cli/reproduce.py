"""``tally reproduce``: the tables and figures of the papers, measured again."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from tallytext.cli.io import results, say
from tallytext.errors import InputError


class Paper(StrEnum):
    """What can be reproduced."""

    vilar = "vilar"
    zhou = "zhou"
    yang_pedersen = "yang-pedersen"
    kim = "kim"
    aggarwal = "aggarwal"
    all = "all"


def reproduce(
    papers: Annotated[
        list[Paper],
        typer.Argument(
            metavar="PAPER", help="Which: vilar, zhou, yang-pedersen, kim, aggarwal; or all."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the corpora; by default $TALLYTEXT_DATA, ../shared/data beside the "
            "sources, or the user's cache.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder for results, tables and figures."
        ),
    ] = Path("reproduced"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Small samples, to see that everything runs.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure again what the folder has results of.")
    ] = False,
    download: Annotated[
        bool, typer.Option("--download", help="Download corpora that are missing, if possible.")
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Write the pages in docs/papers, too.")
    ] = False,
) -> None:
    """Measure the tables and figures of the papers again.

    Each paper is a number of parts; what a part finds is kept in the folder for results as soon
    as it is there, so that a run that was ended goes on where it was. Parts whose corpora are not
    on this machine are left out. Needs the sources of tallytext, of which the experiments are a
    part, and matplotlib.

    \b
    tally reproduce vilar --quick
    tally reproduce all --data corpora -o reproduced
    """
    if docs and quick:
        raise InputError("pages are not written from a quick run: leave out --quick or --docs.")
    command = _experiments()
    chosen = command.PAPERS if Paper.all in papers else [*dict.fromkeys(map(str, papers))]
    given = {"data": data, "quick": quick, "fresh": fresh, "download": download}
    lines = command.reproduce(chosen, output, **given, write_docs=docs)
    console = results()
    for line in lines:
        console.print(line)
    say(f"Pages, figures and results are in {output}.")


def _experiments() -> Any:
    """Import the experiments from the sources that this package is part of, or from here."""
    if find_spec("matplotlib") is None:
        raise InputError("figures need matplotlib: pip install matplotlib.")
    for root in (Path(__file__).parents[3], Path.cwd()):
        if _has_experiments(root):
            sys.path.insert(0, str(root))
            return import_module("experiments.reproduction.command")
    raise InputError(
        "the experiments are not part of an installed package: run this in the folder of "
        "tallytext's sources."
    )


def _has_experiments(root: Path) -> bool:
    """Whether a folder is that of tallytext's sources, and not some other with such names."""
    project = root / "pyproject.toml"
    named = project.is_file() and 'name = "tallytext"' in project.read_text(encoding="utf-8")
    return named and (root / "experiments" / "reproduction").is_dir()
