"""Options of ``tally translate learn``: what is a signature, and how rows are estimated."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tallytext.cli.word_options import language_option, stop_words_option

_PANEL = "Translation"


class SignatureKinds(StrEnum):
    """What texts are recognised by."""

    words = "words"
    phrases = "phrases"
    both = "words+phrases"
    concepts = "concepts"


class CountKind(StrEnum):
    """What a word of a document counts."""

    occurrences = "occurrences"
    documents = "documents"
    log = "log"


Signatures = Annotated[
    SignatureKinds,
    typer.Option(
        help="What gets a row: words, phrases that are found in the texts, both, or only the "
        "concepts of a file.",
        rich_help_panel=_PANEL,
    ),
]
ConceptFile = Annotated[
    Path | None,
    typer.Option(
        "--concepts",
        metavar="FILE",
        help="Concepts get rows, too: a file of a phrase, a TAB and its concept on each line.",
        rich_help_panel=_PANEL,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        min=0,
        max=0.999999,
        metavar="SHARE",
        help="How much of a text is taken for what every text has. More leaves fewer words.",
        rich_help_panel=_PANEL,
    ),
]
Counting = Annotated[
    CountKind,
    typer.Option(
        "--counts",
        help="What a word of a document counts: its occurrences, one, or their logarithm with "
        "all documents weighing the same.",
        rich_help_panel=_PANEL,
    ),
]
LeastDocuments = Annotated[
    int,
    typer.Option(
        "--min-df",
        min=1,
        metavar="N",
        help="What is in fewer documents gets no row.",
        rich_help_panel=_PANEL,
    ),
]
LeastProbability = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="P",
        help="Words of a smaller probability are left out of a row.",
        rich_help_panel=_PANEL,
    ),
]
MostEntries = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="How many words a row has at most.", rich_help_panel=_PANEL
    ),
]
Language = Annotated[str | None, language_option(_PANEL)]
StopWords = Annotated[str | None, stop_words_option(_PANEL)]


@dataclass(frozen=True)
class Settings:
    """What to learn."""

    signatures: Signatures = SignatureKinds.words
    concepts: ConceptFile = None
    beta: Beta = 0.5
    counts: Counting = CountKind.occurrences
    min_df: LeastDocuments = 2
    min_probability: LeastProbability = 0.001
    max_entries: MostEntries = 200
    language: Language = None
    stop_words: StopWords = None
