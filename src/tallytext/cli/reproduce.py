"""``tally reproduce``: reproduce the tables and figures of the papers."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from tallytext.cli.io import result_console, show_message
from tallytext.errors import InputError


class Paper(StrEnum):
    """Papers that can be reproduced."""

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
            metavar="PAPER",
            help="One or more of vilar, zhou, yang-pedersen, kim and aggarwal; or all.",
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the corpora. Default: $TALLYTEXT_DATA, ../shared/data beside the "
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
        bool, typer.Option("--quick", help="Use small samples, to check that everything runs.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run again, even if the results are in the folder.")
    ] = False,
    download: Annotated[
        bool, typer.Option("--download", help="Download missing corpora, if possible.")
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Also write the pages in docs/papers.")
    ] = False,
) -> None:
    """Reproduce the tables and figures of the papers.

    Each paper has several parts. The results of a part are saved to the output folder as soon as
    it is finished, and an interrupted run continues from there. Parts whose corpora are missing
    are skipped. This command needs matplotlib and the source code of tallytext, which contains the
    experiments.

    \b
    tally reproduce vilar --quick
    tally reproduce all --data corpora -o reproduced
    """
    if docs and quick:
        raise InputError("a quick run does not write pages: leave out --quick or --docs.")
    command = _experiments()
    chosen = command.PAPERS if Paper.all in papers else [*dict.fromkeys(map(str, papers))]
    given = {"data": data, "quick": quick, "fresh": fresh, "download": download}
    lines = command.reproduce(chosen, output, **given, write_docs=docs)
    console = result_console()
    for line in lines:
        console.print(line)
    show_message(f"pages, figures and results are in {output}")


def _experiments() -> Any:
    """Import the experiments from the sources of this package, or from the current folder."""
    if find_spec("matplotlib") is None:
        raise InputError("figures need matplotlib. Install it: pip install matplotlib.")
    for root in (Path(__file__).parents[3], Path.cwd()):
        if _has_experiments(root):
            # In front, because "experiments" is a common name for a folder.
            sys.path.insert(0, str(root))
            return import_module("experiments.reproduction.command")
    raise InputError(
        "the experiments are not part of the installed package: get the source code, and run this "
        "in the folder of tallytext's sources."
    )


def _has_experiments(root: Path) -> bool:
    """Return True if a folder holds the sources of tallytext, and not another project."""
    project = root / "pyproject.toml"
    named = project.is_file() and 'name = "tallytext"' in project.read_text(encoding="utf-8")
    return named and (root / "experiments" / "reproduction").is_dir()
