"""Options of the commands. Each option is defined once, and related ones form a dataclass."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from tallytext.errors import SettingsError

# Panels of the help. Every command has the last two, so that they come after its own.
_INPUT = "Documents"
_PREDICTION_PANEL = "Answers"
_TRAINING_PANEL = "Model"
_ENGINE_PANEL = "Engine"
OUTPUT = "Output"
OTHER = "Other"


def _formats() -> list[str]:
    from tallytext.io.sources import FORMATS

    return list(FORMATS)


Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, written by tally train.")
]
AnySources = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files (csv, tsv, json, jsonl, parquet, xlsx, sqlite, duckdb, tar, txt; also .gz, "
        ".bz2, .xz, .zst), folders of files, or - for standard input. If a file has several "
        "tables or sheets, name one: data.db::table, mails.xlsx::Sheet2.",
    ),
]
TrainSources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Files (csv, tsv, json, jsonl, parquet, xlsx, sqlite, duckdb, tar; also .gz, .bz2, "
        ".xz, .zst), folders whose subfolders are the labels, or - for standard input. If a "
        "file has several tables or sheets, name one: data.db::table, mails.xlsx::Sheet2. "
        "Not needed with --class and --unlabelled.",
        show_default=False,
    ),
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Files (csv, tsv, json, jsonl, parquet, xlsx, sqlite, duckdb, tar; also .gz, .bz2, "
        ".xz, .zst), folders whose subfolders are the labels, or - for standard input. If a "
        "file has several tables or sheets, name one: data.db::table, mails.xlsx::Sheet2.",
    ),
]
TextColumn = Annotated[
    str,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="Column of the texts. For a key inside a JSON object, use a dot: mail.body.",
        rich_help_panel=_INPUT,
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option("--label", metavar="COLUMN", help="Column of the labels.", rich_help_panel=_INPUT),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of the input: csv, tsv, jsonl, parquet, xlsx, sqlite, duckdb, folder, tar, "
        "txt or fasttext. Default: by the file name; for standard input, jsonl if it begins "
        "with { or [, otherwise csv.",
        autocompletion=_formats,
        rich_help_panel=_INPUT,
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Split each label at this separator into several labels, e.g. ';'.",
        rich_help_panel=_INPUT,
    ),
]


class OnError(StrEnum):
    """Treatment of a row that cannot be read."""

    fail = "fail"
    skip = "skip"


Errors = Annotated[
    OnError,
    typer.Option(
        "--on-error",
        help="Stop at a row that cannot be read (fail), or leave it out and count it (skip).",
        rich_help_panel=_INPUT,
    ),
]
Encoding = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Encoding of the text. UTF-16 is recognised.",
        rich_help_panel=_INPUT,
    ),
]
Match = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help="Read only the files of a folder or archive that match, e.g. '*/train/*.txt'.",
        rich_help_panel=_INPUT,
    ),
]


Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Read only rows with COLUMN=VALUE or COLUMN!=VALUE, e.g. split=train. Can be "
        "repeated; a row must meet all conditions.",
        show_default="all rows",
        rich_help_panel=_INPUT,
    ),
]


_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def parse_size(written: str | int) -> int:
    """Return a number of bytes that is written with or without a unit: K, M, G or T.

    Examples
    --------
    >>> parse_size("64M") == 64 << 20, parse_size("1.5g") == 3 << 29, parse_size("1000")
    (True, True, 1000)
    """
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?", str(written), re.I)
    size = int(float(found[1]) * (1 << _UNITS[found[2].upper()])) if found else 0
    if size < 1:
        raise typer.BadParameter(f"{written!r} is not a size, such as 500K, 64M or 2G.")
    return size


MaxRow = Annotated[
    int | None,
    typer.Option(
        parser=parse_size,
        metavar="SIZE",
        help="Largest line, record, file of an archive, or text that is read, e.g. 500M.",
        show_default="32M",
        rich_help_panel=_INPUT,
    ),
]
MaxUnpacked = Annotated[
    int | None,
    typer.Option(
        parser=parse_size,
        metavar="SIZE",
        help="Largest size that a compressed file, a workbook or a database may unpack to, "
        "e.g. 50G.",
        show_default="256M, or 200 times its size if that is more",
        rich_help_panel=_INPUT,
    ),
]


@dataclass(frozen=True)
class ReadingOptions:
    """Columns, format and encoding of labelled documents."""

    text: TextColumn = "text"
    label: LabelColumn = "label"
    format: Format = None
    label_separator: LabelSeparator = None
    on_error: Errors = OnError.fail
    encoding: Encoding = "utf-8"
    match: Match = None
    where: Where = None
    max_row: MaxRow = None
    max_unpacked: MaxUnpacked = None


@dataclass(frozen=True)
class UnlabelledReadingOptions(ReadingOptions):
    """Columns, format and encoding of documents without labels."""

    # Fields without init are not in the signature, so no option is made for them.
    label: None = field(default=None, init=False)
    label_separator: None = field(default=None, init=False)


Unlabelled = Annotated[
    list[str] | None,
    typer.Option(
        "--unlabelled",
        metavar="INPUT",
        help="Also learn from the documents of this file or folder, which need no labels. They "
        "are read with the same options as INPUT, except --where; their labels are ignored. "
        "Or one word for the rows of INPUT whose label is empty: use (learn from their "
        "texts), none (leave them out) or error (stop). Can be repeated.",
        rich_help_panel=_INPUT,
        show_default="use",
    ),
]


def _limit_threads(wanted: int | None) -> int | None:
    """Set the variable that the native code and the numerical libraries read."""
    if wanted is not None:
        # A callback of the option runs before the command imports NumPy, whose BLAS library reads
        # the variable once, when it is loaded.
        os.environ["OMP_NUM_THREADS"] = str(wanted)
    return wanted


Ranking = Annotated[
    bool,
    typer.Option(
        "--ranking",
        help="Also measure the ranking of labels by probability: 11-point average precision and "
        "the break-even point of precision and recall.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        callback=_limit_threads,
        help="Largest number of threads. It does not change the results.",
        show_default="all cores",
        rich_help_panel=OTHER,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show warnings and errors only.", rich_help_panel=OUTPUT),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Also show the settings of the model, and the learners that were compared. If "
        "standard error is not a terminal, write lines about the progress to it.",
        rich_help_panel=OUTPUT,
    ),
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
        help="File to write the model to. An existing model is replaced when the new one is "
        "complete.",
        rich_help_panel=OUTPUT,
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write to. The ending of its name gives the format: .csv, .tsv, .jsonl, "
        ".json, .parquet or .xlsx; text formats also with .gz.",
        show_default="standard output",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace an existing --output file when the new one is complete.",
        rich_help_panel=OUTPUT,
    ),
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV and TSV, put an apostrophe before text that a spreadsheet would run as a "
        "formula: text that begins with =, +, - or @.",
        rich_help_panel=OUTPUT,
    ),
]
ChangedOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write the changed model to. An existing model is replaced.",
        show_default="MODEL itself",
        rich_help_panel=OUTPUT,
    ),
]


DEFAULT_WAIT = 10.0
"""Seconds to wait for another command that changes the same model."""

Wait = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Wait this long if another command is changing the same model file.",
        rich_help_panel=OUTPUT,
    ),
]


class AnswerFormat(StrEnum):
    """Format of the predictions."""

    jsonl = "jsonl"
    csv = "csv"


Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="Also write the K most probable labels with their probabilities.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Coverage = Annotated[
    float | None,
    typer.Option(
        "--set",
        min=0,
        max=1,
        metavar="SHARE",
        help="Also write a set of labels that contains the right one this often, e.g. 0.95.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="P",
        help="Write null instead of a label below this probability.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Also write the contribution of each word to the label.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Always = Annotated[
    bool,
    typer.Option(
        "--always",
        help="Write the most frequent label for a document without a known word, instead of null.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Known = Annotated[
    bool,
    typer.Option(
        "--known",
        help="Also write known_share, the share of the document's words that occur in the "
        "training documents.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Novelty = Annotated[
    bool,
    typer.Option(
        "--novelty",
        help="Also write novelty, from 0 to 1: how likely it is that the document belongs to none "
        "of the classes.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Also write this column of the input, under its own name. Can be repeated.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]
To = Annotated[
    AnswerFormat,
    typer.Option(help="Format of the predictions.", rich_help_panel=_PREDICTION_PANEL),
]
BatchSize = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Predict at most N documents at a time; 1 writes each prediction before the next "
        "document is read.",
        rich_help_panel=_PREDICTION_PANEL,
    ),
]


@dataclass(frozen=True)
class PredictOptions:
    """Content and format of the predictions."""

    top: Top = None
    coverage: Coverage = None
    min_confidence: MinConfidence = None
    explain: Explain = False
    always: Always = False
    known: Known = False
    novelty: Novelty = False
    identifiers: Identifiers = None
    to: To = AnswerFormat.jsonl
    batch: BatchSize = 16_384
    escape_formulas: EscapeFormulas = False


def language_option(panel: str) -> Any:
    """Return the option for the language of stemming, in a panel of the help."""
    return typer.Option(
        metavar="NAME",
        help="Stem words in this language, e.g. english or de.",
        rich_help_panel=panel,
    )


def stop_words_option(panel: str) -> Any:
    """Return the option for stop words, in a panel of the help."""
    return typer.Option(
        metavar="LANGUAGE",
        help="Leave out the stop words of this language.",
        rich_help_panel=panel,
    )


# Models whose parameters the help of tally train lists; docs/expressions.md has all of them.
_EXPLAINED = ("multinomial", "bernoulli", "poisson", "neighbours", "llsf", "rotation")
_CHOICES = {
    "auto": "the best on held-out documents; it can learn, forget and merge later",
    "best": "the same as auto",
    "additive": "the best of the models that store class counts and no documents",
}


def _models(incomplete: str = "") -> list[tuple[str, str]]:
    from tallytext.classifier.expressions import complete_expression
    from tallytext.classifier.registry import learners

    if "(" in incomplete:
        return [(text, "") for text in complete_expression(incomplete)]
    return [*_CHOICES.items(), *((learner.name, learner.summary) for learner in learners())]


def list_models() -> str:
    """Return the models, their parameters and smoothings, for the help of ``tally train``."""
    from tallytext.classifier.expressions import kinds_of

    def lines(rows: list[tuple[str, str]]) -> list[str]:
        return [
            fill(text, 78, initial_indent=f"{name:<13} ", subsequent_indent=" " * 14)
            for name, text in rows
        ]

    models, smoothings = kinds_of("model"), kinds_of("smoothing")
    parameters = [(name, ", ".join(models[name].parameters)) for name in _EXPLAINED]
    smooth = [(name, ", ".join(kind.parameters) or "-") for name, kind in smoothings.items()]
    return "\n".join(
        [
            "Models:",
            *lines(_models()),
            "\nParameters go in parentheses, as in poisson(weighting=chi, alpha=0.8) or",
            "multinomial(smoothing=discount(b=leave-one-out), normalize=l1). Some of them:",
            *lines(parameters),
            "\nSmoothings of multinomial, contrast, complement and chi-contrast:",
            *lines(smooth),
        ]
    )


def _selectors(incomplete: str) -> list[str]:
    from tallytext.classifier.expressions import complete_expression

    return complete_expression(incomplete, "selector")


def _feature_expressions(incomplete: str) -> list[str]:
    from tallytext.classifier.expressions import complete_expression

    return complete_expression(incomplete, "features")


class Tokenization(StrEnum):
    """Tokens that texts are split into."""

    words = "words"
    chars = "chars"


ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="EXPRESSION",
        help="Model to train: a name from the list below, optionally with parameters, e.g. "
        "'poisson(alpha=0.8)' or 'knn(k=45)'.",
        autocompletion=_models,
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Tokens = Annotated[
    Tokenization,
    typer.Option(
        help="Count words, or character n-grams inside words.",
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="N or N-M",
        help="Number of tokens in a term: 1-2 for words and pairs of words.",
        show_default="1 for words, 2-4 for characters",
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Language = Annotated[str | None, language_option(_TRAINING_PANEL)]
StopWords = Annotated[str | None, stop_words_option(_TRAINING_PANEL)]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="EXPRESSION",
        help="Train a linear discriminant on features made of all words: 'fisher' or, e.g., "
        "'fisher(n_components=5, n_lsa=100)'. It replaces --model.",
        show_default="the words themselves",
        autocompletion=_feature_expressions,
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        metavar="EXPRESSION",
        help="Use only the best terms by a score: ig, chi, mi, prr or df; for models trained on "
        "documents also ts or l1. Add their number or share, e.g. ig:2000 or chi:0.02, or "
        "parameters, e.g. 'chi(keep=0.02, average=max)' or 'l1(strength=2)'.",
        show_default="all terms",
        autocompletion=_selectors,
        rich_help_panel=_TRAINING_PANEL,
    ),
]
MultiLabel = Annotated[
    bool | None,
    typer.Option(
        "--multi-label/--single-label",
        help="Allow several labels or none per document, or exactly one.",
        show_default="multi-label if a document has several labels or none",
        rich_help_panel="Labels",
    ),
]
Thresholds = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="For multi-label documents, set the lowest probability at which a label is assigned: "
        "micro (best micro-F1), macro or per-class (best F1 of each label), or a number.",
        rich_help_panel="Labels",
    ),
]


class Kept(StrEnum):
    """What a model stores of its documents."""

    documents = "documents"
    counts = "counts"


Keep = Annotated[
    Kept,
    typer.Option(
        help="Store the word counts of each document (documents), so that the most accurate "
        "models can learn and forget later, or only those of each class (counts). Texts are "
        "never stored.",
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Try no further model after this time.",
        show_default="by the size of the input",
        rich_help_panel=_TRAINING_PANEL,
    ),
]


ClassNames = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        metavar="LABEL",
        help="A class that needs no labelled documents, because the words of its name occur in "
        "documents without labels: --class sport --class business --unlabelled news.csv. Can be "
        "repeated.",
        show_default=False,
        rich_help_panel=_TRAINING_PANEL,
    ),
]
Descriptions = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help='Words for some labels, in a TOML file with lines such as refund = "wants money '
        'back". They help if labels are few and there are unlabelled documents.',
        show_default="the words of the labels",
        rich_help_panel=_TRAINING_PANEL,
    ),
]


@dataclass(frozen=True)
class TrainOptions:
    """The model to train and its features."""

    model: ModelName = "auto"
    tokens: Tokens = Tokenization.words
    ngrams: Ngrams = None
    language: Language = None
    stop_words: StopWords = None
    features: Features = None
    select: Select = None
    multi_label: MultiLabel = None
    thresholds: Thresholds = "micro"
    keep: Keep = Kept.documents
    classes: ClassNames = None
    descriptions: Descriptions = None
    budget: Budget = None


class EngineName(StrEnum):
    """Engine that distributes the work."""

    dask = "dask"
    spark = "spark"


Chosen = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="Distribute the work with Dask or Spark. Every worker must find INPUT under the same "
        "path. Counts and predictions are the same as on one machine.",
        show_default="none, all work is done by this process",
        rich_help_panel=_ENGINE_PANEL,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster, e.g. tcp://host:8786.",
        show_default="workers on this machine",
        rich_help_panel=_ENGINE_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of Dask worker processes on this machine.",
        show_default="one for each core",
        rich_help_panel=_ENGINE_PANEL,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Master of a Spark cluster, e.g. spark://host:7077 or local[4].",
        show_default="the one in the settings of Spark, or local[*]",
        rich_help_panel=_ENGINE_PANEL,
    ),
]
MaxTerms = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Count at most N terms; the rarest are dropped, and the report shows the largest "
        "error of a count. Needs --engine.",
        show_default="no limit",
        rich_help_panel=_ENGINE_PANEL,
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of sampled documents to compare models on. Needs --engine.",
        show_default="4096",
        rich_help_panel=_ENGINE_PANEL,
    ),
]


@dataclass(frozen=True)
class EngineOptions:
    """The engine that distributes the work, and its cluster."""

    engine: Chosen = None
    scheduler: Scheduler = None
    workers: Workers = None
    master: Master = None

    def __post_init__(self) -> None:
        self._check_engine("--scheduler", self.scheduler, EngineName.dask)
        self._check_engine("--workers", self.workers, EngineName.dask)
        self._check_engine("--master", self.master, EngineName.spark)
        if self.scheduler is not None and self.workers is not None:
            raise typer.BadParameter(
                "--workers starts processes on this machine, but the cluster of --scheduler has "
                "its own. Leave out one of the two options."
            )

    def check_files(self, sources: list[str]) -> None:
        """Raise BadParameter if an engine is to read standard input."""
        if self.engine is not None and "-" in sources:
            raise typer.BadParameter(
                "workers cannot read standard input. Write it to a file that every worker can "
                "read, or leave out --engine."
            )

    def check_no_threads(self, threads: int | None) -> None:
        """Raise BadParameter if threads are limited, but all work is done by an engine."""
        if self.engine is not None and threads is not None:
            raise typer.BadParameter(
                "--threads has no effect with --engine, where each task has one thread. Limit "
                "the number of tasks with --workers or --master 'local[N]'."
            )

    def _check_engine(self, option: str, value: object, engine: EngineName) -> None:
        if value is not None and self.engine is not engine:
            other = " With Spark, use --master 'local[N]'." if option == "--workers" else ""
            raise typer.BadParameter(f"{option} needs --engine {engine.value}.{other}")


@dataclass(frozen=True)
class EngineLimits:
    """Largest numbers of terms and of sampled documents that an engine collects."""

    max_terms: MaxTerms = None
    sample: Sample = None

    def values_set(self) -> dict[str, int]:
        """Return the options that the user set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def check_engine(self, engine: EngineName | None) -> None:
        """Raise BadParameter if a limit is set without an engine."""
        for name in self.values_set() if engine is None else ():
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{option} needs --engine dask or --engine spark.")


def parse_thresholds(rules: Sequence[str]) -> Any:
    """Return the rule of thresholds that was given: a name, a number, or numbers by label.

    Examples
    --------
    >>> parse_thresholds(["macro"]), parse_thresholds(["0.4"]), parse_thresholds(["ship=0.2"])
    ('macro', 0.4, {'ship': 0.2})
    """
    by_label = {}
    for rule in rules:
        label, sign, number = rule.rpartition("=")
        try:
            value: Any = float(number)
        except ValueError:
            value = number
        if not sign:
            if len(rules) > 1:
                raise SettingsError(f"{rule!r} cannot be combined with other thresholds.")
            return value
        by_label[label] = value
    return by_label
