"""``tally predict``: what a model says of documents."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import Documents, Writer, check_new, load, new_folder, say, told
from tallytext.cli.options import Many, Wanted, Written

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.cli.engines import SharedWork
    from tallytext.distributed.answers import Asked

OutputFolder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="With --engine: a new folder, to which each worker writes the answers that it found, "
        "as part-00000.jsonl and so on. It is there when all is done.",
        show_default="standard output",
        rich_help_panel=options.OUTPUT,
    ),
]


def predict(
    model: options.Model,
    sources: options.AnySources,
    *,
    wanted: Wanted,
    reading: options.UnlabelledReading,
    many: Many,
    output: OutputFolder = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Label new documents, and say how likely each label is.

    Answers are lines of JSON (or CSV) on standard output, as documents come. "row" tells where
    a document is: the line of a file from 1 on, the row of a parquet file from 0 on, the name of a
    file in a folder. With several inputs, "file" tells which of them it is in.

    \b
    tally predict mails.tally new.jsonl --top 3 > answers.jsonl
    tally predict mails.tally new.csv --text body --id message --to csv
    tally predict mails.tally new.csv --text body --min-confidence 0.7
    cat new.txt | tally predict mails.tally - --format txt --explain
    tally predict mails.tally new-*.parquet --engine dask -o answers
    """
    _check(wanted, many, sources, output)
    many.check_no_threads(threads)
    classifier = load(model, sources)
    asked = _asked(wanted, multi_label=len(sources) > 1)
    more = _more_of_reading(classifier, wanted)
    if many.engine is None:
        _answer(classifier, Documents(sources, reading, quiet, **more), asked)
        return
    from tallytext.cli.engines import SharedWork

    work = SharedWork(sources, reading, many, quiet)
    work.reading |= more
    _let_answer(classifier, work, asked, output)
    if output is not None and not quiet:
        say(f"saved in {output}")


def _check(wanted: Wanted, many: Many, sources: list[str], output: Path | None) -> None:
    """Refuse what makes no sense together."""
    if wanted.explain and wanted.to is Written.csv:
        raise typer.BadParameter("explanations do not fit into CSV: use --to jsonl.")
    if output is not None and many.engine is None:
        raise typer.BadParameter(
            "--output is for --engine: without one, answers go to standard output, as in "
            "tally predict mails.tally new.jsonl > answers.jsonl."
        )
    many.check_files(sources)
    if output is not None:
        check_new(output)


def _more_of_reading(classifier: TextClassifier, wanted: Wanted) -> dict[str, Any]:
    from tallytext.classifier.evaluation import batch_size

    also = [] if wanted.identifier is None else [wanted.identifier]
    return {"also": also, "max_documents": batch_size(classifier, wanted.batch)}


def _asked(wanted: Wanted, multi_label: bool) -> Asked:
    from tallytext.distributed.answers import Asked

    return Asked(
        top=wanted.top,
        coverage=wanted.coverage,
        min_confidence=wanted.min_confidence,
        explain=wanted.explain,
        to=wanted.to.value,
        has_file=multi_label,
        has_id=wanted.identifier is not None,
    )


def _answer(classifier: TextClassifier, documents: Documents, asked: Asked) -> None:
    """Answer, and write that to standard output."""
    answers, lines, writer = asked.answers(classifier), asked.lines(), Writer()
    writer.write(lines.head)
    with told(lambda: f"{writer.n_written:,} answers were written."):
        for source, batch in documents.named():
            file = source if asked.has_file else None
            writer.write(lines.of(answers.of(batch, file)), len(batch))
    documents.close()


def _let_answer(
    classifier: TextClassifier, work: SharedWork, asked: Asked, output: Path | None
) -> None:
    """Let others answer, and write to files of a folder, or to standard output what they say."""
    from tallytext.distributed.predicting import answered, model_bytes, packed_question, part_name

    asked.answers(classifier)  # refuses what would fail later
    classifier.predict_proba([])  # warns of what others would be warned of
    writer, pattern = Writer(), part_name("*", asked)
    with (
        told(lambda: _outcome(writer, output)),
        nullcontext() if output is None else new_folder(output.resolve(), pattern) as folder,
    ):
        place = None if folder is None else str(folder)
        question = packed_question(model_bytes(classifier), work.reading, asked, place)
        writer.write(b"" if place else asked.lines().head)
        with closing(work.outcomes(answered, question)) as outcomes:
            for outcome in outcomes:
                writer.write(outcome.content, outcome.n_documents)
    work.close()


def _outcome(writer: Writer, output: Path | None) -> str:
    if output is None:
        return f"{writer.n_written:,} answers were written."
    return f"Nothing was written to {str(output)!r}."
