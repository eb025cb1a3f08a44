"""Options that several commands have, each written down once."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from tallytext.classifier.registry import learners


class OnError(StrEnum):
    """What to do with a row that cannot be read."""

    fail = "fail"
    skip = "skip"


def _formats() -> list[str]:
    from tallytext.io.sources import FORMATS

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


# ------------------------------------------------------------------------------------------------
# Options of ``tally predict``: what is answered, and how it is written.

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


# ------------------------------------------------------------------------------------------------
# Options that say what words are made of, wherever texts are cut into words.


def language_option(panel: str) -> Any:
    """Return the option for stems, in a panel of the help."""
    return typer.Option(
        metavar="NAME",
        help="Stem words in this language, such as english or de.",
        rich_help_panel=panel,
    )


def stop_words_option(panel: str) -> Any:
    """Return the option for stop words, in a panel of the help."""
    return typer.Option(
        metavar="LANGUAGE",
        help="Leave out the stop words of this language.",
        rich_help_panel=panel,
    )


# ------------------------------------------------------------------------------------------------
# Options of ``tally train``: what to train, and what a term is.

_PANEL_of_training_options = "Model"
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
        rich_help_panel=_PANEL_of_training_options,
    ),
]
Tokens = Annotated[
    Tokenization,
    typer.Option(
        help="Whether terms are words, or strings of characters inside them.",
        rich_help_panel=_PANEL_of_training_options,
    ),
]
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="N or N-M",
        help="How many tokens a term has: 1-2 for words and pairs of words.",
        show_default="1 of words, 2-4 of characters",
        rich_help_panel=_PANEL_of_training_options,
    ),
]
Language = Annotated[str | None, language_option(_PANEL_of_training_options)]
StopWords = Annotated[str | None, stop_words_option(_PANEL_of_training_options)]
Select = Annotated[
    str | None,
    typer.Option(
        metavar="SCORE[:N]",
        help="Read the best terms by a score only: ig, chi, mi, prr, df, or ts for models trained "
        "on documents; how many, or which share of them, as in ig:2000 or chi:0.02.",
        show_default="all terms",
        rich_help_panel=_PANEL_of_training_options,
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
        rich_help_panel=_PANEL_of_training_options,
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


# ------------------------------------------------------------------------------------------------
# Options that say where work is done that one machine would do for too long.

_PANEL_of_engine_options = "Engine"


class EngineName(StrEnum):
    """Who shares out the work."""

    dask = "dask"
    spark = "spark"


Chosen = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="Let Dask or Spark share out the work; every worker must find INPUT under the same "
        "name. Counts and answers are those of one machine.",
        show_default="this process does all",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The scheduler of a Dask cluster, such as tcp://host:8786.",
        show_default="workers on this machine",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many processes Dask gets on this machine.",
        show_default="one for each core",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The master of a Spark cluster, such as spark://host:7077, or local[4].",
        show_default="that of the settings of Spark, or local[*]",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]
MaxTerms = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many terms are counted at most: the rarest are left out on the way, and the "
        "report says how far a count may be too low. With --engine.",
        show_default="any number",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many documents are kept to compare models on. With --engine.",
        show_default="4096",
        rich_help_panel=_PANEL_of_engine_options,
    ),
]


@dataclass(frozen=True)
class Many:
    """Where work is done."""

    engine: Chosen = None
    scheduler: Scheduler = None
    workers: Workers = None
    master: Master = None

    def __post_init__(self) -> None:
        self._expect("--scheduler", self.scheduler, EngineName.dask)
        self._expect("--workers", self.workers, EngineName.dask)
        self._expect("--master", self.master, EngineName.spark)
        if self.scheduler is not None and self.workers is not None:
            raise typer.BadParameter(
                "--workers is for this machine: the cluster of --scheduler has workers already."
            )

    def check_files(self, sources: list[str]) -> None:
        """Refuse standard input, which one process can read only."""
        if self.engine is not None and "-" in sources:
            raise typer.BadParameter(
                "standard input cannot be read by several at a time: write it to a file that "
                "every worker can read, or leave --engine away."
            )

    def check_no_threads(self, threads: int | None) -> None:
        """Refuse a number of threads where no work is left to this process."""
        if self.engine is not None and threads is not None:
            raise typer.BadParameter(
                "--threads is for one machine: with --engine, each task has one thread, and the "
                "engine says how many run at a time (--workers, --master 'local[N]')."
            )

    def _expect(self, option: str, value: object, engine: EngineName) -> None:
        if value is not None and self.engine is not engine:
            other = " For Spark, say --master 'local[N]'." if option == "--workers" else ""
            raise typer.BadParameter(f"{option} is for --engine {engine.value}.{other}")


@dataclass(frozen=True)
class Counting:
    """How many terms and documents are kept of those that many count."""

    max_terms: MaxTerms = None
    sample: Sample = None

    def given(self) -> dict[str, int]:
        """Return what was said."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def expect(self, many: Many) -> None:
        """Refuse what has no effect where one process counts."""
        for name in self.given() if many.engine is None else ():
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{option} is for --engine dask or --engine spark.")
