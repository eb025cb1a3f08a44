"""``tally train``: from labelled documents to a model file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    Documents,
    check_place,
    is_watched,
    print_json,
    results,
    save,
    say,
    told,
    unlabelled_documents,
    warn,
)
from tallytext.cli.options import Counting, Many, Reading, Settings

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.report import Report
    from tallytext.features.selector import TermSelector
    from tallytext.text.vectorizer import TextVectorizer


# ------------------------------------------------------------------------------------------------
# Classifiers trained by a command: on documents read here, or on what others have counted.


class Learned(NamedTuple):
    """A classifier, how many rows were left out, and what tells how long it took."""

    classifier: TextClassifier
    skipped: dict[str, int]
    close: Callable[[], None]


def learned_here(
    classifier: TextClassifier,
    sources: list[str],
    reading: Reading,
    unlabelled: list[str],
    quiet: bool,
) -> Learned:
    """Return a classifier that has learned from documents, which are read here."""
    documents = Documents(sources, reading, quiet)
    pool = unlabelled_documents(unlabelled, sources, reading, quiet)
    classifier.fit_batches(documents.pairs(), unlabelled=pool.texts() if unlabelled else None)
    if unlabelled and not pool.n_documents:
        warn(f"there is no document in {', '.join(unlabelled)}: learned from those with labels.")
    skipped = {"skipped": documents.n_skipped, "skipped_unlabelled": pool.n_skipped}
    return Learned(classifier, skipped, lambda: documents.close(pool))


def learned_by_many(
    settings: TextClassifier,
    sources: list[str],
    reading: Reading,
    many: Many,
    counting: Counting,
    quiet: bool,
) -> Learned:
    """Return a classifier with the settings of another, made of what an engine has counted."""
    from tallytext.classifier.training import candidates_for, vectorizer_for
    from tallytext.cli.engines import SharedWork

    planes = settings.planes()  # refuses settings that need documents
    vectorizer = vectorizer_for(settings, candidates_for(settings)[0].features)
    work = SharedWork(sources, reading, many, quiet)
    tally = work.tally(vectorizer=vectorizer, planes=planes, **counting.given())
    params = settings.get_params(deep=False)
    del params["vectorizer"]
    classifier = type(settings).from_tally(tally, **params)
    return Learned(classifier, {"skipped": work.n_skipped, "skipped_unlabelled": 0}, work.close)


def check_sums(model: str, select: str | None) -> None:
    """Refuse a model that is not made of counts, and terms that are not chosen by them.

    Examples
    --------
    >>> check_sums("multinomial", "ig:2000")
    """
    from tallytext.classifier.registry import find_learner, learners

    if select is not None and select.partition(":")[0] == "ts":
        raise typer.BadParameter(
            "--select ts compares documents with each other: with --engine, take another score."
        )
    if model == "auto" or (model != "best" and find_learner(model).additive):
        return
    sums = ", ".join(["auto", *(learner.name for learner in learners(additive=True))])
    raise typer.BadParameter(
        f"--model {model} needs all documents in one place: with --engine, take one of {sums}."
    )


# ------------------------------------------------------------------------------------------------
# The report of a classifier, for those who write commands.

# What a report advises in Python, and the commands that do it.
_COMMANDS = {
    "give fit groups= or time=": "see tally compare --groups",
    "call recalibrate(texts, labels)": "see tally recalibrate",
}

_INDENT = " " * 15


def print_report(report: Report) -> None:
    """Write a report to standard output; a terminal gets no line that is wider than it is."""
    console = results()
    width = console.width if console.is_terminal else None
    for line in in_commands(str(report)).splitlines():
        console.print(line if width is None else fitted(line, width), soft_wrap=True)


def fitted(line: str, width: int) -> str:
    """Return a line of a report that fits: sentences are wrapped, settings are cut.

    Examples
    --------
    >>> print(fitted("  expected     84.1% accuracy, on 4,096 documents", 40))
      expected     84.1% accuracy, on 4,096
                   documents
    >>> fitted("     84.1% of 4,096  contrast      MultinomialNB(complement=True)", 50)
    '     84.1% of 4,096  contrast      MultinomialNB(…'
    """
    if len(line) <= width:
        return line
    if line.startswith("    ") and not line.startswith(_INDENT):
        return f"{line[: width - 1]}…"
    return fill(line, width, subsequent_indent=_INDENT, break_on_hyphens=False)


def in_commands(report: str) -> str:
    """Return a report that speaks of commands where it spoke of Python.

    Examples
    --------
    >>> in_commands("stale: call recalibrate(texts, labels)")
    'stale: see tally recalibrate'
    """
    for python, command in _COMMANDS.items():
        report = report.replace(python, command)
    return report


_FEW = 20  # documents of which each may have a label of its own


def train(
    sources: options.Sources,
    *,
    reading: options.Reading,
    unlabelled: options.Unlabelled = None,
    settings: Settings,
    many: Many,
    counting: Counting,
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn from documents that have labels, and write a model file.

    Several models are tried on documents kept from them, and the best is taken; the report that is
    printed says which and why, and how often it will be right. The input may be larger than
    memory. Without --output, the model is written to the current folder, under the name of the
    first input with .tally.

    Where labels are few, give many more documents of the same kind as --unlabelled: the model
    "pooled" learns from these, too, and is taken where classes have 50 labels or fewer.

    Where one machine takes too long, --engine lets Dask or Spark count the documents, to the same
    counts; models are then compared on a sample of the documents.

    \b
    tally train mails.csv --text body --label folder
    tally train reviews/ --match '*/train/*.txt' -o reviews.tally
    tally train ten-of-each.csv --unlabelled all-mails.jsonl -o mails.tally
    zcat big.jsonl.gz | tally train - --model multinomial -o big.tally
    tally train part-*.parquet --engine dask --scheduler tcp://host:8786 -o big.tally
    """
    counting.expect(many)
    _check(sources, settings, many, unlabelled)
    path = check_place(output or default_output(sources))
    with told(lambda: f"Nothing was saved; {str(path)!r} was not touched."):
        untrained = _untrained(settings, quiet)
        if many.engine is None:
            learned = learned_here(untrained, sources, reading, unlabelled or [], quiet)
        else:
            learned = learned_by_many(untrained, sources, reading, many, counting, quiet)
    classifier, skipped, close = learned
    _warn_of_little(classifier)
    save(classifier, path)
    report = classifier.report()
    if as_json:
        print_json({"model": str(path), **skipped, **report.to_dict()})
    elif not quiet:
        print_report(report)
    if not quiet:
        say(f"saved as {path}")
    close()


