"""``tally translate learn``: from texts to a translation file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tallytext.cli import options
from tallytext.cli.console import print_json, results, say, warn
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import held_back, told
from tallytext.cli.models import expect_place
from tallytext.cli.train import default_output
from tallytext.cli.translate.files import as_text, summary, texts_of
from tallytext.cli.translate.learning_options import Settings

if TYPE_CHECKING:
    from tallytext.semantic import TranslationModel


def learn(
    sources: options.Sources,
    *,
    output: options.Output = None,
    reading: options.UnlabelledReading,
    settings: Settings,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn what words each signature brings, and write a translation file.

    Labels are not looked at, so any texts of the kind to be classified will do, the more the
    better. They are held in memory. Without --output, the file is written to the current folder,
    under the name of the first input with .translation.

    \b
    tally translate learn news.jsonl -o news.translation
    tally translate learn news/ --signatures words+phrases --stop-words english
    tally translate learn papers.csv --text body --concepts mesh.tsv
    """
    path = expect_place(output or default_output(sources, ".translation"))
    model, documents = _untrained(settings, quiet), Documents(sources, reading, quiet)
    with told(lambda: f"Nothing was saved; {str(path)!r} was not touched."):
        model.fit(texts_of(documents))
    with held_back():
        model.save(path)
    found = summary(model)
    if not len(model.signatures_):
        warn(
            f"nothing has a row: no signature is in {settings.min_df} documents (--min-df), or "
            "none brings a word of --min-probability."
        )
    if as_json:
        counts = {"documents": documents.n_documents, "skipped": documents.n_skipped}
        print_json({"translation": str(path), **counts, **found})
    elif not quiet:
        results().print(as_text(found), soft_wrap=True)
    if not quiet:
        say(f"saved as {path}")
    documents.close()


def _untrained(settings: Settings, quiet: bool) -> TranslationModel:
    from tallytext import TextVectorizer
    from tallytext.semantic import TranslationModel

    return TranslationModel(
        _signatures(settings),
        beta=settings.beta,
        counts=settings.counts.value,
        min_df=settings.min_df,
        min_probability=settings.min_probability,
        max_entries=settings.max_entries,
        vectorizer=TextVectorizer(language=settings.language, stop_words=settings.stop_words),
        verbose=False if quiet else None,
    )


def _signatures(settings: Settings) -> list[Any]:
    from tallytext.semantic import Concepts

    kinds: list[Any] = [kind for kind in settings.signatures.split("+") if kind != "concepts"]
    if settings.concepts is not None:
        return [*kinds, Concepts.read(settings.concepts, language=settings.language)]
    if not kinds:
        raise typer.BadParameter("--signatures concepts needs a file of them: --concepts FILE.")
    return kinds
