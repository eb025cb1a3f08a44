"""``tally train``: from labelled documents to a model file."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import typer

from tallytext.cli import options
from tallytext.cli import training_options as settings
from tallytext.cli.console import is_watched, print_json, results, say
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import told
from tallytext.cli.models import expect_place, save

if TYPE_CHECKING:
    from tallytext import TextClassifier, TextVectorizer


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
    model: settings.ModelName = "auto",
    tokens: settings.Tokens = settings.Tokenization.words,
    ngrams: settings.Ngrams = None,
    language: settings.Language = None,
    stop_words: settings.StopWords = None,
    multi_label: settings.MultiLabel = None,
    budget: settings.Budget = None,
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
    sizes = None if ngrams is None else ngram_range(ngrams)
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
    vectorizer = _vectorizer(tokens.value, sizes, language, stop_words)
    classifier = _trained(documents, model, vectorizer, multi_label, budget, path, quiet)
    save(classifier, path)
    report = classifier.report()
    if as_json:
        print_json({"model": str(path), "skipped": documents.n_skipped, **report.to_dict()})
    elif not quiet:
        results().print(str(report), soft_wrap=True)
    if not quiet:
        say(f"saved as {path}")
    documents.close()


def _trained(
    documents: Documents,
    model: str,
    vectorizer: TextVectorizer | None,
    multi_label: bool | None,
    budget: float | None,
    path: Path,
    quiet: bool,
) -> TextClassifier:
    from tallytext import TextClassifier

    classifier = TextClassifier(
        model,
        vectorizer=vectorizer,
        multi_label=multi_label,
        budget=budget,
        verbose=is_watched(quiet),
    )
    with told(lambda: f"Nothing was saved; {str(path)!r} was not touched."):
        return classifier.fit_batches(documents.pairs())


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
    tokens: Any, sizes: tuple[int, int] | None, language: str | None, stop_words: str | None
) -> TextVectorizer | None:
    if (tokens, sizes, language, stop_words) == ("words", None, None, None):
        return None
    from tallytext import TextVectorizer

    return TextVectorizer(
        tokens=tokens,
        ngram_range=sizes,
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
