"""Options of ``tally train``: what to train, and what a term is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from textwrap import fill
from typing import Annotated

import typer

from tallytext.cli.word_options import language_option, stop_words_option
from tallytext.learners import learners

_PANEL = "Model"
_CHOICES = {
    "auto": "the best on documents kept out, of those that can learn, forget and merge later",
    "best": "the best on documents kept out, of these and refined",
}


class Tokenization(StrEnum):
    """What texts are cut into."""

    words = "words"
    chars = "chars"


def _models() -> list[tuple[str, str]]:
    return [*_CHOICES.items(), *((learner.name, learner.summary) for learner in learners())]


def _described(name: str, summary: str) -> str:
    return fill(summary, 78, initial_indent=f"{name:<13} ", subsequent_indent=" " * 14)


MODELS = "Models:\n" + "\n".join(f"{_described(*each)}" for each in _models())

ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="What to train, as listed below.",
        autocompletion=_models,
        rich_help_panel=_PANEL,
    ),
]
Tokens = Annotated[
    Tokenization,
    typer.Option(
        help="Whether terms are words, or strings of characters inside them.",
        rich_help_panel=_PANEL,
    ),
]
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="N or N-M",
        help="How many tokens a term has: 1-2 for words and pairs of words.",
        show_default="1 of words, 2-4 of characters",
        rich_help_panel=_PANEL,
    ),
]
Language = Annotated[str | None, language_option(_PANEL)]
StopWords = Annotated[str | None, stop_words_option(_PANEL)]
Select = Annotated[
    str | None,
    typer.Option(
        metavar="SCORE[:N]",
        help="Read the best terms by a score only: ig, chi, mi, prr, df, or ts for models trained "
        "on documents; how many, or which share of them, as in ig:2000 or chi:0.02.",
        show_default="all terms",
        rich_help_panel=_PANEL,
    ),
]
MultiLabel = Annotated[
    bool | None,
    typer.Option(
        "--multi-label/--single-label",
        help="Whether documents may have several labels or none.",
        show_default="if one of them has",
        rich_help_panel="Labels",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Try no further model after this time.",
        show_default="by the size of the input",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True)
class Settings:
    """What to train."""

    model: ModelName = "auto"
    tokens: Tokens = Tokenization.words
    ngrams: Ngrams = None
    language: Language = None
    stop_words: StopWords = None
    select: Select = None
    multi_label: MultiLabel = None
    budget: Budget = None
