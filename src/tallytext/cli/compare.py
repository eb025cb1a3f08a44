"""``tally compare``: every learner on one's own documents, and a report to look at."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    Documents,
    check_place,
    is_watched,
    print_json,
    results,
    say,
    told,
    warn,
)
from tallytext.cli.train import default_output

_HOW = "Comparison"

Report = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The report, a page of HTML (INPUT.html here)."
    ),
]
Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="Compare this one; may be given several times. By default all but pooled, and but "
        "those that would take longer to learn once than the budget, and than a minute.",
        rich_help_panel=_HOW,
    ),
]
Folds = Annotated[
    int, typer.Option(min=2, help="How often documents are dealt out.", rich_help_panel=_HOW)
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Keep documents with the same value together: a thread, an author, a template. One "
        "without a value is kept by itself.",
        rich_help_panel=_HOW,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Judge by documents later than those learned: dates as in 2024-05-31 or "
        "2024-05-31T12:30, or numbers.",
        rich_help_panel=_HOW,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Time for judging, after the first fold; 0 for the first fold only. Where it is "
        "short, those that are behind are judged on fewer folds, the slowest first.",
        rich_help_panel=_HOW,
    ),
]


def compare(
    sources: options.Sources,
    *,
    output: Report = None,
    learner: Learners = None,
    folds: Folds = 5,
    groups: Groups = None,
    time: Time = None,
    budget: Budget = 120.0,
    reading: options.Reading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Judge every learner by the same documents, each kept from it while it learned.

    Prints a table of learners: accuracy (F1 where documents have several labels) with intervals,
    the difference from the best, marked where it may be chance, time and memory. Writes a report
    that any browser opens: what is taken for what, whether more labels or fewer words would help,
    whether probabilities can be trusted, what is telling of each class, and documents whose label
    is most likely wrong, with the evidence.

    Scores are too high where documents of one thread, author or template are on both sides:
    --groups keeps them together, and --time judges by later documents only.

    \b
    tally compare mails.csv --text body --label folder
    tally compare mails.csv --text body --label folder --groups thread -o mails.html
    tally compare news.parquet --time date --learner refined --learner chi-contrast
    """
    import tallytext
    from tallytext.classifier.registry import find_learner

    path = check_place(output or default_output(sources, ".html"), page=True)
    for name in learner or ():
        find_learner(name)  # before anything is read
    if groups is not None and time is not None:
        raise typer.BadParameter("give --groups or --time, not both.")
    column = groups or time
    start = perf_counter()
    documents = Documents(sources, reading, quiet, also=[] if column is None else [column])
    texts, labels, keys = _read(documents, column)
    with told(lambda: f"Nothing was written; {str(path)!r} was not touched."):
        comparison = tallytext.compare(
            texts,
            labels,
            learners=learner,
            folds=folds,
            groups=keys if groups else None,
            time=_ordered(keys) if time else None,
            budget=budget,
            verbose=is_watched(quiet),
        )
    # Before the page: if that cannot be written, minutes of work are not lost.
    if as_json:
        print_json({"report": str(path), **comparison.to_dict()})
    elif not quiet:
        results().print(comparison.to_rich())
    for sentence in comparison.warnings:
        warn(sentence)
    comparison.to_html(path)
    if not quiet:
        n, seconds = len(labels), perf_counter() - start
        say(f"{n:,} documents, {comparison.splits.described}, in {seconds:,.1f} s")
        say(f"The report is {path}")


def _read(documents: Documents, column: str | None) -> tuple[list[str], list[Any], list[Any]]:
    texts: list[str] = []
    labels: list[Any] = []
    keys: list[Any] = []
    for batch in documents:
        texts += batch.strings
        labels += batch.labels or []
        keys += [] if column is None else batch.also[column]
    return texts, labels, keys


def _ordered(values: list[Any]) -> list[Any]:
    """Return moments that can be put in order: numbers as numbers, dates as dates.

    Examples
    --------
    >>> _ordered(["10", "9.5"])
    [10.0, 9.5]
    >>> _ordered(["2024-05-31", ""])
    [datetime.datetime(2024, 5, 31, 0, 0, tzinfo=datetime.timezone.utc), None]
    >>> _ordered([2023, "2024"])
    [2023, 2024.0]
    """
    written = [value for value in values if isinstance(value, str) and value.strip()]
    read = float if _are_numbers(written) else _moment
    return [_read_moment(value, read) for value in values]


def _read_moment(value: Any, read: Callable[[str], Any]) -> Any:
    """Return a moment; what is no string is as tables have it that know of dates and numbers."""
    if not isinstance(value, str):
        return value
    return read(value) if value.strip() else None


def _are_numbers(values: list[str]) -> bool:
    try:
        return bool([float(value) for value in values])
    except ValueError:
        return False


def _moment(value: str) -> datetime:
    """Read a date, with a time or without one; without a zone it is that of Greenwich."""
    written = f"{value.strip()}-01" if re.fullmatch(r"\d{4}-\d\d", value.strip()) else value.strip()
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as problem:
        raise typer.BadParameter(
            f"--time: {value!r:.60} is neither a number nor a date as in 2024-05-31 or "
            "2024-05-31T12:30."
        ) from problem
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
