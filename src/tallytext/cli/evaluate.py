"""``tally evaluate``: measure a model on labelled documents, and show what it got wrong."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    check_escapes_formulas,
    check_new_file,
    check_output_file,
    load_model,
    note_on_interrupt,
    print_json,
    result_console,
    show_error,
    show_message,
    show_warning,
)
from tallytext.cli.label_hygiene import (
    LabelOptions,
    MergeLabels,
    count_classes,
    describe_unknown_labels,
    model_label_check,
    suggest_label,
)
from tallytext.cli.options import EngineOptions
from tallytext.errors import LabelError, quote_value
from tallytext.terminal import escape_controls

if TYPE_CHECKING:
    from rich.text import Text

    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.mistakes import Mistake, MistakeFinder
    from tallytext.cli.engines import EngineJob
    from tallytext.evaluation.evaluation import Evaluation
    from tallytext.evaluation.report import EvaluationReport

_MAX_BATCH_DOCUMENTS = 16_384
_MISTAKES = "Mistakes"
_N_LABELS_SHOWN = 5

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


class Sort(StrEnum):
    """Order of the classes."""

    f1 = "f1"
    support = "support"
    precision = "precision"
    recall = "recall"
    name = "name"


SortBy = Annotated[
    Sort,
    typer.Option(
        "--sort",
        help="Order of the classes: by F1, precision or recall, the worst first; by support, the "
        "number of documents, the largest first; or by name.",
    ),
]
Errors = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        metavar="FILE",
        help="Write all wrong documents to a new file, .csv, .tsv, .jsonl or .xlsx, in the order "
        "of the input: text, label, prediction, probabilities, and the words that misled.",
        show_default="none",
        rich_help_panel=_MISTAKES,
    ),
]
ShowErrors = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Show the N most confident mistakes.",
        rich_help_panel=_MISTAKES,
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also write an HTML page: all figures, and the 500 most confident mistakes, to "
        "search and sort. An existing page is replaced.",
        show_default="none",
        rich_help_panel=_MISTAKES,
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Also write the value of this column with each mistake. Can be repeated.",
        show_default="none",
        rich_help_panel=_MISTAKES,
    ),
]


def evaluate(
    model: options.Model,
    sources: options.Sources,
    *,
    ranking: options.Ranking = False,
    min_score: MinScore = None,
    sort: SortBy = Sort.f1,
    errors: Errors = None,
    show_errors: ShowErrors = 10,
    html: Html = None,
    identifiers: Identifiers = None,
    escape_formulas: options.EscapeFormulas = False,
    reading: options.ReadingOptions,
    merge_labels: MergeLabels = False,
    engine: EngineOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Measure a model on documents it was not trained on, and show what it got wrong.

    Prints accuracy, precision, recall, F1, the most frequent confusions, and the most confident
    mistakes, with the words that misled the model; for multi-label documents micro-F1, macro-F1 and
    subset accuracy, the share of documents with exactly the right labels. Labels that the model
    does not know count as errors, and are listed. A table of accuracy by confidence helps to choose
    --min-confidence of tally predict.

    \b
    tally evaluate mails.tally test.parquet
    tally evaluate mails.tally test.csv --text body --label folder --errors wrong.csv
    tally evaluate mails.tally test.csv --html report.html --id message
    tally evaluate news.tally test.csv --label topics --label-separator ";" --ranking
    tally evaluate mails.tally test.jsonl --min-score 0.8 --quiet
    tally evaluate mails.tally test-*.parquet --engine spark --master spark://host:7077
    """
    engine.check_files(sources)
    engine.check_no_threads(threads)
    if engine.engine is not None and (errors or html or identifiers):
        raise typer.BadParameter(
            "--errors, --html and --id do not work with --engine, whose workers send figures only. "
            "Evaluate some of the files without --engine."
        )
    hygiene = LabelOptions(merge_labels=merge_labels)
    if engine.engine is not None:
        hygiene.check_engine()
    if html is not None:
        check_output_file(html, "page written by tally")
    if errors is not None:
        check_new_file(errors)
    check_escapes_formulas(escape_formulas, None if errors is None else errors.suffix)
    classifier = load_model(model, sources)
    documents: InputDocuments | EngineJob
    finder = None
    with note_on_interrupt(lambda: "There is no report, because not all documents were read."):
        if engine.engine is not None:
            report, documents = _evaluate_on_engine(
                classifier, sources, reading, engine, ranking, quiet
            )
        else:
            local = _LocalEvaluation(
                classifier, sources, reading, hygiene, identifiers or [], quiet, escape_formulas
            )
            finder = local.run(ranking, errors, max(show_errors, _n_on_page(html)))
            report, documents = local.report, local.documents
    _check_known_labels(classifier, report)
    report = report.sort_classes(sort.value)
    surest = [] if finder is None else finder.surest[:show_errors]
    if as_json:
        wrong = round((1 - report.subset_accuracy) * report.n_documents)
        listed = [each.to_record(_words(classifier, each)) for each in surest]
        seen = {"model": str(model), "skipped": documents.n_skipped}
        print_json({**seen, **report.to_dict(), "wrong": wrong, "mistakes": listed})
    elif not quiet:
        result_console().print(report)
        _print_mistakes(classifier, surest, 0 if finder is None else finder.n_wrong)
    if html is not None and finder is not None:
        _write_page(html, classifier, report, local.evaluation, finder, _origin(model, sources))
    if not quiet:
        for path in (errors, html):
            if path is not None:
                show_message(f"saved as {path}")
    documents.close()
    _question_labels(classifier, report)
    _check_score(report, min_score)


