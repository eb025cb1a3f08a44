"""``tally evaluate``: measure a model on labelled documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    load_model,
    note_on_interrupt,
    print_json,
    result_console,
    show_error,
    show_warning,
)
from tallytext.cli.options import EngineOptions

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.cli.engines import EngineJob
    from tallytext.evaluation.report import EvaluationReport

_MAX_BATCH_DOCUMENTS = 16_384

MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score",
        "--min-accuracy",
        min=0,
        max=1,
        metavar="SHARE",
        help="Exit with code 1 if the score is below this: the accuracy, or micro-F1 of "
        "multi-label documents.",
    ),
]


def evaluate(
    model: options.Model,
    sources: options.Sources,
    *,
    ranking: options.Ranking = False,
    min_score: MinScore = None,
    reading: options.ReadingOptions,
    engine: EngineOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure a model on documents it was not trained on.

    Prints accuracy, precision, recall, F1 and the most frequent confusions; for multi-label
    documents micro-F1, macro-F1 and subset accuracy, the share of documents with exactly the right
    labels. Labels that the model does not know count as errors, and are listed.

    \b
    tally evaluate mails.tally test.parquet
    tally evaluate mails.tally test.csv --text body --label folder
    tally evaluate news.tally test.csv --label topics --label-separator ";" --ranking
    tally evaluate mails.tally test.jsonl --min-score 0.8 --quiet
    tally evaluate mails.tally test-*.parquet --engine spark --master spark://host:7077
    """
    engine.check_files(sources)
    engine.check_no_threads(threads)
    classifier = load_model(model, sources)
    with note_on_interrupt(lambda: "There is no report, because not all documents were read."):
        report, documents = _evaluate(classifier, sources, reading, engine, ranking, quiet)
    if as_json:
        print_json({"model": str(model), "skipped": documents.n_skipped, **report.to_dict()})
    elif not quiet:
        result_console().print(report)
    documents.close()
    _warn_about_unknown_labels(report)
    _check_score(report, min_score)


def _evaluate(
    classifier: TextClassifier,
    sources: list[str],
    reading: options.ReadingOptions,
    engine: EngineOptions,
    ranking: bool,
    quiet: bool,
) -> tuple[EvaluationReport, InputDocuments | EngineJob]:
    """Return the evaluation report of a classifier, and the input with its counts."""
    if engine.engine is None:
        documents = InputDocuments(sources, reading, quiet, max_documents=_MAX_BATCH_DOCUMENTS)
        return evaluate_here(classifier, documents, ranking=ranking), documents
    from tallytext.cli.engines import EngineJob
    from tallytext.distributed.prediction import (
        evaluate_split,
        evaluation_report,
        model_bytes,
        pack_request,
    )

    classifier.predict_proba([])  # shows warnings here, which workers would not show
    job = EngineJob(sources, reading, engine, quiet)
    request = pack_request(model_bytes(classifier), job.reading, ranking=ranking)
    results = job.split_results(evaluate_split, request)
    return evaluation_report(result.content for result in results), job


def evaluate_here(
    classifier: TextClassifier, documents: InputDocuments, *, ranking: bool = False
) -> EvaluationReport:
    """Return the evaluation report of a classifier, computed batch by batch."""
    from tallytext.classifier.evaluation import evaluate_classifier
    from tallytext.evaluation.report import EvaluationReport

    batches = ((batch.texts, batch.labels) for batch in documents)
    evaluation = evaluate_classifier(classifier, batches, ranking=ranking)
    return EvaluationReport.from_evaluation(evaluation)


def _warn_about_unknown_labels(report: EvaluationReport) -> None:
    known = sum(each.support for each in report.classes) - sum(n for _, n in report.unknown_labels)
    if report.unknown_labels and not known:
        show_warning(
            "the model knows none of these labels. Is --label the right column? Labels in CSV "
            "files are text, which differs from numbers in JSON and Parquet files."
        )


def _check_score(report: EvaluationReport, min_score: float | None) -> None:
    if min_score is not None and report.score < min_score:
        show_error(f"{report.measure} is {report.score:.4f}, below {min_score:g} (--min-score).")
        raise typer.Exit(1)
