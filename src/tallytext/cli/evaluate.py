"""``tally evaluate``: how good a model is on labelled documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli import options
from tallytext.cli.console import complain, print_json, results, warn
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import told
from tallytext.cli.models import batch_size, load

if TYPE_CHECKING:
    from tallytext import TextClassifier
    from tallytext.evaluation import EvaluationReport

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
    """
    classifier = load(model, sources)
    documents = Documents(sources, reading, quiet, max_documents=batch_size(classifier, _BATCH))
    with told(lambda: "There is no report, since not all documents were read."):
        report = report_on(classifier, documents)
    if as_json:
        print_json({"model": str(model), "skipped": documents.n_skipped, **report.to_dict()})
    elif not quiet:
        results().print(report)
    documents.close()
    _warn_of_strange_labels(report)
    _expect(report, min_accuracy)


def report_on(classifier: TextClassifier, documents: Documents) -> EvaluationReport:
    """Return how good a classifier is on documents, batch by batch."""
    from tallytext.cli.answers import Answers
    from tallytext.evaluation import Evaluation, EvaluationReport

    evaluation, classes = Evaluation(), classifier.classes_.tolist()
    answers = Answers(classifier)
    for batch in documents:
        proba = classifier.predict_proba(batch.texts)
        given = [label for label, _ in answers.labels(proba)]
        evaluation.add(batch.labels, given, proba, classes)
    return EvaluationReport.of(evaluation)


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
