"""Options that several commands have, each written down once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class OnError(StrEnum):
    """What to do with a row that cannot be read."""

    fail = "fail"
    skip = "skip"


def _formats() -> list[str]:
    from tallytext.datasets.opening import FORMATS

    return list(FORMATS)


def _use_threads(wanted: int | None) -> int | None:
    """Limit threads by the variable that all libraries look at."""
    if wanted is not None:
        os.environ["OMP_NUM_THREADS"] = str(wanted)
    return wanted


_INPUT = "Documents"
OUTPUT = "Output"
OTHER = "Other"

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that tally train wrote.")]
AnySources = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files (csv, tsv, jsonl, parquet, tar, txt; also .gz, .bz2, .xz, .zst), folders of "
        "files, or - for standard input.",
    ),
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files (csv, tsv, jsonl, parquet, tar; also .gz, .bz2, .xz, .zst), folders whose "
        "subfolders are the labels, or - for standard input.",
    ),
]
TextColumn = Annotated[
    str,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="The column of the documents; in JSON, dots lead into objects.",
        rich_help_panel=_INPUT,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label", metavar="COLUMN", help="The column of their labels.", rich_help_panel=_INPUT
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of the input, where its name does not tell: csv, tsv, jsonl, parquet, "
        "folder, tar, txt or fasttext. Standard input is jsonl.",
        autocompletion=_formats,
        rich_help_panel=_INPUT,
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What stands between several labels in one string, such as ';'.",
        rich_help_panel=_INPUT,
    ),
]
Errors = Annotated[
    OnError,
    typer.Option(
        "--on-error",
        help="Whether a row that cannot be read ends the work, or is left out and counted.",
        rich_help_panel=_INPUT,
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Encoding of the text.", rich_help_panel=_INPUT)
]
Match = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help="Which files of a folder or archive to read, such as '*/train/*.txt'.",
        rich_help_panel=_INPUT,
    ),
]


@dataclass(frozen=True)
class Reading:
    """How labelled documents are read."""

    text: TextColumn = "text"
    label: LabelColumn = "label"
    format: Format = None
    label_separator: LabelSeparator = None
    on_error: Errors = OnError.fail
    encoding: Encoding = "utf-8"
    match: Match = None


@dataclass(frozen=True)
class UnlabelledReading(Reading):
    """How documents are read whose labels are not known."""

    label: None = field(default=None, init=False)
    label_separator: None = field(default=None, init=False)


Unlabelled = Annotated[
    list[str] | None,
    typer.Option(
        "--unlabelled",
        metavar="INPUT",
        help="More documents, whose labels are not known: a file or folder like INPUT, read by the "
        "same options; labels in it are ignored. May be repeated.",
        rich_help_panel=_INPUT,
        show_default="none",
    ),
]


Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        callback=_use_threads,
        help="How many threads to use at most; results do not depend on it.",
        show_default="all cores",
        rich_help_panel=OTHER,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show warnings and errors only.", rich_help_panel=OUTPUT),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object for programs to read.", rich_help_panel=OUTPUT
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to write the model, in one step when all is done; a file of this name is "
        "replaced.",
        rich_help_panel=OUTPUT,
    ),
]
ChangedOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to write the changed model; a file of this name is replaced.",
        show_default="MODEL itself",
        rich_help_panel=OUTPUT,
    ),
]
