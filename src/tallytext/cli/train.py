"""``tally train``: train a model on labelled documents and write it to a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path, PurePath
from shlex import quote
from statistics import median
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    for_command_line,
    format_by_name,
    lock_output,
    note_on_interrupt,
    print_json,
    result_console,
    save_model,
    show_message,
    show_warning,
    shows_progress,
    unlabelled_documents,
)
from tallytext.cli.label_hygiene import (
    LabelCheck,
    LabelOptions,
    check_tally_labels,
    count_classes,
)
from tallytext.cli.options import EngineLimits, EngineOptions, ReadingOptions, TrainOptions
from tallytext.cli.train_documents import (
    HalfLabelled,
    HeldOut,
    learns_from_unlabelled,
    parse_test_size,
    parse_unlabelled,
)
from tallytext.errors import FileError, quote_value

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.model_file import EarlierModel
    from tallytext.classifier.report import Advice, Report
    from tallytext.evaluation.report import EvaluationReport
    from tallytext.text.vectorizer import TextVectorizer

TestSize = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE or N",
        help="Hold out this share of the documents, e.g. 0.2, or at most N of them, and measure "
        "the model on them. The choice depends on the texts alone, so equal texts are never "
        "on both sides.",
        show_default="none",
        rich_help_panel="Documents",
    ),
]

Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace the model of an earlier training even if it has learned, forgotten or merged "
        "documents since.",
        rich_help_panel=options.OUTPUT,
    ),
]

_MAX_LEAKS_SHOWN = 3
# Labels with one document are suspicious if at least half of the labels have so many.
_MIN_MEDIAN, _MAX_LONE_SHOWN = 20, 10


def train(
    sources: options.TrainSources = None,
    *,
    reading: ReadingOptions,
    unlabelled: options.Unlabelled = None,
    test_size: TestSize = None,
    settings: TrainOptions,
    hygiene: LabelOptions,
    engine: EngineOptions,
    limits: EngineLimits,
    output: options.Output = None,
    force: Force = False,
    wait: options.Wait = options.DEFAULT_WAIT,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    as_json: options.Json = False,
) -> None:
    """Train a model on labelled documents and write it to a file.

    Compares several models on held-out documents and keeps the best. The report shows the accuracy
    to expect on new texts, whether it is enough, and the command to run next. Without --output, the
    model is written to the current folder: mails.csv becomes mails.tally. A model that has learned
    documents since its training is replaced only with --force. The input may be larger than memory.

    If you have few labels, add many more documents of the same kind without labels: leave their
    label empty, or pass their files with --unlabelled. The model "pooled" also learns from these.
    With at most 1,000 labels, 50 per class, it is used; with more, it is compared with the others.
    It also reads the words of the labels, so that classes may have no labelled document (--class).

    For data too large for one machine, --engine counts the documents with Dask or Spark, with the
    same counts as on one machine. Models are then compared on a sample of the documents.

    \b
    tally train mails.csv --text body --label folder
    tally train reviews/ --match '*/train/*.txt' -o reviews.tally
    tally train ten-of-each.csv --unlabelled all-mails.jsonl -o mails.tally
    tally train half-labelled.xlsx --unlabelled none --test-size 0.2
    tally train all.csv --where split=train -o mails.tally
    tally train --class sport --class business --unlabelled news.csv -o news.tally
    tally train mails.csv --model 'knn(k=45)' --select 'chi(keep=0.02)'
    zcat big.jsonl.gz | tally train - --model multinomial -o big.tally
    tally train part-*.parquet --engine dask --scheduler tcp://host:8786 -o big.tally
    """
    if quiet and verbose:
        raise typer.BadParameter(
            "--quiet shows less and --verbose shows more. Leave out one of the two options."
        )
    sources = sources or []
    named = _training_files(sources, unlabelled, settings.classes)
    limits.check_engine(engine.engine)
    engine.check_files(sources)
    size = parse_test_size(test_size)
    if engine.engine is not None:
        check_engine_settings(_model_text(settings), settings.select, unlabelled)
        hygiene.check_engine()
        if settings.classes or settings.descriptions is not None:
            raise typer.BadParameter(
                "--class and --descriptions need unlabelled documents, which --engine cannot use."
            )
        if size is not None:
            raise typer.BadParameter(
                "--test-size does not work with --engine. Keep test documents in a file of their "
                "own, and measure the model with tally evaluate --engine."
            )
    path = output or default_output(named)
    with lock_output(path, wait, quiet):
        earlier = _read_earlier(path)
        if earlier is not None and not force:
            _check_no_updates(path, earlier)
        with note_on_interrupt(lambda: f"Nothing was saved; {str(path)!r} was not changed."):
            untrained = _make_classifier(settings, quiet)
            if engine.engine is None:
                trained = _fit_here(
                    untrained,
                    sources,
                    reading,
                    hygiene,
                    unlabelled,
                    settings.classes,
                    size,
                    quiet,
                    verbose,
                )
            else:
                trained = _fit_on_engine(
                    untrained, sources, reading, hygiene, engine, limits, quiet
                )
            tested = (
                None if trained.held_out is None else _test(trained.classifier, trained.held_out)
            )
        classifier, skipped, close = trained.classifier, trained.skipped, trained.close
        _warn_about_labels(classifier)
        if not quiet:
            _warn_about_near_duplicates(classifier)
        # Before the report is printed: a closed pipe must not cost the model.
        save_model(classifier, path)
    report = classifier.report()
    if as_json:
        test = {} if tested is None else {"test": tested.to_dict()}
        print_json({"model": str(path), **skipped, **report.to_dict(), **test})
    elif not quiet:
        print_report(report, command_advice(path, named, reading), verbose=verbose)
        if trained.note:
            result_console().print(trained.note)
        if tested is not None:
            result_console().print(_test_line(tested))
    if earlier is not None:
        _tell_replaced(path, earlier, report, quiet)
    if not quiet:
        show_message(f"saved as {path}")
    close()


def _training_files(
    sources: list[str], unlabelled: list[str] | None, classes: list[str] | None
) -> list[str]:
    """Return the files to name the model by; raise BadParameter if there is nothing to learn."""
    _, files = parse_unlabelled(unlabelled)
    if classes and not files and not sources:
        raise typer.BadParameter(
            "--class needs documents without labels: add --unlabelled FILE, or INPUT with rows "
            "whose label is empty."
        )
    if not sources and not classes:
        raise typer.BadParameter(
            "Missing argument 'INPUT': a file with texts and labels. To train on the names of "
            "classes alone, use --class LABEL and --unlabelled FILE."
        )
    return sources or files


def _read_descriptions(path: Path | None) -> dict[str, str] | None:
    """Return the words for labels in a TOML file."""
    if path is None:
        return None
    from tomllib import TOMLDecodeError, loads

    try:
        found = loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise typer.BadParameter(f"--descriptions: {problem.strerror}: {str(path)!r}.") from None
    except (TOMLDecodeError, UnicodeDecodeError) as problem:
        raise typer.BadParameter(
            f"--descriptions: {str(path)!r} is not a TOML file ({problem}). Write lines such as "
            'refund = "wants money back".'
        ) from None
    wrong = [name for name, text in found.items() if not isinstance(text, str)]
    if wrong:
        raise typer.BadParameter(
            f"--descriptions: {wrong[0]!r} in {str(path)!r} is not a text in quotes. Quote labels "
            'with dots: "rec.autos" = "cars".'
        )
    return found


def _read_earlier(path: Path) -> EarlierModel | None:
    """Return the state of a model that will be replaced; None if there is none."""
    from tallytext.classifier.model_file import read_earlier_model

    try:
        return read_earlier_model(path)
    except FileError:  # no model, or one that nothing can read
        return None


def _tell_replaced(path: Path, earlier: EarlierModel, report: Report, quiet: bool) -> None:
    """Show that a model was replaced; as a warning if it was clearly better."""
    from tallytext.evaluation.significance import wilson_interval

    before = "unknown" if earlier.score is None else f"{earlier.score:.1%}"
    n, now = report.n_evaluated, report.score
    high = 0.0 if now is None else wilson_interval(now * n, n)[1]
    if earlier.score is not None and high < earlier.score:
        after = "unknown" if now is None else f"{now:.1%}"
        show_warning(
            f"replaced {path}, which was better (expected {report.measure} before: {before}, now: "
            f"{after})."
        )
    elif not quiet:
        show_message(f"replaced {path} (expected {report.measure} before: {before})")


def _check_no_updates(path: Path, earlier: EarlierModel) -> None:
    """Raise FileError if a model has learned, forgotten or merged documents."""
    updates = earlier.updates
    counts = {"learned": updates.learned, "forgotten": updates.forgotten, "merged": updates.merged}
    done = [f"{verb} {n:,} document{'s' * (n != 1)}" for verb, n in counts.items() if n]
    if done:
        lost = "them" if updates.learned + updates.merged > 1 else "this"
        raise FileError(
            f"{path} has {' and '.join(done)} since its training; training again would lose "
            f"{lost}. Use --force to replace it, or --output FILE."
        )


def check_engine_settings(
    model: str, select: str | None, unlabelled: list[str] | None = None
) -> None:
    """Raise BadParameter for settings that need documents: an engine collects counts only.

    Examples
    --------
    >>> check_engine_settings("multinomial", "ig:2000")
    """
    from tallytext.classifier.expressions import build_model
    from tallytext.classifier.registry import CHOICES, learners

    if unlabelled:
        raise typer.BadParameter(
            "--unlabelled does not work with --engine, which counts labelled documents only. "
            "Leave out one of the two options."
        )
    score = "" if select is None else re.split("[:(]", select)[0].strip()
    if score in ("l1", "ts"):
        raise typer.BadParameter(
            f"--select {score} reads all documents together, which --engine cannot do. Use another "
            "score, e.g. --select ig."
        )
    # With an engine, "auto" compares additive learners only.
    if model in CHOICES or build_model(model)[0].additive:
        return
    additive = ", ".join([*CHOICES, *(learner.name for learner in learners(additive=True))])
    raise typer.BadParameter(
        f"--model {model} needs all documents on one machine. With --engine, use one of {additive}."
    )


def default_output(sources: list[str], ending: str = ".tally") -> Path:
    """Return the name of the first input with another ending, in the current folder.

    Examples
    --------
    >>> str(default_output(["corpora/mails.csv.gz"])), str(default_output(["reviews/"]))
    ('mails.tally', 'reviews.tally')
    """
    if sources[0] == "-":
        raise typer.BadParameter(
            "standard input has no name to derive the name of the model from. Give one with "
            "--output FILE."
        )
    stem = Path(sources[0]).resolve().name
    while (shorter := PurePath(stem).stem) != stem:
        stem = shorter
    return Path(f"{stem}{ending}")


def _make_classifier(settings: TrainOptions, quiet: bool) -> TextClassifier:
    from tallytext import TextClassifier

    return TextClassifier(
        _model_text(settings),
        vectorizer=_make_vectorizer(settings),
        select=settings.select,
        multi_label=settings.multi_label,
        thresholds=options.parse_thresholds([settings.thresholds]),
        keep=settings.keep.value,
        descriptions=_read_descriptions(settings.descriptions),
        budget=settings.budget,
        verbose=shows_progress(quiet),
    )


def _model_text(settings: TrainOptions) -> str:
    """Return the model that --model or --features describe."""
    if settings.features is None:
        return settings.model
    if settings.model not in ("auto", "discriminant"):
        raise typer.BadParameter(
            f"--features trains a linear discriminant and cannot be combined with --model "
            f"{settings.model}. Leave out one of the two options."
        )
    from tallytext.classifier.expressions import build_estimator

    build_estimator(settings.features, "features")  # points at an error in what the user wrote
    return f"discriminant(features={settings.features})"


def _make_vectorizer(settings: TrainOptions) -> TextVectorizer | None:
    """Return a vectorizer with the options that were set; None lets each learner use its own."""
    terms: dict[str, Any] = {
        "tokens": settings.tokens.value,
        "ngram_range": None if settings.ngrams is None else parse_ngrams(settings.ngrams),
        "language": settings.language,
        "stop_words": settings.stop_words,
    }
    if list(terms.values()) == ["words", None, None, None]:
        return None
    from tallytext import TextVectorizer

    return TextVectorizer(hangul="words+bigrams", **terms)


def parse_ngrams(written: str) -> tuple[int, int]:
    """Return the shortest and the longest n-gram.

    Examples
    --------
    >>> parse_ngrams("1-2"), parse_ngrams("3")
    ((1, 2), (3, 3))
    """
    shortest, _, longest = written.partition("-")
    longest = longest or shortest
    if not (shortest.isdecimal() and longest.isdecimal() and 0 < int(shortest) <= int(longest)):
        raise typer.BadParameter(
            f"--ngrams must be a number or a range of numbers, such as 2 or 1-2, not {written!r}."
        )
    return int(shortest), int(longest)


class _Trained(NamedTuple):
    """A trained classifier, the numbers of skipped rows, and the function that shows the speed."""

    classifier: TextClassifier
    skipped: dict[str, int]
    close: Callable[[], None]
    note: str = ""
    held_out: HeldOut | None = None


def _fit_here(
    classifier: TextClassifier,
    sources: list[str],
    reading: ReadingOptions,
    hygiene: LabelOptions,
    unlabelled: list[str] | None,
    classes: list[str] | None,
    test_size: float | int | None,
    quiet: bool,
    verbose: bool,
) -> _Trained:
    """Fit a classifier on documents that this process reads."""
    word, files = parse_unlabelled(unlabelled)
    # A model that was named and cannot use them is an error only if the user wants them used.
    uses = word == "use" or (word is None and learns_from_unlabelled(classifier))
    labels = LabelCheck(hygiene)
    if sources:
        labels.read_labels(sources, reading, quiet)
    documents = InputDocuments(sources, reading, quiet, verbose, on_unlabelled="keep")
    rows = HalfLabelled(documents, sources, reading.label, word, uses)
    pool = unlabelled_documents(files, sources, reading, quiet)
    rows.needs_label = not classes
    pairs = labels.check_pairs(rows.pairs()) if sources else iter(())
    held_out = None if test_size is None else HeldOut(test_size)
    classifier.fit_batches(
        pairs if held_out is None else held_out.split(pairs),
        unlabelled=chain(rows.texts(), pool.texts()) if uses or files else None,
        classes=classes,
    )
    if classifier.duplicates_ is not None and held_out is None:
        classifier.duplicates_ = rows.number_rows(classifier.duplicates_)
    if files and not pool.n_documents:
        show_warning(
            f"there is no document in {', '.join(files)} (--unlabelled): the model was "
            "trained on the labelled documents only."
        )
    skipped = {
        "skipped": documents.n_skipped,
        "skipped_unlabelled": pool.n_skipped,
        "rows_without_label": rows.n_unlabelled,
    }
    return _Trained(
        classifier, skipped, lambda: documents.close(pool), rows.describe(classifier), held_out
    )


def _test(classifier: TextClassifier, held_out: HeldOut) -> EvaluationReport | None:
    """Return the evaluation report of a classifier on held-out documents."""
    from tallytext.classifier.evaluation import evaluate_classifier
    from tallytext.evaluation.report import EvaluationReport

    if not held_out.n_documents:
        show_warning(
            "--test-size held out no document, so the model was not tested. Give a "
            "larger number or share."
        )
        return None
    evaluation = evaluate_classifier(classifier, held_out.pairs())
    return EvaluationReport.from_evaluation(evaluation)


def _test_line(report: EvaluationReport) -> str:
    low, high = report.interval
    n = f"{report.n_documents:,} held-out document{'s' * (report.n_documents != 1)}"
    return (
        f"tested on {n}: {report.measure} {report.score:.3f} (95% interval {low:.3f} to {high:.3f})"
    )


def _fit_on_engine(
    untrained: TextClassifier,
    sources: list[str],
    reading: ReadingOptions,
    hygiene: LabelOptions,
    engine: EngineOptions,
    limits: EngineLimits,
    quiet: bool,
) -> _Trained:
    """Return a classifier with the settings of another, fitted on the counts of an engine."""
    from tallytext.classifier.training import candidates_for, vectorizer_for
    from tallytext.cli.engines import EngineJob

    planes = untrained.planes()  # raises an error if the settings need documents
    vectorizer = vectorizer_for(untrained, candidates_for(untrained)[0].features)
    job = EngineJob(sources, reading, engine, quiet)
    tally = job.tally(vectorizer=vectorizer, planes=planes, **limits.values_set())
    check_tally_labels(tally, hygiene)
    params = untrained.get_params(deep=False)
    del params["vectorizer"]
    classifier = type(untrained).from_tally(tally, **params)
    return _Trained(classifier, {"skipped": job.n_skipped, "skipped_unlabelled": 0}, job.close)


def _warn_about_labels(classifier: TextClassifier) -> None:
    """Warn if the labels or texts look like those of the wrong column."""
    names = classifier.classes_.tolist()
    if len(names) == 1 and not classifier.multi_label_:
        show_warning(
            f"all documents have the label {quote_value(names[0])}, so the model predicts nothing "
            "else. Is --label the right column?"
        )
    lone = _lone_labels(classifier)
    if lone:
        shown = ", ".join(map(quote_value, lone[:_MAX_LONE_SHOWN]))
        more = f" and {len(lone) - _MAX_LONE_SHOWN:,} more" * (len(lone) > _MAX_LONE_SHOWN)
        show_warning(f"labels with one document: {shown}{more}")
    if classifier.tally_.n_documents and not classifier.tally_.n_tokens:
        show_warning("the documents contain no word. Is --text the right column?")
    _warn_about_leaks(classifier)


def _lone_labels(classifier: TextClassifier) -> list[Any]:
    """Return the labels with a single document, if most labels have many."""
    sizes = count_classes(classifier.tally_)
    if not sizes or median(sizes.values()) < _MIN_MEDIAN:
        return []
    return [label for label, n in sizes.items() if n == 1]


def _warn_about_near_duplicates(classifier: TextClassifier) -> None:
    """Warn if held-out documents are nearly the same as training documents."""
    report = classifier.report()
    near = report.near_duplicates
    if near is not None and near.is_notable and report.score is not None:
        show_warning(f"{near}.")


def _warn_about_leaks(classifier: TextClassifier) -> None:
    """Warn of words that tell the label: the expected accuracy is then that of finding them."""
    from tallytext.classifier.label_checks import find_leaks

    leaks = find_leaks(classifier.tally_)
    for leak in leaks[:_MAX_LEAKS_SHOWN]:
        show_warning(str(leak))
    if len(leaks) > _MAX_LEAKS_SHOWN:
        n = len(leaks) - _MAX_LEAKS_SHOWN
        show_warning(f"{n:,} more label{' has' if n == 1 else 's have'} such a word.")


_INDENT = " " * 15


def command_advice(
    model: Path, sources: Sequence[str] = ("train.csv",), reading: ReadingOptions | None = None
) -> Advice:
    """Return the commands that the report of a model recommends.

    Parameters
    ----------
    model : Path
        The file of the model.
    sources : sequence of str
        The labelled documents.
    reading : ReadingOptions, default=None
        How these were read; None if it is not known: the columns are then placeholders.

    Examples
    --------
    >>> command_advice(Path("mails.tally"), ["mails.tsv"], ReadingOptions(text="body")).predict
    'tally predict mails.tally new.tsv --text body -o labelled.tsv'
    """
    from tallytext.classifier.report import Advice

    how = ReadingOptions(text="COLUMN", label="COLUMN") if reading is None else reading
    text = "" if how.text == "text" else f" --text {quote(how.text)}"
    label = "" if how.label in ("label", None) else f" --label {quote(str(how.label))}"
    format = format_by_name(sources[0], how.format)
    ending = format if format in ("tsv", "jsonl", "parquet") else "csv"
    more, file = f"new.{ending}", quote(str(model))
    given = " ".join("train.csv" if each == "-" else quote(each) for each in sources[:3])
    compare = f"tally compare {given}{text}{label}"
    columns = (
        f"check the folders of {given}: are their names the labels?"
        if format in ("folder", "tar")
        else f"check --text {quote(how.text)} and --label {quote(str(how.label or 'label'))}: are "
        "these the right columns?"
    )
    return Advice(
        predict=f"tally predict {file} {more}{text} -o labelled.{ending}",
        label=f"tally label {more}{text}, then tally learn {file} new.labels.jsonl",
        compare=compare,
        columns=columns,
        classes=f"tally train {given}{text} --label COLUMN, with a column of two labels or more",
        groups=f"{compare} --groups COLUMN",
        recalibrate=f"tally recalibrate {file} {more}{text}{label}",
        details=f"tally info {file} -v",
    )


def print_report(report: Report, advice: Advice, *, verbose: bool = False) -> None:
    """Write a report to standard output; on a terminal, long lines are wrapped or cut."""
    from rich.text import Text

    console = result_console()
    width = console.width if console.is_terminal else None
    shown = for_command_line(report.to_text(verbose, advice)).splitlines()
    for number, line in enumerate(shown):
        style = "bold" if not number else "bold green" if line.startswith("  next ") else ""
        fitting = line if width is None else fit_width(line, width)
        console.print(Text(fitting, style), soft_wrap=True)


def fit_width(line: str, width: int) -> str:
    """Return a line of a report that fits: sentences are wrapped, settings are cut.

    Examples
    --------
    >>> print(fit_width("  expected     84.1% accuracy, on 4,096 documents", 40))
      expected     84.1% accuracy, on 4,096
                   documents
    >>> fit_width("     84.1% of 4,096  contrast      MultinomialNB(complement=True)", 50)
    '     84.1% of 4,096  contrast      MultinomialNB(…'
    """
    if len(line) <= width:
        return line
    if line.startswith("    ") and not line.startswith(_INDENT):
        return f"{line[: width - 1]}…"
    return fill(line, width, subsequent_indent=_INDENT, break_on_hyphens=False)
