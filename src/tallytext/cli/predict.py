"""``tally predict``: predict the labels of documents."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    LineWriter,
    check_output_folder,
    load_model,
    new_folder,
    note_on_interrupt,
    show_message,
)
from tallytext.cli.options import AnswerFormat, EngineOptions, PredictOptions

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.prediction_rows import OutputOptions
    from tallytext.cli.engines import EngineJob

OutputFolder = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="With --engine: a new folder, in which workers write their predictions as "
        "part-00000.jsonl and so on. It appears when all of them are complete.",
        show_default="standard output",
        rich_help_panel=options.OUTPUT,
    ),
]


def predict(
    model: options.Model,
    sources: options.AnySources,
    *,
    wanted: PredictOptions,
    reading: options.UnlabelledReadingOptions,
    engine: EngineOptions,
    output: OutputFolder = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict the labels of new documents, with probabilities.

    Predictions are lines of JSON (or CSV) on standard output, in the order of the documents. "row"
    is the number of a document in its file, counted from 1, without the header; in folders and
    archives it is the name of the file. With several inputs, "file" is the input.
    The label of a document without a known word is null, and its probability that of the most
    frequent class.

    \b
    tally predict mails.tally new.jsonl --top 3 > answers.jsonl
    tally predict mails.tally new.csv --text body --id message --to csv
    tally predict mails.tally new.csv --text body --min-confidence 0.7
    tally predict mails.tally new.csv --text body --known --novelty
    cat new.txt | tally predict mails.tally - --format txt --explain
    tally predict mails.tally new-*.parquet --engine dask -o answers
    """
    _check_options(wanted, engine, sources, output)
    engine.check_no_threads(threads)
    classifier = load_model(model, sources)
    shown = _output_options(wanted, has_file=len(sources) > 1)
    more = _extra_reading_options(classifier, wanted)
    if engine.engine is None:
        _predict_here(classifier, InputDocuments(sources, reading, quiet, **more), shown)
        return
    from tallytext.cli.engines import EngineJob

    job = EngineJob(sources, reading, engine, quiet)
    job.reading |= more
    _predict_on_engine(classifier, job, shown, output)
    if output is not None and not quiet:
        show_message(f"saved in {output}")


def _check_options(
    wanted: PredictOptions, engine: EngineOptions, sources: list[str], output: Path | None
) -> None:
    """Raise an error for options that do not work together, before anything is read."""
    if wanted.explain and wanted.to is AnswerFormat.csv:
        raise typer.BadParameter("explanations cannot be written as CSV. Use --to jsonl.")
    if output is not None and engine.engine is None:
        raise typer.BadParameter(
            "--output needs --engine. Without an engine, redirect standard output: "
            "tally predict mails.tally new.jsonl > answers.jsonl."
        )
    engine.check_files(sources)
    if output is not None:
        check_output_folder(output)


def _extra_reading_options(classifier: TextClassifier, wanted: PredictOptions) -> dict[str, Any]:
    from tallytext.classifier.evaluation import prediction_batch_size

    also = [] if wanted.identifier is None else [wanted.identifier]
    return {"also": also, "max_documents": prediction_batch_size(classifier, wanted.batch)}


def _output_options(wanted: PredictOptions, has_file: bool) -> OutputOptions:
    from tallytext.classifier.prediction_rows import OutputOptions

    return OutputOptions(
        top=wanted.top,
        coverage=wanted.coverage,
        min_confidence=wanted.min_confidence,
        explain=wanted.explain,
        always=wanted.always,
        known=wanted.known,
        novelty=wanted.novelty,
        to=wanted.to.value,
        has_file=has_file,
        has_id=wanted.identifier is not None,
    )


def _predict_here(
    classifier: TextClassifier, documents: InputDocuments, shown: OutputOptions
) -> None:
    """Predict in this process, and write to standard output."""
    predictor, formatter, writer = shown.predictor(classifier), shown.formatter(), LineWriter()
    writer.write(formatter.header)
    with note_on_interrupt(lambda: _interruption_note(writer, None)):
        for source, batch in documents.by_source():
            file = source if shown.has_file else None
            writer.write(formatter.format(predictor.predict(batch, file)), len(batch))
    documents.close()


def _predict_on_engine(
    classifier: TextClassifier, job: EngineJob, shown: OutputOptions, output: Path | None
) -> None:
    """Predict on an engine; workers write to a folder, or this process to standard output."""
    from tallytext.distributed.prediction import (
        model_bytes,
        pack_request,
        part_file_name,
        predict_split,
    )

    shown.predictor(classifier)  # raises an error here, before the engine is started
    classifier.predict_proba([])  # shows warnings here, which workers would not show
    writer, pattern = LineWriter(), part_file_name("*", shown)
    with (
        note_on_interrupt(lambda: _interruption_note(writer, output)),
        # An absolute path, because workers have working directories of their own.
        nullcontext() if output is None else new_folder(output.resolve(), pattern) as folder,
    ):
        place = None if folder is None else str(folder)
        request = pack_request(model_bytes(classifier), job.reading, shown, place)
        # In a folder, each part file has a header of its own.
        writer.write(b"" if place else shown.formatter().header)
        # Closing the generator stops the engine at once, also if writing fails.
        with closing(job.split_results(predict_split, request)) as results:
            for result in results:
                writer.write(result.content, result.n_documents)
    job.close()


def _interruption_note(writer: LineWriter, output: Path | None) -> str:
    if output is None:
        n = writer.n_written
        return f"{n:,} prediction{' was' if n == 1 else 's were'} written."
    return f"Nothing was written to {str(output)!r}."
