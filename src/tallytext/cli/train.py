"""``tally train``: from labelled documents to a model file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.console import is_watched, print_json, results, say
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import told
from tallytext.cli.models import expect_place, save
from tallytext.learners import learners

if TYPE_CHECKING:
    from tallytext import TextVectorizer

_MODEL = "Model"


class Tokens(StrEnum):
    """What texts are cut into."""

    words = "words"
    chars = "chars"


_CHOICES = {
    "auto": "the best on documents kept out, of those that can learn, forget and merge later",
    "best": "the best on documents kept out, of all",
}


def _models() -> list[tuple[str, str]]:
    return [*_CHOICES.items(), *((learner.name, learner.summary) for learner in learners())]


MODELS = "Models:\n" + "\n".join(f"  {name:<13} {summary}" for name, summary in _models())


def train(
    sources: options.Sources,
    output: options.Output = None,
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    format: options.Format = None,
    label_separator: options.LabelSeparator = None,
    on_error: options.Errors = options.OnError.fail,
    encoding: options.Encoding = "utf-8",
    match: options.Match = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What to train, as listed below.",
            autocompletion=_models,
            rich_help_panel=_MODEL,
        ),
    ] = "auto",
    tokens: Annotated[
        Tokens,
        typer.Option(
            help="Whether terms are words, or strings of characters inside them.",
            rich_help_panel=_MODEL,
        ),
    ] = Tokens.words,
    ngrams: Annotated[
        str | None,
        typer.Option(
            metavar="N or N-M",
            help="How many tokens a term has: 1-2 for words and pairs of words.",
            show_default="1 of words, 2-4 of characters",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Stem words in this language, such as english or de.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help="Leave out the stop words of this language.",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    multi_label: Annotated[
        bool | None,
        typer.Option(
            "--multi-label/--single-label",
            help="Whether documents may have several labels or none.",
            show_default="if one of them has",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Try no further model after this time.",
            show_default="by the size of the input",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn which labels documents have, and write a model file.

    The input is read once, in bounded memory. Settings are compared on documents kept from them;
    the report that is printed says what was chosen and how well it will do. Without --output, the
    model is written to the current folder, under the name of the first input with .tally.

    \b
    tally train mails.csv --text body --label folder
    tally train reviews/ --match '*/train/*.txt' -o reviews.tally
    zcat big.jsonl.gz | tally train - --model multinomial -o big.tally
    """
    path = expect_place(output or default_output(sources))
    documents = Documents(
        sources,
        quiet,
        text=text,
        label=label,
        format=format,
        label_separator=label_separator,
        on_error=on_error,
        encoding=encoding,
        match=match,
    )
    vectorizer = _vectorizer(tokens, ngrams, language, stop_words)
    from tallytext import TextClassifier

    classifier = TextClassifier(
        model,
        vectorizer=vectorizer,
        multi_label=multi_label,
        budget=budget,
        verbose=is_watched(quiet),
    )
    with told(lambda: f"Nothing was saved; {str(path)!r} was not touched."):
        classifier.fit_batches(documents.pairs())
    # Only how it was trained, and no concern of who reads the file.
    classifier.verbose = False
    save(classifier, path)
    if as_json:
        print_json({"model": str(path), **classifier.report().to_dict()})
    elif not quiet:
        results().print(str(classifier.report()))
    if not quiet:
        say(f"saved as {path}")
    documents.close()


def default_output(sources: list[str]) -> Path:
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
    return Path(f"{stem}.tally")


def _vectorizer(
    tokens: Tokens, ngrams: str | None, language: str | None, stop_words: str | None
) -> TextVectorizer | None:
    if (tokens, ngrams, language, stop_words) == (Tokens.words, None, None, None):
        return None
    from tallytext import TextVectorizer

    kind: Any = tokens.value
    return TextVectorizer(
        tokens=kind,
        ngram_range=None if ngrams is None else ngram_range(ngrams),
        hangul="words+bigrams",
        language=language,
        stop_words=stop_words,
    )


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
