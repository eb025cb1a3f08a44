"""``tally rank``: documents sorted by how well they fit a class."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    NO_OUTPUT_TO_FORCE,
    InputDocuments,
    LineWriter,
    check_escapes_formulas,
    check_table_file,
    find_class,
    load_model,
    note_on_interrupt,
    show_message,
)
from tallytext.cli.options import AnswerFormat

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier

Label = Annotated[
    str,
    typer.Option("--label", metavar="LABEL", help="Label to sort the documents by."),
]
Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Write only the best N documents, and hold only these in memory.",
        show_default="all",
    ),
]
Normalize = Annotated[
    bool,
    typer.Option(
        "--normalize/--no-normalize",
        help="Divide the log-odds of a document by its length, or rank by the log-odds themselves, "
        "which are extreme for long documents.",
    ),
]
WithText = Annotated[
    bool, typer.Option("--with-text", help="Also write the text of each document.")
]


def rank(
    model: options.Model,
    sources: options.AnySources,
    *,
    label: Label,
    top: Top = None,
    normalize: Normalize = True,
    identifiers: options.Identifiers = None,
    with_text: WithText = False,
    to: options.To = AnswerFormat.jsonl,
    escape_formulas: options.EscapeFormulas = False,
    reading: options.UnlabelledReadingOptions,
    output: options.TableFile = None,
    force: options.Force = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Sort documents by how well they fit a label, best first.

    "score" is the log-odds of the label against all others, per word unless --no-normalize is given
    (for Poisson models, z* of Kim et al., eq. 15). It ranks documents for one label; do not compare
    the scores of different labels. "row" is the position of a document, as in tally predict.

    \b
    tally rank mails.tally new.csv --text body --label spam --top 20
    tally rank mails.tally new.csv --text body --label spam --id message --to csv
    tally rank mails.tally archive.jsonl --label work --no-normalize -o work.csv
    """
    format = to.value
    if output is not None:
        format = check_table_file(output, [model, *sources], force=force, to=to)
    elif force:
        raise typer.BadParameter(NO_OUTPUT_TO_FORCE)
    check_escapes_formulas(escape_formulas, format)
    classifier = load_model(model, sources)
    name = find_class(classifier, label)
    documents = InputDocuments(sources, reading, quiet, also=identifiers or [])
    with note_on_interrupt(lambda: "Nothing was written."):
        rows = _rows(classifier, documents, name, normalize, len(sources) > 1, with_text)
        ranked = _sort(rows, top)
    _write(ranked, to, output, escape_formulas)
    documents.close()
    if output is not None and not quiet:
        show_message(f"saved as {output}")


def _rows(
    classifier: TextClassifier,
    documents: InputDocuments,
    label: Any,
    normalize: bool,
    has_file: bool,
    with_text: bool,
) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the score and the row of each document, in the order of the input."""
    from tallytext.classifier.prediction_rows import free_names

    for source, batch in documents.by_source():
        first = {"file": source} if has_file else {}
        scores = classifier.rank(batch.texts, label, normalize).tolist()
        names = free_names(["label", "score", "text"], batch.also)
        texts = list(batch.strings) if with_text else []
        for at, (place, score) in enumerate(zip(batch.places, scores, strict=True)):
            row = {**first, "row": place} | {name: ids[at] for name, ids in batch.also.items()}
            row |= {names["label"]: label, names["score"]: score}
            yield score, (row | {names["text"]: texts[at]} if with_text else row)


def _sort(rows: Iterator[tuple[float, dict[str, Any]]], top: int | None) -> list[dict[str, Any]]:
    """Return the rows with the highest scores first; of equal ones, the earlier."""

    def score(row: tuple[float, dict[str, Any]]) -> float:
        return row[0]

    best = sorted(rows, key=score, reverse=True) if top is None else nlargest(top, rows, key=score)
    return [row for _, row in best]


def _write(
    rows: list[dict[str, Any]], to: AnswerFormat, output: Path | None, escape_formulas: bool
) -> None:
    from tallytext.classifier.prediction_rows import JsonFormatter
    from tallytext.io.table_writer import csv_lines, open_table

    names = [*rows[0]] if rows else ["row", "label", "score"]
    if output is not None:
        with open_table(output, escape_formulas) as table:
            table.write({name: [row[name] for row in rows] for name in names})
    elif to is AnswerFormat.csv:
        cells = [names, *([*row.values()] for row in rows)]
        lines = csv_lines(cells, escape_formulas=escape_formulas)
        LineWriter().write(lines, len(rows))
    else:
        LineWriter().write(JsonFormatter().format(rows), len(rows))
