"""``tally rank``: documents sorted by how well they fit a class."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    LineWriter,
    check_new_file,
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
    typer.Option("--label", metavar="LABEL", help="Class to sort the documents by."),
]
Top = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Write the best N documents only. Memory then holds no more than these.",
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
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="New file to write to; .csv writes CSV, any other name JSON lines.",
        show_default="standard output",
        rich_help_panel=options.OUTPUT,
    ),
]


def rank(
    model: options.Model,
    sources: options.AnySources,
    *,
    label: Label,
    top: Top = None,
    normalize: Normalize = True,
    identifier: options.Identifier = None,
    with_text: WithText = False,
    to: options.To = AnswerFormat.jsonl,
    reading: options.UnlabelledReadingOptions,
    output: OutputFile = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Sort documents by how well they fit a class, best first.

    "score" is the log-odds of the class against all others, per word unless --no-normalize is
    given (for Poisson models, z* of Kim et al., eq. 15). It ranks documents within one class; it
    does not compare classes. "row" is the position of a document, as in tally predict.

    \b
    tally rank mails.tally new.csv --text body --label spam --top 20
    tally rank mails.tally new.csv --text body --label spam --id message --to csv
    tally rank mails.tally archive.jsonl --label work --no-normalize -o work.csv
    """
    if output is not None:
        check_new_file(output)
        to = AnswerFormat.csv if output.suffix == ".csv" else to
    classifier = load_model(model, sources)
    name = find_class(classifier, label)
    also = [] if identifier is None else [identifier]
    documents = InputDocuments(sources, reading, quiet, also=also)
    with note_on_interrupt(lambda: "Nothing was written."):
        rows = _rows(classifier, documents, name, normalize, len(sources) > 1, with_text)
        ranked = _sort(rows, top)
    _write(ranked, to, output)
    documents.close()
    if output is not None and not quiet:
        show_message(f"saved in {output}")


def _rows(
    classifier: TextClassifier,
    documents: InputDocuments,
    label: Any,
    normalize: bool,
    has_file: bool,
    with_text: bool,
) -> Iterator[dict[str, Any]]:
    """Yield the row of each document, in the order of the input."""
    for source, batch in documents.by_source():
        first = {"file": source} if has_file else {}
        scores = classifier.rank(batch.texts, label, normalize).tolist()
        ids = next(iter(batch.also.values()), None)
        texts = list(batch.strings) if with_text else []
        for at, (place, score) in enumerate(zip(batch.places, scores, strict=True)):
            row = {**first, "row": place}
            if ids is not None:
                row["id"] = ids[at]
            row |= {"label": label, "score": score}
            yield row | {"text": texts[at]} if with_text else row


def _sort(rows: Iterator[dict[str, Any]], top: int | None) -> list[dict[str, Any]]:
    """Return the rows with the highest scores first; of equal ones, the earlier."""

    def score(row: dict[str, Any]) -> float:
        return float(row["score"])

    if top is None:
        return sorted(rows, key=score, reverse=True)
    return nlargest(top, rows, key=score)


def _write(rows: list[dict[str, Any]], to: AnswerFormat, output: Path | None) -> None:
    from tallytext.classifier.prediction_rows import JsonFormatter, csv_lines
    from tallytext.io.atomic import save_blocks

    if to is AnswerFormat.csv:
        names = [*rows[0]] if rows else ["row", "label", "score"]
        lines = csv_lines([names, *([*row.values()] for row in rows)])
    else:
        lines = JsonFormatter().format(rows)
    if output is None:
        LineWriter().write(lines, len(rows))
    else:
        save_blocks(output, [lines])
