"""``tally predict``: what a model says of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tallytext.cli import answer_options as wanted
from tallytext.cli import options
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import told
from tallytext.cli.models import batch_size, load

if TYPE_CHECKING:
    from tallytext.cli.writing import Writer


def predict(
    model: options.Model,
    source: options.Source,
    top: wanted.Top = None,
    coverage: wanted.Coverage = None,
    min_confidence: wanted.MinConfidence = None,
    explain: wanted.Explain = False,
    identifier: wanted.Identifier = None,
    to: wanted.To = wanted.Written.jsonl,
    batch: wanted.BatchSize = 16_384,
    text: options.TextColumn = "text",
    format: options.Format = None,
    on_error: options.Errors = options.OnError.fail,
    encoding: options.Encoding = "utf-8",
    match: options.Match = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Write the label of each document, and how likely it is, as they come.

    Answers are lines of JSON (or CSV) on standard output. "row" tells where a document is: the
    line of a file from 1 on, the row of a parquet file from 0 on, the name of a file in a folder.

    \b
    tally predict mails.tally new.jsonl --top 3 > answers.jsonl
    tally predict mails.tally new.csv --text body --id message --min-confidence 0.7 --to csv
    cat new.txt | tally predict mails.tally - --format txt --explain
    """
    if explain and to is wanted.Written.csv:
        raise typer.BadParameter("explanations do not fit into CSV: use --to jsonl.")
    classifier = load(model)
    from tallytext.cli.answers import Answers

    answers = Answers(
        classifier, top=top, coverage=coverage, min_confidence=min_confidence, explain=explain
    )
    documents = Documents(
        [source],
        quiet,
        text=text,
        label=None,
        also=() if identifier is None else (identifier,),
        format=format,
        on_error=on_error,
        encoding=encoding,
        match=match,
        max_documents=batch_size(classifier, batch),
    )
    writer = _writer(to, identifier is not None, top or 0, coverage is not None)
    with told(lambda: f"{writer.n_written:,} answers were written."):
        for some in documents:
            writer.write(answers.of(some))
    documents.close()


def _writer(to: wanted.Written, has_id: bool, top: int, has_sets: bool) -> Writer:
    from tallytext.cli.writing import CsvWriter, Writer

    return Writer() if to is wanted.Written.jsonl else CsvWriter(has_id, top, has_sets)