def _n_on_page(html: Path | None) -> int:
    from tallytext.classifier.evaluation_page import MAX_PAGE_MISTAKES

    return 0 if html is None else MAX_PAGE_MISTAKES


class _LocalEvaluation:
    """An evaluation on documents that this process reads."""

    def __init__(
        self,
        classifier: TextClassifier,
        sources: list[str],
        reading: options.ReadingOptions,
        hygiene: LabelOptions,
        identifiers: list[str],
        quiet: bool,
        escape_formulas: bool,
    ) -> None:
        from tallytext.classifier.mistakes import mistake_columns

        self._classifier, self._reading = classifier, reading
        self._escape_formulas = escape_formulas
        columns = mistake_columns(classifier.multi_label_)
        taken = [name for name in identifiers if name in columns]
        if taken:
            raise typer.BadParameter(
                f"--id {taken[0]}: a mistake has a column of this name already. Leave it out."
            )
        self._columns = mistake_columns(classifier.multi_label_, identifiers)
        self._labels = model_label_check(hygiene, sources, reading, quiet, classifier)
        self.documents = InputDocuments(
            sources, reading, quiet, max_documents=_MAX_BATCH_DOCUMENTS, also=identifiers
        )

    def run(self, ranking: bool, errors: Path | None, n_surest: int) -> MistakeFinder:
        """Evaluate all documents, and write the wrong ones to a file as they are found."""
        from tallytext.classifier.mistakes import MistakeFinder
        from tallytext.classifier.record_files import RecordFormat
        from tallytext.evaluation.evaluation import Evaluation
        from tallytext.evaluation.report import EvaluationReport

        style = self._reading.label_separator or ";", self._escape_formulas
        format = None if errors is None else RecordFormat(errors, self._columns, *style)
        self.evaluation = Evaluation(multi_label=self._classifier.multi_label_, ranking=ranking)
        finder = MistakeFinder(self._classifier, n_surest)
        blocks = self._blocks(finder, format is not None)
        if format is None:
            for _ in blocks:
                pass
        else:
            format.save(blocks)
        self.report: EvaluationReport = EvaluationReport.from_evaluation(self.evaluation)
        return finder

    def _blocks(self, finder: MistakeFinder, explains: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield the records of the wrong documents of each batch, if they are to be written."""
        from tallytext.classifier.evaluation import answer_batches

        for source, read in self.documents.by_source():
            batch = self._labels.merge_batch(read)
            pair = [(batch.texts, batch.labels)]
            for answers in answer_batches(self._classifier, pair, self.evaluation):
                found = finder.find(answers, batch, source)
                if explains:
                    yield [each.to_record(_words(self._classifier, each)) for each in found]


def _evaluate_on_engine(
    classifier: TextClassifier,
    sources: list[str],
    reading: options.ReadingOptions,
    engine: EngineOptions,
    ranking: bool,
    quiet: bool,
) -> tuple[EvaluationReport, EngineJob]:
    """Return the evaluation report of a classifier, and the job with its counts."""
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


def _words(classifier: TextClassifier, mistake: Mistake) -> list[tuple[str, float]]:
    from tallytext.decision.evidence import leading_words

    return leading_words(mistake.explain(classifier))


def _check_known_labels(classifier: TextClassifier, report: EvaluationReport) -> None:
    """Raise LabelError if the model knows none of the labels: --label is likely to be wrong."""
    known = sum(each.support for each in report.classes) - sum(n for _, n in report.unknown_labels)
    if not report.unknown_labels or known:
        return
    labels = [label for label, _ in report.unknown_labels]
    raise LabelError(
        describe_unknown_labels(labels, classifier.classes_.tolist())
        + _first_question(classifier, report)
    )


def _question_labels(classifier: TextClassifier, report: EvaluationReport) -> None:
    """Warn of labels that the model does not know, but that look like one of its labels."""
    known = count_classes(classifier.tally_) if report.unknown_labels else {}
    for label, n in report.unknown_labels[:_N_LABELS_SHOWN]:
        question = suggest_label(label, known, "tally evaluate")
        if question:
            show_warning(
                f"the model does not know the label {quote_value(label)} ({n:,}). {question}"
            )


def _first_question(classifier: TextClassifier, report: EvaluationReport) -> str:
    """Return the question about the most frequent unknown label, after a blank; or ""."""
    label, _ = report.unknown_labels[0]
    question = suggest_label(label, count_classes(classifier.tally_), "tally evaluate")
    return f" {question}" * bool(question)


def _write_page(
    path: Path,
    classifier: TextClassifier,
    report: EvaluationReport,
    evaluation: Evaluation,
    finder: MistakeFinder,
    about: dict[str, str],
) -> None:
    from tallytext.classifier.evaluation_page import EvaluationPage
    from tallytext.io.atomic import save_text

    mistakes = [(each, each.explain(classifier)) for each in finder.surest]
    page = EvaluationPage(evaluation, report, mistakes, finder.n_wrong, about)
    save_text(path, page.to_html())


def _origin(model: Path, sources: list[str]) -> dict[str, str]:
    return {"model": model.name, **report_origin(sources)}


def report_origin(sources: list[str]) -> dict[str, str]:
    """Return the origin of a report for the header of its page: input, date, version, command."""
    from importlib.metadata import version

    return {
        "documents": ", ".join(Path(source).name or source for source in sources),
        "date": f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
        "version": f"tallytext {version('tallytext')}",
        "command": shlex.join(["tally", *sys.argv[1:]]),
    }


def _print_mistakes(classifier: TextClassifier, surest: list[Mistake], n_wrong: int) -> None:
    """Print mistakes, each with its text, cut to the width, and the words that misled."""
    if not surest:
        return
    console = result_console()
    n = len(surest)
    title = (
        f"The {n} most confident of {n_wrong:,} mistakes"
        if n < n_wrong
        else "Mistakes, most confident first"
    )
    console.print(f"\n{title}:")
    has_file = len({each.file for each in surest}) > 1
    for each in surest:
        place = " ".join([each.file] * has_file + [f"row {each.row}"])
        place = ", ".join([place, *(f"{name} {value}" for name, value in each.ids.items())])
        for line in _mistake_lines(each, place, _words(classifier, each), console.width):
            console.print(line)


def _mistake_lines(
    each: Mistake, place: str, words: list[tuple[str, float]], width: int
) -> list[Text]:
    from rich.text import Text

    def clean(value: object) -> str:
        return escape_controls(" ".join(str(value).split()), keep="")

    if isinstance(each.predicted, list):
        sides = [("missing", each.missing), ("not true", each.extra)]
        answer = ", ".join(f"{side} {', '.join(map(str, some))}" for side, some in sides if some)
        answer = f"{answer} ({each.probability:.1%})"
    else:
        answer = (
            f"labelled {each.label} ({each.label_probability:.1%}), predicted {each.predicted} "
            f"({each.probability:.1%})"
        )
    text = clean(each.text)
    text = text if len(text) <= width - 2 else f"{text[: width - 3]}…"
    evidence = Text("  ")
    for term, value in words:
        # The sign says it without colours.
        style = "green" if value > 0 else "red"
        evidence.append(f"{'+' if value > 0 else '−'}{clean(term)}", style=style)
        evidence.append(f" {abs(value):.2f}  ", style="dim")
    head = Text.assemble((f"{clean(place)}: ", "dim"), (clean(answer), "bold"))
    return [head, Text(f"  {text}"), *([evidence] if words else [])]


def _check_score(report: EvaluationReport, min_score: float | None) -> None:
    if min_score is not None and report.score < min_score:
        show_error(f"{report.measure} is {report.score:.4f}, below {min_score:g} (--min-score).")
        raise typer.Exit(1)
