"""``tally compare``: cross-validate all learners on the user's documents, and write a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tallytext.cli import options
from tallytext.cli.evaluate import report_origin
from tallytext.cli.io import (
    InputDocuments,
    check_escapes_formulas,
    check_new_file,
    check_output_file,
    note_on_interrupt,
    print_json,
    result_console,
    show_message,
    show_warning,
    shows_progress,
)
from tallytext.cli.label_hygiene import LabelCheck, LabelOptions
from tallytext.cli.train import default_output

if TYPE_CHECKING:
    from tallytext.classifier.record_files import RecordFormat
    from tallytext.comparison.comparison import Comparison

_PANEL = "Comparison"

Report = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="HTML file to write the report to. An existing report is replaced.",
        show_default="INPUT.html in the current folder",
    ),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="MODEL",
        help="Compare this learner: a name or an expression, as for tally train --model. Can be "
        "repeated. auto selects learner and features in each fold, as in tally train. "
        "Default: auto and all learners except rotation, discriminant and pooled; those "
        "significantly worse than the best after the first fold are stopped there.",
        rich_help_panel=_PANEL,
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Show the value of this column with each document of the report, and write it with "
        "each suspect label. Can be repeated.",
        show_default="row",
        rich_help_panel=_PANEL,
    ),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", help="Number of folds.", rich_help_panel=_PANEL)
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Keep documents with the same value of this column in one fold, e.g. those of a "
        "thread, an author or a template. A document without a value is a group of its own.",
        rich_help_panel=_PANEL,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Evaluate on documents later than the training documents. Values are numbers or dates "
        "such as 2024-05-31 or 2024-05-31T12:30.",
        rich_help_panel=_PANEL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Time for the folds after the first; 0 for the first fold only. If it is short, the "
        "learners with lower scores are evaluated on fewer folds, the slowest first.",
        rich_help_panel=_PANEL,
    ),
]
Suspects = Annotated[
    Path | None,
    typer.Option(
        "--suspects",
        metavar="FILE",
        help="Also write the documents whose label may be wrong, at most 200, to a new file, "
        ".csv, .tsv, .jsonl or .xlsx, which tally forget and tally learn can read.",
        show_default="none",
    ),
]


def compare(
    sources: options.Sources,
    *,
    output: Report = None,
    suspects: Suspects = None,
    learner: Learners = None,
    folds: Folds = 5,
    groups: Groups = None,
    time: Time = None,
    budget: Budget = 120.0,
    identifiers: Identifiers = None,
    ranking: options.Ranking = False,
    escape_formulas: options.EscapeFormulas = False,
    reading: options.ReadingOptions,
    hygiene: LabelOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compare learners by cross-validation on the same documents, and write a report.

    Prints a table of learners: accuracy (micro-F1 for multi-label documents) with its interval, the
    difference from the best and its significance, macro-F1, time and memory. The report opens in
    any browser. It shows confusions, learning curves for more labels and fewer words, calibration,
    typical terms of each class, and documents whose label may be wrong, with the evidence.

    Labels that look like mistakes stop the command, as in tally train: see --yes and
    --merge-labels.

    If your texts come in threads, by author or over time, pass --groups or --time; otherwise the
    scores are too high.

    \b
    tally compare mails.csv --text body --label folder
    tally compare mails.csv --text body --label folder --groups thread -o mails.html
    tally compare mails.csv --text body --label folder --id message --suspects suspects.csv
    tally compare news.parquet --time date --learner refined --learner chi-contrast
    """
    import tallytext
    from tallytext.classifier.expressions import build_model
    from tallytext.classifier.registry import CHOICES

    path = check_output_file(output or default_output(sources, ".html"), "page written by tally")
    ids = identifiers or []
    check_escapes_formulas(escape_formulas, None if suspects is None else suspects.suffix)
    suspect_lines = (
        None if suspects is None else _suspect_format(suspects, reading, ids, escape_formulas)
    )
    for name in {*(learner or ())} - {*CHOICES}:
        build_model(name)  # raises an error before anything is read
    if groups is not None and time is not None:
        raise typer.BadParameter("--groups and --time exclude each other. Leave out one of them.")
    column = groups or time
    start = perf_counter()
    also = dict.fromkeys([*([] if column is None else [column]), *ids])
    documents = InputDocuments(sources, reading, quiet, also=also)
    check = LabelCheck(hygiene)
    check.read_labels(sources, reading, quiet)
    texts, labels, keys, places = _read(documents, check, column, ids)
    with note_on_interrupt(lambda: f"Nothing was written; {str(path)!r} was not changed."):
        comparison = tallytext.compare(
            texts,
            labels,
            learners=learner,
            folds=folds,
            groups=keys if groups else None,
            time=parse_times(keys) if time else None,
            budget=budget,
            ranking=ranking,
            verbose=shows_progress(quiet),
        )
    # Printed before the report is written: if that fails, minutes of work are not lost.
    if as_json:
        print_json({"report": str(path), **comparison.to_dict()})
    elif not quiet:
        result_console().print(comparison.to_rich())
    for sentence in comparison.warnings:
        show_warning(sentence)
    if suspects is not None and suspect_lines is not None:
        save_suspects(suspect_lines, comparison, places)
    where = [_describe_place(place, has_file=len(sources) > 1) for place in places]
    comparison.to_html(path, about=report_origin(sources), places=where)
    if not quiet:
        n, seconds = len(labels), perf_counter() - start
        show_message(f"{n:,} documents, {comparison.splits.description}, in {seconds:,.1f} s")
        if any(each.name == "auto" for each in comparison.results):
            show_message(
                "tally train holds out other documents than these folds, so its expected accuracy "
                "may differ a little from that of auto"
            )
        if suspects is not None:
            show_message(f"suspect labels saved as {suspects}")
        show_message(f"report saved as {path}")