def _check(
    sources: list[str], settings: Settings, many: Many, unlabelled: list[str] | None
) -> None:
    """Refuse what makes no sense together, before anything is read."""
    many.check_files(sources)
    if many.engine is None:
        return
    if unlabelled:
        raise typer.BadParameter(
            "--unlabelled is for one machine: with --engine, a model is made of the counts of "
            "documents that have labels."
        )
    check_sums(settings.model, settings.select)


def _warn_of_little(classifier: TextClassifier) -> None:
    """Warn of documents that teach nothing."""
    names, n_documents = classifier.classes_.tolist(), classifier.tally_.n_documents
    if len(names) == 1 and not classifier.multi_label_:
        warn(
            f"all documents have the label {names[0]!r}, and so has every answer. Is --label the "
            "right column?"
        )
    if len(names) > max(_FEW, n_documents // 2):
        warn(
            f"{n_documents:,} documents have {len(names):,} labels: hardly two share one. Is "
            "--label the right column?"
        )
    if not classifier.tally_.n_tokens:
        warn("there is no word in the documents. Is --text the right column?")


def _untrained(settings: Settings, quiet: bool) -> TextClassifier:
    from tallytext import TextClassifier

    return TextClassifier(
        settings.model,
        vectorizer=_vectorizer(settings),
        select=None if settings.select is None else selector(settings.select),
        multi_label=settings.multi_label,
        budget=settings.budget,
        verbose=is_watched(quiet),
    )


def default_output(sources: list[str], ending: str = ".tally") -> Path:
    """Return the name of the first input with another ending, in the current folder.

    Examples
    --------
    >>> str(default_output(["corpora/mails.csv.gz"])), str(default_output(["reviews/"]))
    ('mails.tally', 'reviews.tally')
    """
    if sources[0] == "-":
        raise typer.BadParameter("standard input has no name: say where to write with --output.")
    stem = Path(sources[0]).resolve().name
    while (shorter := PurePath(stem).stem) != stem:
        stem = shorter
    return Path(f"{stem}{ending}")


def _vectorizer(settings: Settings) -> TextVectorizer | None:
    terms: dict[str, Any] = {
        "tokens": settings.tokens.value,
        "ngram_range": None if settings.ngrams is None else ngram_range(settings.ngrams),
        "language": settings.language,
        "stop_words": settings.stop_words,
    }
    if list(terms.values()) == ["words", None, None, None]:
        return None
    from tallytext import TextVectorizer

    return TextVectorizer(hangul="words+bigrams", **terms)


def selector(written: str) -> TermSelector:
    """Return what chooses terms: a score, and how many or which share of them.

    Examples
    --------
    >>> selector("ig:2000"), selector("chi:0.02"), selector("df")
    (TermSelector(k=2000), TermSelector(keep=0.02, method='chi'), TermSelector(method='df'))
    """
    from tallytext.features.selector import TermSelector
    from tallytext.features.term_scores import METHODS

    known: list[Any] = [*METHODS, "ts"]
    score, _, amount = written.partition(":")
    try:
        method = known[known.index(score)]
        if not amount:
            return TermSelector(method)
        if amount.isdecimal():
            return TermSelector(method, k=int(amount))
        return TermSelector(method, keep=float(amount))
    except ValueError:
        raise typer.BadParameter(
            f"--select takes one of {', '.join(known)}, and perhaps how many, as in ig:2000 or "
            f"ig:0.02, not {written!r}."
        ) from None


def ngram_range(written: str) -> tuple[int, int]:
    """Return the shortest and the longest n-gram.

    Examples
    --------
    >>> ngram_range("1-2"), ngram_range("3")
    ((1, 2), (3, 3))
    """
    shortest, _, longest = written.partition("-")
    longest = longest or shortest
    if not (shortest.isdecimal() and longest.isdecimal() and 0 < int(shortest) <= int(longest)):
        raise typer.BadParameter(f"--ngrams takes numbers as in 2 or 1-2, not {written!r}.")
    return int(shortest), int(longest)
