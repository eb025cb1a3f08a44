"""``tally predict``: predict the labels of documents."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    NO_OUTPUT_TO_FORCE,
    InputDocuments,
    LineWriter,
    check_escapes_formulas,
    check_output_folder,
    check_table_file,
    load_model,
    new_folder,
    note_on_interrupt,
    show_message,
    show_warning,
)
from tallytext.cli.options import AnswerFormat, EngineOptions, PredictOptions
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.prediction_rows import OutputOptions, TablePredictor

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write all columns of the input and the predictions to. The ending of its "
        "name gives the format: .csv, .tsv, .jsonl, .json, .parquet or .xlsx; text formats "
        "also with .gz. With --engine: a new folder, in which workers write part-00000.jsonl "
        "and so on.",
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
    output: Output = None,
    force: options.Force = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict the labels of new documents, with probabilities.

    With --output, all columns of the input are written, without --id, followed by label and
    probability; with --top also label_1, probability_1 and so on. If the input already has a column
    of one of these names, the new columns are called predicted_label, predicted_probability and so
    on.

    Without --output, predictions are lines of JSON (or CSV) on standard output, in the order of the
    documents. "row" is the number of a document in its file, counted from 1, without the header; in
    folders and archives it is the name of the file. With several inputs, "file" is the input. A
    document without a known word gets the label null and the probability of the most frequent
    class.

    \b
    tally predict mails.tally new.csv --text body -o labelled.csv
    tally predict mails.tally new.xlsx --text body --top 3 -o labelled.xlsx
    tally predict mails.tally new.jsonl --top 3 > answers.jsonl
    tally predict mails.tally new.csv --text body --id author --id date --to csv
    tally predict mails.tally new.csv --text body --known --novelty --min-confidence 0.7
    cat new.txt | tally predict mails.tally - --format txt --explain
    tally predict mails.tally new-*.parquet --engine dask -o answers
    """
    format = wanted.to.value
    if engine.engine is None and output is not None:
        format = check_table_file(output, [model, *sources], force=force, to=wanted.to)
        _check_file_options(wanted, format)
    else:
        _check_options(wanted, engine, sources, output, force)
    engine.check_no_threads(threads)
    check_escapes_formulas(wanted.escape_formulas, format)
    classifier = load_model(model, sources)
    for source in sources:
        _check_is_no_text(source, model)
    shown = _output_options(wanted, format, has_file=len(sources) > 1)
    more = _extra_reading_options(classifier, wanted)
    if engine.engine is None:
        more["also"] = more["also"] if output is None else "all"
        documents = InputDocuments(sources, reading, quiet, **more)
        if output is None:
            _predict_here(classifier, documents, shown)
        else:
            _predict_to_file(classifier, documents, shown, output, reading.text, quiet)
    else:
        _predict_on_engine(classifier, sources, reading, engine, shown, more, output, quiet)
    if output is not None and not quiet:
        show_message(f"saved {'as' if engine.engine is None else 'in'} {output}")


def _check_options(
    wanted: PredictOptions,
    engine: EngineOptions,
    sources: list[str],
    output: Path | None,
    force: bool,
) -> None:
    """Raise an error for options that do not work together, before anything is read."""
    if wanted.explain and wanted.to is AnswerFormat.csv:
        raise typer.BadParameter("explanations cannot be written as CSV. Use --to jsonl.")
    if force:
        raise typer.BadParameter(NO_OUTPUT_TO_FORCE)
    engine.check_files(sources)
    if output is not None:
        check_output_folder(output)


def _check_is_no_text(source: str, model: Path) -> None:
    """Raise InputError if an input is no file, and looks like a text."""
    suffix = Path(source).suffix
    if source == "-" or "::" in source or (suffix and " " not in suffix):
        return
    try:
        is_missing = not Path(source).exists()
    except (OSError, ValueError):  # too long for a name, or with NUL
        is_missing = True
    if is_missing:
        file, shown = quote(str(model)), quote(source)
        raise InputError(
            f"there is no file {source!r:.60}. For one text, run tally explain {file} {shown}, or "
            f"echo {shown} | tally predict {file} - --format txt"
        )


def _check_file_options(wanted: PredictOptions, format: str) -> None:
    if wanted.explain and not format.startswith("json"):
        raise typer.BadParameter(
            "explanations can be written as JSON only. Give --output a name that ends in .jsonl."
        )
    if wanted.identifiers:
        raise typer.BadParameter("--output writes all columns of the input. Leave out --id.")


def _extra_reading_options(classifier: TextClassifier, wanted: PredictOptions) -> dict[str, Any]:
    from tallytext.classifier.evaluation import prediction_batch_size

    also = wanted.identifiers or []
    return {"also": also, "max_documents": prediction_batch_size(classifier, wanted.batch)}


def _output_options(wanted: PredictOptions, format: str, has_file: bool) -> OutputOptions:
    from tallytext.classifier.prediction_rows import OutputOptions

    return OutputOptions(
        top=wanted.top,
        coverage=wanted.coverage,
        min_confidence=wanted.min_confidence,
        explain=wanted.explain,
        always=wanted.always,
        known=wanted.known,
        novelty=wanted.novelty,
        to=format,
        has_file=has_file,
        ids=wanted.identifiers or (),
        escape_formulas=wanted.escape_formulas,
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


def _predict_to_file(
    classifier: TextClassifier,
    documents: InputDocuments,
    shown: OutputOptions,
    path: Path,
    text: str,
    quiet: bool,
) -> None:
    """Predict in this process, and write the input with the predictions to a file."""
    from tallytext.classifier.prediction_rows import TablePredictor
    from tallytext.io.table_writer import FLAT_FORMATS, open_table

    predictor = TablePredictor(classifier, shown, is_flat=shown.to in FLAT_FORMATS)
    with (
        note_on_interrupt(lambda: f"Nothing was written to {str(path)!r}."),
        open_table(path, shown.escape_formulas) as table,
    ):
        for source, batch in documents.by_source():
            columns = predictor.predict(batch, source if shown.has_file else None)
            table.write(columns, predictor.kinds)
        if not table.n_rows:
            table.write({name: [] for name in (text, *shown.prediction_columns)})
    documents.close()
    if not quiet:
        _show_names(predictor)
    for note in table.notes:
        show_warning(note)


def _show_names(predictor: TablePredictor) -> None:
    """Show the names of predicted columns if the input has a column of one of the usual names."""
    if predictor.taken:
        shown = ", ".join(predictor.names.values())
        show_message(
            f"the input already has a column {predictor.taken[0]!r}, so predictions are in {shown}"
        )


def _predict_on_engine(
    classifier: TextClassifier,
    sources: list[str],
    reading: options.UnlabelledReadingOptions,
    engine: EngineOptions,
    shown: OutputOptions,
    more: dict[str, Any],
    output: Path | None,
    quiet: bool,
) -> None:
    """Predict on an engine; workers write to a folder, or this process to standard output."""
    from tallytext.cli.engines import EngineJob
    from tallytext.distributed.prediction import (
        model_bytes,
        pack_request,
        part_file_name,
        predict_split,
    )

    job = EngineJob(sources, reading, engine, quiet)
    job.reading |= more
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
