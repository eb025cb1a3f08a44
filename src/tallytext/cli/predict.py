"""``tally predict``: what a model says of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tallytext.cli import options
from tallytext.cli.answer_options import Wanted, Written
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import told
from tallytext.cli.models import batch_size, load

if TYPE_CHECKING:
    from tallytext import TextClassifier
    from tallytext.cli.answers import Answers
    from tallytext.cli.writing import Writer


def predict(
    model: options.Model,
    source: options.Source,
    *,
    wanted: Wanted,
    reading: options.UnlabelledReading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Label new documents, and say how likely each label is.

    Answers are lines of JSON (or CSV) on standard output, as documents come. "row" tells where
    a document is: the line of a file from 1 on, the row of a parquet file from 0 on, the name of a
    file in a folder.

    \b
    tally predict mails.tally new.jsonl --top 3 > answers.jsonl
    tally predict mails.tally new.csv --text body --id message --to csv
    tally predict mails.tally new.csv --text body --min-confidence 0.7
    cat new.txt | tally predict mails.tally - --format txt --explain
    """
    if wanted.explain and wanted.to is Written.csv:
        raise typer.BadParameter("explanations do not fit into CSV: use --to jsonl.")
    classifier = load(model, [source])
    documents = Documents(
        [source],
        reading,
        quiet,
        also=() if wanted.identifier is None else (wanted.identifier,),
        max_documents=batch_size(classifier, wanted.batch),
    )
    answers, writer = _answers(classifier, wanted), _writer(wanted)
    with told(lambda: f"{writer.n_written:,} answers were written."):
        for some in documents:
            writer.write(answers.of(some))
    documents.close()


def _answers(classifier: TextClassifier, wanted: Wanted) -> Answers:
    from tallytext.cli.answers import Answers

    return Answers(
        classifier,
        top=wanted.top,
        coverage=wanted.coverage,
        min_confidence=wanted.min_confidence,
        explain=wanted.explain,
    )


def _writer(wanted: Wanted) -> Writer:
    from tallytext.cli.writing import CsvWriter, Writer

    if wanted.to is Written.jsonl:
        return Writer()
    return CsvWriter(wanted.identifier is not None, wanted.top or 0, wanted.coverage is not None)