#: The file of a document, its row in it, and the values of the columns of --id.
Place: TypeAlias = dict[str, Any]


def _describe_place(place: Place, *, has_file: bool) -> str:
    """Return a place in words: the ids, or else the row."""
    ids = [f"{name} {value}" for name, value in place.items() if name not in ("file", "row")]
    return " ".join([place["file"]] * has_file + (ids or [f"row {place['row']}"]))


def _read(
    documents: InputDocuments, check: LabelCheck, column: str | None, ids: list[str]
) -> tuple[list[str], list[Any], list[Any], list[Place]]:
    texts: list[str] = []
    labels: list[Any] = []
    keys: list[Any] = []
    places: list[Place] = []
    for source, read in documents.by_source():
        batch = check.merge_batch(read)
        texts += batch.strings
        labels += batch.labels or []
        keys += [] if column is None else batch.also[column]
        rows = zip(batch.places, *(batch.also[name] for name in ids), strict=True)
        places += [
            {"file": source, "row": row, **dict(zip(ids, values, strict=True))}
            for row, *values in rows
        ]
    check.check()
    return texts, labels, keys, places


def _suspect_format(
    path: Path, reading: options.ReadingOptions, ids: list[str], escape_formulas: bool
) -> RecordFormat:
    """Return the format of the file of suspects; raise an error before the work if it is wrong."""
    from tallytext.classifier.record_files import RecordFormat
    from tallytext.comparison.suspects import SUSPECT_COLUMNS

    check_new_file(path)
    columns = [*dict.fromkeys(["file", "row", *ids, *SUSPECT_COLUMNS])]
    return RecordFormat(path, columns, reading.label_separator or ";", escape_formulas)


def save_suspects(format: RecordFormat, comparison: Comparison, places: Sequence[Place]) -> None:
    """Write the documents whose label may be wrong, with the place of each in the input."""
    from tallytext.comparison.suspects import suspect_record

    texts, labels = comparison.documents.texts, comparison.documents.labels
    records = [
        {**places[each.row], **suspect_record(each, texts[each.row], labels[each.row])}
        for each in comparison.suspects
    ]
    format.save([records])


def parse_times(values: list[Any]) -> list[Any]:
    """Return the values of --time, parsed as numbers or else as dates; None for empty ones.

    Examples
    --------
    >>> parse_times(["10", "9.5"])
    [10.0, 9.5]
    >>> parse_times(["2024-05-31", ""])
    [datetime.datetime(2024, 5, 31, 0, 0, tzinfo=datetime.timezone.utc), None]
    >>> parse_times([2023, "2024"])
    [2023, 2024.0]
    """
    written = [value for value in values if isinstance(value, str) and value.strip()]
    parse = float if _are_numbers(written) else _parse_date
    # Values that are not strings come from formats that know dates and numbers.
    return [_parse_time(value, parse) if isinstance(value, str) else value for value in values]


def _parse_time(value: str, parse: Callable[[str], Any]) -> Any:
    return parse(value) if value.strip() else None


def _are_numbers(values: list[str]) -> bool:
    try:
        # An empty column is not numeric: bool([]) leads to the date parser, which is never called.
        return bool([float(value) for value in values])
    except ValueError:
        return False


def _parse_date(value: str) -> datetime:
    """Parse a date or month, with or without a time; without a time zone it is UTC."""
    written = f"{value.strip()}-01" if re.fullmatch(r"\d{4}-\d\d", value.strip()) else value.strip()
    try:
        date = datetime.fromisoformat(written)
    except ValueError as problem:
        raise typer.BadParameter(
            f"--time: {value!r:.60} is neither a number nor a date such as 2024-05-31 or "
            "2024-05-31T12:30. Is it the right column?"
        ) from problem
    return date if date.tzinfo else date.replace(tzinfo=UTC)
