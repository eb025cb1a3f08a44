"""``tally train``: from labelled documents to a model file."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import typer

from tallytext.cli import options
from tallytext.cli.console import is_watched, print_json, say, warn
from tallytext.cli.engine_options import Counting, Many
from tallytext.cli.interrupts import told
from tallytext.cli.learning import expect_sums, learned_by_many, learned_here
from tallytext.cli.models import expect_place, save
from tallytext.cli.report_text import print_report
from tallytext.cli.training_options import Settings

if TYPE_CHECKING:
    from tallytext import TextClassifier, TextVectorizer
    from tallytext.selection import TermSelector

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
    path = expect_place(output or default_output(sources))
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
    many.expect_files(sources)
    if many.engine is None:
        return
    if unlabelled:
        raise typer.BadParameter(
            "--unlabelled is for one machine: with --engine, a model is made of the counts of "
            "documents that have labels."
        )
    expect_sums(settings.model, settings.select)


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
    from tallytext.selection import TermSelector
    from tallytext.selection.scores import METHODS

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
