"""Options of ``tally predict``: what is answered, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

_PANEL = "Answers"


class Written(StrEnum):
    """How answers are written."""

    jsonl = "jsonl"
    csv = "csv"


Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="Also write the K likeliest labels with their probabilities.",
        rich_help_panel=_PANEL,
    ),
]
Coverage = Annotated[
    float | None,
    typer.Option(
        "--set",
        min=0,
        max=1,
        metavar="SHARE",
        help="Also write the labels among which the right one is, in this share of documents.",
        rich_help_panel=_PANEL,
    ),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="P",
        help="Rather write null than a label that is less likely than this.",
        rich_help_panel=_PANEL,
    ),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Also write why: what each word added.", rich_help_panel=_PANEL),
]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Also write what stands in this column, as id.",
        rich_help_panel=_PANEL,
    ),
]
To = Annotated[Written, typer.Option(help="Format of the answers.", rich_help_panel=_PANEL)]
BatchSize = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Answer after so many documents at the latest; 1 for a dialogue.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class Wanted:
    """What is answered."""

    top: Top = None
    coverage: Coverage = None
    min_confidence: MinConfidence = None
    explain: Explain = False
    identifier: Identifier = None
    to: To = Written.jsonl
    batch: BatchSize = 16_384
