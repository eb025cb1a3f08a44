"""``tally translate``: what words bring with them. One command per file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallytext.cli import options
from tallytext.cli.app import Command, Group, flowing, ungrouped
from tallytext.cli.io import (
    Documents,
    check_place,
    held_back,
    print_json,
    results,
    say,
    told,
    warn,
)
from tallytext.cli.options import language_option, stop_words_option
from tallytext.cli.train import default_output
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.semantic.translation import TranslationModel


# ------------------------------------------------------------------------------------------------
# Translation files of commands, and the texts they are learned from.

Translation = Annotated[
    Path,
    typer.Argument(metavar="TRANSLATION", help="A file that tally translate learn wrote."),
]


def load(path: Path) -> TranslationModel:
    """Read a translation file."""
    from tallytext.semantic.translation import TranslationModel

    return TranslationModel.load(path)


def texts_of(documents: Documents) -> list[str]:
    """Return all texts, which are looked at more than once."""
    texts: list[str] = []
    for batch in documents:
        texts += ["" if text is None else text for text in batch.strings]
    if not texts:
        raise InputError("there are no documents: nothing can be learned or looked up.")
    return texts


def summary(model: TranslationModel) -> dict[str, Any]:
    """Return what a model holds, in numbers."""
    from tallytext.semantic.signatures import KIND_NAMES

    others = len(model.get_feature_names_out()) - len(model.words_)
    counts = [int((model.kinds_ == kind).sum()) for kind in range(len(KIND_NAMES))]
    return {
        "words": len(model.words_),
        "phrases_and_concepts": others,
        "rows": dict(zip(KIND_NAMES, counts, strict=True)),
        "probabilities": int(model.rows_.nnz),
        "beta": model.beta,
        "counts": model.counts,
    }


def as_text(of: dict[str, Any]) -> str:
    """Return a summary as a paragraph.

    Examples
    --------
    >>> rows = {"word": 700, "phrase": 1, "concept": 0}
    >>> print(as_text({"words": 1000, "rows": rows, "probabilities": 9000, "beta": 0.5}))
    1,000 words; rows of 700 words and 1 phrase, 9,000 probabilities in all
    """
    named = [f"{n:,} {kind}{'s' * (n != 1)}" for kind, n in of["rows"].items() if n]
    rows = " and ".join(named) or "nothing"
    return f"{of['words']:,} words; rows of {rows}, {of['probabilities']:,} probabilities in all"


# ------------------------------------------------------------------------------------------------
# Options of ``tally translate learn``: what is a signature, and how rows are estimated.

_PANEL = "Translation"


class SignatureKinds(StrEnum):
    """What texts are recognised by."""

    words = "words"
    phrases = "phrases"
    both = "words+phrases"
    concepts = "concepts"


class CountKind(StrEnum):
    """What a word of a document counts."""

    occurrences = "occurrences"
    documents = "documents"
    log = "log"


Signatures = Annotated[
    SignatureKinds,
    typer.Option(
        help="What gets a row: words, phrases that are found in the texts, both, or only the "
        "concepts of a file.",
        rich_help_panel=_PANEL,
    ),
]
ConceptFile = Annotated[
    Path | None,
    typer.Option(
        "--concepts",
        metavar="FILE",
        help="Concepts get rows, too: a file of a phrase, a TAB and its concept on each line.",
        rich_help_panel=_PANEL,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        min=0,
        max=0.999999,
        metavar="SHARE",
        help="How much of a text is taken for what every text has. More leaves fewer words.",
        rich_help_panel=_PANEL,
    ),
]
Counting = Annotated[
    CountKind,
    typer.Option(
        "--counts",
        help="What a word of a document counts: its occurrences, one, or their logarithm with "
        "all documents weighing the same.",
        rich_help_panel=_PANEL,
    ),
]
LeastDocuments = Annotated[
    int,
    typer.Option(
        "--min-df",
        min=1,
        metavar="N",
        help="What is in fewer documents gets no row.",
        rich_help_panel=_PANEL,
    ),
]
LeastProbability = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="P",
        help="Words of a smaller probability are left out of a row.",
        rich_help_panel=_PANEL,
    ),
]
MostEntries = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="How many words a row has at most.", rich_help_panel=_PANEL
    ),
]
Language = Annotated[str | None, language_option(_PANEL)]
StopWords = Annotated[str | None, stop_words_option(_PANEL)]


@dataclass(frozen=True)
class Settings:
    """What to learn."""

    signatures: Signatures = SignatureKinds.words
    concepts: ConceptFile = None
    beta: Beta = 0.5
    counts: Counting = CountKind.occurrences
    min_df: LeastDocuments = 2
    min_probability: LeastProbability = 0.001
    max_entries: MostEntries = 200
    language: Language = None
    stop_words: StopWords = None


# ------------------------------------------------------------------------------------------------
# ``tally translate learn``: from texts to a translation file.


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
    path = check_place(output or default_output(sources, ".translation"))
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
    from tallytext.semantic.translation import TranslationModel

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
    from tallytext.semantic.concepts import Concepts

    kinds: list[Any] = [kind for kind in settings.signatures.split("+") if kind != "concepts"]
    if settings.concepts is not None:
        return [*kinds, Concepts.read(settings.concepts, language=settings.language)]
    if not kinds:
        raise typer.BadParameter("--signatures concepts needs a file of them: --concepts FILE.")
    return kinds


# ------------------------------------------------------------------------------------------------
# ``tally translate show``: the words that a signature brings.


def show(
    translation: Translation,
    signatures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SIGNATURE",
            help="Words, phrases such as 'space program', or concepts such as =C0018787.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, metavar="K", help="How many words of each.")
    ] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the words that signatures bring, the most probable first.

    Without a signature, it shows what the file holds.

    \b
    tally translate show news.translation
    tally translate show news.translation space "space program" -n 5
    tally translate show news.translation "space program" --json
    """
    model = load(translation)
    found = [_shown(model, signature, top) for signature in signatures or []]
    if as_json:
        content = {"signatures": found} if signatures else {"file": summary(model)}
        print_json({"translation": str(translation), **content})
    elif signatures:
        texts = [str(model.explain(signature, top)) for signature in signatures]
        results().print("\n".join(texts), soft_wrap=True)
    else:
        results().print(as_text(summary(model)), soft_wrap=True)


def _shown(model: TranslationModel, signature: str, top: int) -> dict[str, Any]:
    found = model.explain(signature, top)
    words = [{"word": word, "probability": probability} for word, probability in found]
    return {"signature": signature, "words": words}


# ------------------------------------------------------------------------------------------------
# ``tally translate cover``: how much of other texts a translation file knows.


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


HELP = """Learn from texts without labels which words go together.

    A word, a phrase or a concept brings others with it: texts about the "space program" have
    shuttles and orbits in them. A classifier with few labels can use that. A translation file
    holds such words for every signature, and can be used with other texts.

    \b
    tally translate learn news.jsonl --signatures words+phrases
    tally translate show news.translation "space program"
    tally translate cover news.translation mails.csv --text body
    """

app = typer.Typer(cls=Group, help=flowing(HELP), no_args_is_help=True)
for command in (learn, show, cover):
    app.command(cls=Command, help=flowing(command.__doc__ or ""))(ungrouped(command))
