"""``tally translate cover``: how much of other texts a translation file knows."""

from __future__ import annotations

from dataclasses import asdict

from tallytext.cli import options
from tallytext.cli.console import print_json, results
from tallytext.cli.documents import Documents
from tallytext.cli.translate.files import Translation, load, texts_of


def cover(
    translation: Translation,
    sources: options.Sources,
    *,
    reading: options.UnlabelledReading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Show how many of the words and signatures of other texts a translation file knows.

    Words are known that rows can bring, signatures that have a row. Where few are known, learn
    from texts that are more alike.

    \b
    tally translate cover news.translation mails.csv --text body
    """
    model, documents = load(translation), Documents(sources, reading, quiet)
    found = model.coverage(texts_of(documents))
    if as_json:
        content = {"translation": str(translation), "skipped": documents.n_skipped}
        print_json({**content, **asdict(found)})
    else:
        results().print(str(found), soft_wrap=True)
    documents.close()
