"""``tally evaluate``: how good a model is on labelled documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli import options
from tallytext.cli.io import Documents, complain, load, print_json, results, told, warn
from tallytext.cli.options import Many

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.cli.engines import SharedWork
    from tallytext.evaluation.report import EvaluationReport

_BATCH = 16_384

MinAccuracy = Annotated[
    float | None,
    typer.Option(
        min=0, max=1, metavar="SHARE", help="Leave with exit code 1 if accuracy is below."
    ),
]


def evaluate(
    model: options.Model,
    sources: options.Sources,
    *,
    min_accuracy: MinAccuracy = None,
    reading: options.Reading,
    many: Many,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Judge a model by labelled documents that it has not learned.

    Prints accuracy, precision, recall and F1, and what is taken for what. Labels that the
    model does not know are counted as wrong, and listed.

    \b
    tally evaluate mails.tally test.parquet
    tally evaluate mails.tally test.csv --text body --label folder
    tally evaluate mails.tally test.jsonl --min-accuracy 0.8 --quiet
    tally evaluate mails.tally test-*.parquet --engine spark --master spark://host:7077
    """
    many.check_files(sources)
    many.check_no_threads(threads)
    classifier = load(model, sources)
    with told(lambda: "There is no report, since not all documents were read."):
        report, documents = _judged(classifier, sources, reading, many, quiet)
    if as_json:
        print_json({"model": str(model), "skipped": documents.n_skipped, **report.to_dict()})
    elif not quiet:
        results().print(report)
    documents.close()
    _warn_of_strange_labels(report)
    _expect(report, min_accuracy)


def _judged(
    classifier: TextClassifier,
    sources: list[str],
    reading: options.Reading,
    many: Many,
    quiet: bool,
) -> tuple[EvaluationReport, Documents | SharedWork]:
    """Return how good a classifier is on documents, and these."""
    if many.engine is None:
        documents = Documents(sources, reading, quiet, max_documents=_BATCH)
        return report_on(classifier, documents), documents
    from tallytext.cli.engines import SharedWork
    from tallytext.distributed.predicting import (
        judged_split,
        model_bytes,
        packed_question,
        report_of,
    )

    classifier.predict_proba([])  # warns of what others would be warned of
    work = SharedWork(sources, reading, many, quiet)
    question = packed_question(model_bytes(classifier), work.reading)
    outcomes = work.outcomes(judged_split, question)
    return report_of(outcome.content for outcome in outcomes), work


def report_on(classifier: TextClassifier, documents: Documents) -> EvaluationReport:
    """Return how good a classifier is on documents, batch by batch."""
    from tallytext.classifier.evaluation import evaluated
    from tallytext.evaluation.report import EvaluationReport

    batches = ((batch.texts, batch.labels) for batch in documents)
    return EvaluationReport.of(evaluated(classifier, batches))


def _warn_of_strange_labels(report: EvaluationReport) -> None:
    known = sum(each.support for each in report.classes) - sum(n for _, n in report.unknown_labels)
    if report.unknown_labels and not known:
        warn(
            "the model knows none of these labels. Is --label the right column? In CSV files all "
            "labels are text, which differs from the numbers of JSON and parquet files."
        )


def _expect(report: EvaluationReport, min_accuracy: float | None) -> None:
    if min_accuracy is not None and report.accuracy < min_accuracy:
        complain(f"accuracy is {report.accuracy:.4f}, below {min_accuracy:g}.")
        raise typer.Exit(1)
